"""The locations of structs in a message, and how a value for one becomes a value of the whole message."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kafkawire.schema.layout import EMPTY, FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import StructValue
from wireproof.proof.strategies.values.boundary_values import span
from wireproof.proof.strategies.values.whole_instances import off_default, required


@dataclass(frozen=True, slots=True)
class _Step:
    """A step from a struct into the one that a field of it holds.

    Attributes:
        needs: what the outer struct must hold besides the field.
        anchors: fields of the outer struct, off their defaults, of which one is set where the field
            itself is not: see `StructLocation`.
    """

    field: FieldLayout
    needs: StructValue
    anchors: tuple[tuple[str, Any], ...]

    def outward(self, inner: StructValue) -> StructValue:
        return self.around([inner] if self.field.is_array else inner)

    def around(self, held: Any) -> StructValue:
        """The outer struct with this value in the field."""
        return _anchored({**self.needs, self.field.name: held}, self.anchors)


def _anchored(value: StructValue, anchors: tuple[tuple[str, Any], ...]) -> StructValue:
    for name, other in anchors:
        if name not in value:
            value[name] = other
            break
    return value


@dataclass(frozen=True, slots=True)
class StructLocation:
    """One struct level of a message.

    A tagged struct that equals its default is not written at all, and the case of one of its fields
    would be lost where that field's value is its default: there, another field (the anchor) is set.

    Attributes:
        path: ``""`` for the message itself, ``topics[].partitions[]``, ``currentLeader``.
    """

    path: str
    struct: StructLayout
    needs: StructValue
    anchors: tuple[tuple[str, Any], ...] = ()
    steps: tuple[_Step, ...] = ()

    def inside(self, name: str) -> str:
        """The path of a field of this struct."""
        return f"{self.path}.{name}" if self.path else name

    def instance(self, fields: StructValue) -> StructValue:
        """A whole message: the fields given here, one element in each array on the way, else defaults."""
        value = _anchored({**self.needs, **fields}, self.anchors)
        return _outward(value, self.steps)

    def exactly(self, fields: StructValue) -> StructValue:
        """Return `instance` with these fields alone: without fields that the struct needs, and without an
        anchor.
        """
        return _outward(fields, self.steps)

    def side_by_side(self, many: Sequence[StructValue]) -> StructValue | None:
        """A whole message with an element of the innermost array for each of `many`; None outside of arrays.

        Elements of an array with keys have different keys, so that no codec takes one for another.
        """
        depth = max((at for at, step in enumerate(self.steps) if step.field.is_array), default=None)
        if depth is None:
            return None
        inner, array = self.steps[depth + 1 :], self.steps[depth]
        values = (_anchored({**self.needs, **fields}, self.anchors) for fields in many)
        elements = [
            {**_numbered_key(array.field, index), **_outward(value, inner)}
            for index, value in enumerate(values)
        ]
        return _outward(array.around(elements), self.steps[:depth])


def _outward(value: StructValue, steps: Sequence[_Step]) -> StructValue:
    for step in reversed(steps):
        value = step.outward(value)
    return value


def _numbered_key(array: FieldLayout, index: int) -> StructValue:
    """The first key field of an element, off the other elements' keys; empty where it has none to number."""
    inner = array.struct.all_fields if array.struct is not None else ()
    for field in inner:
        if field.map_key and field.scalar is ScalarType.STRING:
            return {field.name: str(index)}
        if field.map_key and field.scalar is not None and span(field.scalar) is not None:
            return {field.name: index}
    return {}


def struct_locations(layout: MessageLayout) -> Iterator[StructLocation]:
    """Each struct level of the message, outer before inner, in schema order."""
    yield from _descend(StructLocation("", layout.root, required(layout.root)))


def _descend(place: StructLocation) -> Iterator[StructLocation]:
    yield place
    for field in place.struct.all_fields:
        if field.struct is not None:
            yield from _descend(_inner(place, field, field.struct))


def _inner(place: StructLocation, field: FieldLayout, struct: StructLayout) -> StructLocation:
    name = place.inside(field.name)
    step = _Step(field, place.needs, place.anchors)
    omitted_at_default = field.tag is not None and not field.is_array and field.default is EMPTY
    anchors = tuple((inner.name, off_default(inner)) for inner in struct.all_fields[:2])
    return StructLocation(
        path=f"{name}[]" if field.is_array else name,
        struct=struct,
        needs=required(struct),
        anchors=anchors if omitted_at_default else (),
        steps=(*place.steps, step),
    )
