"""Wrong layouts that a codec may use: those of inflexible versions, and those with other types."""

from dataclasses import replace
from functools import cache
from typing import Final

from kafkawire.schema.layout import AbsentField, FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType
from wireproof.model.coverage.wire_sizes import WIDTHS

_FIELDS_OF_VERSION_0: Final = 2
INFLEXIBLE: Final = "inflexible"
FLEXIBLE: Final = "flexible"
SKIP: Final = "skip"
RETAG: Final = "retag"
UNKNOWN: Final = "unknown"
ADDED: Final = "added"
AFTER: Final = "after"
"""The action of `ADDED`. The field before it is the deviation's value; empty for none."""
OTHER_TAG: Final = {RETAG: "has another tag"}
"""An action of tagged fields. The other tag is the deviation's value."""
_INTEGERS: Final = (
    ScalarType.INT8,
    ScalarType.INT16,
    ScalarType.UINT16,
    ScalarType.INT32,
    ScalarType.UINT32,
    ScalarType.INT64,
)
BOOL: Final = ScalarType.BOOL.value
OTHER_TYPES: Final = (*(each.value for each in _INTEGERS), BOOL)
"""Types that a codec may use in place of an integer's type."""


@cache
def inflexible(layout: MessageLayout) -> MessageLayout:
    """Return the layout without tagged fields and compact lengths (KIP-482)."""
    return replace(layout, root=_converted(layout.root, flexible=False))


@cache
def flexible(layout: MessageLayout) -> MessageLayout:
    """Return the layout with tag sections and compact lengths (KIP-482)."""
    return replace(layout, root=_converted(layout.root, flexible=True))


def other_form(layout: MessageLayout) -> str:
    """Return the action of a codec that takes a version for an inflexible one, or for a flexible one."""
    return INFLEXIBLE if layout.flexible else FLEXIBLE


@cache
def version_0_of_api_versions(layout: MessageLayout) -> StructLayout:
    """Return version 0 of ApiVersionsResponse, derived from a later one: an error code and the APIs."""
    root = inflexible(layout).root
    return replace(root, fields=root.fields[:_FIELDS_OF_VERSION_0])


def _converted(struct: StructLayout, *, flexible: bool) -> StructLayout:
    fields = tuple(
        replace(each, compact=flexible, struct=each.struct and _converted(each.struct, flexible=flexible))
        for each in struct.fields
    )
    return replace(struct, fields=fields, tagged=(), flexible=flexible)


@cache
def in_place(
    absent: tuple[AbsentField, ...], *, flexible: bool, tagged: bool = False
) -> tuple[FieldLayout, ...]:
    """Return the fields of other versions as a version would have them: those without tags, or with tags."""
    return tuple(
        FieldLayout(
            name=each.name,
            type=each.type,
            struct=each.struct
            and StructLayout(each.struct.name, flexible, in_place(each.struct.absent, flexible=flexible)),
            nullable=each.nullable,
            default=each.default,
            tag=each.tag,
            compact=flexible,
            versions=each.versions,
        )
        for each in absent
        if (each.tag is not None) is tagged
    )


@cache
def other_types(kind: str) -> tuple[str, ...]:
    """Return the types that a codec may take an integer's type for: bool, and integers of another width."""
    widths = {each.value: WIDTHS[each] for each in _INTEGERS}
    if kind not in widths:
        return ()
    return (*(each for each in widths if widths[each] != widths[kind]), BOOL)


def retyped(field: FieldLayout, name: str) -> FieldLayout:
    """Return the layout of an integer with another type, such as ``int64``; other fields stay unchanged."""
    known = field.type in _INTEGERS and name in OTHER_TYPES
    return replace(field, type=ScalarType(name)) if known else field
