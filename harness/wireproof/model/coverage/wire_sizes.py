"""The wire size of values, derived from the layout alone and not by the codec under test.

`StructWireSizer` and `FieldSizer` compute the size of one value. `possible_bytes` gives the sizes, up to 128
bytes, that the values of a field can have. `most_bytes` gives the largest size of a message.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from kafkawire.schema.layout import EMPTY, AbsentField, FieldLayout, StructLayout
from kafkawire.schema.model import ArrayType, IntegerEncoding, ScalarType
from kafkawire.values import TAGS
from wireproof.model.layout_parts import sparse_default

WIDTHS: Final[Mapping[ScalarType, int]] = {
    ScalarType.BOOL: 1,
    ScalarType.INT8: 1,
    ScalarType.INT16: 2,
    ScalarType.UINT16: 2,
    ScalarType.INT32: 4,
    ScalarType.UINT32: 4,
    ScalarType.INT64: 8,
    ScalarType.FLOAT64: 8,
    ScalarType.UUID: 16,
}
"""The size in bytes of each type with a fixed size."""

_SIZES: Final = (1 << 129) - 1
"""The sizes that sets of sizes can hold: 0 to 128. A set is an integer, bit n for n bytes."""

LAST_TAG: Final = 2**31 - 2
"""The greatest number of an unknown tag that Kafka writes."""


def free_tags(struct: StructLayout, low: int, high: int) -> bool:
    """Return True if a number from `low` to `high`, both ends included, is free for an unknown tag."""
    taken = {field.tag for field in struct.tagged} | struct.reserved_tags
    return any(tag not in taken for tag in range(max(low, 0), min(high, LAST_TAG) + 1))


def is_default(field: FieldLayout, value: Any) -> bool:
    """Return True if a tagged field of this value is left out (Kafka's rule: floats by ``==``)."""
    if value is None or field.default is None:
        return value is field.default
    if field.default is not EMPTY:
        return bool(value == field.default)
    if field.struct is None or field.is_array:
        return not value
    return _all_default(field.struct, value)


def _all_default(struct: StructLayout, value: Mapping[str, Any]) -> bool:
    known = {field.name: field for field in struct.all_fields}
    return all(
        is_default(known[name], given) if name in known else name != TAGS or not given
        for name, given in value.items()
    )


def is_absent_default(field: AbsentField, value: Any) -> bool:
    """Return True if a value of a field that the version lacks is the field's default."""
    if value is None or field.default is None:
        return value is field.default
    if field.default is not EMPTY:
        return bool(value == field.default)
    if field.struct is None or isinstance(field.type, ArrayType):
        return not value
    inner = {each.name: each for each in field.struct.absent}
    return all(name in inner and is_absent_default(inner[name], given) for name, given in value.items())


def _varint(number: int) -> int:
    return max(1, (number.bit_length() + 6) // 7)


def _prefix(field: FieldLayout, scalar: ScalarType | None, count: int) -> int:
    """The bytes of a length or count; `scalar` is None for an array's count."""
    if field.compact:
        return _varint(count + 1)
    return 2 if scalar is ScalarType.STRING else 4


class FieldSizer:
    """The sizes of one field's values.

    Attributes:
        default_bytes: the size of the field's default, written in place.
    """

    def __init__(self, field: FieldLayout) -> None:
        self._field = field
        self._inner = None if field.struct is None else StructWireSizer(field.struct)
        self._encoding = field.encoding
        self._width = None if self._encoding or field.scalar is None else WIDTHS.get(field.scalar)
        self._marker = field.nullable and field.struct is not None and not field.is_array
        self.default_bytes: Final = self.data_bytes(sparse_default(field))

    @property
    def fixed(self) -> bool:
        """Return True if all values have the same size."""
        return self._width is not None and not self._field.is_array

    def data_bytes(self, value: Any) -> int:
        """The bytes of a value, without the tag and size that a tagged field has before it."""
        if self._field.is_array:
            if value is None:
                return _prefix(self._field, None, 0)
            return _prefix(self._field, None, len(value)) + self._items_bytes(value)
        if self._marker:
            return 1 if value is None else 1 + self._items_bytes((value,))
        return self._items_bytes((value,))

    def _items_bytes(self, items: Sequence[Any]) -> int:
        if self._width is not None:
            return self._width * len(items)
        if self._encoding is not None:
            return sum(_integer_bytes(self._encoding, value) for value in items)
        if self._inner is not None:
            return sum(map(self._inner.value_bytes, items))
        return sum(map(self._text_bytes, items))

    def _text_bytes(self, value: Any) -> int:
        scalar = self._field.scalar
        if value is None:
            return _prefix(self._field, scalar, 0)
        size = len(value.encode()) if isinstance(value, str) else len(value)
        return _prefix(self._field, scalar, size) + size


class StructWireSizer:
    """The sizes of one struct's values; absent keys mean defaults."""

    def __init__(self, struct: StructLayout) -> None:
        sizers = {field.name: FieldSizer(field) for field in struct.fields}
        self._varying = {name: sizer for name, sizer in sizers.items() if not sizer.fixed}
        self._tagged = {field.name: (field, FieldSizer(field)) for field in struct.tagged}
        self._flexible = struct.flexible
        self._default_bytes = sum(sizer.default_bytes for sizer in sizers.values()) + struct.flexible

    def value_bytes(self, value: Mapping[str, Any]) -> int:
        total, tags = self._default_bytes, 0
        for name, given in value.items():
            sizer = self._varying.get(name)
            if sizer is not None:
                total += sizer.data_bytes(given) - sizer.default_bytes
            elif name in self._tagged and not is_default(self._tagged[name][0], given):
                field, sizer = self._tagged[name]
                size = sizer.data_bytes(given)
                total += _varint(field.tag or 0) + _varint(size) + size
                tags += 1
        for tag, data in value.get(TAGS, {}).items():
            total += _varint(tag) + _varint(len(data)) + len(data)
            tags += 1
        return total + (_varint(tags) - 1 if self._flexible else 0)


def most_bytes(struct: StructLayout) -> int | None:
    """The most bytes that a struct can take; None where nothing bounds it."""
    if struct.flexible:
        return None
    total = 0
    for field in struct.fields:
        most = _most_field_bytes(field)
        if most is None:
            return None
        total += most
    return total


def _most_field_bytes(field: FieldLayout) -> int | None:
    if field.is_array:
        return None
    if field.struct is not None:
        most = most_bytes(field.struct)
        return None if most is None else most + field.nullable
    if field.scalar is ScalarType.STRING:
        return _prefix(field, field.scalar, 32767) + 32767
    if field.encoding is not None:
        return max(_integer_sizes(field.encoding))
    return WIDTHS.get(field.scalar or ScalarType.BYTES)


def _integer_bytes(encoding: IntegerEncoding, value: int) -> int:
    """The size of one integer by KIP-625's encoding."""
    if encoding.is_fixed:
        return encoding.bits // 8
    if encoding.startswith("u"):
        return _varint(value % (1 << encoding.bits))
    return _varint(2 * value if value >= 0 else -2 * value - 1)


def _integer_sizes(encoding: IntegerEncoding) -> range:
    """The sizes of an integer by KIP-625's encoding; a varint takes a byte for seven bits."""
    most = -(-encoding.bits // (8 if encoding.is_fixed else 7))
    return range(most if encoding.is_fixed else 1, most + 1)


def possible_bytes(field: FieldLayout) -> int:
    """The set of sizes that a field's data can have, as far as 128 bytes."""
    if field.is_array:
        return _array_sizes(field)
    if field.struct is not None and field.nullable:
        return 0b10 | _struct_sizes(field.struct) << 1 & _SIZES
    return _item_sizes(field)


def _array_sizes(field: FieldLayout) -> int:
    item, sizes, sums = _item_sizes(field), 0, 1
    for count in range(129):
        sizes |= sums << _prefix(field, None, count) & _SIZES
        sums = _sums(sums, item)
    return sizes | (1 << _prefix(field, None, 0) if field.nullable else 0)


def _item_sizes(field: FieldLayout) -> int:
    if field.struct is not None:
        return _struct_sizes(field.struct)
    if field.encoding is not None:
        return _set(_integer_sizes(field.encoding))
    if field.scalar is not None and field.scalar in WIDTHS:
        return 1 << WIDTHS[field.scalar]
    return _set(_prefix(field, field.scalar, length) + length for length in range(129))


def _struct_sizes(struct: StructLayout) -> int:
    sizes = 1
    for field in struct.fields:
        sizes = _sums(sizes, possible_bytes(field))
    if struct.flexible:
        # A byte for the number of tags; unknown tags take 2 bytes and more, known ones add nothing to that.
        tag = 1 if free_tags(struct, 0, 127) else 2
        sizes = _sums(sizes << 1, 1 | _set(tag + _varint(n) + n for n in range(127)))
    return sizes & _SIZES


def _set(sizes: Iterable[int]) -> int:
    bits = 0
    for size in sizes:
        bits |= 1 << size
    return bits & _SIZES


def _sums(one: int, other: int) -> int:
    """The set of all sums of a number of either set."""
    sums, size = 0, 0
    while other:
        if other & 1:
            sums |= one << size
        other >>= 1
        size += 1
    return sums & _SIZES
