"""Values that hold a field which their version lacks: each such field, wherever it stands."""

from collections.abc import Iterator
from typing import Any

from kafkawire.schema import Absence, ArrayType, MessageLayout
from kafkawire.schema.absence import absences_inside
from wireproof.model.case_source import AbsentCase
from wireproof.model.layout_parts import sparse_default
from wireproof.proof.strategies.values.whole_instances import (
    StructLocation,
    off_default_absent,
    struct_locations,
)


def absent_cases(layout: MessageLayout) -> Iterator[AbsentCase]:
    """Yield these cases for every field that the layout lacks, in a message that has the structs around it:

    - ``off-default``: the smallest value that is not its default (for a field inside an absent struct: in
      such a struct, with all other fields at their defaults);
    - ``null``, if it is nullable in one of its versions and null is not its default;
    - ``at-default``: its default given explicitly, which every version accepts.
    """
    for place in struct_locations(layout):
        for outermost in place.struct.absent:
            for absence in absences_inside(place.inside(outermost.name), (outermost,)):
                yield from _cases(place, absence)


def _cases(place: StructLocation, absence: Absence) -> Iterator[AbsentCase]:
    field = absence.field
    value = off_default_absent(field)
    if value is not None:
        yield _case(place, absence, "off-default", value, absence.refused)
    if field.nullable and field.default is not None:
        yield _case(place, absence, "null", None, absence.refused)
    if len(absence.chain) == 1:
        yield _case(place, absence, "at-default", sparse_default(field), False)


def _case(place: StructLocation, absence: Absence, name: str, value: Any, refused: bool) -> AbsentCase:
    for inner, outer in zip(reversed(absence.chain), reversed(absence.chain[:-1]), strict=False):
        held = {inner.name: value}
        value = [held] if isinstance(outer.type, ArrayType) else held
    outermost = absence.chain[0].name
    instance = place.instance({outermost: value})
    return AbsentCase(f"{absence.path}/{name}", instance, place.inside(outermost) if refused else "")
