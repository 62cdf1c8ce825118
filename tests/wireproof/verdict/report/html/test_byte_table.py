"""Two encodings by field: what differs, what one side lacks, and what no field names."""

from wireproof.model.divergence import NamedBytes
from wireproof.verdict.report.html.run_findings import byte_rows


def named(
    data: bytes, *fields: tuple[int, int, str], start: int = 0, length: int | None = None
) -> NamedBytes:
    return NamedBytes(data.hex(), start, len(data) if length is None else length, fields)


def test_one_side_has_a_row_for_each_field() -> None:
    rows = byte_rows(named(b"\0\1\2ab", (0, 2, "code"), (2, 5, "name")))

    assert [(row.name, row.left and row.left.before, row.right) for row in rows] == [
        ("code", "00 01", None),
        ("name", "02 61 62", None),
    ]
    assert not any(row.differs for row in rows)
    assert rows[1].left is not None
    assert (rows[1].left.offset, rows[1].left.text) == (2, ".ab")


def test_the_first_byte_that_differs_is_marked_on_both_sides() -> None:
    fields = (0, 2, "code"), (2, 4, "name")
    rows = byte_rows(named(b"\0\1ab", *fields), named(b"\0\1ac", *fields))

    assert [(row.differs, row.first) for row in rows] == [(False, False), (True, True)]
    left, right = rows[1].left, rows[1].right
    assert left is not None
    assert right is not None
    assert (left.before, left.differing, left.after) == ("61", "62", "")
    assert (right.before, right.differing) == ("61", "63")


def test_a_field_that_one_side_lacks_shifts_no_other() -> None:
    left = named(b"\1\0\0\7", (0, 1, "_tags count"), (1, 3, "_tags[0] tag"), (3, 4, "end"))
    right = named(b"\0\7", (0, 1, "_tags count"), (1, 2, "end"))
    rows = byte_rows(left, right)

    assert [(row.name, row.left is None, row.right is None, row.differs, row.first) for row in rows] == [
        ("_tags count", False, False, True, True),
        ("_tags[0] tag", False, True, True, False),
        ("end", False, False, False, False),
    ]


def test_bytes_without_a_field_have_a_row() -> None:
    """Before, between and after the fields; each byte of the part is in one row."""
    shown = named(bytes(range(10)), (12, 14, "a"), (16, 30, "b"), start=10, length=99)
    rows = byte_rows(shown)

    assert [(row.name, row.left and row.left.offset) for row in rows] == [
        ("(not read)", 10), ("a", 12), ("(not read)", 14), ("b", 16),
    ]  # fmt: skip
    assert " ".join(row.left.before for row in rows if row.left) == shown.data.hex(" ")


def test_a_long_field_shows_its_beginning() -> None:
    (row,) = byte_rows(named(bytes(1000), (0, 1000, "bytes")))

    assert row.left is not None
    assert len(row.left.before.split()) + row.left.more == 1000
    assert row.left.more > 900
