"""Conditions on places that several flaws share, and the changes of layouts."""

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
from wireproof.power.definitions import SpecSpot
from wireproof.power.spots import Spot, with_struct

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


def every(*conditions: Callable[[Spot], bool]) -> Callable[[Spot], bool]:
    return lambda spot: all(condition(spot) for condition in conditions)


def either(*conditions: Callable[[Spot], bool]) -> Callable[[Spot], bool]:
    return lambda spot: any(condition(spot) for condition in conditions)


def of_type(*types: ScalarType) -> Callable[[Spot], bool]:
    """A field that is a single scalar of one of these types."""
    return lambda spot: spot.field is not None and spot.field.type in types


def is_nullable(spot: Spot) -> bool:
    return spot.field is not None and spot.field.nullable


def is_compact(spot: Spot) -> bool:
    return spot.field is not None and spot.field.compact


def is_array(spot: Spot) -> bool:
    return spot.field is not None and spot.field.is_array


def is_tagged(spot: Spot) -> bool:
    return spot.field is not None and spot.field.tag is not None


def is_in_place(spot: Spot) -> bool:
    return spot.field is not None and spot.field.tag is None


def is_nullable_struct(spot: Spot) -> bool:
    return (
        is_nullable(spot) and not is_array(spot) and spot.field is not None and spot.field.struct is not None
    )


def holds_text_or_bytes(spot: Spot) -> bool:
    return of_type(ScalarType.STRING, ScalarType.BYTES)(spot)


def is_message(spot: Spot) -> bool:
    """The message itself: one spot a cell."""
    return spot.field is None and not spot.path


def is_flexible_struct(spot: Spot) -> bool:
    return spot.field is None and spot.struct.flexible


def in_frames(spot: Spot) -> bool:
    """A request or a response with a header."""
    framed = spot.layout.kind in (MessageKind.REQUEST, MessageKind.RESPONSE)
    return is_message(spot) and framed and spot.layout.header_version is not None


def with_edited_struct(spot: Spot, change: Callable[[StructLayout], StructLayout]) -> MessageLayout:
    """The layout with the spot's struct changed."""
    return with_struct(spot.layout, spot.struct_path, change)


def with_edited_field(spot: Spot, **changes: Any) -> MessageLayout:
    """The layout with the spot's field changed."""
    assert spot.field is not None
    new = replace(spot.field, **changes)

    def swap(fields: tuple[FieldLayout, ...]) -> tuple[FieldLayout, ...]:
        return tuple(new if field is spot.field else field for field in fields)

    return with_edited_struct(
        spot, lambda struct: replace(struct, fields=swap(struct.fields), tagged=swap(struct.tagged))
    )


def valid_span(spot: SpecSpot, field: FieldSpec) -> VersionRange:
    """The valid versions that have the field."""
    return field.versions.intersect(spot.spec.valid_versions)


def shifted(versions: VersionRange, lowest: int = 0, highest: int = 0) -> VersionRange:
    """The range with its ends moved."""
    return VersionRange(versions.lowest + lowest, versions.highest + highest)


def defined(edit: Callable[[SpecSpot], MessageSpec]) -> Callable[[SpecSpot, int], MessageLayout]:
    """The layouts of a definition that was edited."""
    return lambda spot, version: resolve(edit(spot), version)


def is_whole_message(spot: SpecSpot) -> bool:
    return spot.field is None and len(spot.spec.valid_versions) > 1


def version_before(spot: SpecSpot, version: int) -> MessageLayout:
    """The layout of the version below under the label of this one; the lowest version keeps its own."""
    wanted = max(version - 1, spot.spec.valid_versions.lowest)
    return replace(resolve(spot.spec, wanted), version=version)
