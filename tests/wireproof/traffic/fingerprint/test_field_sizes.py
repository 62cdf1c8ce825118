"""Sizes of fields on the wire, compared with the spans of the annotation and with KIP-625's numbers."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kafkawire.annotate import annotate
from kafkawire.compiler import compile_layout
from kafkawire.schema import MessageKind, MessageLayout, resolve
from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.schema.model import ScalarType, VersionRange
from kafkawire.values import TAGS
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.cell import RECORDS_MODULE
from wireproof.traffic.corpus.corpus_entry import GoldenEntry
from wireproof.traffic.corpus.corpus_folder import open_set
from wireproof.traffic.fingerprint.field_sizes import FieldSize, FieldSizeMeter

RELEASE = "4.3.1"
GOLDEN = Path(__file__).parents[4] / "corpus" / "golden" / RELEASE
SCHEMAS = load_snapshot(table().find(RELEASE))


def bodies() -> Iterator[tuple[MessageLayout, list[bytes]]]:
    """Yield every cell of the corpus with the bodies of its entries."""
    for _, part in open_set(GOLDEN).parts():
        if part.head.module == RECORDS_MODULE:  # it has no schema
            continue
        cells: dict[int, list[bytes]] = {}
        for entry in part.entries:
            assert isinstance(entry, GoldenEntry)
            cells.setdefault(int(entry.cell.rpartition("/")[2]), []).append(entry.body)
        for version, found in cells.items():
            yield resolve(SCHEMAS.find(part.head.message)[1], version), found


def spans(layout: MessageLayout, data: bytes) -> Iterator[tuple[str, int]]:
    """Return the bytes of each span, by the path of its field."""
    for span in annotate(layout, data).spans:
        path = re.sub(r"_tags\[\d+\]$", "_tags", span.path)
        array = span.field is not None and span.field.is_array and span.field.struct is None
        path = re.sub(r"\[\d+\]$", "", path) if array else path
        yield re.sub(r"\[\d+\]", "[]", path), span.end - span.start


def packed(layout: MessageLayout, *values: Any) -> FieldSize:
    return FieldSizeMeter(layout).measure([{"number": value} for value in values])[0]


def number(scalar: ScalarType) -> MessageLayout:
    """Return a message with one number."""
    every = VersionRange(0, 0)
    field = FieldLayout("number", scalar, None, False, 0, None, False, every)
    return MessageLayout("Number", MessageKind.DATA, None, 0, StructLayout("Number", False, (field,)))


def test_each_field_has_the_bytes_of_its_spans() -> None:
    """The entries of a cell are measured together, and no bytes are left over."""
    cells = 0
    for layout, found in bodies():
        codec, expected = compile_layout(layout), Counter[str]()
        for data in found:
            for path, size in spans(layout, data):
                expected[path] += size
        sizes = FieldSizeMeter(layout).measure([codec.decode(data) for data in found])
        assert {each.path: each.wire_bytes for each in sizes if each.wire_bytes} == +expected
        assert sum(each.wire_bytes for each in sizes) == sum(map(len, found))
        cells += 1
    assert cells > 500


def test_each_measurement_starts_at_zero() -> None:
    """The second result does not include the first; the sum of two halves is the whole."""
    meter = FieldSizeMeter(number(ScalarType.INT32))
    values = [{"number": value} for value in (1, 300, -1)]
    (whole,) = FieldSizeMeter(number(ScalarType.INT32)).measure(values)
    (first,), (rest,) = meter.measure(values[:1]), meter.measure(values[1:])
    assert (first.values, rest.values) == (1, 2)
    first.add(rest)
    assert first == whole


@pytest.mark.parametrize(
    ("values", "size"),
    [
        ((0, 1, 127), 1),
        ((128, 16383), 2),
        ((16384, 2097151), 3),
        ((2097152, 268435455), 4),
        ((268435456, 2**31 - 1, -1, -(2**31)), 5),
    ],
)
def test_sizes_of_unsigned_numbers_equal_those_of_the_proposal(values: tuple[int, ...], size: int) -> None:
    """KIP-625's histogram of the unsigned encoding; a negative int32 counts as a number from 2^31 on."""
    for value in values:
        found = packed(number(ScalarType.INT32), value)
        assert (found.fixed_bytes, found.unsigned_bytes) == (4, size)


@pytest.mark.parametrize(
    ("values", "size"),
    [
        ((0, 63, -1, -64), 1),
        ((64, 8191, -65, -8192), 2),
        ((8192, 1048575, -8193, -1048576), 3),
        ((1048576, 134217727, -1048577, -134217728), 4),
        ((134217728, 2**31 - 1, -134217729, -(2**31)), 5),
    ],
)
def test_sizes_of_signed_numbers_equal_those_of_the_proposal(values: tuple[int, ...], size: int) -> None:
    """KIP-625's histogram of the signed encoding, with its limits at those of the zig-zag encoding."""
    for value in values:
        assert packed(number(ScalarType.INT32), value).signed_bytes == size


@pytest.mark.parametrize(
    ("scalar", "least", "unsigned"), [(ScalarType.INT16, -(2**15), 3), (ScalarType.INT64, -(2**63), 10)]
)
def test_other_widths(scalar: ScalarType, least: int, unsigned: int) -> None:
    """The lowest number takes the most bytes in both encodings."""
    found = packed(number(scalar), least)
    assert (found.unsigned_bytes, found.signed_bytes) == (unsigned, unsigned)


def test_other_types_have_no_such_encodings() -> None:
    """int8, unsigned and floating-point numbers keep their encodings."""
    for scalar in (ScalarType.INT8, ScalarType.UINT16, ScalarType.UINT32, ScalarType.FLOAT64):
        found = packed(number(scalar), 1)
        assert (found.fixed_bytes, found.unsigned_bytes, found.signed_bytes) == (None, None, None)


def test_tags_are_measured_as_one_section() -> None:
    """The section has the number, size and bytes of an unknown tag, and the count."""
    root = StructLayout("Tags", True, ())
    layout = MessageLayout("Tags", MessageKind.DATA, None, 0, root)
    (found,) = FieldSizeMeter(layout).measure([{TAGS: {200: b"xyz"}}, {}])
    assert (found.path, found.values, found.wire_bytes) == ("_tags", 2, 1 + 2 + 1 + 3 + 1)
