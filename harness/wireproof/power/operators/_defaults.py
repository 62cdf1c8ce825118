"""Defaults, and fields that may be ignored."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final
from uuid import UUID

from kafkawire.schema import EMPTY, AbsentField, ArrayType, Default, MessageLayout, MessageSpec
from wireproof.power.mutants.codec_operator import (
    CodecKind,
    Deviation,
    WrongCode,
    WrongDefinition,
    WrongLayout,
    WrongPrimitive,
)
from wireproof.power.mutants.sites import (
    DefinitionSite,
    Site,
    defined,
    every,
    is_array,
    is_in_place,
    is_tagged,
    with_edited_field,
    with_field,
)


def _has_plain_default(site: Site) -> bool:
    return site.field is not None and site.field.default is not EMPTY and site.field.default is not None


def _one_off(default: Default) -> Default:
    match default:
        case bool():
            return not default
        case int():
            return default + 1 if default <= 0 else default - 1
        case float():
            return math.nextafter(default, math.inf)
        case str():
            return default + "x"
        case bytes():
            return default + b"x"
        case UUID():
            return UUID(int=default.int ^ 1)
        case _:
            return default


def _other_default(site: Site) -> MessageLayout:
    assert site.field is not None
    return with_edited_field(site, default=_one_off(site.field.default))


def _null_is_the_default(site: Site) -> bool:
    field = site.field
    return field is not None and field.nullable and field.default is None and field.scalar is not None


def _empty_default(site: Site) -> MessageLayout:
    assert site.field is not None
    empty: Default = EMPTY if is_array(site) else "" if str(site.field.type) == "string" else b""
    return with_edited_field(site, default=empty)


def _is_negative_by_default(site: DefinitionSite) -> bool:
    """Small numbers: the least integer of a type has no positive counterpart."""
    return site.field is not None and re.fullmatch(r"-\d{1,4}", site.field.default) is not None


def _without_sign(site: DefinitionSite) -> MessageSpec:
    assert site.field is not None
    return with_field(
        site.spec, site.field, replace(site.field, default=site.field.default.removeprefix("-"))
    )


def _is_null_by_default(site: DefinitionSite) -> bool:
    return site.field is not None and site.field.default == "null"


def _null_not_read(site: DefinitionSite) -> MessageSpec:
    assert site.field is not None
    return with_field(site.spec, site.field, replace(site.field, default=""))


def _ignorable(site: DefinitionSite) -> bool:
    return site.field is not None and site.field.ignorable


def _not_ignorable(site: DefinitionSite) -> bool:
    return site.field is not None and not site.field.ignorable


def _otherwise_ignorable(site: DefinitionSite) -> MessageSpec:
    assert site.field is not None
    return with_field(site.spec, site.field, replace(site.field, ignorable=not site.field.ignorable))


def _lacks(site: Site, holds: Callable[[AbsentField], bool]) -> bool:
    """A struct of which other versions have such a field, which must not be ignored."""
    return site.field is None and any(holds(each) for each in site.struct.absent if not each.ignorable)


def _lacks_a_nullable_field(site: Site) -> bool:
    return _lacks(site, lambda field: field.nullable and field.default is not None)


def _lacks_a_struct(site: Site) -> bool:
    return _lacks(site, lambda field: field.struct is not None)


def _lacks_an_array(site: Site) -> bool:
    return _lacks(site, lambda field: isinstance(field.type, ArrayType))


def _is_tagged_list(site: Site) -> bool:
    return is_tagged(site) and is_array(site) and site.field is not None and site.field.default is EMPTY


DEFAULT_DEVIATIONS: Final[Mapping[str, Deviation]] = {
    "default-one-off": WrongLayout(every(_has_plain_default, is_in_place), _other_default),
    "tagged-default-one-off": WrongLayout(every(_has_plain_default, is_tagged), _other_default),
    "null-default-empty": WrongLayout(_null_is_the_default, _empty_default),
    "default-loses-its-sign": WrongDefinition(_is_negative_by_default, defined(_without_sign)),
    "null-default-not-read": WrongDefinition(_is_null_by_default, defined(_null_not_read)),
    "non-ignorable-dropped": WrongDefinition(_not_ignorable, defined(_otherwise_ignorable)),
    "ignorable-refused": WrongDefinition(_ignorable, defined(_otherwise_ignorable)),
    "ignorable-not-read": WrongDefinition(_not_ignorable, defined(_otherwise_ignorable)),
    "null-is-any-default": WrongPrimitive(_lacks_a_nullable_field),
    "absent-struct-dropped": WrongPrimitive(_lacks_a_struct),
    "absent-empty-array-refused": WrongPrimitive(_lacks_an_array),
    "tagged-list-read-null": WrongCode(_is_tagged_list, CodecKind.COMPILED),
}
