"""Integers of the wrong width or sign, floats that lose bits, uuids in another byte order, error codes."""

import math
import struct
from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from kafkawire.schema import FieldLayout, ScalarType
from wireproof.model import CodecDirection
from wireproof.power.testees.operator import REFUSED, FieldOperator
from wireproof.power.testees.operators.bug_table import bug

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


def _single_precision(value: Any, field: FieldLayout) -> Any:
    if math.isnan(value) or math.isinf(value) or abs(value) > 3e38:
        return value
    return struct.unpack(">f", struct.pack(">f", value))[0]


def _halves_swapped(value: Any, field: FieldLayout) -> Any:
    return UUID(bytes=value.bytes[8:] + value.bytes[:8])


_is_float, _is_uuid, _is_long = (
    is_single(kind) for kind in (ScalarType.FLOAT64, ScalarType.UUID, ScalarType.INT64)
)


def _is_error_code(field: FieldLayout) -> bool:
    return is_single(ScalarType.INT16)(field) and field.name.lower().endswith("errorcode")


NUMBERS: Final = (
    FieldOperator(*bug("half-width"), _is_wide, half),
    FieldOperator(*bug("int64-as-int32"), _is_long, as_int32),
    FieldOperator(*bug("int64-as-double"), _is_long, _through_double),
    FieldOperator(*bug("negatives-as-zero"), _is_signed, lambda value, field: max(value, 0)),
    FieldOperator(*bug("negatives-refused"), _is_signed, _negatives_refused),
    FieldOperator(*bug("high-bit-lost"), is_integer, _no_high_bit),
    FieldOperator(*bug("least-refused"), _is_signed, _least_refused),
    FieldOperator(*bug("most-off-by-one"), _is_signed, _most_lost),
    FieldOperator(*bug("unknown-code-as-minus-one"), _is_error_code, _unknown_code),
    FieldOperator(*bug("unknown-code-refused"), _is_error_code, _unknown_code_refused),
    FieldOperator(*bug("minus-zero-lost"), _is_float, lambda value, field: 0.0 if value == 0 else value),
    FieldOperator(*bug("single-precision"), _is_float, _single_precision),
    FieldOperator(*bug("infinity-lost"), _is_float, lambda value, field: 0.0 if math.isinf(value) else value),
    FieldOperator(*bug("uuid-halves-swapped"), _is_uuid, _halves_swapped),
    FieldOperator(*bug("uuid-little-endian"), _is_uuid, lambda value, field: UUID(bytes_le=value.bytes)),
    FieldOperator(*bug("bool-always-false"), is_single(ScalarType.BOOL), lambda value, field: False),
)


_is_text = is_single(ScalarType.STRING)
_is_bytes = is_single(ScalarType.BYTES)


def _may_be_null(field: FieldLayout) -> bool:
    return field.nullable


def _may_be_empty(field: FieldLayout) -> bool:
    return field.nullable and field.struct is None


def _null_struct(field: FieldLayout) -> bool:
    return field.nullable and field.struct is not None and not field.is_array


def _empty(field: FieldLayout) -> Any:
    if field.is_array:
        return []
    if field.struct is not None:
        return {}
    return "" if field.scalar is ScalarType.STRING else b""


def _null_as_empty(value: Any, field: FieldLayout) -> Any:
    return _empty(field) if value is None else value


def _empty_as_null(value: Any, field: FieldLayout) -> Any:
    return None if value is not None and len(value) == 0 else value


def _null_refused(value: Any, field: FieldLayout) -> Any:
    return REFUSED if value is None else value


def _characters(value: Any, field: FieldLayout) -> Any:
    """Return as many bytes as the text has characters."""
    if value is None:
        return None
    return value.encode()[: len(value)].decode(errors="ignore")


def _ascii(value: Any, field: FieldLayout) -> Any:
    return None if value is None else value.encode("ascii", "replace").decode()


def _no_astral(value: Any, field: FieldLayout) -> Any:
    if value is None:
        return None
    return "".join("\ufffd" if ord(each) > 0xFFFF else each for each in value)


def _first_bytes(most: int) -> Any:
    def change(value: Any, field: FieldLayout) -> Any:
        if value is None:
            return None
        return value.encode()[:most].decode(errors="ignore") if isinstance(value, str) else value[:most]

    return change


def _first(most: int) -> Any:
    def change(value: Any, field: FieldLayout) -> Any:
        return None if value is None else value[:most]

    return change


def _without_high_bits(value: Any, field: FieldLayout) -> Any:
    return None if value is None else bytes(each & 0x7F for each in value)


def _is_wordlike(field: FieldLayout) -> bool:
    return _is_text(field) or _is_bytes(field)


TEXTS: Final = (
    FieldOperator(*bug("null-as-empty"), _may_be_null, _null_as_empty),
    FieldOperator(*bug("empty-as-null"), _may_be_empty, _empty_as_null),
    FieldOperator(*bug("null-refused"), _may_be_null, _null_refused),
    FieldOperator(*bug("null-refused-at-first"), _may_be_null, _null_refused, edge=True),
    FieldOperator(*bug("null-as-empty-at-first"), _may_be_null, _null_as_empty, edge=True),
    FieldOperator(*bug("null-struct-as-default"), _null_struct, _null_as_empty),
    FieldOperator(*bug("length-in-characters"), _is_text, _characters),
    FieldOperator(*bug("ascii-only"), _is_text, _ascii),
    FieldOperator(*bug("no-astral-characters"), _is_text, _no_astral),
    FieldOperator(*bug("text-of-126-bytes"), _is_text, _first_bytes(126)),
    FieldOperator(*bug("bytes-of-126"), _is_bytes, _first_bytes(126)),
    FieldOperator(*bug("length-of-two-varint-bytes"), _is_wordlike, _first_bytes(16382)),
    FieldOperator(*bug("bytes-of-seven-bits"), _is_bytes, _without_high_bits),
    FieldOperator(*bug("array-of-126"), lambda field: field.is_array, _first(126)),
    FieldOperator(*bug("null-read-as-empty"), _may_be_null, _null_as_empty, (CodecDirection.DECODE,)),
)
