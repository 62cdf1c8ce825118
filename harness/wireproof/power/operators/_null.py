"""Null and empty."""

from dataclasses import replace

from kafkawire.schema import EMPTY, FieldSpec, MessageSpec, ScalarType, VersionRange
from wireproof.power.bug_classes import BugClass
from wireproof.power.mutants.codec_operator import CodecOperator, WrongDefinition, WrongLayout, WrongPrimitive
from wireproof.power.mutants.definition_sites import DefinitionSite, with_field
from wireproof.power.mutants.site_conditions import (
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
from wireproof.power.mutants.sites import Site
from wireproof.power.mutants.source_copies import Patch

__all__ = ["NULL_OPERATORS"]


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


def _always(site: DefinitionSite) -> MessageSpec:
    return _nullable_at(site, VersionRange.ALL)


def _never(site: DefinitionSite) -> MessageSpec:
    return _nullable_at(site, VersionRange.NONE)


def _not_nullable(site: Site) -> bool:
    return site.field is not None and not site.field.nullable and is_in_place(site)


NULL_OPERATORS = (
    CodecOperator(
        "nullable-a-version-late",
        BugClass.NULL,
        "null is refused in the version in which a field becomes nullable",
        WrongDefinition(_has_other_default_than_null, defined(_late)),
    ),
    CodecOperator(
        "nullable-a-version-early",
        BugClass.NULL,
        "null is taken and written in the version before the one in which a field becomes nullable",
        WrongDefinition(_nullable_later_than_the_field, defined(_early)),
    ),
    CodecOperator(
        "nullable-versions-without-their-bound",
        BugClass.NULL,
        "codec and harness read nullable versions as if they began with the field",
        WrongDefinition(_nullable_later_than_the_field, defined(_always)),
        shared=True,
    ),
    CodecOperator(
        "nullable-versions-not-read",
        BugClass.NULL,
        "codec and harness take a nullable field for one that is not",
        WrongDefinition(_has_other_default_than_null, defined(_never)),
        shared=True,
    ),
    CodecOperator(
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
    CodecOperator(
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
    CodecOperator(
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
    CodecOperator(
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
    CodecOperator(
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
    CodecOperator(
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
    CodecOperator(
        "struct-never-null",
        BugClass.NULL,
        "a nullable struct is written without its marker",
        WrongLayout(is_nullable_struct, lambda site: with_edited_field(site, nullable=False, default=EMPTY)),
    ),
)
