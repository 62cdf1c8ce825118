"""Mutations of a message: each place of its encoding, with each hostile value there.

The mutations of given bytes have a fixed order, which is the same in every run. A mutation that changes the
number of bytes corrects the sizes of the tagged fields around it, so that it is wrong in one way only.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import Final

from kafkawire.annotate import Span, annotate
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS
from kafkawire.wire import read_uvarint, write_uvarint
from wireproof.model.divergence import without_indices
from wireproof.model.layout_parts import structs_of
from wireproof.model.malformed_input import Mutation, MutationPart
from wireproof.proof.strategies.malformed.hostile_values import (
    BOOLS,
    MARKERS,
    TAGGED_MARKERS,
    TEXTS,
    hostile_int,
    hostile_uvarint,
)

_MOST_CUTS: Final = 4096
"""The number of leading bytes after each of which the message is cut; later cuts are at starts of spans."""
_UNKNOWN_TAG: Final = 10_000
"""A number above the tags of any message."""
TAILS: Final = {"zero": b"\x00", "ones": b"\xff", "varint": b"\x80"}
"""The bytes appended to a whole message."""


def mutations(layout: MessageLayout, data: bytes, part: MutationPart | None = None) -> Iterator[Mutation]:
    """Every mutation of a valid encoding of the layout. Two may give the same bytes, but none gives `data`.

    Args:
        part: selects mutations; None selects all.
    """
    return (each for each in _Mutations(layout, data, part).all() if each.before != each.after)


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
    """The tag section of a struct: its start, the start of its first field, and its fields."""

    path: str
    struct: StructLayout
    start: int
    first: int
    entries: tuple[_Entry, ...]

    @property
    def kind(self) -> str:
        """The kind of place of the section: with known tags, or without."""
        return "known tags" if self.struct.tagged else "tags"


class _Mutations:
    """The mutations of one message's bytes."""

    def __init__(self, layout: MessageLayout, data: bytes, part: MutationPart | None) -> None:
        self._data = data
        self._part = part
        self._kinds: dict[tuple[str, int], str] = {}
        self._fields: dict[str, str] = {}
        self._spans = annotate(layout, data).spans
        self._entries = {span.start: _entry(span, data) for span in self._spans if span.role == "tag"}
        self._structs = dict(structs_of(layout))

    def all(self) -> Iterator[Mutation]:
        yield from self._cuts()
        for label, tail in {**TAILS, "twice": self._data}.items():
            if tail and self._takes(f"append={label}", "message", ""):
                yield Mutation(f"append={label}", "", len(self._data), b"", tail)
        for span in self._spans:
            yield from self._at(span)
        yield from self._too_long()

    def _enters(self, kind: str, path: str, number: int = 0) -> bool:
        """Return True if a place may have a mutation that is wanted."""
        return self._part is None or self._part.enters(kind, self._field(path), number)

    def _takes(self, operator: str, kind: str, path: str, *, empty: bool = False) -> bool:
        return self._part is None or self._part.takes(operator, kind, self._field(path), empty=empty)

    def _field(self, path: str) -> str:
        """The path without indices, computed once."""
        if path not in self._fields:
            self._fields[path] = without_indices(path)
        return self._fields[path]

    def _kind(self, span: Span) -> str:
        """The kind of place of a span, computed once for each field."""
        key = span.role, id(span.field)
        if key not in self._kinds:
            self._kinds[key] = _kind_of(span)
        return self._kinds[key]

    def _cuts(self) -> Iterator[Mutation]:
        if self._part is not None:
            yield from self._few_cuts()
            return
        data = self._data
        ends = {*range(min(len(data), _MOST_CUTS)), *(span.start for span in self._spans)}
        for end in sorted(ends):
            if end < len(data):
                yield Mutation("truncate", self._path_at(end), end, data[end:], b"")

    def _few_cuts(self) -> Iterator[Mutation]:
        """Cut before and within the first span of each kind of place."""
        for span in self._spans:
            kind = self._kind(span)
            for operator, end in (("truncate", span.start), ("truncate within", span.end - 1)):
                if span.start <= end < len(self._data) and self._takes(operator, kind, span.path):
                    yield Mutation("truncate", span.path, end, self._data[end:], b"")

    def _path_at(self, offset: int) -> str:
        # Spans are in order and cover every byte.
        index = bisect_right(self._spans, offset, key=attrgetter("end"))
        return self._spans[index].path if index < len(self._spans) else ""

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
                section = self._section_at(span)
                if self._enters(section.kind, span.path, len(section.entries)):
                    yield from self._section(section)
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
            null = b"\x00" if field.compact else b"\xff" * width
            yield from self._each("length", span, {"null-alone": null})
            if field.scalar is ScalarType.STRING:
                for label, text in TEXTS.items():
                    operator, after = f"text={label}", _prefix(field, len(text)) + text
                    if self._takes(operator, "text", span.path):
                        yield self._edit(operator, span.path, span.start, span.end, after)

    def _number(
        self, operator: str, span: Span, width: int, compact: bool, *, offset: int = 1
    ) -> Iterator[Mutation]:
        """Replace the length or count at the start of a span."""
        if compact:
            number, end = read_uvarint(self._data, span.start)
        else:
            end = span.start + width
            number = int.from_bytes(self._data[span.start : end], "big", signed=True)
        kind, left = self._kind(span), len(self._data) - end
        if not self._enters(kind, span.path, number):
            return
        forms = hostile_uvarint(number, left, offset) if compact else hostile_int(width, number, left)
        for label, after in forms:
            if self._takes(
                f"{operator}={label}", kind, span.path, empty=number <= (offset if compact else 0)
            ):
                yield self._edit(f"{operator}={label}", span.path, span.start, end, after)

    def _each(self, operator: str, span: Span, forms: Mapping[str, bytes]) -> Iterator[Mutation]:
        for label, after in forms.items():
            changes = after != self._data[span.start : span.end]
            if changes and self._takes(f"{operator}={label}", self._kind(span), span.path):
                yield self._edit(f"{operator}={label}", span.path, span.start, span.end, after)

    def _tag(self, entry: _Entry) -> Iterator[Mutation]:
        size = entry.end - entry.data_start
        if not self._enters("tag", entry.path, size):
            return
        left = len(self._data) - entry.data_start
        for label, after in hostile_uvarint(entry.tag, left, 0):
            if self._takes(f"tag={label}", "tag", entry.path):
                yield self._edit(f"tag={label}", entry.path, entry.start, entry.size_start, after)
        for label, after in hostile_uvarint(size, left, 0):
            if self._takes(f"tag-size={label}", "tag", entry.path):
                yield self._edit(f"tag-size={label}", entry.path, entry.size_start, entry.data_start, after)

    def _section(self, section: _Section) -> Iterator[Mutation]:
        """Tags in the wrong order, twice, of other versions, or unknown."""
        entries, data = section.entries, self._data
        for one, two in pairwise(entries):
            after = data[two.start : two.end] + data[one.start : one.end]
            if self._takes(f"tags=swapped-{one.tag}", section.kind, section.path):
                yield self._edit(f"tags=swapped-{one.tag}", section.path, one.start, two.end, after)
        for one in entries:
            twice = data[one.start : one.end] * 2
            yield from self._with_more(section, f"doubled-{one.tag}", one.start, one.end, twice)
        first = section.first
        for label, entry in _strangers(section.struct):
            yield from self._with_more(section, f"{label}-first", first, first, entry)
            if entries:
                last = entries[-1].end
                yield from self._with_more(section, f"{label}-last", last, last, entry)

    def _with_more(
        self, section: _Section, label: str, start: int, end: int, after: bytes
    ) -> Iterator[Mutation]:
        """Add a field to a section: replace the bytes from `start` to `end`, and increase the count."""
        if self._takes(f"tags={label}", section.kind, section.path):
            whole = write_uvarint(len(section.entries) + 1) + self._data[section.first : start] + after
            yield self._edit(f"tags={label}", section.path, section.start, end, whole)

    def _section_at(self, span: Span) -> _Section:
        entries = []
        at = span.end
        for _ in range(span.value if isinstance(span.value, int) else 0):
            if at in self._entries:
                entries.append(self._entries[at])
                at = self._entries[at].end
        struct = self._structs[without_indices(span.path.removesuffix(TAGS).removesuffix("."))]
        return _Section(span.path, struct, span.start, span.end, tuple(entries))

    def _too_long(self) -> Iterator[Mutation]:
        """Replace one string of the message with one above the limit."""
        for span in self._spans:
            field = span.field
            if span.role == "value" and field and field.compact and field.scalar is ScalarType.STRING:
                if self._takes("text=too-long", "text", span.path):
                    after = _prefix(field, 32768) + b"x" * 32768
                    yield self._edit("text=too-long", span.path, span.start, span.end, after)
                return

    def _edit(self, operator: str, path: str, start: int, end: int, after: bytes) -> Mutation:
        """Make a replacement, and correct the sizes of the tagged fields around it from the inside out."""
        place = start
        around = [e for e in self._entries.values() if e.data_start <= start and end <= e.end]
        if len(after) != end - start:
            for entry in sorted(around, key=lambda entry: -entry.data_start):
                size = entry.end - entry.data_start + len(after) - (end - start)
                after = write_uvarint(size) + self._data[entry.data_start : start] + after
                start = entry.size_start
        if start != place:
            operator = f"{operator}-at-{place}"
        return Mutation(operator, path, start, self._data[start:end], after)


def _kind_of(span: Span) -> str:
    """Return the kind of place of a span: its type and its form."""
    field = span.field
    if field is None:
        return span.role
    form = "compact" if field.compact else "wide"
    nullable = "nullable " if field.nullable else ""
    tagged = "tagged " if span.role == "marker" and field.tag is not None else ""
    return f"{tagged}{nullable}{form} {span.role} {field.scalar or 'struct'}"


def _entry(span: Span, data: bytes) -> _Entry:
    tag, size_start = read_uvarint(data, span.start)
    size, data_start = read_uvarint(data, size_start)
    return _Entry(span.path, tag, span.start, size_start, data_start, data_start + size)


def _strangers(struct: StructLayout) -> Iterator[tuple[str, bytes]]:
    """Whole tagged fields (tag, size, data) that the struct does not have at this version."""
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
