"""What can be wrong with the bytes of a message: each place of its encoding, each hostile value there.

All mutations of given bytes, in a fixed order, the same in every run. A mutation that changes how many
bytes there are mends the sizes of the tagged fields around it, so that it is wrong in one way and not in two.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from kafkawire.annotate import Span, annotate
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS
from kafkawire.wire import PREFIX_BYTES, read_uvarint, write_uvarint
from wireproof.model import Mutation
from wireproof.model.verdict import without_indices
from wireproof.strategies._hostile import (
    BOOLS,
    MARKERS,
    TAGGED_MARKERS,
    TEXTS,
    hostile_int,
    hostile_uvarint,
)

__all__ = ["frame_mutations", "mutations"]

_MOST_CUTS: Final = 4096
"""Bytes of which each end is tried; behind them only where spans begin."""
_UNKNOWN_TAG: Final = 10_000
"""Above the tags of any message."""
_TAILS: Final = {"zero": b"\x00", "ones": b"\xff", "varint": b"\x80"}


def mutations(layout: MessageLayout, data: bytes) -> Iterator[Mutation]:
    """Every mutation of a valid encoding of the layout. Two may come to the same bytes, none to `data`."""
    return (each for each in _Mutations(layout, data).all() if each.before != each.after)


def frame_mutations(
    headers: Mapping[int, MessageLayout], layout: MessageLayout, header: bytes, body: bytes
) -> Iterator[Mutation]:
    """Every mutation of a frame's size and header, which `data` of them all is: size, header, body.

    Args:
        headers: the layouts of all versions of the header.
    """
    size = (len(header) + len(body)).to_bytes(PREFIX_BYTES)
    frame = size + header + body
    for label, after in hostile_int(PREFIX_BYTES, len(frame) - PREFIX_BYTES, len(frame)):
        yield Mutation(f"frame-size={label}", "", 0, size, after)
    for label, tail in _TAILS.items():
        yield Mutation(f"frame-append={label}", "", len(frame), b"", tail)
    for end in range(PREFIX_BYTES + len(header)):
        yield Mutation("frame-truncate", "", end, frame[end:], b"")
    assert layout.header_version is not None
    own = headers[layout.header_version]
    for inner in mutations(own, header):
        if not inner.operator.startswith("append"):
            yield _framed(inner, header, body)
    yield from _identities(own, layout, header)
    yield from _other_headers(headers, layout.header_version, header, body)


def _framed(inner: Mutation, header: bytes, body: bytes) -> Mutation:
    """A mutation of the header as one of the frame, whose size is right. A cut takes the body too."""
    after = inner.apply(header) + (b"" if inner.operator == "truncate" else body)
    before = (len(header) + len(body)).to_bytes(PREFIX_BYTES) + header + body
    path = f"header.{inner.path}" if inner.path else "header"
    whole = len(after).to_bytes(PREFIX_BYTES) + after
    if len(whole) == len(before):
        offset = inner.offset + PREFIX_BYTES
        return Mutation(f"header-{inner.operator}", path, offset, inner.before, inner.after)
    return Mutation(f"header-{inner.operator}-at-{inner.offset}", path, 0, before, whole)


def _identities(own: MessageLayout, layout: MessageLayout, header: bytes) -> Iterator[Mutation]:
    """The frame says that it is another message, or another version of it."""
    numbers = {"requestApiKey": layout.api_key or 0, "requestApiVersion": layout.version}
    for span in annotate(own, header).spans:
        if span.path in numbers:
            for label, after in hostile_int(span.end - span.start, numbers[span.path], len(header)):
                offset, before = span.start + PREFIX_BYTES, header[span.start : span.end]
                yield Mutation(f"identity={label}", f"header.{span.path}", offset, before, after)


def _other_headers(
    headers: Mapping[int, MessageLayout], own: int, header: bytes, body: bytes
) -> Iterator[Mutation]:
    """The same header as another version of it writes it: without its tag section, or with one."""
    before = (len(header) + len(body)).to_bytes(PREFIX_BYTES) + header
    for version, layout in headers.items():
        flexible = headers[own].flexible
        if version != own and layout.flexible != flexible:
            other = header[: -len(_tag_section(headers[own], header))] if flexible else header + b"\x00"
            after = (len(other) + len(body)).to_bytes(PREFIX_BYTES) + other
            yield Mutation(f"header-version={version}", "header", 0, before, after)


def _tag_section(layout: MessageLayout, header: bytes) -> bytes:
    start = next(span.start for span in annotate(layout, header).spans if span.role == "tag count")
    return header[start:]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A tagged field: where its tag, its size and its data begin, and where it ends."""

    path: str
    tag: int
    start: int
    size_start: int
    data_start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Section:
    """The tag section of a struct: where it begins, where the first field begins, the fields."""

    path: str
    struct: StructLayout
    start: int
    first: int
    entries: tuple[_Entry, ...]


class _Mutations:
    """The mutations of one message's bytes."""

    def __init__(self, layout: MessageLayout, data: bytes) -> None:
        self._data = data
        self._spans = annotate(layout, data).spans
        self._entries = {span.start: _entry(span, data) for span in self._spans if span.role == "tag"}
        self._structs = dict(_structs("", layout.root))

    def all(self) -> Iterator[Mutation]:
        yield from self._cuts()
        for label, tail in {**_TAILS, "twice": self._data}.items():
            if tail:
                yield Mutation(f"append={label}", "", len(self._data), b"", tail)
        for span in self._spans:
            yield from self._at(span)
        yield from self._too_long()

    def _cuts(self) -> Iterator[Mutation]:
        data = self._data
        ends = {*range(min(len(data), _MOST_CUTS)), *(span.start for span in self._spans)}
        for end in sorted(ends):
            if end < len(data):
                yield Mutation("truncate", self._path_at(end), end, data[end:], b"")

    def _path_at(self, offset: int) -> str:
        # Spans are in order and hold every byte; a linear walk for each cut would be quadratic.
        low, high = 0, len(self._spans)
        while low < high:
            middle = (low + high) // 2
            if self._spans[middle].end <= offset:
                low = middle + 1
            else:
                high = middle
        return self._spans[low].path if low < len(self._spans) else ""

    def _at(self, span: Span) -> Iterator[Mutation]:
        match span.role:
            case "value":
                yield from self._value(span)
            case "count":
                assert span.field is not None
                yield from self._number("count", span, 4, span.field.compact)
            case "marker":
                assert span.field is not None
                markers = MARKERS if span.field.tag is None else TAGGED_MARKERS
                yield from self._each("marker", span, markers)
            case "tag count":
                yield from self._number("tag-count", span, 0, True, offset=0)
                yield from self._section(self._section_at(span))
            case "tag":
                yield from self._tag(self._entries[span.start])

    def _value(self, span: Span) -> Iterator[Mutation]:
        field = span.field
        assert field is not None
        if field.scalar is ScalarType.BOOL:
            yield from self._each("bool", span, BOOLS)
        elif field.scalar in (ScalarType.STRING, ScalarType.BYTES, ScalarType.RECORDS):
            width = 2 if field.scalar is ScalarType.STRING else 4
            yield from self._number("length", span, width, field.compact)
            yield self._edit("length", "null-alone", span.path, span.start, span.end, _null(field, width))
            if field.scalar is ScalarType.STRING:
                for label, text in TEXTS.items():
                    after = _prefix(field, len(text)) + text
                    yield self._edit("text", label, span.path, span.start, span.end, after)

    def _number(
        self, operator: str, span: Span, width: int, compact: bool, *, offset: int = 1
    ) -> Iterator[Mutation]:
        """The length or count that a span begins with."""
        if compact:
            number, end = read_uvarint(self._data, span.start)
            forms = hostile_uvarint(number, len(self._data) - end, offset)
        else:
            end = span.start + width
            number = int.from_bytes(self._data[span.start : end], "big", signed=True)
            forms = hostile_int(width, number, len(self._data) - end)
        for label, after in forms:
            yield self._edit(operator, label, span.path, span.start, end, after)

    def _each(self, operator: str, span: Span, forms: Mapping[str, bytes]) -> Iterator[Mutation]:
        for label, after in forms.items():
            if after != self._data[span.start : span.end]:
                yield self._edit(operator, label, span.path, span.start, span.end, after)

    def _tag(self, entry: _Entry) -> Iterator[Mutation]:
        left = len(self._data) - entry.data_start
        for label, after in hostile_uvarint(entry.tag, left, 0):
            yield self._edit("tag", label, entry.path, entry.start, entry.size_start, after)
        for label, after in hostile_uvarint(entry.end - entry.data_start, left, 0):
            yield self._edit("tag-size", label, entry.path, entry.size_start, entry.data_start, after)

    def _section(self, section: _Section) -> Iterator[Mutation]:
        """Tags in the wrong order, twice, of other versions, or unknown."""
        entries, data = section.entries, self._data
        for one, two in pairwise(entries):
            after = data[two.start : two.end] + data[one.start : one.end]
            yield self._edit("tags", f"swapped-{one.tag}", section.path, one.start, two.end, after)
        for one in entries:
            twice = data[one.start : one.end] * 2
            yield self._with_more(section, f"doubled-{one.tag}", one.start, one.end, twice)
        first = section.first
        for label, entry in _strangers(section.struct):
            yield self._with_more(section, f"{label}-first", first, first, entry)
            if entries:
                last = entries[-1].end
                yield self._with_more(section, f"{label}-last", last, last, entry)

    def _with_more(self, section: _Section, label: str, start: int, end: int, after: bytes) -> Mutation:
        """One more field in a section: the bytes from `start` to `end` replaced, the count one higher."""
        whole = write_uvarint(len(section.entries) + 1) + self._data[section.first : start] + after
        return self._edit("tags", label, section.path, section.start, end, whole)

    def _section_at(self, span: Span) -> _Section:
        entries = []
        at = span.end
        for _ in range(span.value if isinstance(span.value, int) else 0):
            if at in self._entries:
                entries.append(self._entries[at])
                at = self._entries[at].end
        prefix = span.path.removesuffix(TAGS)
        struct = self._structs[without_indices(prefix)]
        return _Section(span.path, struct, span.start, span.end, tuple(entries))

    def _too_long(self) -> Iterator[Mutation]:
        """A string above the limit, once a message."""
        for span in self._spans:
            field = span.field
            if span.role == "value" and field and field.compact and field.scalar is ScalarType.STRING:
                after = _prefix(field, 32768) + b"x" * 32768
                yield self._edit("text", "too-long", span.path, span.start, span.end, after)
                return

    def _edit(self, operator: str, label: str, path: str, start: int, end: int, after: bytes) -> Mutation:
        """A replacement, with the sizes of the tagged fields around it mended from the inside out."""
        place = start
        around = [e for e in self._entries.values() if e.data_start <= start and end <= e.end]
        if len(after) != end - start:
            for entry in sorted(around, key=lambda entry: -entry.data_start):
                size = entry.end - entry.data_start + len(after) - (end - start)
                after = write_uvarint(size) + self._data[entry.data_start : start] + after
                start = entry.size_start
        if start != place:
            label = f"{label}-at-{place}"
        return Mutation(f"{operator}={label}", path, start, self._data[start:end], after)


def _entry(span: Span, data: bytes) -> _Entry:
    tag, size_start = read_uvarint(data, span.start)
    size, data_start = read_uvarint(data, size_start)
    return _Entry(span.path, tag, span.start, size_start, data_start, data_start + size)


def _structs(prefix: str, struct: StructLayout) -> Iterator[tuple[str, StructLayout]]:
    """Each struct by what stands before the names of its fields: ``topics[].``."""
    yield prefix, struct
    for field in struct.all_fields:
        if field.struct is not None:
            yield from _structs(f"{prefix}{field.name}{'[]' * field.is_array}.", field.struct)


def _strangers(struct: StructLayout) -> Iterator[tuple[str, bytes]]:
    """Tagged fields that are none of the struct's at this version, each whole: tag, size, data."""
    yield "unknown", write_uvarint(_UNKNOWN_TAG) + b"\x01\x00"
    yield "unknown-size-too-large", write_uvarint(_UNKNOWN_TAG) + b"\x7f\x00"
    yield "unknown-size-negative", write_uvarint(_UNKNOWN_TAG) + b"\xff\xff\xff\xff\x0f"
    yield "unknown-size-max", write_uvarint(_UNKNOWN_TAG) + b"\xff\xff\xff\xff\x07"
    for label, tag in {"tag-max": 2**31 - 1, "tag-negative": 2**31, "tag-all-bits": 2**32 - 1}.items():
        yield label, write_uvarint(tag) + b"\x01\x00"
    for tag in sorted(struct.reserved_tags):
        yield f"of-another-version-{tag}", write_uvarint(tag) + b"\x01\x00"


def _prefix(field: FieldLayout, length: int) -> bytes:
    """The length of a string."""
    return write_uvarint(length + 1) if field.compact else length.to_bytes(2)


def _null(field: FieldLayout, width: int) -> bytes:
    return b"\x00" if field.compact else b"\xff" * width
