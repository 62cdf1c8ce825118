"""Hostile changes of valid bytes, enumerated: the same bytes give the same mutations in the same order.

Where a length, a count, a marker or a tag stands is read off the annotated encoding, so every change is named
by the field it strikes.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kafkawire.annotate import Span, annotate
from kafkawire.schema.layout import FieldLayout, MessageLayout
from kafkawire.schema.model import ScalarType
from kafkawire.wire import write_uvarint
from wireproof.model import Mutation

__all__ = ["mutations"]

_INT32: Final = 1 << 31
_UINT32: Final = 1 << 32
_BAD_UTF8: Final = {
    "lone-byte": b"\xff",
    "lone-continuation": b"\x80",
    "overlong": b"\xc0\x80",
    "surrogate": b"\xed\xa0\x80",
    "above-unicode": b"\xf4\x90\x80\x80",
}
_TOO_LONG: Final = b"\xff\xff\xff\xff\xff\x01"
_EXCESS_BITS: Final = b"\xff\xff\xff\xff\x7f"


def mutations(layout: MessageLayout, data: bytes) -> Iterator[Mutation]:
    """Every mutation of one valid encoding of the layout."""
    for length in range(len(data)):
        yield Mutation("truncate", "", length, data[length:], b"")
    for tail in (b"\x00", b"\xff", b"\x01\x02\x03\x04\x05\x06\x07\x08"):
        yield Mutation(f"append-{len(tail)}-{tail[0]:02x}", "", len(data), b"", tail)
    spans = annotate(layout, data).spans
    for span in spans:
        yield from _of_span(span, data)
    yield from _of_sections(spans, data)


def _of_span(span: Span, data: bytes) -> Iterator[Mutation]:
    match span.role:
        case "count":
            assert span.field is not None
            yield from _prefix(span, data, span.field.compact, wide=True, what="count")
        case "marker":
            assert span.field is not None
            yield from _marker(span, data, tagged=span.field.tag is not None)
        case "tag count":
            yield from _varint(span.path, span.start, data[span.start : span.end], "tag-count")
        case "tag":
            yield from _tag(span, data)
        case "value" if span.field is not None:
            yield from _scalar(span, span.field, data)


def _scalar(span: Span, field: FieldLayout, data: bytes) -> Iterator[Mutation]:
    match field.scalar:
        case ScalarType.BOOL:
            for byte in (2, 0x7F, 0x80, 0xFF):
                yield _put(f"bool={byte:02x}", span, data[span.start : span.end], bytes([byte]))
        case ScalarType.STRING | ScalarType.BYTES | ScalarType.RECORDS:
            yield from _prefix(
                span, data, field.compact, wide=field.scalar is not ScalarType.STRING, what="length"
            )
            if field.scalar is ScalarType.STRING:
                yield from _text(span, data)
        case _:
            return


def _prefix(span: Span, data: bytes, compact: bool, *, wide: bool, what: str) -> Iterator[Mutation]:
    """The length or count at the beginning of a span, replaced by hostile ones."""
    if compact:
        yield from _varint(span.path, span.start, _varint_at(data, span.start), what)
        return
    code, highest = (">i", _INT32 - 1) if wide else (">h", 32767)
    before = data[span.start : span.start + struct.calcsize(code)]
    (held,) = struct.unpack(code, before)
    for number in dict.fromkeys((-1, -2, -highest - 1, 0, held + 1, held - 1, 127, highest)):
        if number != held and -highest - 1 <= number <= highest:
            yield _put(f"{what}={number}", span, before, struct.pack(code, number))


def _varint(path: str, start: int, before: bytes, what: str) -> Iterator[Mutation]:
    """An unsigned varint, replaced by hostile numbers and by hostile forms of its own number."""
    held = _number(before)
    hostile = (0, held - 1, held + 1, 128, _INT32 - 1, _INT32, _INT32 + 1, _UINT32 - 1)
    for number in dict.fromkeys(hostile):
        if number != held and 0 <= number < _UINT32:
            yield Mutation(f"{what}={number}", path, start, before, write_uvarint(number))
    padded = bytes(byte | 0x80 for byte in before)
    yield Mutation(f"{what}-not-minimal", path, start, before, padded + b"\x00")
    yield Mutation(f"{what}-of-six-bytes", path, start, before, _TOO_LONG)
    if len(before) < 5:  # its own number: nothing is wrong but the length of the varint
        longer = padded + b"\x80" * (5 - len(before)) + b"\x00"
        yield Mutation(f"{what}-padded-to-six", path, start, before, longer)
    yield Mutation(f"{what}-excess-bits", path, start, before, _EXCESS_BITS)


def _marker(span: Span, data: bytes, *, tagged: bool) -> Iterator[Mutation]:
    before = data[span.start : span.end]
    for byte in (0x00, 0x01, 0x02, 0x7F, 0x80, 0xFF):
        after = bytes([byte, 0x01]) if tagged and byte & 0x80 else bytes([byte])
        if after != before:
            yield _put(f"marker={after.hex()}", span, before, after)


def _text(span: Span, data: bytes) -> Iterator[Mutation]:
    """Bytes that are no UTF-8 at the beginning of a text, where there is room; a cut one at its end."""
    if not isinstance(span.value, str) or not span.value:
        return
    size = len(span.value.encode())
    start = span.end - size
    for name, bad in _BAD_UTF8.items():
        if len(bad) <= size:
            yield Mutation(f"utf8-{name}", span.path, start, data[start : start + len(bad)], bad)
    yield Mutation("utf8-cut", span.path, span.end - 1, data[span.end - 1 : span.end], b"\xe2")


def _tag(span: Span, data: bytes) -> Iterator[Mutation]:
    """The number and the size of a tagged field."""
    number = _varint_at(data, span.start)
    yield from _varint(span.path, span.start, number, "tag")
    yield from _varint(
        span.path, span.start + len(number), _varint_at(data, span.start + len(number)), "tag-size"
    )


@dataclass(slots=True)
class _Section:
    """A tag section: its count, and where each tagged field begins and ends."""

    path: str
    start: int
    count: int
    entries: list[tuple[int, int]]


def _of_sections(spans: tuple[Span, ...], data: bytes) -> Iterator[Mutation]:
    """Tagged fields doubled, swapped, and of a number unknown, in every tag section."""
    for section in _sections(spans, data):
        size = len(_varint_at(data, section.start))
        stop = section.entries[-1][1] if section.entries else section.start + size
        before = data[section.start : stop]
        entries = [data[start:end] for start, end in section.entries]
        for index, entry in enumerate(entries):
            doubled = [*entries[: index + 1], entry, *entries[index + 1 :]]
            yield _section(f"tag-doubled-{index}", section, before, doubled)
        for index in range(len(entries) - 1):
            swapped = [*entries]
            swapped[index : index + 2] = swapped[index + 1], swapped[index]
            yield _section(f"tags-swapped-{index}", section, before, swapped)
        last = write_uvarint(_INT32 - 2) + b"\x01\x00"
        yield _section(
            "unknown-tags-unsorted", section, before, [*entries, last, b"\xfd\xff\xff\xff\x07\x01\x00"]
        )
        yield _section("unknown-tag-doubled", section, before, [*entries, last, last])
        yield _section("unknown-tag-2^31", section, before, [*entries, write_uvarint(_INT32) + b"\x01\x00"])
        yield _section("unknown-tag-too-large", section, before, [*entries, b"\xfe\xff\xff\xff\x07\x7f"])


def _section(operator: str, section: _Section, before: bytes, entries: list[bytes]) -> Mutation:
    after = write_uvarint(len(entries)) + b"".join(entries)
    return Mutation(operator, section.path, section.start, before, after)


def _sections(spans: tuple[Span, ...], data: bytes) -> Iterator[_Section]:
    for at, span in enumerate(spans):
        if span.role == "tag count":
            yield _Section(span.path, span.start, int(str(span.value)), list(_entries(spans, at, data)))


def _entries(spans: tuple[Span, ...], at: int, data: bytes) -> Iterator[tuple[int, int]]:
    """Where each tagged field of the section at index `at` begins and ends."""
    pos = spans[at].end
    for _ in range(int(str(spans[at].value))):
        number = _varint_at(data, pos)
        size = _varint_at(data, pos + len(number))
        end = pos + len(number) + len(size) + _number(size)
        yield pos, end
        pos = end


def _varint_at(data: bytes, pos: int) -> bytes:
    end = pos
    while data[end] & 0x80:
        end += 1
    return data[pos : end + 1]


def _number(varint: bytes) -> int:
    return sum((byte & 0x7F) << 7 * index for index, byte in enumerate(varint))


def _put(operator: str, span: Span, before: bytes, after: bytes) -> Mutation:
    return Mutation(operator, span.path, span.start, before, after)
