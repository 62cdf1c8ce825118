"""Sizes of fields on the wire, and with KIP-625's variable-length integers.

Values of one layout are measured together, a field at a time: the elements of all arrays of a field are one
list, whose fields are measured in turn. So a value costs one step of a loop inside the interpreter.

KIP-625 offers two encodings for fields of type int16, int32 and int64, and for arrays of these. ``packed`` is
zig-zag. ``upacked`` reads the number's two's complement as an unsigned number. Both take a byte for seven
bits.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from kafkawire.compiler.defaults import is_default
from kafkawire.schema import MessageLayout
from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS
from kafkawire.wire import INTEGER_FORMS, size_prefix, size_uvarint
from wireproof.model.coverage.wire_sizes import WIDTHS

_PACKED: Final = (ScalarType.INT16, ScalarType.INT32, ScalarType.INT64)
_VARINT_BYTES: Final = tuple(max(1, -(-bits // 7)) for bits in range(65))
"""The size of a varint, by the number of bits."""

_Struct: TypeAlias = Mapping[str, Any]


@dataclass(slots=True)
class FieldSize:
    """The size of one field.

    Attributes:
        path: the path as in `MessageLayout.walk`; for a tag section, its struct's path and ``_tags``.
        type: Kafka's name of the type, for an array ``[]`` and the element type; "" for a tag section.
        values: the number of values, nulls included; for an array, elements; for a tag section, occurrences.
        wire_bytes: the field's own bytes in the layout's encoding, including prefixes, and tag and size of
            a tagged field. The content of a struct counts for its fields.
        fixed_bytes: the bytes of the numbers alone; None for types outside of KIP-625.
        unsigned_bytes, signed_bytes: the bytes of the numbers as ``upacked`` and as ``packed``.
    """

    path: str
    type: str
    values: int = 0
    wire_bytes: int = 0
    fixed_bytes: int | None = None
    unsigned_bytes: int | None = None
    signed_bytes: int | None = None

    def add(self, other: "FieldSize") -> None:
        self.values += other.values
        self.wire_bytes += other.wire_bytes
        if self.fixed_bytes is not None:
            self.fixed_bytes += other.fixed_bytes or 0
            self.unsigned_bytes = (self.unsigned_bytes or 0) + (other.unsigned_bytes or 0)
            self.signed_bytes = (self.signed_bytes or 0) + (other.signed_bytes or 0)


class FieldSizeMeter:
    """Measures complete decoded values of one layout."""

    def __init__(self, layout: MessageLayout) -> None:
        self._root = _StructMeter("", layout.root)

    def measure(self, values: Sequence[_Struct]) -> list[FieldSize]:
        """Return the size of each field, in wire order."""
        self._root.take(values)
        return list(self._root.give())


class _StructMeter:
    """A struct's fields, and its tag section."""

    def __init__(self, prefix: str, struct: StructLayout) -> None:
        self._fields = [(each.name, _meter(prefix + each.name, each)) for each in struct.fields]
        self._tagged = [(each, _meter(prefix + each.name, each)) for each in struct.tagged]
        self._tags = FieldSize(prefix + TAGS, "") if struct.flexible else None

    def take(self, values: Sequence[_Struct]) -> int:
        """Measure values; return their bytes."""
        total = sum(meter.take([value[name] for value in values]) for name, meter in self._fields)
        return total if self._tags is None or not values else total + self._take_tags(self._tags, values)

    def _take_tags(self, tags: FieldSize, values: Sequence[_Struct]) -> int:
        total = 0
        unknown = [value[TAGS] for value in values if value.get(TAGS)]
        plain = len(values)
        if self._tagged or unknown:
            counts = [len(value.get(TAGS, ())) for value in values]
            for layout, meter in self._tagged:
                assert layout.tag is not None
                total += self._take_tagged(layout, layout.tag, meter, values, counts)
            plain = sum(map(size_uvarint, counts))
        size = plain + sum(
            size_uvarint(tag) + size_uvarint(len(data)) + len(data)
            for section in unknown
            for tag, data in section.items()
        )
        tags.values += len(values)
        tags.wire_bytes += size
        return total + size

    @staticmethod
    def _take_tagged(
        layout: FieldLayout, tag: int, meter: "_Meter", values: Sequence[_Struct], counts: list[int]
    ) -> int:
        """Measure one tagged field of all values; defaults are not written."""
        total, heads = 0, 0
        for place, value in enumerate(values):
            given = value[layout.name]
            if not is_default(layout, given):
                size = meter.take([given])
                heads += size_uvarint(tag) + size_uvarint(size)
                total += size
                counts[place] += 1
        meter.own.wire_bytes += heads
        return total + heads

    def give(self) -> Iterator[FieldSize]:
        """Yield the sizes and reset the meters."""
        for _, meter in (*self._fields, *self._tagged):
            yield from meter.give()
        if self._tags is not None:
            yield self._tags
            self._tags = FieldSize(self._tags.path, "")


class _Meter(ABC):
    """The meter of one field and its content."""

    def __init__(self, path: str, layout: FieldLayout, type_: str) -> None:
        self.own = FieldSize(path, type_)
        self._layout = layout

    @abstractmethod
    def take(self, values: Sequence[Any]) -> int:
        """Measure values; return their bytes with all content."""

    def give(self) -> Iterator[FieldSize]:
        """Yield the sizes and reset the meter."""
        own = self.own
        yield own
        packed = None if own.fixed_bytes is None else 0
        self.own = FieldSize(own.path, own.type, 0, 0, packed, packed, packed)


class _NumberMeter(_Meter):
    """A field of a fixed width, or an integer with an encoding."""

    def __init__(self, path: str, layout: FieldLayout, scalar: ScalarType, type_: str) -> None:
        super().__init__(path, layout, type_)
        self._width = WIDTHS[scalar]
        self._size = None if layout.encoding is None else INTEGER_FORMS[layout.encoding].size
        self._packs = scalar in _PACKED
        if self._packs:
            self.own.fixed_bytes = self.own.unsigned_bytes = self.own.signed_bytes = 0

    def take(self, values: Sequence[Any]) -> int:
        full = self._width * len(values)
        size = full
        if self._size is not None:
            size = sum(number * self._size(value) for value, number in Counter(values).items())
        own = self.own
        own.values += len(values)
        own.wire_bytes += size
        if self._packs and values:
            unsigned, signed = _packed(values, self._width * 8)
            own.fixed_bytes = (own.fixed_bytes or 0) + full
            own.unsigned_bytes = (own.unsigned_bytes or 0) + unsigned
            own.signed_bytes = (own.signed_bytes or 0) + signed
        return size


class _BytesMeter(_Meter):
    """Strings, bytes and records."""

    def __init__(self, path: str, layout: FieldLayout, scalar: ScalarType, type_: str) -> None:
        super().__init__(path, layout, type_)
        self._text = scalar is ScalarType.STRING
        self._prefix = 2 if self._text else 4

    def take(self, values: Sequence[Any]) -> int:
        given = [value for value in values if value is not None]
        lengths = list(map(len, (each.encode() for each in given) if self._text else given))
        size = sum(lengths) + _prefixes(self._layout, lengths, len(values) - len(given), self._prefix)
        self.own.values += len(values)
        self.own.wire_bytes += size
        return size


class _StructsMeter(_Meter):
    """A struct: its own bytes are the null marker. Or an array of structs: its own bytes are the count."""

    def __init__(self, path: str, layout: FieldLayout, struct: StructLayout) -> None:
        brackets = "[]" if layout.is_array else ""
        super().__init__(path, layout, f"{brackets}struct")
        self._inner = _StructMeter(f"{path}{brackets}.", struct)

    def take(self, values: Sequence[Any]) -> int:
        given = [value for value in values if value is not None]
        if self._layout.is_array:
            structs = [element for value in given for element in value]
            count = len(structs)
            size = _prefixes(self._layout, map(len, given), len(values) - len(given), 4)
        else:
            structs, count = given, len(values)
            size = count if self._layout.nullable else 0
        self.own.values += count
        self.own.wire_bytes += size
        return size + self._inner.take(structs)

    def give(self) -> Iterator[FieldSize]:
        yield from super().give()
        yield from self._inner.give()


class _ScalarsMeter(_Meter):
    """An array of numbers or strings: one field, its count before its elements."""

    def __init__(self, path: str, layout: FieldLayout, scalar: ScalarType) -> None:
        super().__init__(path, layout, f"[]{scalar.value}")
        make = _NumberMeter if scalar in WIDTHS else _BytesMeter
        self._elements = make(path, layout, scalar, self.own.type)
        self.own = self._elements.own

    def take(self, values: Sequence[Any]) -> int:
        given = [value for value in values if value is not None]
        size = _prefixes(self._layout, map(len, given), len(values) - len(given), 4)
        self.own.wire_bytes += size
        return size + self._elements.take([element for value in given for element in value])

    def give(self) -> Iterator[FieldSize]:
        yield from self._elements.give()
        self.own = self._elements.own


def _meter(path: str, layout: FieldLayout) -> _Meter:
    scalar, struct = layout.scalar, layout.struct
    if struct is not None:
        return _StructsMeter(path, layout, struct)
    assert scalar is not None
    if layout.is_array:
        return _ScalarsMeter(path, layout, scalar)
    return (_NumberMeter if scalar in WIDTHS else _BytesMeter)(path, layout, scalar, scalar.value)


def _prefixes(layout: FieldLayout, lengths: Iterable[int], nulls: int, fixed: int) -> int:
    """Return the bytes of length or count prefixes, with those of nulls."""
    counted = Counter(lengths)
    counted[-1] += nulls
    return sum(number * size_prefix(length, layout.compact, fixed) for length, number in counted.items())


def _packed(values: Sequence[int], bits: int) -> tuple[int, int]:
    """Return the sizes of numbers as unsigned and as signed varints."""
    mask, unsigned, signed = (1 << bits) - 1, 0, 0
    for value, number in Counter(values).items():
        unsigned += number * _VARINT_BYTES[(value & mask).bit_length()]
        signed += number * _VARINT_BYTES[(value << 1 ^ value >> bits).bit_length()]
    return unsigned, signed
