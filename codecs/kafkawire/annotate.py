"""An encoding as a list of named spans: the bytes of each field.

For people who examine bytes: `wireproof show`, and the place of the first differing byte. It reads the bytes
up to the first fault, which it returns; it never raises.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from kafkawire.errors import DecodeError
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS, Value
from kafkawire.wire import (
    FIXED_READERS,
    INTEGER_FORMS,
    read_bytes,
    read_count,
    read_marker,
    read_string,
    read_tag,
    read_tag_size,
    read_tagged_marker,
    read_uvarint,
)


@dataclass(frozen=True, slots=True)
class Span:
    """A run of bytes with one meaning.

    Attributes:
        start, end: the offset of the first byte, and the offset after the last byte.
        path: the field, with indices; the path of a struct's tag section ends in ``_tags``.
        field: its layout; None for tag sections and unknown tags.
        role: ``value``, ``count``, ``marker`` (of a nullable struct), ``tag count``, ``tag`` (number and
            size together) or ``unknown tag``; in record sets also ``length``, ``crc``,
            ``magic``, ``attributes``, ``compressed`` and ``unread``.
        value: the value of the bytes; a number for all roles except ``value`` and ``unknown tag``.
    """

    start: int
    end: int
    path: str
    field: FieldLayout | None
    role: str
    value: Value


@dataclass(frozen=True, slots=True)
class Annotation:
    """All spans of an encoding, in order.

    Attributes:
        end: the offset after the last span.
        stopped: the reason why the rest has no spans; None if the message was read to its end.
    """

    spans: tuple[Span, ...]
    end: int
    stopped: DecodeError | None

    def at(self, offset: int) -> Span:
        """The span of the byte at `offset`; after the last one, an empty span of the item expected there."""
        for span in self.spans:
            if offset < span.end:
                return span
        path = self.stopped.path if self.stopped else ""
        return Span(self.end, self.end, path, None, "end", None)


def annotate(layout: MessageLayout, data: bytes, start: int = 0) -> Annotation:
    """Name the bytes of one message, from offset `start`."""
    walk = _Walk(data, start)
    stopped = None
    try:
        walk.struct("", layout.root)
    except DecodeError as error:
        stopped = error
    return Annotation(tuple(walk.spans), walk.pos, stopped)


@dataclass(slots=True)
class _Walk:
    data: bytes
    pos: int
    spans: list[Span] = field(default_factory=list)

    def _note(self, end: int, path: str, layout: FieldLayout | None, role: str, value: Value) -> None:
        self.spans.append(Span(self.pos, end, path, layout, role, value))
        self.pos = end

    def struct(self, prefix: str, struct: StructLayout) -> None:
        for layout in struct.fields:
            self._field(prefix + layout.name, layout)
        if struct.flexible:
            self._tags(prefix, struct)

    def _tags(self, prefix: str, struct: StructLayout) -> None:
        known = {layout.tag: layout for layout in struct.tagged}
        count, end = read_uvarint(self.data, self.pos)
        self._note(end, prefix + TAGS, None, "tag count", count)
        tag = -1
        for _ in range(count):
            tag, end = read_tag(self.data, self.pos, tag)
            size, end = read_tag_size(self.data, end)
            layout = known.get(tag)
            path = f"{prefix}{TAGS}[{tag}]" if layout is None else prefix + layout.name
            self._note(end, path, layout, "tag", tag)
            if layout is None:
                self._note(end + size, path, None, "unknown tag", self.data[end : end + size])
            else:
                self._field(path, layout)

    def _field(self, path: str, layout: FieldLayout) -> None:
        if layout.is_array:
            self._array(path, layout)
        elif layout.struct is not None:
            self._nested(path, layout, layout.struct)
        else:
            value, end = _read_scalar(self.data, self.pos, layout, nullable=layout.nullable)
            self._note(end, path, layout, "value", value)

    def _nested(self, path: str, layout: FieldLayout, struct: StructLayout) -> None:
        if layout.nullable:
            read = read_marker if layout.tag is None else read_tagged_marker
            present, end = read(self.data, self.pos)
            self._note(end, path, layout, "marker", int(present))
            if not present:
                return
        self.struct(f"{path}.", struct)

    def _array(self, path: str, layout: FieldLayout) -> None:
        count, end = read_count(self.data, self.pos, layout.compact, layout.nullable)
        self._note(end, path, layout, "count", count)
        for index in range(count or 0):
            item = f"{path}[{index}]"
            if layout.struct is not None:
                self.struct(f"{item}.", layout.struct)
            else:
                value, end = _read_scalar(self.data, self.pos, layout, nullable=False)
                self._note(end, item, layout, "value", value)


def _read_scalar(data: bytes, pos: int, layout: FieldLayout, *, nullable: bool) -> tuple[Value, int]:
    """Read a field without structure, or one element of an array."""
    compact = layout.compact
    if layout.encoding is not None:
        return INTEGER_FORMS[layout.encoding].read(data, pos)
    match layout.scalar:
        case ScalarType.STRING:
            return read_string(data, pos, compact, nullable)
        case ScalarType.BYTES | ScalarType.RECORDS:
            return read_bytes(data, pos, compact, nullable)
        case None:
            raise AssertionError("a struct is walked, not read")
        case scalar:
            return FIXED_READERS[scalar.value](data, pos)


def hexdump(annotation: Annotation, data: bytes) -> Iterator[tuple[str, str, str]]:
    """Rows of offset, bytes in hex and meaning, one for each span; long spans show their first bytes."""
    for span in annotation.spans:
        shown = data[span.start : span.end]
        text = shown[:_SHOWN_BYTES].hex(" ") + (" ..." if len(shown) > _SHOWN_BYTES else "")
        yield f"{span.start:04x}", text, f"{span.path} {_meaning(span)}"
    rest = data[annotation.end :]
    if rest:
        reason = annotation.stopped.detail if annotation.stopped else "bytes after the message"
        yield f"{annotation.end:04x}", rest[:_SHOWN_BYTES].hex(" "), reason


_SHOWN_BYTES = 12


def _meaning(span: Span) -> str:
    if span.role == "value":
        text = repr(span.value)
        words = text if len(text) <= 60 else f"{text[:40]}... ({span.end - span.start} bytes)"
        return f"= {words if span.value is not None else 'null'}"
    if span.role == "marker":
        return "is present" if span.value else "is null"
    if span.role == "count":
        return "is null" if span.value is None else f"has {span.value} element{'s' * (span.value != 1)}"
    if span.role in ("unknown tag", "compressed"):
        return f"holds {span.end - span.start} bytes"
    if span.role == "unread":
        return f"{span.end - span.start} bytes that cannot be read"
    named = span.path.rpartition(".")[2] in (span.role, "size")
    return f"= {span.value}" if named else f"{span.role} {span.value}"
