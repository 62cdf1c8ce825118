"""Null and empty."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from kafkawire.schema import EMPTY, FieldSpec, MessageSpec, ScalarType, VersionRange
from wireproof.power.mutants.codec_operator import Deviation, WrongDefinition, WrongLayout, WrongPrimitive
from wireproof.power.mutants.sites import (
    DefinitionSite,
    Site,
    defined,
    every,
    holds_text_or_bytes,
    is_array,
    is_in_place,
    is_nullable,
    is_nullable_struct,
    of_type,
    shifted,
    valid_span,
    with_edited_field,
    with_field,
)


def _nullable_at(site: DefinitionSite, versions: VersionRange) -> MessageSpec:
    assert site.field is not None
    return with_field(site.spec, site.field, replace(site.field, nullable_versions=versions))


def _has_nullable_versions(site: DefinitionSite) -> bool:
    field = site.field
    return field is not None and not valid_span(site, field).intersect(field.nullable_versions).empty


def _has_other_default_than_null(site: DefinitionSite) -> bool:
    """A default of null in a field that is not nullable is refused by the schema reader."""
    return _has_nullable_versions(site) and site.field is not None and site.field.default != "null"


def _nullable_later_than_the_field(site: DefinitionSite) -> bool:
    field = site.field
    return field is not None and _has_nullable_versions(site) and _begins_later(site, field)


def _begins_later(site: DefinitionSite, field: FieldSpec) -> bool:
    return field.nullable_versions.lowest > valid_span(site, field).lowest


def _late(site: DefinitionSite) -> MessageSpec:
    assert site.field is not None
    return _nullable_at(site, shifted(site.field.nullable_versions, lowest=1))


def _early(site: DefinitionSite) -> MessageSpec:
    assert site.field is not None
    return _nullable_at(site, shifted(site.field.nullable_versions, lowest=-1))


def _never(site: DefinitionSite) -> MessageSpec:
    return _nullable_at(site, VersionRange.NONE)


def _not_nullable(site: Site) -> bool:
    return site.field is not None and not site.field.nullable and is_in_place(site)


NULL_DEVIATIONS: Final[Mapping[str, Deviation]] = {
    "nullable-a-version-late": WrongDefinition(_has_other_default_than_null, defined(_late)),
    "nullable-a-version-early": WrongDefinition(_nullable_later_than_the_field, defined(_early)),
    "nullable-versions-without-their-bound": WrongDefinition(
        _nullable_later_than_the_field, defined(lambda site: _nullable_at(site, VersionRange.ALL))
    ),
    "nullable-versions-not-read": WrongDefinition(_has_other_default_than_null, defined(_never)),
    "null-string-written-empty": WrongPrimitive(every(of_type(ScalarType.STRING), is_nullable, is_in_place)),
    "null-array-written-empty": WrongPrimitive(every(is_array, is_nullable, is_in_place)),
    "null-array-read-empty": WrongPrimitive(every(is_array, is_nullable, is_in_place)),
    "empty-read-null": WrongPrimitive(every(holds_text_or_bytes, is_nullable, is_in_place)),
    "null-not-refused": WrongPrimitive(every(holds_text_or_bytes, _not_nullable)),
    "null-struct-marked-0": WrongPrimitive(every(is_nullable_struct, is_in_place)),
    "struct-never-null": WrongLayout(
        is_nullable_struct, lambda site: with_edited_field(site, nullable=False, default=EMPTY)
    ),
}
