"""Fields missing, extra, misplaced or mistyped."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from kafkawire.schema import (
    AbsentField,
    FieldLayout,
    MessageLayout,
    MessageSpec,
    ScalarType,
    StructLayout,
    VersionRange,
)
from wireproof.power.mutants.codec_operator import Deviation, WrongDefinition, WrongLayout
from wireproof.power.mutants.sites import (
    DefinitionSite,
    Site,
    defined,
    every,
    is_in_place,
    is_whole_message,
    of_type,
    shifted,
    valid_span,
    version_before,
    with_edited_field,
    with_edited_struct,
    with_field,
)


def _missing(site: Site) -> MessageLayout:
    """The field is taken for one of other versions: what a value has there is dropped."""
    field = site.field
    assert field is not None
    absent = AbsentField(field.name, field.type, field.struct, field.default, True, None, VersionRange.NONE)

    def without(struct: StructLayout) -> StructLayout:
        fields = tuple(each for each in struct.fields if each is not field)
        return replace(struct, fields=fields, absent=(*struct.absent, absent))

    return with_edited_struct(site, without)


def _kind(field: FieldLayout) -> tuple[object, ...]:
    return field.type, field.nullable, field.compact


def _next(site: Site) -> FieldLayout | None:
    """The field in place after this one."""
    fields = site.struct.fields
    if site.field is None or site.field not in fields[:-1]:
        return None
    return fields[fields.index(site.field) + 1]


def _has_other_neighbour(site: Site) -> bool:
    after = _next(site)
    return after is not None and site.field is not None and _kind(after) != _kind(site.field)


def _has_like_neighbour(site: Site) -> bool:
    after = _next(site)
    return after is not None and site.field is not None and _kind(after) == _kind(site.field)


def _swapped(site: Site) -> MessageLayout:
    def swap(struct: StructLayout) -> StructLayout:
        assert site.field is not None
        fields = list(struct.fields)
        at = fields.index(site.field)
        fields[at], fields[at + 1] = fields[at + 1], fields[at]
        return replace(struct, fields=tuple(fields))

    return with_edited_struct(site, swap)


def _is_first_of_three(site: Site) -> bool:
    fields = site.struct.fields
    return site.field is not None and len(fields) > 2 and site.field is fields[0]


def _first_to_the_end(site: Site) -> MessageLayout:
    return with_edited_struct(site, lambda it: replace(it, fields=(*it.fields[1:], it.fields[0])))


def _begins_later(site: DefinitionSite) -> bool:
    field = site.field
    if field is None or field.tag is not None:
        return False
    span = valid_span(site, field)
    return len(span) > 1 and span.lowest > site.spec.valid_versions.lowest


def _ends_early(site: DefinitionSite) -> bool:
    field = site.field
    if field is None or field.tag is not None:
        return False
    span = valid_span(site, field)
    return not span.empty and span.highest < site.spec.valid_versions.highest


def _in_versions(site: DefinitionSite, lowest: int = 0, highest: int = 0) -> MessageSpec:
    assert site.field is not None
    versions = shifted(site.field.versions, lowest, highest)
    return with_field(site.spec, site.field, replace(site.field, versions=versions))


def _never_ends(site: DefinitionSite) -> MessageSpec:
    assert site.field is not None
    versions = VersionRange(site.field.versions.lowest, VersionRange.ALL.highest)
    return with_field(site.spec, site.field, replace(site.field, versions=versions))


def _ends_at_its_third(site: DefinitionSite) -> MessageSpec:
    assert site.field is not None
    versions = VersionRange(site.field.versions.lowest, site.field.versions.lowest + 2)
    return with_field(site.spec, site.field, replace(site.field, versions=versions))


def _lasts_longer_than_three(site: DefinitionSite) -> bool:
    return site.field is not None and site.field.tag is None and len(valid_span(site, site.field)) > 3


def _retyped(site: Site, type_: ScalarType) -> MessageLayout:
    return with_edited_field(site, type=type_)


FIELD_DEVIATIONS: Final[Mapping[str, Deviation]] = {
    "field-missing": WrongLayout(is_in_place, _missing),
    "field-a-version-late": WrongDefinition(
        _begins_later, defined(lambda site: _in_versions(site, lowest=1))
    ),
    "field-a-version-early": WrongDefinition(
        _begins_later, defined(lambda site: _in_versions(site, lowest=-1))
    ),
    "field-a-version-too-long": WrongDefinition(
        _ends_early, defined(lambda site: _in_versions(site, highest=1))
    ),
    "versions-without-their-end": WrongDefinition(_ends_early, defined(_never_ends)),
    "open-versions-end": WrongDefinition(_lasts_longer_than_three, defined(_ends_at_its_third)),
    "fields-swapped": WrongLayout(_has_other_neighbour, _swapped),
    "like-fields-swapped": WrongLayout(_has_like_neighbour, _swapped),
    "first-field-last": WrongLayout(_is_first_of_three, _first_to_the_end),
    "int16-for-int32": WrongLayout(
        every(of_type(ScalarType.INT32), is_in_place), lambda s: _retyped(s, ScalarType.INT16)
    ),
    "int64-for-int32": WrongLayout(
        every(of_type(ScalarType.INT32), is_in_place), lambda s: _retyped(s, ScalarType.INT64)
    ),
    "layout-of-the-version-before": WrongDefinition(is_whole_message, version_before),
}
