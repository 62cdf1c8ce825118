"""Integers of the wrong width or sign, floats that lose bits, uuids in another byte order, error codes."""

import math
import struct
from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from kafkawire.schema import FieldLayout, ScalarType
from wireproof.power import BugClass
from wireproof.power.testees.operator import REFUSED, FieldOperator

__all__ = ["NUMBERS", "as_int32", "half", "is_integer", "is_single"]

_BITS: Final = {
    ScalarType.INT8: 8,
    ScalarType.INT16: 16,
    ScalarType.UINT16: 16,
    ScalarType.INT32: 32,
    ScalarType.UINT32: 32,
    ScalarType.INT64: 64,
}
_SIGNED: Final = frozenset({ScalarType.INT8, ScalarType.INT16, ScalarType.INT32, ScalarType.INT64})
_KNOWN_CODES: Final = 150
"""No Kafka release has an error code beyond."""


def is_single(*types: ScalarType) -> Callable[[FieldLayout], bool]:
    """Return a predicate for fields that are a single scalar of one of some types."""
    return lambda field: not field.is_array and field.scalar in types


is_integer = is_single(*_BITS)
_is_signed = is_single(*_SIGNED)
_is_wide = is_single(ScalarType.INT16, ScalarType.INT32, ScalarType.INT64)


def _bits(field: FieldLayout) -> int:
    assert field.scalar is not None
    return _BITS[field.scalar]


def _signed(number: int, bits: int) -> int:
    low = number & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) else low


def half(value: Any, field: FieldLayout) -> Any:
    return _signed(value, _bits(field) // 2)


def as_int32(value: Any, field: FieldLayout) -> Any:
    return _signed(value, 32)


def _through_double(value: Any, field: FieldLayout) -> Any:
    return max(-(1 << 63), min((1 << 63) - 1, int(float(value))))


def _no_negatives(value: Any, field: FieldLayout) -> Any:
    return max(value, 0)


def _negatives_refused(value: Any, field: FieldLayout) -> Any:
    return REFUSED if value < -1 else value


def _no_high_bit(value: Any, field: FieldLayout) -> Any:
    return value & ((1 << (_bits(field) - 1)) - 1)


def _least_refused(value: Any, field: FieldLayout) -> Any:
    return REFUSED if value == -(1 << (_bits(field) - 1)) else value


def _most_lost(value: Any, field: FieldLayout) -> Any:
    return value - 1 if value == (1 << (_bits(field) - 1)) - 1 else value


def _unknown_code(value: Any, field: FieldLayout) -> Any:
    return -1 if value > _KNOWN_CODES or value < -1 else value


def _unknown_code_refused(value: Any, field: FieldLayout) -> Any:
    return REFUSED if value > _KNOWN_CODES or value < -1 else value


def _plain_zero(value: Any, field: FieldLayout) -> Any:
    return 0.0 if value == 0 else value


def _single_precision(value: Any, field: FieldLayout) -> Any:
    if math.isnan(value) or math.isinf(value) or abs(value) > 3e38:
        return value
    return struct.unpack(">f", struct.pack(">f", value))[0]


def _infinity_lost(value: Any, field: FieldLayout) -> Any:
    return 0.0 if math.isinf(value) else value


def _halves_swapped(value: Any, field: FieldLayout) -> Any:
    return UUID(bytes=value.bytes[8:] + value.bytes[:8])


def _little_endian(value: Any, field: FieldLayout) -> Any:
    return UUID(bytes_le=value.bytes)


_INTEGERS, _FIELDS = BugClass.INTEGERS, BugClass.FIELDS
_is_float, _is_uuid, _is_long = (
    is_single(kind) for kind in (ScalarType.FLOAT64, ScalarType.UUID, ScalarType.INT64)
)


def _is_error_code(field: FieldLayout) -> bool:
    return is_single(ScalarType.INT16)(field) and field.name.lower().endswith("errorcode")


NUMBERS: Final = (
    FieldOperator("half-width", _INTEGERS, "an integer keeps the lower half of its bits", _is_wide, half),
    FieldOperator("int64-as-int32", _INTEGERS, "an int64 keeps 32 bits", _is_long, as_int32),
    FieldOperator("int64-as-double", _INTEGERS, "an int64 goes through a float64", _is_long, _through_double),
    FieldOperator("negatives-as-zero", _INTEGERS, "negative integers become 0", _is_signed, _no_negatives),
    FieldOperator(
        "negatives-refused", _INTEGERS, "integers below -1 are refused", _is_signed, _negatives_refused
    ),
    FieldOperator(
        "high-bit-lost", _INTEGERS, "the highest bit of an integer is lost", is_integer, _no_high_bit
    ),
    FieldOperator(
        "least-refused", _INTEGERS, "the least integer of its type is refused", _is_signed, _least_refused
    ),
    FieldOperator(
        "most-off-by-one", _INTEGERS, "the greatest integer of its type is one less", _is_signed, _most_lost
    ),
    FieldOperator(
        "unknown-code-as-minus-one",
        BugClass.CODES,
        "an error code that is not known becomes -1",
        _is_error_code,
        _unknown_code,
    ),
    FieldOperator(
        "unknown-code-refused",
        BugClass.CODES,
        "an error code that is not known is refused",
        _is_error_code,
        _unknown_code_refused,
    ),
    FieldOperator("minus-zero-lost", _FIELDS, "-0.0 becomes 0.0", _is_float, _plain_zero),
    FieldOperator(
        "single-precision", _FIELDS, "a float64 goes through a float32", _is_float, _single_precision
    ),
    FieldOperator("infinity-lost", _FIELDS, "infinities become 0.0", _is_float, _infinity_lost),
    FieldOperator(
        "uuid-halves-swapped", _FIELDS, "the two halves of a uuid are swapped", _is_uuid, _halves_swapped
    ),
    FieldOperator(
        "uuid-little-endian", _FIELDS, "a uuid is little-endian in its first half", _is_uuid, _little_endian
    ),
    FieldOperator(
        "bool-always-false",
        _FIELDS,
        "a bool is always false",
        is_single(ScalarType.BOOL),
        lambda value, field: False,
    ),
)
