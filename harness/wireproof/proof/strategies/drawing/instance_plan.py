"""The only procedure for drawing: it makes instances from bytes of any source.

The cost of Hypothesis depends on the number of choices, not on their size. So a whole instance is *one*
choice: a tape of fixed length in which every field of every possible element has its own byte. The byte
selects from the field's table (`value_tables`): 0 is always the default, and plainer values have lower
bytes. An element is present if its presence byte says so. No byte's place depends on another byte, so
lowering one changes nothing else. The tape of zeros is the empty instance, and a shrinker that lowers byte
after byte ends at the plainest value of the field at fault, and at defaults everywhere else. A seeded
source of bytes reaches the same instances without Hypothesis.

The tape has a byte for the mode (how many fields leave their defaults, whether long values occur), bytes
for the size (a few instances get 64 KiB or 1 MiB), the root struct, and the salt (the source of free
values).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from kafkawire.schema.layout import EMPTY, FieldLayout, MessageLayout, StructLayout
from kafkawire.values import TAGS, StructValue
from wireproof.proof.strategies.drawing.value_tables import (
    ABSENT,
    MODE_OF_BYTE,
    MODES,
    PRESENT,
    SALT_BYTES,
    Free,
    Mode,
    Table,
    array_shapes,
    leaf_table,
    slot_table,
    struct_table,
    tag_table,
)
from wireproof.proof.strategies.values.sized_values import KIB_64, MIB, filler
from wireproof.proof.strategies.values.whole_instances import defaults, required

_MOST_TAPE_BYTES: Final = 256
"""The length above which a plan has fewer slots: each byte costs Hypothesis about a microsecond."""

_HEAD_BYTES: Final = 3
"""One byte for the mode, and two bytes that decide whether the instance is large."""

_MOST_64_KIB: Final = 223
"""One instance in 256 is large, one in 2,048 has 1 MiB: its judgement costs as much as a thousand others."""


class InstancePlan:
    """The plan for drawing instances of one layout.

    Args:
        unknown_tags: whether flexible structs may hold unknown tags.
        max_elements: the most elements of an array of structs, except for arrays of 126 to 128 elements;
            deeper arrays have fewer (see `_slots`).
        large: whether a few instances get 64 KiB and 1 MiB.
    """

    def __init__(
        self, layout: MessageLayout, *, unknown_tags: bool = True, max_elements: int = 3, large: bool = True
    ) -> None:
        self._layout = layout
        self._unknown_tags = unknown_tags
        self._large = large
        self._slots = _slots(layout.root, max_elements)
        self._roots: dict[tuple[int, bool], _StructPlan] = {}
        self._fillers: dict[int, StructValue] = {}
        self.tape_bytes: Final = _HEAD_BYTES + _width(layout.root, self._slots) + SALT_BYTES

    def build(self, tape: bytes, *, spelled_out: bool = False) -> StructValue:
        """Build the instance of a tape of `tape_bytes` bytes: it is valid for any bytes.

        Parts of the instance are shared with others: do not change it.

        Args:
            spelled_out: give each field its key, even at its default. The instance is the same, and a codec
                need not fill in defaults.
        """
        key = MODE_OF_BYTE[tape[0]], spelled_out
        root = self._roots.get(key)
        if root is None:
            traits = _Traits(MODES[key[0]], self._unknown_tags, spelled_out)
            root = self._roots[key] = _plan_struct(self._layout.root, self._slots, traits)
        # The salt is repeated, so that 16 bytes can be read from any place in it.
        value = root.build(tape + tape[-SALT_BYTES:-1], _HEAD_BYTES)
        if self._large and tape[1] == 255:
            value |= self.filler(MIB if tape[2] > _MOST_64_KIB else KIB_64)
        return value

    def filler(self, size_bytes: int) -> StructValue:
        """Fields that give an instance this size; none if the message cannot hold that much."""
        if size_bytes not in self._fillers:
            self._fillers[size_bytes] = filler(self._layout, size_bytes) or {}
        return self._fillers[size_bytes]


def _slots(root: StructLayout, max_elements: int) -> tuple[int, ...]:
    """The number of slots of an array of structs, by its depth: the largest that keeps the tape short."""
    two = min(2, max_elements)
    slots = (max_elements, two, two)
    for fewer in ((max_elements, two, 1), (max_elements, 1, 1), (two, 1, 1), (1, 1, 1)):
        if _width(root, slots) <= _MOST_TAPE_BYTES:
            break
        slots = fewer
    return slots


def _deeper(slots: tuple[int, ...]) -> tuple[int, ...]:
    return slots[1:] or slots


def _width(struct: StructLayout, slots: tuple[int, ...]) -> int:
    """The number of tape bytes of one struct."""
    return sum(_field_width(field, slots) for field in struct.all_fields) + struct.flexible


def _field_width(field: FieldLayout, slots: tuple[int, ...]) -> int:
    """The number of tape bytes of a field: one selects; each slot has a presence byte and its struct's."""
    if field.struct is None:
        return 1
    if field.is_array:
        return 1 + slots[0] * (1 + _width(field.struct, _deeper(slots)))
    return 1 + _width(field.struct, slots)


@dataclass(frozen=True, slots=True)
class _Traits:
    """The settings of a whole plan; see `InstancePlan`."""

    mode: Mode
    unknown_tags: bool
    spelled_out: bool


@dataclass(frozen=True, slots=True)
class _Struct:
    """A struct: a byte (without effect if there is no table), then the struct's own bytes."""

    name: str
    table: Table | None
    omits_empty: bool
    inner: "_StructPlan"

    def put(self, value: StructValue, tape: bytes, at: int) -> None:
        drawn = PRESENT if self.table is None else self.table[tape[at]]
        if drawn is ABSENT:
            return
        if drawn is PRESENT:
            drawn = self.inner.build(tape, at + 1)
            if not drawn and self.omits_empty:
                return
        value[self.name] = drawn


@dataclass(frozen=True, slots=True)
class _Array:
    """An array of structs: a byte for its shape, then for each slot its presence and the element's bytes."""

    name: str
    shapes: Table
    presence: Table
    slots: tuple[int, ...]
    least: StructValue
    inner: "_StructPlan"

    def put(self, value: StructValue, tape: bytes, at: int) -> None:
        shape = self.shapes[tape[at]]
        if shape is ABSENT:
            return
        if shape is None:
            value[self.name] = None
            return
        presence, build = self.presence, self.inner.build
        elements = [build(tape, at + slot + 1) for slot in self.slots if presence[tape[at + slot]]]
        if len(elements) < shape:
            elements += [self.least] * (shape - len(elements))
        value[self.name] = elements


_Part: TypeAlias = tuple[str, int, Table, _Struct | _Array | None]
"""A field: its name, the offset of its byte in the struct, the table for a scalar, an array of scalars or the
unknown tags, and the plan for a struct or an array of structs."""


@dataclass(frozen=True, slots=True)
class _StructPlan:
    """The plan for drawing one struct.

    Attributes:
        start: the value of the struct before its fields are drawn.
    """

    start: StructValue
    parts: tuple[_Part, ...]

    def build(self, tape: bytes, base: int) -> StructValue:
        value = self.start.copy()
        for name, at, table, part in self.parts:
            if part is not None:
                part.put(value, tape, base + at)
                continue
            drawn = table[tape[base + at]]
            if drawn is not ABSENT:
                value[name] = drawn.draw(tape, base + at) if drawn.__class__ is Free else drawn
        return value


def _plan_struct(struct: StructLayout, slots: tuple[int, ...], traits: _Traits) -> _StructPlan:
    start = defaults(struct) if traits.spelled_out else {}
    return _StructPlan(start, tuple(_parts(struct, slots, traits)))


def _parts(struct: StructLayout, slots: tuple[int, ...], traits: _Traits) -> Iterator[_Part]:
    at = 0
    for field in struct.all_fields:
        if field.struct is None:
            yield field.name, at, leaf_table(field, traits.mode), None
        else:
            yield field.name, at, (), _nested(field, field.struct, slots, traits)
        at += _field_width(field, slots)
    if struct.flexible and traits.unknown_tags:
        yield TAGS, at, tag_table(struct, traits.mode), None


def _nested(
    field: FieldLayout, struct: StructLayout, slots: tuple[int, ...], traits: _Traits
) -> _Struct | _Array:
    if not field.is_array:
        inner = _plan_struct(struct, slots, traits)
        table = struct_table(field, traits.mode, unknown_tags=traits.unknown_tags)
        return _Struct(field.name, table, field.default is EMPTY, inner)
    inner_slots = _deeper(slots)
    stride = 1 + _width(struct, inner_slots)
    return _Array(
        name=field.name,
        shapes=array_shapes(field, traits.mode),
        presence=slot_table(traits.mode),
        slots=tuple(1 + stride * slot for slot in range(slots[0])),
        least=defaults(struct) if traits.spelled_out else required(struct),
        inner=_plan_struct(struct, inner_slots, traits),
    )
