"""A reader as lenient as Kafka's, which notes each leniency it needs.

It decides whether a codec may refuse bytes that Kafka reads: it must read the same value as Kafka, and names
the leniencies that this takes. If it takes none, the bytes are a valid message.

It follows `ByteBufferAccessor`, `ByteUtils` and the generated `read` (kafka-clients). It shares no code with
our codec's readers on purpose: a codec's refusal must not be excused by that codec's own code.
"""

from dataclasses import dataclass, field
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.primitives import is_varint
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import MessageKind, ScalarType
from wireproof.model.coverage.wire_sizes import LAST_TAG, WIDTHS

_INT32: Final = 1 << 32
_MAX_STRING: Final = 0x7FFF


class LeniencyName:
    """The names of the leniencies of messages (`leniencies.LENIENCIES`)."""

    TRAILING = "trailing-bytes"
    PADDED = "padded-varint"
    HIGH_BITS = "excess-bits"
    LENGTH = "negative-length"
    TEXT = "invalid-utf8"
    BOOL = "bool-above-1"
    MARKER = "marker"
    TAG_ORDER = "tag-order"
    TAG_SIZE = "tag-size"
    TAG_COUNT = "negative-tag-count"
    TAG_NUMBER = "tag-number"


@dataclass(frozen=True, slots=True)
class LenientReading:
    """The result of lenient reading.

    Attributes:
        value: canonical binary of the value that Kafka would read; header and body of a frame are joined.
        consumed_bytes: the number of bytes that were read.
        leniencies: the leniencies that were needed.
    """

    value: bytes
    consumed_bytes: int
    leniencies: frozenset[str]


def read_leniently(layout: MessageLayout, data: bytes, known: frozenset[str]) -> LenientReading | None:
    """Read a body; return None if Kafka refuses it, too.

    Args:
        known: the leniencies that the release has.
    """
    reader = _Reader(data, 0, len(data), known)
    try:
        value = reader.number(layout) if is_varint(layout.name) else reader.struct(layout.root)
    except _RefusedError:
        return None
    return _reading(reader, value)


def read_frame_leniently(
    header: MessageLayout, layout: MessageLayout, frame: bytes, known: frozenset[str]
) -> LenientReading | None:
    """Read a frame: size, header, body; return None if Kafka refuses it, too."""
    size = int.from_bytes(frame[:4], signed=True)
    if len(frame) < 4 or not 0 <= size <= len(frame) - 4:
        return None
    reader = _Reader(frame, 4, 4 + size, known)
    try:
        value = reader.struct(header.root) + reader.struct(layout.root)
    except _RefusedError:
        return None
    return _reading(reader, value)


def _reading(reader: "_Reader", value: bytes) -> LenientReading:
    if reader.pos != len(reader.data):
        reader.leniencies.add(LeniencyName.TRAILING)
    return LenientReading(value, reader.pos, frozenset(reader.leniencies))


class _RefusedError(Exception):
    """Kafka throws here."""


@dataclass(slots=True)
class _Reader:
    data: bytes
    pos: int
    end: int
    known: frozenset[str]
    leniencies: set[str] = field(default_factory=set)

    def use(self, leniency: str) -> None:
        if leniency not in self.known:
            raise _RefusedError
        self.leniencies.add(leniency)

    def struct(self, struct: StructLayout) -> bytes:
        parts = [self.field(each) for each in struct.fields]
        if struct.flexible:
            parts += self.tags(struct)
        return b"".join(parts)

    def field(self, layout: FieldLayout) -> bytes:
        if layout.is_array:
            return self.array(layout)
        if layout.struct is not None:
            return self.nested(layout, layout.struct)
        return self.scalar(layout, layout.nullable)

    def array(self, layout: FieldLayout) -> bytes:
        count = self.length(layout, 4)
        if count is None:
            return self.null(layout.nullable)
        if count > self.end - self.pos:
            raise _RefusedError
        if layout.struct is None:
            items = [self.scalar(layout, False) for _ in range(count)]
        else:
            items = [self.struct(layout.struct) for _ in range(count)]
        return b"".join([_int32(count), *items])

    def nested(self, layout: FieldLayout, struct: StructLayout) -> bytes:
        if not layout.nullable:
            return self.struct(struct)
        if layout.tag is None:
            marker = int.from_bytes(self.take(1), signed=True)
            present, clean = marker >= 0, marker in (-1, 1)
        else:
            marker = self.varint()
            present, clean = marker > 0, marker in (0, 1)
        if not clean:
            self.use(LeniencyName.MARKER)
        return b"\x01" + self.struct(struct) if present else b"\x00"

    def scalar(self, layout: FieldLayout, nullable: bool) -> bytes:
        scalar = layout.scalar
        assert scalar is not None
        if scalar in WIDTHS:
            taken = self.take(WIDTHS[scalar])
            return self.truth(taken) if scalar is ScalarType.BOOL else taken
        text = scalar is ScalarType.STRING
        length = self.length(layout, 2 if text else 4)
        if length is None:
            return self.null(nullable)
        if text and length > _MAX_STRING:
            raise _RefusedError
        held = self.take(length)
        held = self.text(held) if text else held
        return _int32(len(held)) + held

    def truth(self, taken: bytes) -> bytes:
        if taken > b"\x01":
            self.use(LeniencyName.BOOL)
        return b"\x00" if taken == b"\x00" else b"\x01"

    def text(self, held: bytes) -> bytes:
        try:
            held.decode()
        except UnicodeDecodeError:
            self.use(LeniencyName.TEXT)
            return _as_java_decodes(held)
        return held

    def tags(self, struct: StructLayout) -> list[bytes]:
        """Read the tag section: the struct's tagged fields in order, then the unknown ones as they came."""
        known = {layout.tag: layout for layout in struct.tagged}
        values: dict[int | None, bytes] = {}
        unknown: list[bytes] = []
        count, previous = self.varint(), -1
        if count < 0:
            self.use(LeniencyName.TAG_COUNT)
        for _ in range(count):
            tag, size = self.varint(), self.varint()
            if tag < 0 or tag > LAST_TAG:
                self.use(LeniencyName.TAG_NUMBER)
            if tag % _INT32 <= previous:
                self.use(LeniencyName.TAG_ORDER)
            previous = tag % _INT32
            if tag in known:
                values[tag] = self.tagged(known[tag], size)
            elif tag in struct.reserved_tags or size < 0:
                raise _RefusedError
            else:
                unknown.append(_int32(tag) + _int32(size) + self.take(size))
        fields = [values[each.tag] if each.tag in values else _default(each) for each in struct.tagged]
        return [*fields, _int32(len(unknown)), *unknown]

    def tagged(self, layout: FieldLayout, size: int) -> bytes:
        start = self.pos
        value = self.field(layout)
        if self.pos - start != size:
            self.use(LeniencyName.TAG_SIZE)
        return value

    def null(self, nullable: bool) -> bytes:
        if not nullable:
            raise _RefusedError
        return _int32(-1)

    def length(self, layout: FieldLayout, width: int) -> int | None:
        """Read a length or count; return None for null, which every negative number means."""
        if layout.compact:
            length = _wrapped(self.varint() - 1)
        else:
            length = int.from_bytes(self.take(width), signed=True)
        if length < -1:
            self.use(LeniencyName.LENGTH)
        return None if length < 0 else length

    def number(self, layout: MessageLayout) -> bytes:
        """Read a primitive of variable length; it is zig-zag encoded if its type has a sign."""
        scalar = layout.root.fields[0].scalar
        bits = 64 if scalar is ScalarType.INT64 else 32
        raw = self.groups(bits)
        value = raw if scalar is ScalarType.UINT32 else (raw >> 1) ^ -(raw & 1)
        return (value % (1 << bits)).to_bytes(bits // 8)

    def varint(self) -> int:
        """Read an unsigned varint as a Java int: from 2^31 on it is negative."""
        return _wrapped(self.groups(32))

    def groups(self, bits: int) -> int:
        """Read the bits of a varint; bits above its type are dropped."""
        result, start = 0, self.pos
        for index in range((bits + 6) // 7):
            (byte,) = self.take(1)
            result |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                if byte == 0 and self.pos - start > 1:
                    self.use(LeniencyName.PADDED)
                if result >> bits:
                    self.use(LeniencyName.HIGH_BITS)
                return result % (1 << bits)
        raise _RefusedError

    def take(self, size: int) -> bytes:
        if size > self.end - self.pos:
            raise _RefusedError
        self.pos += size
        return self.data[self.pos - size : self.pos]


def _wrapped(number: int) -> int:
    """The number as a Java int."""
    low = number % _INT32
    return low - _INT32 if low >= _INT32 >> 1 else low


def _int32(number: int) -> bytes:
    return (number % _INT32).to_bytes(4)


def _default(layout: FieldLayout) -> bytes:
    """The canonical binary of an absent tagged field."""
    alone = StructLayout(layout.name, False, (layout,))
    return canonical(MessageLayout(layout.name, MessageKind.DATA, None, 0, alone)).to_binary({})


def _as_java_decodes(held: bytes) -> bytes:
    """Return malformed UTF-8 as `new String(bytes, UTF_8)` decodes it, in UTF-8 again.

    Java follows Unicode's advice, but replaces the three bytes of a surrogate with one U+FFFD, not three.
    """
    parts, start = [], 0
    while start < len(held):
        try:
            parts.append(held[start:].decode())
            break
        except UnicodeDecodeError as error:
            bad = start + error.start
            parts.append(held[start:bad].decode())
            parts.append("\ufffd")
            lead = held[bad : bad + 3]
            surrogate = (
                len(lead) == 3 and lead[0] == 0xED and lead[1] & 0xE0 == 0xA0 and lead[2] & 0xC0 == 0x80
            )
            start += error.start + (3 if surrogate else error.end - error.start)
    return "".join(parts).encode()
