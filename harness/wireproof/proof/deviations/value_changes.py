"""The ways in which single fields get wrong values: one catalogue to inject, find and excuse them."""

import math
import struct
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from uuid import UUID

from kafkawire.compiler.defaults import default_value, is_default
from kafkawire.schema.layout import FieldLayout
from kafkawire.schema.model import INTEGER_RANGES, ScalarType
from kafkawire.values import TAGS
from wireproof.model.coverage.wire_sizes import WIDTHS

_Predicate: TypeAlias = Callable[[FieldLayout], bool]

_BITS: Final = {scalar: 8 * WIDTHS[scalar] for scalar in INTEGER_RANGES}
_ZEROS: Final = {
    ScalarType.STRING: "",
    ScalarType.BYTES: b"",
    ScalarType.RECORDS: b"",
    ScalarType.BOOL: False,
    ScalarType.FLOAT64: 0.0,
    ScalarType.UUID: UUID(int=0),
}
_LARGEST_FLOAT32: Final = 3e38


@dataclass(frozen=True, slots=True)
class ValueChange:
    """One way in which a codec reads or writes a wrong value of a field.

    Attributes:
        words: a verb phrase about the field.
        fits: returns whether a field can be wrong in this way.
        change: (value, field) -> the codec's value; the same value if nothing is wrong.
    """

    words: str
    fits: _Predicate
    change: Callable[[Any, FieldLayout], Any]


def is_single(*types: ScalarType) -> _Predicate:
    """Return a predicate for fields that are a single scalar of one of the types."""
    return lambda field: not field.is_array and field.scalar in types


def zero_of(field: FieldLayout) -> Any:
    """Return zero, an empty value, or a struct of these."""
    if field.is_array:
        return []
    if field.struct is not None:
        return {each.name: zero_of(each) for each in field.struct.all_fields}
    assert field.scalar is not None
    return _ZEROS.get(field.scalar, 0)


def is_falsy(value: Any) -> bool:
    """Test if many languages take a value for false: zero, empty, false or null, but no UUID."""
    return not isinstance(value, dict | UUID) and not value


def _default_struct(value: Any, field: FieldLayout) -> Any:
    assert field.struct is not None
    return {each.name: default_value(each) for each in field.struct.all_fields} if value is None else value


def _bits(field: FieldLayout) -> int:
    assert field.scalar is not None
    return _BITS[field.scalar]


def _signed(number: int, bits: int) -> int:
    low = number & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) else low


def _without_high_bit(value: Any, field: FieldLayout) -> Any:
    return value & ((1 << (_bits(field) - 1)) - 1)


def _greatest_less_one(value: Any, field: FieldLayout) -> Any:
    return value - 1 if value == (1 << (_bits(field) - 1)) - 1 else value


def _single_precision(value: Any, field: FieldLayout) -> Any:
    if not math.isfinite(value) or abs(value) > _LARGEST_FLOAT32:
        return value
    return struct.unpack(">f", struct.pack(">f", value))[0]


def _empty_as_null(value: Any, field: FieldLayout) -> Any:
    return None if value in ("", b"", []) else value


def _first(most: int) -> Callable[[Any, FieldLayout], Any]:
    """Return the change to the first bytes of text or of bytes, and to the first elements of an array."""

    def change(value: Any, field: FieldLayout) -> Any:
        if isinstance(value, str):
            return value.encode(errors="surrogatepass")[:most].decode(errors="ignore")
        return None if value is None else value[:most]

    return change


def _without_last(value: Any, field: FieldLayout) -> Any:
    return value[:-1] if value and len(value) > 1 else value


def _default_as_null(value: Any, field: FieldLayout) -> Any:
    if value is None or field.struct is None or value.get(TAGS):
        return value
    fields = ((each, value.get(each.name, default_value(each))) for each in field.struct.all_fields)
    return None if all(is_default(each, item) for each, item in fields) else value


def _all_as_last(value: Any, field: FieldLayout) -> Any:
    return [value[-1]] * len(value) if value else value


def _named(value: Any, field: FieldLayout) -> Any:
    if value is None or field.struct is None:
        return value
    first = field.struct.fields[0].name
    return [each for each in value if each.get(first) is not None]


def _any(field: FieldLayout) -> bool:
    return True


def _nullable(field: FieldLayout) -> bool:
    return field.nullable


def _array(field: FieldLayout) -> bool:
    return field.is_array


def _nullable_struct(field: FieldLayout) -> bool:
    return field.nullable and field.struct is not None and not field.is_array


def _sized(field: FieldLayout) -> bool:
    return field.is_array or field.scalar in (ScalarType.STRING, ScalarType.BYTES)


_integer: Final = is_single(*_BITS)
_wide: Final = is_single(ScalarType.INT16, ScalarType.INT32, ScalarType.INT64)

VALUE_CHANGES: Final[Mapping[str, ValueChange]] = {
    "default": ValueChange("always has its default", _any, lambda value, field: default_value(field)),
    "zero": ValueChange("always is zero, empty or false", _any, lambda value, field: zero_of(field)),
    "null": ValueChange("always is null", _any, lambda value, field: None),
    "minus-one": ValueChange("always is -1", _integer, lambda value, field: -1),
    "half": ValueChange(
        "keeps the lower half of its bits", _wide, lambda value, field: _signed(value, _bits(field) // 2)
    ),
    "int32": ValueChange(
        "keeps 32 bits only", is_single(ScalarType.INT64), lambda value, field: _signed(value, 32)
    ),
    "high-bit-lost": ValueChange("loses its highest bit", _integer, _without_high_bit),
    "greatest-less-one": ValueChange("is one less at the greatest number", _integer, _greatest_less_one),
    "minus-zero-lost": ValueChange(
        "is 0.0 where it is -0.0",
        is_single(ScalarType.FLOAT64),
        lambda value, field: 0.0 if value == 0 else value,
    ),
    "float32": ValueChange("goes through a float32", is_single(ScalarType.FLOAT64), _single_precision),
    "halves-swapped": ValueChange(
        "has its two halves in the other order",
        is_single(ScalarType.UUID),
        lambda value, field: UUID(bytes=value.bytes[8:] + value.bytes[:8]),
    ),
    "little-endian": ValueChange(
        "is little-endian in its first half",
        is_single(ScalarType.UUID),
        lambda value, field: UUID(bytes_le=value.bytes),
    ),
    "seven-bits": ValueChange(
        "loses the highest bit of each byte",
        is_single(ScalarType.BYTES),
        lambda value, field: None if value is None else bytes(each & 0x7F for each in value),
    ),
    "stripped": ValueChange(
        "loses white space at its ends",
        is_single(ScalarType.STRING),
        lambda value, field: None if value is None else value.strip(),
    ),
    "ends-at-nul": ValueChange(
        "ends at its first NUL",
        is_single(ScalarType.STRING),
        lambda value, field: None if value is None else value.split("\0")[0],
    ),
    "normal-form": ValueChange(
        "goes through a normal form of Unicode (NFC)",
        is_single(ScalarType.STRING),
        lambda value, field: None if value is None else unicodedata.normalize("NFC", value),
    ),
    "empty-as-null": ValueChange("is null where it is empty", _sized, _empty_as_null),
    "null-as-empty": ValueChange(
        "is empty where it is null",
        _nullable,
        lambda value, field: zero_of(field) if value is None else value,
    ),
    "null-as-default": ValueChange(
        "is a struct of defaults where it is null", _nullable_struct, _default_struct
    ),
    "default-as-null": ValueChange(
        "is null where all of its fields have their defaults", _nullable_struct, _default_as_null
    ),
    "first-126": ValueChange("is cut after 126 bytes or elements", _sized, _first(126)),
    "first-16382": ValueChange("is cut after 16,382 bytes or elements", _sized, _first(16_382)),
    "first-alone": ValueChange(
        "keeps the first of several elements alone", _array, lambda value, field: value and value[:1]
    ),
    "last-alone": ValueChange(
        "keeps the last of several elements alone", _array, lambda value, field: value and value[-1:]
    ),
    "last-lost": ValueChange("loses the last of several elements", _array, _without_last),
    "nameless-lost": ValueChange("loses the elements whose first field is null", _array, _named),
    "all-as-last": ValueChange("has its last element in the place of each", _array, _all_as_last),
}
"""The changes by name, those of the most values first."""
