"""Whole values of a struct (smallest, default, all fields set, all nulls), and the places in them.

If a codec changes a field, loses it or swaps it with another one, at least one of these values shows it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, assert_never
from uuid import UUID

from kafkawire.records import Record, RecordBatch, RecordSet, encode_records
from kafkawire.schema.layout import EMPTY, AbsentField, FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ArrayType, ScalarType, StructType
from kafkawire.values import TAGS, StructValue
from wireproof.proof.strategies.values.boundary_values import SHORT, ZERO, blob, one_off, span


@dataclass(frozen=True, slots=True)
class _Step:
    """A step from a struct into the one that a field of it holds.

    Attributes:
        needs: the other fields that the outer struct must have.
        anchors: fields of the outer struct with values other than their defaults; one of them is set if
            the field itself is not: see `StructLocation`.
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

    A tagged struct that equals its default is not written at all. So the case in which one of its fields has
    its default would be lost: there, another field (the anchor) is set.

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
        """A whole message: the given fields, one element in each array on the path, and else defaults."""
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
    """The first key field of an element, with its number as the value; empty if no key can hold a number."""
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


def required(struct: StructLayout) -> StructValue:
    """The fields that a value of the struct must have: those whose default is null although null is refused.

    In practice ``records``, whose default is null in every Kafka release; ``{}`` for other structs.
    """
    value: StructValue = {}
    for field in struct.fields:
        if field.default is None and not field.nullable:
            value[field.name] = _present(field)
        elif field.struct is not None and not field.is_array and field.default is EMPTY:
            inner = required(field.struct)
            if inner:
                value[field.name] = inner
    return value


def _present(field: FieldLayout) -> Any:
    """The plainest value that is not null."""
    return [] if field.is_array else plain_element(field)


def _struct(field: FieldLayout | AbsentField) -> StructLayout:
    if field.struct is None:
        raise TypeError(f"{field.name} is not a struct")
    return field.struct


def at_default(field: FieldLayout) -> Any:
    """The value that an absent key means; the plainest value if that is null and null is refused."""
    if field.default is None:
        return None if field.nullable else _present(field)
    if field.default is EMPTY:
        return [] if field.is_array else defaults(_struct(field))
    return field.default


def defaults(struct: StructLayout) -> StructValue:
    """Every field of the version, at its default."""
    return {field.name: at_default(field) for field in struct.all_fields}


def off_default(field: FieldLayout) -> Any:
    """The plainest value that is not the default."""
    if field.is_array:
        return [] if field.default is None and field.nullable else [plain_element(field)]
    if field.range_type is not None:
        return one_off(field.range_type, at_default(field))
    struct = _struct(field)
    if field.default is None:
        return required(struct)
    return _differing(struct)


def plain_element(field: FieldLayout) -> Any:
    """The plainest value of a field that is not null; of an array, the plainest of an element."""
    return ZERO[field.scalar] if field.scalar is not None else required(_struct(field))


def _differing(struct: StructLayout) -> StructValue:
    """A struct that is not the default one: its first field is off its default, or it has an unknown tag."""
    value = required(struct)
    if struct.all_fields:
        first = struct.all_fields[0]
        value[first.name] = off_default(first)
    elif struct.flexible:
        value[TAGS] = {free_tag(struct): b""}
    return value


def off_default_absent(field: AbsentField) -> Any:
    """Return `off_default` for a field that the version lacks; None if there is no such value."""
    match field.type:
        case ScalarType() as scalar:
            return one_off(scalar, field.default)
        case ArrayType() if field.default is None:
            return []
        case ArrayType(element):
            return [ZERO[element] if isinstance(element, ScalarType) else {}]
        case StructType():
            return {} if field.default is None else _differing_absent(_struct(field))
        case unreachable:
            assert_never(unreachable)


def _differing_absent(struct: StructLayout) -> StructValue | None:
    for field in struct.absent:
        value = off_default_absent(field)
        if value is not None:
            return {field.name: value}
    return None


def taken_tags(struct: StructLayout) -> set[int]:
    """The tags that the struct defines, in this version or in another."""
    return {field.tag for field in struct.tagged if field.tag is not None} | struct.reserved_tags


def free_tag(struct: StructLayout) -> int:
    """The lowest unknown tag above all tags that the struct defines."""
    return max(taken_tags(struct), default=-1) + 1


def full(struct: StructLayout, *, unknown_tags: bool) -> StructValue:
    """Every field with a value other than its default; arrays of structs have a full and a plain element."""
    value: StructValue = {field.name: _full_field(field, unknown_tags) for field in struct.all_fields}
    if unknown_tags and struct.flexible:
        value[TAGS] = {free_tag(struct): blob(3)}
    return value


def _full_field(field: FieldLayout, unknown_tags: bool) -> Any:
    if field.range_type is None:
        inner = full(_struct(field), unknown_tags=unknown_tags)
        return [inner, required(_struct(field))] if field.is_array else inner
    if field.is_array:
        return [value for _, value in SHORT[field.range_type][:3]]
    return one_off(field.range_type, _present(field) if field.default is None else field.default)


def nulls(struct: StructLayout, *, leaves: bool) -> StructValue:
    """Null in every nullable field; with `leaves`, only in fields without a struct: no struct is null."""
    value = required(struct)
    for field in struct.all_fields:
        if field.nullable and not (leaves and field.struct is not None):
            value[field.name] = None
        elif field.struct is not None:
            inner = nulls(field.struct, leaves=leaves)
            value[field.name] = [inner] if field.is_array else inner
    return value


_ROUNDS: Final = 3
"""The number of instances: bools are numbered, and the n-th instance sets each to bit n of its number."""

_NUMBERS: Final = 100
"""A bound of the integers, so that an int8 and most enumerations can hold them."""


def plain_instances(layout: MessageLayout) -> Iterator[tuple[str, StructValue]]:
    """Yield named instances: all fields with different values, and null in each nullable field."""
    for turn in range(_ROUNDS):
        yield f"plain-{turn}", _Numbered(turn).struct(layout.root)
    if any(field.nullable for _, _, field in layout.walk()):
        yield "nulls", nulls(layout.root, leaves=False)


class _Numbered:
    """One instance, whose values are made from numbers that increase from field to field."""

    def __init__(self, turn: int) -> None:
        self._turn = turn
        self._numbers = count(1 + turn)

    def struct(self, struct: StructLayout) -> StructValue:
        bools = [field.name for field in struct.all_fields if field.type is ScalarType.BOOL]
        value: StructValue = {}
        for field in struct.all_fields:
            if field.name in bools:
                value[field.name] = bool((bools.index(field.name) + 1) >> self._turn & 1)
            else:
                value[field.name] = self._field(field)
        return value

    def _field(self, field: FieldLayout) -> Any:
        if field.is_array:
            return [self._element(field), self._element(field)]
        return self._element(field)

    def _element(self, field: FieldLayout) -> Any:
        if field.struct is not None:
            return self.struct(field.struct)
        return _scalar(field.scalar, next(self._numbers))


def _scalar(scalar: ScalarType | None, number: int) -> Any:
    match scalar:
        case ScalarType.BOOL:
            return number % 2 == 1
        case ScalarType.FLOAT64:
            return number + 0.5
        case ScalarType.UUID:
            return UUID(int=number + (number << 64))
        case ScalarType.STRING:
            return f"plain-{number}"
        case ScalarType.BYTES:
            return b"plain-%d" % number
        case ScalarType.RECORDS:
            record = Record(0, 0, b"key", b"plain-%d" % number)
            return encode_records(RecordSet((RecordBatch.of([record], base_timestamp=0),)))
    return number % _NUMBERS
