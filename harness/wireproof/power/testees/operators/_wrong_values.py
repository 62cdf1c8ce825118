"""Values that are wrong: numbers, texts and bytes; arrays, structs, defaults and tagged fields."""

import json
import math
from typing import Any, Final
from uuid import UUID

from kafkawire.schema import FieldLayout, ScalarType, StructLayout
from kafkawire.schema.model import INTEGER_RANGES
from kafkawire.values import TAGS
from wireproof.model.layout_parts import sparse_default
from wireproof.model.repertoire import CodecDirection
from wireproof.power.testees.operator import REFUSED, FieldOperator, StructOperator, bug
from wireproof.proof.deviations.rules import KNOWN_CODES
from wireproof.proof.deviations.value_changes import VALUE_CHANGES, is_single

_LEAST: Final = {scalar: least for scalar, (least, _) in INTEGER_RANGES.items() if least < 0}
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
    changing("text-stripped", "stripped"),
    changing("text-normalized", "normal-form"),
    FieldOperator(*bug("array-of-126"), lambda field: field.is_array, _FIRST_126),
    FieldOperator(*bug("null-read-as-empty"), _may_be_null, _null_as_empty, (CodecDirection.DECODE,)),
)


def _is_array(field: FieldLayout) -> bool:
    return field.is_array


def _is_struct_array(field: FieldLayout) -> bool:
    return field.is_array and field.struct is not None


def _is_keyed(field: FieldLayout) -> bool:
    return field.struct is not None and any(each.map_key for each in field.struct.fields)


def _has_plain_default(field: FieldLayout) -> bool:
    return field.struct is None and not field.is_array


def _is_tagged(field: FieldLayout) -> bool:
    return field.tag is not None and field.struct is None


def _lost(value: Any, field: FieldLayout) -> Any:
    return sparse_default(field)


_OTHER: Final[dict[Any, Any]] = {
    ScalarType.STRING: "other",
    ScalarType.BYTES: b"other",
    ScalarType.BOOL: True,
    ScalarType.FLOAT64: 1.0,
    ScalarType.UUID: UUID(int=1),
    ScalarType.RECORDS: b"",
}


def _other_default(value: Any, field: FieldLayout) -> Any:
    """Another value than the default, as a codec with a wrong default would use it."""
    if value != sparse_default(field):
        return value
    if field.is_array:
        return value if value is None else None if field.nullable else value
    other = _OTHER.get(field.scalar, 1)
    return (not value) if isinstance(value, bool) else other if other != value else 0


def _reversed(value: Any, field: FieldLayout) -> Any:
    return None if value is None else value[::-1]


def _key(value: Any, names: set[str] | None) -> str:
    if names is not None and isinstance(value, dict):
        value = {name: item for name, item in value.items() if name in names}
    return json.dumps(value, sort_keys=True, default=str)


def _without_doubles(value: Any, field: FieldLayout) -> Any:
    names = None
    if field.struct is not None and _is_keyed(field):
        names = {each.name for each in field.struct.fields if each.map_key}
    return None if value is None else list({_key(each, names): each for each in value}.values())


def _empty_refused(value: Any, field: FieldLayout) -> Any:
    return REFUSED if value == [] else value


def _pair(struct: StructLayout) -> tuple[str, str] | None:
    """The first two neighbours of one type."""
    for one, other in zip(struct.fields, struct.fields[1:], strict=False):
        alike = one.type == other.type and one.nullable == other.nullable
        if alike and one.struct is None and other.struct is None:
            return one.name, other.name
    return None


def _swapped(value: dict[str, Any], struct: StructLayout) -> dict[str, Any]:
    pair = _pair(struct)
    if pair is None or not all(name in value for name in pair):
        return value
    one, other = pair
    return {**value, one: value[other], other: value[one]}


def _is_flexible(struct: StructLayout) -> bool:
    return struct.flexible


def _no_unknown(value: dict[str, Any], struct: StructLayout) -> dict[str, Any]:
    return {name: item for name, item in value.items() if name != TAGS}


def _with_tags(value: dict[str, Any], tags: dict[int, bytes]) -> dict[str, Any]:
    return {**value, TAGS: tags} if value.get(TAGS) else value


def _one_unknown(value: dict[str, Any], struct: StructLayout) -> dict[str, Any]:
    return _with_tags(value, dict(list(value.get(TAGS, {}).items())[:1]))


def _unknown_not_empty(value: dict[str, Any], struct: StructLayout) -> dict[str, Any]:
    kept = {tag: data for tag, data in value.get(TAGS, {}).items() if data}
    return _with_tags(value, kept) if kept else _no_unknown(value, struct)


def _unknown_cut(value: dict[str, Any], struct: StructLayout) -> dict[str, Any]:
    return _with_tags(value, {tag: data[:-1] for tag, data in value.get(TAGS, {}).items()})


def _unknown_one_byte(value: dict[str, Any], struct: StructLayout) -> dict[str, Any]:
    kept = {tag: data for tag, data in value.get(TAGS, {}).items() if tag < 128}
    return _with_tags(value, kept) if kept else _no_unknown(value, struct)


STRUCTURES: Final = (
    FieldOperator(*bug("field-lost"), lambda field: True, _lost),
    FieldOperator(*bug("field-lost-at-first"), lambda field: True, _lost, edge=True),
    changing("last-element-lost", "last-lost"),
    FieldOperator(*bug("array-reversed"), _is_array, _reversed),
    FieldOperator(*bug("elements-alike"), _is_struct_array, VALUE_CHANGES["all-as-last"].change),
    FieldOperator(*bug("empty-array-refused"), _is_array, _empty_refused),
    FieldOperator(*bug("doubles-lost"), _is_array, _without_doubles),
    FieldOperator(*bug("keyed-doubles-lost"), _is_keyed, _without_doubles),
    FieldOperator(
        *bug("default-other"), _has_plain_default, _other_default, (CodecDirection.ENCODE,), absent=True
    ),
    FieldOperator(*bug("tag-default-other"), _is_tagged, _other_default, (CodecDirection.DECODE,)),
    FieldOperator(*bug("tag-lost"), lambda field: field.tag is not None, _lost),
    StructOperator(*bug("neighbours-swapped"), lambda struct: _pair(struct) is not None, _swapped),
    StructOperator(*bug("unknown-tags-lost"), _is_flexible, _no_unknown),
    StructOperator(*bug("one-unknown-tag"), _is_flexible, _one_unknown),
    StructOperator(*bug("empty-unknown-tags-lost"), _is_flexible, _unknown_not_empty),
    StructOperator(*bug("unknown-tags-cut"), _is_flexible, _unknown_cut),
    StructOperator(*bug("unknown-tags-of-one-byte"), _is_flexible, _unknown_one_byte),
)
