"""Differences of two record sets have a name."""

import pytest

from kafkawire.records import Header, Message, Record, RecordBatch, RecordSet, to_canonical
from wireproof.checks.record_form import first_record_difference

BASE = RecordBatch.of([Record(0, 0, b"k", b"v", (Header("h", b"1"),)), Record(1, 0, b"k", None)])


@pytest.mark.parametrize(
    ("other", "path", "sides"),
    [
        (RecordBatch.of(BASE.records, base_offset=7), "batches[0].baseOffset", (0, 7)),
        (
            RecordBatch.of([BASE.records[0]._replace(headers=(Header("h", None),)), BASE.records[1]]),
            "batches[0].records[0].headers[0].value",
            (b"1", None),
        ),
        (
            RecordBatch.of([BASE.records[0], BASE.records[1]._replace(value=b"")]),
            "batches[0].records[1].value",
            (None, b""),
        ),
        (Message(0, 0), "batches[0].magic", (2, 1)),
    ],
)
def test_difference(other: RecordBatch | Message, path: str, sides: tuple[object, object]) -> None:
    """The first one, with both sides."""
    left, right = (to_canonical(RecordSet((each,))) for each in (BASE, other))
    assert first_record_difference(left, right) == (path, *sides)


def test_tails_and_counts() -> None:
    """Sets of other lengths, and other bytes behind them."""
    one, none = to_canonical(RecordSet((BASE,))), to_canonical(RecordSet())
    assert first_record_difference(one, none)[0] == "batches[0].magic"
    assert first_record_difference(none, to_canonical(RecordSet((), b"x"))) == ("tail", b"", b"x")
    assert first_record_difference(one, one) == ("", None, None)
