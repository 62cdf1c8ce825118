"""Fields missing, extra, misplaced or mistyped."""

from dataclasses import replace

from kafkawire.schema import (
    AbsentField,
    FieldLayout,
    MessageLayout,
    MessageSpec,
    ScalarType,
    StructLayout,
    VersionRange,
)
from wireproof.power.bug_classes import BugClass
from wireproof.power.definitions import SpecSpot, with_field
from wireproof.power.flaw import Flaw, WrongDefinition, WrongLayout
from wireproof.power.flaws._where import (
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
)
from wireproof.power.spots import Spot

__all__ = ["FIELD_FLAWS"]


def _missing(spot: Spot) -> MessageLayout:
    """The field is taken for one of other versions: what a value has there is dropped."""
    field = spot.field
    assert field is not None
    absent = AbsentField(field.name, field.type, field.struct, field.default, True, None, VersionRange.NONE)

    def without(struct: StructLayout) -> StructLayout:
        fields = tuple(each for each in struct.fields if each is not field)
        return replace(struct, fields=fields, absent=(*struct.absent, absent))

    return with_edited_struct(spot, without)


def _kind(field: FieldLayout) -> tuple[object, ...]:
    return field.type, field.nullable, field.compact


def _next(spot: Spot) -> FieldLayout | None:
    """The field in place behind this one."""
    fields = spot.struct.fields
    if spot.field is None or spot.field not in fields[:-1]:
        return None
    return fields[fields.index(spot.field) + 1]


def _has_other_neighbour(spot: Spot) -> bool:
    after = _next(spot)
    return after is not None and spot.field is not None and _kind(after) != _kind(spot.field)


def _has_like_neighbour(spot: Spot) -> bool:
    after = _next(spot)
    return after is not None and spot.field is not None and _kind(after) == _kind(spot.field)


def _swapped(spot: Spot) -> MessageLayout:
    def swap(struct: StructLayout) -> StructLayout:
        assert spot.field is not None
        fields = list(struct.fields)
        at = fields.index(spot.field)
        fields[at], fields[at + 1] = fields[at + 1], fields[at]
        return replace(struct, fields=tuple(fields))

    return with_edited_struct(spot, swap)


def _is_first_of_three(spot: Spot) -> bool:
    fields = spot.struct.fields
    return spot.field is not None and len(fields) > 2 and spot.field is fields[0]


def _first_to_the_end(spot: Spot) -> MessageLayout:
    return with_edited_struct(spot, lambda it: replace(it, fields=(*it.fields[1:], it.fields[0])))


def _begins_later(spot: SpecSpot) -> bool:
    field = spot.field
    if field is None or field.tag is not None:
        return False
    span = valid_span(spot, field)
    return len(span) > 1 and span.lowest > spot.spec.valid_versions.lowest


def _ends_early(spot: SpecSpot) -> bool:
    field = spot.field
    if field is None or field.tag is not None:
        return False
    span = valid_span(spot, field)
    return not span.empty and span.highest < spot.spec.valid_versions.highest


def _in_versions(spot: SpecSpot, lowest: int = 0, highest: int = 0) -> MessageSpec:
    assert spot.field is not None
    versions = shifted(spot.field.versions, lowest, highest)
    return with_field(spot.spec, spot.field, replace(spot.field, versions=versions))


def _never_ends(spot: SpecSpot) -> MessageSpec:
    assert spot.field is not None
    versions = VersionRange(spot.field.versions.lowest, VersionRange.ALL.highest)
    return with_field(spot.spec, spot.field, replace(spot.field, versions=versions))


def _ends_at_its_third(spot: SpecSpot) -> MessageSpec:
    assert spot.field is not None
    versions = VersionRange(spot.field.versions.lowest, spot.field.versions.lowest + 2)
    return with_field(spot.spec, spot.field, replace(spot.field, versions=versions))


def _lasts_longer_than_three(spot: SpecSpot) -> bool:
    return spot.field is not None and spot.field.tag is None and len(valid_span(spot, spot.field)) > 3


def _retyped(spot: Spot, type_: ScalarType) -> MessageLayout:
    return with_edited_field(spot, type=type_)


FIELD_FLAWS = (
    Flaw(
        "field-missing",
        BugClass.FIELDS,
        "a field is neither written nor read",
        WrongLayout(is_in_place, _missing),
    ),
    Flaw(
        "field-a-version-late",
        BugClass.FIELDS,
        "a field is missing in the first version that has it",
        WrongDefinition(_begins_later, defined(lambda spot: _in_versions(spot, lowest=1))),
    ),
    Flaw(
        "field-a-version-early",
        BugClass.FIELDS,
        "a field is there a version before it should be",
        WrongDefinition(_begins_later, defined(lambda spot: _in_versions(spot, lowest=-1))),
    ),
    Flaw(
        "field-a-version-too-long",
        BugClass.FIELDS,
        "a field is still there in the version after its last",
        WrongDefinition(_ends_early, defined(lambda spot: _in_versions(spot, highest=1))),
    ),
    Flaw(
        "versions-without-their-end",
        BugClass.FIELDS,
        "everybody takes a field that ends for one that goes on",
        WrongDefinition(_ends_early, defined(_never_ends)),
        shared=True,
    ),
    Flaw(
        "open-versions-end",
        BugClass.FIELDS,
        "everybody takes a field for one that ends with its third version",
        WrongDefinition(_lasts_longer_than_three, defined(_ends_at_its_third)),
        shared=True,
    ),
    Flaw(
        "fields-swapped",
        BugClass.FIELDS,
        "two neighbours of different types stand in the wrong order",
        WrongLayout(_has_other_neighbour, _swapped),
    ),
    Flaw(
        "like-fields-swapped",
        BugClass.FIELDS,
        "two neighbours of one type stand in the wrong order",
        WrongLayout(_has_like_neighbour, _swapped),
    ),
    Flaw(
        "first-field-last",
        BugClass.FIELDS,
        "the first field of a struct stands behind the others",
        WrongLayout(_is_first_of_three, _first_to_the_end),
    ),
    Flaw(
        "int16-for-int32",
        BugClass.FIELDS,
        "an int32 is taken for an int16",
        WrongLayout(every(of_type(ScalarType.INT32), is_in_place), lambda s: _retyped(s, ScalarType.INT16)),
    ),
    Flaw(
        "int64-for-int32",
        BugClass.FIELDS,
        "an int32 is taken for an int64",
        WrongLayout(every(of_type(ScalarType.INT32), is_in_place), lambda s: _retyped(s, ScalarType.INT64)),
    ),
    Flaw(
        "layout-of-the-version-before",
        BugClass.FIELDS,
        "a version has the layout of the one before it",
        WrongDefinition(is_whole_message, version_before),
    ),
)
