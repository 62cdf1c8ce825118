"""Arrays, structs, defaults and tagged fields: what is lost, doubled, swapped or left out."""

import json
from typing import Any, Final
from uuid import UUID

from kafkawire.schema import FieldLayout, ScalarType, StructLayout
from kafkawire.schema.layout import Empty
from kafkawire.values import TAGS
from wireproof.model import CodecDirection
from wireproof.power.testees.operator import REFUSED, FieldOperator, StructOperator
from wireproof.power.testees.operators._numbers import changing
from wireproof.power.testees.operators.bug_table import bug
from wireproof.proof.deviations.value_changes import VALUE_CHANGES


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


def _default(field: FieldLayout) -> Any:
    if not isinstance(field.default, Empty):
        return field.default
    return [] if field.is_array else {}


def _lost(value: Any, field: FieldLayout) -> Any:
    return _default(field)


_OTHER: Final[dict[Any, Any]] = {
    ScalarType.STRING: "other",
    ScalarType.BYTES: b"other",
    ScalarType.BOOL: True,
    ScalarType.FLOAT64: 1.0,
    ScalarType.UUID: UUID(int=1),
    ScalarType.RECORDS: b"",
}


def _other_default(value: Any, field: FieldLayout) -> Any:
    """Another value than the default: what a codec would write that has a wrong one."""
    if value != _default(field):
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
    StructOperator(*bug("unknown-tags-cut"), _is_flexible, _unknown_cut),
    StructOperator(*bug("unknown-tags-of-one-byte"), _is_flexible, _unknown_one_byte),
)
