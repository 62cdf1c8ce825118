"""A message as a later release may define it at the same version: with additional tagged fields.

KIP-482 lets a released version gain tagged fields. A reader that does not know them keeps their bytes.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from kafkawire.schema.layout import EMPTY, FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ArrayType, ScalarType, StructType, VersionRange
from kafkawire.values import StructValue
from wireproof.model.layout_parts import with_fields, with_struct
from wireproof.proof.strategies.values.whole_instances import (
    free_tag,
    full,
    off_default,
    required,
    struct_locations,
)

_FAR: Final = 300
"""A distance from the other tags, so that the tag takes two bytes."""


def grow(layout: MessageLayout) -> MessageLayout | None:
    """The layout with tagged fields added to each struct; None if it has no tag sections.

    Each struct gets a number, a nullable string, an array of structs with tagged fields of their own, and a
    struct under a tag whose number takes two bytes.
    """
    return replace(layout, root=_grow(layout.root)) if layout.flexible else None


def _grow(struct: StructLayout) -> StructLayout:
    first = free_tag(struct)
    inner = StructLayout("Added", True, (_added("index", ScalarType.INT32, 0),), (_text(0),))
    added = (
        _added("addedNumber", ScalarType.INT64, -1, tag=first),
        _text(first + 1),
        _added("addedElements", ArrayType(StructType("Added")), EMPTY, tag=first + 2, struct=inner),
        _added("addedStruct", StructType("Added"), EMPTY, tag=first + _FAR, struct=inner),
    )
    grown = with_fields(struct, _within)
    return replace(grown, tagged=(*grown.tagged, *added))


def _within(field: FieldLayout) -> FieldLayout:
    """The field, with tagged fields added to its struct, too; a struct that is not flexible has no tags."""
    flexible = field.struct is not None and field.struct.flexible
    return replace(field, struct=_grow(field.struct)) if flexible and field.struct is not None else field


def _added(
    name: str, type_: Any, default: Any, *, tag: int | None = None, struct: StructLayout | None = None
) -> FieldLayout:
    compact = isinstance(type_, ArrayType)
    return FieldLayout(name, type_, struct, False, default, tag, compact, VersionRange.ALL)


def _text(tag: int) -> FieldLayout:
    return FieldLayout("addedText", ScalarType.STRING, None, True, None, tag, True, VersionRange.ALL)


def grown_cases(grown: MessageLayout) -> Iterator[tuple[str, StructValue]]:
    """Named values of a grown layout: the smallest, the fullest, and each struct with only its new fields."""
    yield "message/required", required(grown.root)
    yield "message/fullest-known", full(grown.root, unknown_tags=False)
    for place in struct_locations(grown):
        added = {
            each.name: off_default(each) for each in place.struct.tagged if each.name.startswith("added")
        }
        if added and not place.path.endswith(("addedElements[]", "addedStruct")):
            yield f"{place.inside('_tags')}/added", place.instance(added)


def reserved_tag_cases(layout: MessageLayout) -> Iterator[tuple[str, MessageLayout, StructValue]]:
    """Yield, for each tag that is a field in other versions only: (name, a layout that has it, a value with
    it).

    The bytes are written with that layout, and this version must refuse them.
    """
    for place in struct_locations(layout):
        for tag in sorted(place.struct.reserved_tags):
            if place.struct.flexible:
                carrier = FieldLayout(
                    f"tag{tag}", ScalarType.INT8, None, False, 0, tag, False, VersionRange.ALL
                )
                carrying = with_struct(layout, place.path, partial(_with_carrier, carrier))
                value = place.instance({carrier.name: 1})
                yield f"{place.inside('_tags')}/reserved-{tag}", carrying, value


def _with_carrier(carrier: FieldLayout, struct: StructLayout) -> StructLayout:
    """Add a tagged field to a struct; its tag is no longer reserved there."""
    tagged = sorted((*struct.tagged, carrier), key=lambda each: each.tag or 0)
    fields = tuple(replace(each, reserved_tag=None) for each in struct.fields)
    return replace(struct, fields=fields, tagged=tuple(tagged), absent=())
