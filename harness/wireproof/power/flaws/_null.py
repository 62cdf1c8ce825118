"""Null and empty."""

from dataclasses import replace

from kafkawire.schema import EMPTY, FieldSpec, MessageSpec, ScalarType, VersionRange
from wireproof.power.bug_classes import BugClass
from wireproof.power.copies import Patch
from wireproof.power.definitions import SpecSpot, with_field
from wireproof.power.flaw import Flaw, WrongDefinition, WrongLayout, WrongPrimitive
from wireproof.power.flaws._where import (
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
)
from wireproof.power.spots import Spot

__all__ = ["NULL_FLAWS"]


def _nullable_at(spot: SpecSpot, versions: VersionRange) -> MessageSpec:
    assert spot.field is not None
    return with_field(spot.spec, spot.field, replace(spot.field, nullable_versions=versions))


def _has_nullable_versions(spot: SpecSpot) -> bool:
    field = spot.field
    return field is not None and not valid_span(spot, field).intersect(field.nullable_versions).empty


def _has_other_default_than_null(spot: SpecSpot) -> bool:
    """A default of null in a field that is not nullable is refused by the schema reader."""
    return _has_nullable_versions(spot) and spot.field is not None and spot.field.default != "null"


def _nullable_later_than_the_field(spot: SpecSpot) -> bool:
    field = spot.field
    return field is not None and _has_nullable_versions(spot) and _begins_later(spot, field)


def _begins_later(spot: SpecSpot, field: FieldSpec) -> bool:
    return field.nullable_versions.lowest > valid_span(spot, field).lowest


def _late(spot: SpecSpot) -> MessageSpec:
    assert spot.field is not None
    return _nullable_at(spot, shifted(spot.field.nullable_versions, lowest=1))


def _early(spot: SpecSpot) -> MessageSpec:
    assert spot.field is not None
    return _nullable_at(spot, shifted(spot.field.nullable_versions, lowest=-1))


def _always(spot: SpecSpot) -> MessageSpec:
    return _nullable_at(spot, VersionRange.ALL)


def _never(spot: SpecSpot) -> MessageSpec:
    return _nullable_at(spot, VersionRange.NONE)


def _not_nullable(spot: Spot) -> bool:
    return spot.field is not None and not spot.field.nullable and is_in_place(spot)


NULL_FLAWS = (
    Flaw(
        "nullable-a-version-late",
        BugClass.NULL,
        "null is refused in the version in which a field becomes nullable",
        WrongDefinition(_has_other_default_than_null, defined(_late)),
    ),
    Flaw(
        "nullable-a-version-early",
        BugClass.NULL,
        "null is taken and written in the version before the one in which a field becomes nullable",
        WrongDefinition(_nullable_later_than_the_field, defined(_early)),
    ),
    Flaw(
        "nullable-versions-without-their-bound",
        BugClass.NULL,
        "everybody reads nullable versions as if they began with the field",
        WrongDefinition(_nullable_later_than_the_field, defined(_always)),
        shared=True,
    ),
    Flaw(
        "nullable-versions-not-read",
        BugClass.NULL,
        "everybody takes a nullable field for one that is not",
        WrongDefinition(_has_other_default_than_null, defined(_never)),
        shared=True,
    ),
    Flaw(
        "null-string-written-empty",
        BugClass.NULL,
        "a null string is written as an empty one",
        WrongPrimitive(
            every(of_type(ScalarType.STRING), is_nullable, is_in_place),
            (
                Patch(
                    "wire.lengths",
                    r'return b"\0" if compact else b"\xff\xff"' + "\n",
                    r'return b"\1" if compact else b"\0\0"' + "\n",
                ),
            ),
        ),
    ),
    Flaw(
        "null-array-written-empty",
        BugClass.NULL,
        "a null array is written as an empty one",
        WrongPrimitive(
            every(is_array, is_nullable, is_in_place),
            (
                Patch(
                    "wire.lengths",
                    "number = -1 if count is None else count",
                    "number = 0 if count is None else count",
                ),
            ),
        ),
    ),
    Flaw(
        "null-array-read-empty",
        BugClass.NULL,
        "a null array is read as an empty one",
        WrongPrimitive(
            every(is_array, is_nullable, is_in_place),
            (
                Patch(
                    "compiler._interpreted_decode",
                    "        if count is None:\n            return None, start",
                    "        if count is None:\n            return [], start",
                ),
            ),
        ),
    ),
    Flaw(
        "empty-read-null",
        BugClass.NULL,
        "empty text or bytes are read as null",
        WrongPrimitive(
            every(holds_text_or_bytes, is_nullable, is_in_place),
            (
                Patch(
                    "wire.lengths",
                    "    if length == -1:\n        return None, end",
                    "    if length <= 0:\n        return None, end",
                ),
            ),
        ),
    ),
    Flaw(
        "null-not-refused",
        BugClass.NULL,
        "null is written where the version has none",
        WrongPrimitive(
            every(holds_text_or_bytes, _not_nullable),
            (
                Patch(
                    "wire.lengths",
                    "def _refuse_null(nullable: bool) -> None:\n    if not nullable:",
                    "def _refuse_null(nullable: bool) -> None:\n    if False:",
                ),
            ),
        ),
    ),
    Flaw(
        "null-struct-marked-0",
        BugClass.NULL,
        "a null struct has the marker 0 in place of -1, written and read",
        WrongPrimitive(
            every(is_nullable_struct, is_in_place),
            (
                Patch(
                    "wire.lengths",
                    r'return b"\1" if present else b"\xff"',
                    r'return b"\1" if present else b"\0"',
                ),
                Patch("wire.lengths", "if marker not in (1, -1):", "if marker not in (1, 0):"),
            ),
        ),
    ),
    Flaw(
        "struct-never-null",
        BugClass.NULL,
        "a nullable struct is written without its marker",
        WrongLayout(is_nullable_struct, lambda spot: with_edited_field(spot, nullable=False, default=EMPTY)),
    ),
)
