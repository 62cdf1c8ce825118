"""Integers of the wrong width or sign, floats that lose bits, uuids in another byte order, error codes; texts
and bytes that are null, empty or cut."""

import math
from typing import Any, Final

from kafkawire.schema import FieldLayout, ScalarType
from wireproof.model import CodecDirection
from wireproof.power.testees.operator import REFUSED, FieldOperator
from wireproof.power.testees.operators.bug_table import bug
from wireproof.proof.deviations.rules import KNOWN_CODES
from wireproof.proof.deviations.value_changes import VALUE_CHANGES, is_single

_LEAST: Final = {
    ScalarType.INT8: -(1 << 7),
    ScalarType.INT16: -(1 << 15),
    ScalarType.INT32: -(1 << 31),
    ScalarType.INT64: -(1 << 63),
}
_is_signed = is_single(*_LEAST)
_is_float, _is_long, _is_text, _is_bytes = (
    is_single(kind) for kind in (ScalarType.FLOAT64, ScalarType.INT64, ScalarType.STRING, ScalarType.BYTES)
)


def changing(name: str, change: str, *ways: CodecDirection) -> FieldOperator:
    """Return the operator of a bug that is one of `VALUE_CHANGES`."""
    found = VALUE_CHANGES[change]
    return FieldOperator(*bug(name), found.fits, found.change, ways or tuple(CodecDirection))


def _through_double(value: Any, field: FieldLayout) -> Any:
    return max(-(1 << 63), min((1 << 63) - 1, int(float(value))))


def _negatives_refused(value: Any, field: FieldLayout) -> Any:
    return REFUSED if value < -1 else value


def _least_refused(value: Any, field: FieldLayout) -> Any:
    assert field.scalar is not None
    return REFUSED if value == _LEAST[field.scalar] else value


def _unknown_code(value: Any, field: FieldLayout) -> Any:
    return value if value in KNOWN_CODES else -1


def _unknown_code_refused(value: Any, field: FieldLayout) -> Any:
    return value if value in KNOWN_CODES else REFUSED


def _is_error_code(field: FieldLayout) -> bool:
    return is_single(ScalarType.INT16)(field) and field.name.lower().endswith("errorcode")


NUMBERS: Final = (
    changing("half-width", "half"),
    changing("int64-as-int32", "int32"),
    FieldOperator(*bug("int64-as-double"), _is_long, _through_double),
    FieldOperator(*bug("negatives-as-zero"), _is_signed, lambda value, field: max(value, 0)),
    FieldOperator(*bug("negatives-refused"), _is_signed, _negatives_refused),
    changing("high-bit-lost", "high-bit-lost"),
    FieldOperator(*bug("least-refused"), _is_signed, _least_refused),
    changing("most-off-by-one", "greatest-less-one"),
    FieldOperator(*bug("unknown-code-as-minus-one"), _is_error_code, _unknown_code),
    FieldOperator(*bug("unknown-code-refused"), _is_error_code, _unknown_code_refused),
    changing("minus-zero-lost", "minus-zero-lost"),
    changing("single-precision", "float32"),
    FieldOperator(*bug("infinity-lost"), _is_float, lambda value, field: 0.0 if math.isinf(value) else value),
    changing("uuid-halves-swapped", "halves-swapped"),
    changing("uuid-little-endian", "little-endian"),
    FieldOperator(*bug("bool-always-false"), is_single(ScalarType.BOOL), lambda value, field: False),
)


def _may_be_null(field: FieldLayout) -> bool:
    return field.nullable


def _may_be_empty(field: FieldLayout) -> bool:
    return field.nullable and field.struct is None


def _null_as_empty(value: Any, field: FieldLayout) -> Any:
    if field.struct is not None and not field.is_array:
        return {} if value is None else value
    return VALUE_CHANGES["null-as-empty"].change(value, field)


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


def _is_wordlike(field: FieldLayout) -> bool:
    return _is_text(field) or _is_bytes(field)


_FIRST_126 = VALUE_CHANGES["first-126"].change

TEXTS: Final = (
    FieldOperator(*bug("null-as-empty"), _may_be_null, _null_as_empty),
    FieldOperator(*bug("empty-as-null"), _may_be_empty, VALUE_CHANGES["empty-as-null"].change),
    FieldOperator(*bug("null-refused"), _may_be_null, _null_refused),
    FieldOperator(*bug("null-refused-at-first"), _may_be_null, _null_refused, edge=True),
    FieldOperator(*bug("null-as-empty-at-first"), _may_be_null, _null_as_empty, edge=True),
    changing("null-struct-as-default", "null-as-default"),
    FieldOperator(*bug("length-in-characters"), _is_text, _characters),
    FieldOperator(*bug("ascii-only"), _is_text, _ascii),
    FieldOperator(*bug("no-astral-characters"), _is_text, _no_astral),
    FieldOperator(*bug("text-of-126-bytes"), _is_text, _FIRST_126),
    FieldOperator(*bug("bytes-of-126"), _is_bytes, _FIRST_126),
    FieldOperator(*bug("length-of-two-varint-bytes"), _is_wordlike, VALUE_CHANGES["first-16382"].change),
    changing("bytes-of-seven-bits", "seven-bits"),
    FieldOperator(*bug("array-of-126"), lambda field: field.is_array, _FIRST_126),
    FieldOperator(*bug("null-read-as-empty"), _may_be_null, _null_as_empty, (CodecDirection.DECODE,)),
)
