"""Null and empty, text and bytes whose length is counted wrongly."""

from typing import Any, Final

from kafkawire.schema import FieldLayout, ScalarType
from wireproof.model import CodecDirection
from wireproof.power import BugClass
from wireproof.power.testees.operator import REFUSED, FieldOperator
from wireproof.power.testees.operators._numbers import is_single

__all__ = ["TEXTS"]

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


_NULL, _UTF8, _VARINTS = BugClass.NULL, BugClass.UTF8, BugClass.VARINTS

TEXTS: Final = (
    FieldOperator("null-as-empty", _NULL, "null becomes empty", _may_be_null, _null_as_empty),
    FieldOperator("empty-as-null", _NULL, "empty becomes null", _may_be_empty, _empty_as_null),
    FieldOperator("null-refused", _NULL, "null is refused", _may_be_null, _null_refused),
    FieldOperator(
        "null-refused-at-first",
        _NULL,
        "null is refused in the first version that allows it",
        _may_be_null,
        _null_refused,
        edge=True,
    ),
    FieldOperator(
        "null-as-empty-at-first",
        _NULL,
        "null becomes empty in the first version that allows it",
        _may_be_null,
        _null_as_empty,
        edge=True,
    ),
    FieldOperator(
        "null-struct-as-default",
        _NULL,
        "a struct that is null becomes one of defaults",
        _null_struct,
        _null_as_empty,
    ),
    FieldOperator(
        "length-in-characters",
        _UTF8,
        "text is cut to as many bytes as it has characters",
        _is_text,
        _characters,
    ),
    FieldOperator(
        "ascii-only", _UTF8, "every character beyond ASCII becomes a question mark", _is_text, _ascii
    ),
    FieldOperator(
        "no-astral-characters", _UTF8, "characters beyond the BMP are replaced", _is_text, _no_astral
    ),
    FieldOperator("text-of-126-bytes", _VARINTS, "text is cut after 126 bytes", _is_text, _first_bytes(126)),
    FieldOperator("bytes-of-126", _VARINTS, "bytes are cut after 126", _is_bytes, _first_bytes(126)),
    FieldOperator(
        "length-of-two-varint-bytes",
        _VARINTS,
        "text and bytes are cut after 16,382 bytes",
        _is_wordlike,
        _first_bytes(16382),
    ),
    FieldOperator(
        "bytes-of-seven-bits", BugClass.FIELDS, "bytes lose their highest bits", _is_bytes, _without_high_bits
    ),
    FieldOperator(
        "array-of-126",
        _VARINTS,
        "an array is cut after 126 elements",
        lambda field: field.is_array,
        _first(126),
    ),
    FieldOperator(
        "null-read-as-empty",
        _NULL,
        "null is read as empty, and written right",
        _may_be_null,
        _null_as_empty,
        (CodecDirection.DECODE,),
    ),
)
