"""Wrong definitions and layouts: null, fields, tags, flexible versions, defaults, embedded data."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final
from uuid import UUID

from kafkawire.schema import (
    EMPTY,
    AbsentField,
    ArrayType,
    Default,
    FieldLayout,
    FieldSpec,
    MessageKind,
    MessageLayout,
    MessageSpec,
    ScalarType,
    StructLayout,
    VersionRange,
)
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
    defined_field,
    every,
    holds_text_or_bytes,
    in_frames,
    in_place_span,
    is_array,
    is_compact,
    is_flexible_struct,
    is_in_place,
    is_nullable,
    is_nullable_struct,
    is_tagged,
    is_whole_message,
    of_defined_field,
    of_field,
    of_struct,
    of_type,
    shifted,
    valid_span,
    version_before,
    with_edited_field,
    with_edited_struct,
)


def _has_nullable_versions(site: DefinitionSite) -> bool:
    field = site.field
    return field is not None and not valid_span(site, field).intersect(field.nullable_versions).empty


def _has_other_default_than_null(site: DefinitionSite) -> bool:
    """Test if a field has nullable versions, and not the default null, which needs nullable versions."""
    return _has_nullable_versions(site) and site.field is not None and site.field.default != "null"


def _nullable_later_than_the_field(site: DefinitionSite) -> bool:
    field = site.field
    begins_later = field is not None and field.nullable_versions.lowest > valid_span(site, field).lowest
    return begins_later and _has_nullable_versions(site)


def _nullable(
    versions: Callable[[VersionRange], VersionRange],
) -> Callable[[DefinitionSite, int], MessageLayout]:
    return defined_field(lambda field: replace(field, nullable_versions=versions(field.nullable_versions)))


NULL: Final[Mapping[str, Deviation]] = {
    "nullable-a-version-late": WrongDefinition(
        _has_other_default_than_null, _nullable(lambda own: shifted(own, 1))
    ),
    "nullable-a-version-early": WrongDefinition(
        _nullable_later_than_the_field, _nullable(lambda own: shifted(own, -1))
    ),
    "nullable-versions-without-their-bound": WrongDefinition(
        _nullable_later_than_the_field, _nullable(lambda _: VersionRange.ALL)
    ),
    "nullable-versions-not-read": WrongDefinition(
        _has_other_default_than_null, _nullable(lambda _: VersionRange.NONE)
    ),
    "null-string-written-empty": WrongPrimitive(every(of_type(ScalarType.STRING), is_nullable, is_in_place)),
    "null-array-written-empty": WrongPrimitive(every(is_array, is_nullable, is_in_place)),
    "null-array-read-empty": WrongPrimitive(every(is_array, is_nullable, is_in_place)),
    "empty-read-null": WrongPrimitive(every(holds_text_or_bytes, is_nullable, is_in_place)),
    "null-not-refused": WrongPrimitive(
        every(holds_text_or_bytes, of_field(lambda field: not field.nullable), is_in_place)
    ),
    "null-struct-marked-0": WrongPrimitive(every(is_nullable_struct, is_in_place)),
    "struct-never-null": WrongLayout(
        is_nullable_struct, lambda site: with_edited_field(site, nullable=False, default=EMPTY)
    ),
}


def _missing(site: Site) -> MessageLayout:
    """Return the layout without the field, as if only other versions had it: its value is dropped."""
    field = site.field
    assert field is not None
    absent = AbsentField(field.name, field.type, field.struct, field.default, True, None, VersionRange.NONE)

    def without(struct: StructLayout) -> StructLayout:
        fields = tuple(each for each in struct.fields if each is not field)
        return replace(struct, fields=fields, absent=(*struct.absent, absent))

    return with_edited_struct(site, without)


def _kind(field: FieldLayout) -> tuple[object, ...]:
    return field.type, field.nullable, field.compact


def _has_neighbour(site: Site, *, alike: bool) -> bool:
    """Test if the next field in place is of the same kind as this one (`alike`), or of another kind."""
    fields = site.struct.fields
    if site.field is None or site.field not in fields[:-1]:
        return False
    return (_kind(fields[fields.index(site.field) + 1]) == _kind(site.field)) == alike


def _swapped(site: Site) -> MessageLayout:
    def swap(struct: StructLayout) -> StructLayout:
        assert site.field is not None
        fields = list(struct.fields)
        at = fields.index(site.field)
        fields[at], fields[at + 1] = fields[at + 1], fields[at]
        return replace(struct, fields=tuple(fields))

    return with_edited_struct(site, swap)


def _begins_later(site: DefinitionSite) -> bool:
    span = in_place_span(site)
    return len(span) > 1 and span.lowest > site.spec.valid_versions.lowest


def _ends_early(site: DefinitionSite) -> bool:
    span = in_place_span(site)
    return not span.empty and span.highest < site.spec.valid_versions.highest


def _in_versions(lowest: int = 0, highest: int = 0) -> Callable[[DefinitionSite, int], MessageLayout]:
    return defined_field(lambda field: replace(field, versions=shifted(field.versions, lowest, highest)))


def _never_ends(field: FieldSpec) -> FieldSpec:
    return replace(field, versions=VersionRange(field.versions.lowest, VersionRange.ALL.highest))


def _ends_at_its_third(field: FieldSpec) -> FieldSpec:
    return replace(field, versions=VersionRange(field.versions.lowest, field.versions.lowest + 2))


_is_int32 = every(of_type(ScalarType.INT32), is_in_place)

FIELDS: Final[Mapping[str, Deviation]] = {
    "field-missing": WrongLayout(is_in_place, _missing),
    "field-a-version-late": WrongDefinition(_begins_later, _in_versions(lowest=1)),
    "field-a-version-early": WrongDefinition(_begins_later, _in_versions(lowest=-1)),
    "field-a-version-too-long": WrongDefinition(_ends_early, _in_versions(highest=1)),
    "versions-without-their-end": WrongDefinition(_ends_early, defined_field(_never_ends)),
    "open-versions-end": WrongDefinition(
        lambda site: len(in_place_span(site)) > 3, defined_field(_ends_at_its_third)
    ),
    "fields-swapped": WrongLayout(lambda site: _has_neighbour(site, alike=False), _swapped),
    "like-fields-swapped": WrongLayout(lambda site: _has_neighbour(site, alike=True), _swapped),
    "first-field-last": WrongLayout(
        lambda site: len(site.struct.fields) > 2 and site.field is site.struct.fields[0],
        lambda site: with_edited_struct(site, lambda it: replace(it, fields=(*it.fields[1:], it.fields[0]))),
    ),
    "int16-for-int32": WrongLayout(_is_int32, lambda site: with_edited_field(site, type=ScalarType.INT16)),
    "int64-for-int32": WrongLayout(_is_int32, lambda site: with_edited_field(site, type=ScalarType.INT64)),
    "layout-of-the-version-before": WrongDefinition(is_whole_message, version_before),
}


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


def _tags_a_nullable_struct(site: Site) -> bool:
    fields = () if site.field is not None else site.struct.tagged
    return any(is_nullable_struct(replace(site, field=each)) for each in fields)


_has_tags = of_struct(lambda struct: bool(struct.tagged))

TAGS: Final[Mapping[str, Deviation]] = {
    "tag-number": WrongLayout(is_tagged, lambda site: with_edited_field(site, tag=_free_tag(site))),
    "tagged-field-in-place": WrongLayout(is_tagged, _in_place),
    "nested-struct-without-tags": WrongLayout(
        lambda site: is_flexible_struct(site) and bool(site.path) and not site.struct.tagged,
        lambda site: with_edited_struct(site, lambda struct: replace(struct, flexible=False)),
    ),
    "tags-in-reverse": WrongLayout(
        of_struct(lambda struct: len(struct.tagged) > 1),
        lambda site: with_edited_struct(site, lambda struct: replace(struct, tagged=struct.tagged[::-1])),
    ),
    "tagged-default-written": WrongPrimitive(_has_tags),
    "unknown-tags-dropped": WrongPrimitive(is_flexible_struct),
    "long-unknown-tags-lost": WrongPrimitive(is_flexible_struct),
    "tag-of-another-version-kept": WrongPrimitive(
        of_struct(lambda struct: struct.flexible and bool(struct.reserved_tags))
    ),
    "unknown-tags-refused": WrongPrimitive(is_flexible_struct),
    "tags-unsorted": WrongPrimitive(is_flexible_struct),
    "tag-size-counts-one-more": WrongPrimitive(is_flexible_struct),
    "tagged-struct-without-room-for-its-marker": WrongPrimitive(every(is_tagged, is_nullable_struct)),
    "tagged-struct-size-without-its-marker": WrongPrimitive(_tags_a_nullable_struct),
    "tagged-struct-size-of-one-byte": WrongPrimitive(_tags_a_nullable_struct),
    "tag-without-size": WrongPrimitive(_has_tags),
}


def _becomes_flexible(site: DefinitionSite) -> bool:
    flexible = site.spec.flexible_versions
    return site.field is None and flexible.lowest in site.spec.valid_versions


def _became_flexible_later(site: DefinitionSite) -> bool:
    return _becomes_flexible(site) and site.spec.flexible_versions.lowest - 1 in site.spec.valid_versions


def _flexible_from(step: int) -> Callable[[DefinitionSite, int], MessageLayout]:
    return defined(lambda spec: replace(spec, flexible_versions=shifted(spec.flexible_versions, lowest=step)))


_own_flexible_versions = WrongDefinition(
    of_defined_field(lambda field: field.flexible_versions is not None),
    defined_field(lambda field: replace(field, flexible_versions=None)),
)


def _oldest_header(spec: MessageSpec) -> MessageSpec:
    (_, header), *_ = spec.header_versions
    return replace(spec, header_versions=((spec.valid_versions, header),))


def _legacy(site: Site) -> MessageLayout:
    return with_edited_field(site, compact=False)


def _other_header(site: Site) -> MessageLayout:
    """Return the layout with the other header version: requests have 1 and 2, responses 0 and 1."""
    known = {2: 1, 0: 1}.get(site.layout.header_version or 0, 2 if site.layout.kind == "request" else 0)
    return replace(site.layout, header_version=known)


FLEXIBLE: Final[Mapping[str, Deviation]] = {
    "flexible-a-version-late": WrongDefinition(_becomes_flexible, _flexible_from(1)),
    "flexible-a-version-early": WrongDefinition(_became_flexible_later, _flexible_from(-1)),
    "legacy-length-in-a-flexible-message": WrongLayout(is_compact, _legacy),
    "compact-at-the-top-only": WrongLayout(lambda site: is_compact(site) and bool(site.struct_path), _legacy),
    "own-flexible-versions-not-read": _own_flexible_versions,
    "client-id-compact": _own_flexible_versions,
    "header-version": WrongLayout(in_frames, _other_header),
    "oldest-header-for-all": WrongDefinition(
        lambda site: site.field is None and len(site.spec.header_versions) > 1, defined(_oldest_header)
    ),
    "frame-size-counts-itself": WrongCode(in_frames, CodecKind.INTERPRETED),
}


_has_plain_default = of_field(lambda field: field.default is not EMPTY and field.default is not None)


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


def _empty_default(site: Site) -> MessageLayout:
    assert site.field is not None
    empty: Default = EMPTY if is_array(site) else "" if str(site.field.type) == "string" else b""
    return with_edited_field(site, default=empty)


_not_ignorable = of_defined_field(lambda field: not field.ignorable)
_otherwise_ignorable = defined_field(lambda field: replace(field, ignorable=not field.ignorable))


def _lacks(holds: Callable[[AbsentField], bool]) -> Callable[[Site], bool]:
    """Return a condition: the struct lacks such a field of other versions, which must not be ignored."""
    return of_struct(lambda struct: any(holds(each) for each in struct.absent if not each.ignorable))


DEFAULTS: Final[Mapping[str, Deviation]] = {
    "default-one-off": WrongLayout(every(_has_plain_default, is_in_place), _other_default),
    "tagged-default-one-off": WrongLayout(every(_has_plain_default, is_tagged), _other_default),
    "null-default-empty": WrongLayout(
        of_field(lambda field: field.nullable and field.default is None and field.scalar is not None),
        _empty_default,
    ),
    # Only small numbers: the least integer of a type has no positive counterpart.
    "default-loses-its-sign": WrongDefinition(
        of_defined_field(lambda field: re.fullmatch(r"-\d{1,4}", field.default) is not None),
        defined_field(lambda field: replace(field, default=field.default.removeprefix("-"))),
    ),
    "null-default-not-read": WrongDefinition(
        of_defined_field(lambda field: field.default == "null"),
        defined_field(lambda field: replace(field, default="")),
    ),
    "non-ignorable-dropped": WrongDefinition(_not_ignorable, _otherwise_ignorable),
    "ignorable-refused": WrongDefinition(
        of_defined_field(lambda field: field.ignorable), _otherwise_ignorable
    ),
    "ignorable-not-read": WrongDefinition(_not_ignorable, _otherwise_ignorable),
    "null-is-any-default": WrongPrimitive(_lacks(lambda field: field.nullable and field.default is not None)),
    "absent-struct-dropped": WrongPrimitive(_lacks(lambda field: field.struct is not None)),
    "absent-empty-array-refused": WrongPrimitive(_lacks(lambda field: isinstance(field.type, ArrayType))),
    "tagged-list-read-null": WrongCode(
        of_field(lambda field: field.tag is not None and field.is_array and field.default is EMPTY),
        CodecKind.COMPILED,
    ),
}


_COORDINATOR: Final = (MessageKind.COORDINATOR_KEY, MessageKind.COORDINATOR_VALUE)


def _is_record_of(*kinds: MessageKind) -> Callable[[DefinitionSite], bool]:
    return lambda site: is_whole_message(site) and site.spec.kind in kinds


def _is_legacy_data(site: DefinitionSite) -> bool:
    """Test if a message is embedded data with versions that are not flexible."""
    embedded = site.spec.kind in (*_COORDINATOR, MessageKind.DATA)
    return site.field is None and embedded and site.spec.flexible_versions.lowest not in (0, 1)


def _flexible_early(spec: MessageSpec) -> MessageSpec:
    flexible = spec.flexible_versions
    versions = spec.valid_versions if flexible.empty else shifted(flexible, lowest=-1)
    return replace(spec, flexible_versions=versions)


def _is_compact_in_a_record(site: Site) -> bool:
    return is_compact(site) and site.layout.kind in (MessageKind.METADATA, *_COORDINATOR)


EMBEDDED: Final[Mapping[str, Deviation]] = {
    "coordinator-record-of-the-version-before": WrongDefinition(_is_record_of(*_COORDINATOR), version_before),
    "metadata-record-of-the-version-before": WrongDefinition(
        _is_record_of(MessageKind.METADATA), version_before
    ),
    "protocol-of-the-version-before": WrongDefinition(
        lambda site: is_whole_message(site) and site.spec.name.startswith("ConsumerProtocol"), version_before
    ),
    "legacy-data-flexible": WrongDefinition(_is_legacy_data, defined(_flexible_early)),
    "legacy-length-in-a-record": WrongLayout(_is_compact_in_a_record, _legacy),
}
