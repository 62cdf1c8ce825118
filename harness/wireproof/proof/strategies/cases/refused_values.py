"""Values that are just not valid at a version: a codec must refuse to write them."""

from collections.abc import Iterable, Iterator

from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS, StructValue
from wireproof.proof.strategies.cases.scenarios import Scenario
from wireproof.proof.strategies.values.boundary_values import Named, span, text
from wireproof.proof.strategies.values.whole_instances import (
    LAST_TAG,
    StructLocation,
    reserved_tags,
    struct_locations,
)


def refused_values(layout: MessageLayout) -> Iterator[Scenario]:
    """Named values one step beyond the layout, each at fault in one field.

    - ``null-refused``: null where this version takes none;
    - ``length-32768``: a string one byte too long (for an array: in its element);
    - ``below-min``, ``above-max``: an integer just outside its type or encoding (likewise);
    - ``_tags/...``: an unknown tag that is not allowed: defined by the struct, or out of range, or in a
      struct that has no tag section.
    """
    for place in struct_locations(layout):
        for each in place.struct.all_fields:
            yield from _scenarios(place, each.name, ((n, {each.name: v}) for n, v in _refused(each)))
        yield from _scenarios(place, TAGS, _refused_tags(place.struct))


def _scenarios(
    place: StructLocation, name: str, cases: Iterable[tuple[str, StructValue]]
) -> Iterator[Scenario]:
    path = place.inside(name)
    for case, fields in cases:
        yield Scenario(f"{path}/{case}", path, place.instance(fields))


def _refused(each: FieldLayout) -> Iterator[Named]:
    if not each.nullable:
        yield "null-refused", None
    for name, value in _out_of_range(each.range_type):
        yield name, [value] if each.is_array else value


def _out_of_range(scalar: ScalarType | None) -> Iterator[Named]:
    if scalar is None:
        return
    if scalar is ScalarType.STRING:
        yield "length-32768", text(32768)
    limits = span(scalar)
    if limits is not None:
        yield "below-min", limits[0] - 1
        yield "above-max", limits[1] + 1


def _refused_tags(struct: StructLayout) -> Iterator[tuple[str, StructValue]]:
    if not struct.flexible:
        yield "not-flexible", {TAGS: {0: b""}}
        return
    yield "above-last", {TAGS: {LAST_TAG + 1: b""}}
    yield "negative", {TAGS: {-1: b""}}
    for tag in sorted(reserved_tags(struct)):
        yield f"defined-{tag}", {TAGS: {tag: b""}}
