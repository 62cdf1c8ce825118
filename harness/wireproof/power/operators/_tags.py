"""Tagged fields, known and unknown."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from kafkawire.schema import MessageLayout, StructLayout
from wireproof.power.mutants.codec_operator import Deviation, WrongLayout, WrongPrimitive
from wireproof.power.mutants.sites import (
    Site,
    every,
    is_flexible_struct,
    is_nullable_struct,
    is_tagged,
    with_edited_field,
    with_edited_struct,
)


def _free_tag(site: Site) -> int:
    tags = {field.tag for field in site.struct.tagged} | site.struct.reserved_tags
    return 1 + max(tag for tag in tags if tag is not None)


def _in_place(site: Site) -> MessageLayout:
    assert site.field is not None
    field = site.field

    def move(struct: StructLayout) -> StructLayout:
        tagged = tuple(each for each in struct.tagged if each is not field)
        return replace(struct, fields=(*struct.fields, replace(field, tag=None)), tagged=tagged)

    return with_edited_struct(site, move)


def _has_two_tags(site: Site) -> bool:
    return site.field is None and len(site.struct.tagged) > 1


def _has_tags(site: Site) -> bool:
    return site.field is None and bool(site.struct.tagged)


def _tags_a_nullable_struct(site: Site) -> bool:
    return site.field is None and any(
        is_nullable_struct(replace(site, field=each)) for each in site.struct.tagged
    )


def _has_reserved_tags(site: Site) -> bool:
    return is_flexible_struct(site) and bool(site.struct.reserved_tags)


def _reversed(site: Site) -> MessageLayout:
    return with_edited_struct(site, lambda struct: replace(struct, tagged=struct.tagged[::-1]))


TAG_DEVIATIONS: Final[Mapping[str, Deviation]] = {
    "tag-number": WrongLayout(is_tagged, lambda site: with_edited_field(site, tag=_free_tag(site))),
    "tagged-field-in-place": WrongLayout(is_tagged, _in_place),
    "nested-struct-without-tags": WrongLayout(
        lambda site: is_flexible_struct(site) and bool(site.path) and not site.struct.tagged,
        lambda site: with_edited_struct(site, lambda struct: replace(struct, flexible=False)),
    ),
    "tags-in-reverse": WrongLayout(_has_two_tags, _reversed),
    "tagged-default-written": WrongPrimitive(_has_tags),
    "unknown-tags-dropped": WrongPrimitive(is_flexible_struct),
    "long-unknown-tags-lost": WrongPrimitive(is_flexible_struct),
    "tag-of-another-version-kept": WrongPrimitive(_has_reserved_tags),
    "unknown-tags-refused": WrongPrimitive(is_flexible_struct),
    "tags-unsorted": WrongPrimitive(is_flexible_struct),
    "tag-size-counts-one-more": WrongPrimitive(is_flexible_struct),
    "tagged-struct-without-room-for-its-marker": WrongPrimitive(every(is_tagged, is_nullable_struct)),
    "tagged-struct-size-without-its-marker": WrongPrimitive(_tags_a_nullable_struct),
    "tagged-struct-size-of-one-byte": WrongPrimitive(_tags_a_nullable_struct),
    "tag-without-size": WrongPrimitive(_has_tags),
}
