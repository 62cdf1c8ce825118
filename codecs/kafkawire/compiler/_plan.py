"""The plan of a layout's generated code: a flat list of steps, with every name chosen.

A *slot* is a step of a fixed width in the message, such as a number, or the prefix of a length or count. The
printers fuse neighbouring slots into one `struct` call. A *body* is a step that follows its prefix.
A struct that cannot be null has no bytes of its own, so its steps are spliced into its parent's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from kafkawire.schema.layout import FieldLayout, StructLayout

WIDTHS: Final = {"?": 1, "b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "d": 8, "16s": 16}
"""Bytes of each `struct` code in use."""


@dataclass(frozen=True, slots=True)
class FixedField:
    """A field of a fixed width.

    Attributes:
        var: the variable of its value.
        source: the expression that an encoder finds the value with.
        code: its `struct` code.
    """

    field: FieldLayout
    var: str
    source: str
    code: str


@dataclass(frozen=True, slots=True)
class VarintField:
    """An integer of a variable width (KIP-625).

    Attributes:
        var: the variable of its value.
        source: the expression that an encoder finds the value with.
        encoding: the name of its encoding in `wire.INTEGER_FORMS`.
        zigzag: whether a single byte holds numbers of either sign.
    """

    field: FieldLayout
    var: str
    source: str
    encoding: str
    zigzag: bool


@dataclass(frozen=True, slots=True)
class StringBody:
    """The bytes of a string.

    Attributes:
        length: the variable of what the prefix holds.
        prefix: the `struct` code of the prefix; B is the first byte of an unsigned varint.
    """

    field: FieldLayout
    var: str
    source: str
    length: str
    prefix: str


@dataclass(frozen=True, slots=True)
class BytesBody:
    """The bytes of a field of type bytes or records."""

    field: FieldLayout
    var: str
    source: str
    length: str
    prefix: str


@dataclass(frozen=True, slots=True)
class NumberArray:
    """The elements of an array of numbers or bools; `code` is that of one element."""

    field: FieldLayout
    var: str
    source: str
    length: str
    prefix: str
    code: str


@dataclass(frozen=True, slots=True)
class ItemArray:
    """The elements of an array of strings, bytes, uuids or varints. `steps` are those of one element."""

    field: FieldLayout
    var: str
    source: str
    length: str
    prefix: str
    loop: "Loop"
    item: str
    steps: tuple["Step", ...]


@dataclass(frozen=True, slots=True)
class StructArray:
    """The elements of an array of structs."""

    field: FieldLayout
    var: str
    source: str
    length: str
    prefix: str
    loop: "Loop"
    element: "StructPlan"


@dataclass(frozen=True, slots=True)
class Loop:
    """The position of a decoder in an array, from which the place of an error is found without starting over.

    Attributes:
        path: the names of the fields that lead to the array from the message on.
        index: the variable of the element under way.
        start: the variable of the position where it begins.
    """

    path: tuple[str, ...]
    index: str
    start: str


@dataclass(frozen=True, slots=True)
class NullableStruct:
    """A struct that may be null, after its marker."""

    field: FieldLayout
    var: str
    source: str
    length: str
    prefix: str
    struct: "StructPlan"


@dataclass(frozen=True, slots=True)
class TagSection:
    """The tagged fields of a struct, after their count.

    Attributes:
        tag, end: the variables of the tag under way, and of where its data ends.
    """

    head: "StructHead"
    length: str
    tag: str
    end: str
    prefix: str = "B"


@dataclass(frozen=True, slots=True)
class StructStart:
    """The begin of a struct that cannot be null. It has no bytes."""

    head: "StructHead"
    source: str


@dataclass(frozen=True, slots=True)
class StructEnd:
    """The point at which all fields in place of a struct are known. It has no bytes."""

    head: "StructHead"


Body: TypeAlias = StringBody | BytesBody | NumberArray | ItemArray | StructArray | NullableStruct | TagSection


@dataclass(frozen=True, slots=True)
class Prefix:
    """The length, count or marker before a body."""

    body: Body


Step: TypeAlias = FixedField | VarintField | Prefix | Body | StructStart | StructEnd


@dataclass(frozen=True, slots=True)
class Tagged:
    """One tagged field. Its steps take the struct's dict for a variable named ``value``."""

    tag: int
    field: FieldLayout
    var: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class StructHead:
    """A struct without its steps.

    Attributes:
        var: the variable of its dict.
        values: for each field in place, the variable of its value.
        unknown: the variable of its unknown tags, ``""`` where it is not flexible.
        section: the name of an encoder's function for its tag section; ``""``: no tagged fields.
    """

    layout: StructLayout
    var: str
    values: tuple[str, ...]
    unknown: str
    section: str
    tagged: tuple[Tagged, ...]


@dataclass(frozen=True, slots=True)
class StructPlan:
    """A struct with its steps; the tagged fields' are in the head."""

    head: StructHead
    steps: tuple[Step, ...]

    def loops(self) -> Iterator[Loop]:
        """The loops in it."""
        for step in self.steps:
            match step:
                case ItemArray(loop=loop):
                    yield loop
                case StructArray(loop=loop, element=plan):
                    yield loop
                    yield from plan.loops()
                case NullableStruct(struct=plan):
                    yield from plan.loops()
                case TagSection(head=head):
                    for tagged in head.tagged:
                        yield from StructPlan(head, tagged.steps).loops()
                case _:
                    pass

    def sections(self) -> Iterator[StructHead]:
        """The structs in it that have tagged fields, inner before outer."""
        for step in self.steps:
            match step:
                case NullableStruct(struct=plan) | StructArray(element=plan):
                    yield from plan.sections()
                case TagSection(head=head) if head.section:
                    for tagged in head.tagged:
                        yield from StructPlan(head, tagged.steps).sections()
                    yield head
                case _:
                    pass
