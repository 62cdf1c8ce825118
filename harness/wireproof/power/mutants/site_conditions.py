"""Conditions on sites that several operators share, and changes of layouts."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kafkawire.schema import (
    FieldLayout,
    FieldSpec,
    MessageKind,
    MessageLayout,
    MessageSpec,
    ScalarType,
    StructLayout,
    VersionRange,
    resolve,
)
from wireproof.power.mutants.definition_sites import DefinitionSite
from wireproof.power.mutants.sites import Site, with_struct

__all__ = [
    "defined",
    "either",
    "every",
    "holds_text_or_bytes",
    "in_frames",
    "is_array",
    "is_compact",
    "is_flexible_struct",
    "is_in_place",
    "is_message",
    "is_nullable",
    "is_nullable_struct",
    "is_tagged",
    "is_whole_message",
    "of_type",
    "shifted",
    "valid_span",
    "version_before",
    "with_edited_field",
    "with_edited_struct",
]


def every(*conditions: Callable[[Site], bool]) -> Callable[[Site], bool]:
    return lambda site: all(condition(site) for condition in conditions)


def either(*conditions: Callable[[Site], bool]) -> Callable[[Site], bool]:
    return lambda site: any(condition(site) for condition in conditions)


def of_type(*types: ScalarType) -> Callable[[Site], bool]:
    """A field that is a single scalar of one of these types."""
    return lambda site: site.field is not None and site.field.type in types


def is_nullable(site: Site) -> bool:
    return site.field is not None and site.field.nullable


def is_compact(site: Site) -> bool:
    return site.field is not None and site.field.compact


def is_array(site: Site) -> bool:
    return site.field is not None and site.field.is_array


def is_tagged(site: Site) -> bool:
    return site.field is not None and site.field.tag is not None


def is_in_place(site: Site) -> bool:
    return site.field is not None and site.field.tag is None


def is_nullable_struct(site: Site) -> bool:
    return (
        is_nullable(site) and not is_array(site) and site.field is not None and site.field.struct is not None
    )


def holds_text_or_bytes(site: Site) -> bool:
    return of_type(ScalarType.STRING, ScalarType.BYTES)(site)


def is_message(site: Site) -> bool:
    """The message itself: one site for each cell."""
    return site.field is None and not site.path


def is_flexible_struct(site: Site) -> bool:
    return site.field is None and site.struct.flexible


def in_frames(site: Site) -> bool:
    """A request or a response with a header."""
    framed = site.layout.kind in (MessageKind.REQUEST, MessageKind.RESPONSE)
    return is_message(site) and framed and site.layout.header_version is not None


def with_edited_struct(site: Site, change: Callable[[StructLayout], StructLayout]) -> MessageLayout:
    """The layout with the site's struct changed."""
    return with_struct(site.layout, site.struct_path, change)


def with_edited_field(site: Site, **changes: Any) -> MessageLayout:
    """The layout with the site's field changed."""
    assert site.field is not None
    new = replace(site.field, **changes)

    def swap(fields: tuple[FieldLayout, ...]) -> tuple[FieldLayout, ...]:
        return tuple(new if field is site.field else field for field in fields)

    return with_edited_struct(
        site, lambda struct: replace(struct, fields=swap(struct.fields), tagged=swap(struct.tagged))
    )


def valid_span(site: DefinitionSite, field: FieldSpec) -> VersionRange:
    """The valid versions that have the field."""
    return field.versions.intersect(site.spec.valid_versions)


def shifted(versions: VersionRange, lowest: int = 0, highest: int = 0) -> VersionRange:
    """The range with its ends moved."""
    return VersionRange(versions.lowest + lowest, versions.highest + highest)


def defined(edit: Callable[[DefinitionSite], MessageSpec]) -> Callable[[DefinitionSite, int], MessageLayout]:
    """The layouts of a definition that was edited."""
    return lambda site, version: resolve(edit(site), version)


def is_whole_message(site: DefinitionSite) -> bool:
    return site.field is None and len(site.spec.valid_versions) > 1


def version_before(site: DefinitionSite, version: int) -> MessageLayout:
    """The layout of the version below under the label of this one; the lowest version keeps its own."""
    wanted = max(version - 1, site.spec.valid_versions.lowest)
    return replace(resolve(site.spec, wanted), version=version)
