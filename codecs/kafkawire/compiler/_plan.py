"""First pass of compiling: a layout becomes a flat list of steps, with every name chosen.

What is in place in the message and of a fixed width, prefixes of lengths and counts included, is a
*cell*: the printers fuse neighbouring cells into one `struct` call. What follows a prefix is a *body*.
A struct that cannot be null has no bytes of its own, so its steps are spliced into its parent's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from kafkawire.generated import Names
from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.wire import FIXED_CODES

__all__ = [
    "WIDTHS",
    "Blob",
    "Body",
    "Build",
    "Fixed",
    "Items",
    "Numbers",
    "Open",
    "Optional",
    "Prefix",
    "Rows",
    "Step",
    "StructHead",
    "StructPlan",
    "TagSection",
    "Tagged",
    "Text",
    "nesting",
    "plan_message",
]

WIDTHS: Final = {"?": 1, "b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "d": 8, "16s": 16}
"""Bytes of each `struct` code in use."""


_RUNTIME_NAMES: Final = (
    *("Refused", "SHORT", "Struct", "UUID", "add", "all_bools", "all_floats", "as_bytes", "count", "data"),
    *("decode", "encode", "end", "explain", "extra_prefix", "known", "long_blob", "long_count", "long_run"),
    *("long_text", "out", "pos", "raw_bytes", "read_blob_length", "read_blob_length_or_null", "read_count"),
    *("read_count_or_null", "read_tag", "read_tag_size", "read_text_length", "read_text_length_or_null"),
    *("read_unknown_tags", "read_uvarint", "size", "size_tags", "start", "stop", "struct_error", "tag"),
    *("tag_end", "total", "unknown", "unpacker", "unpackers", "utf8", "value", "whole", "write_tags"),
    *("write_uuid", "Packers", "FAILURES"),
)
"""Names that generated code uses for itself: no variable of a field may hide one."""


@dataclass(frozen=True, slots=True)
class Fixed:
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
class Text:
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
class Blob:
    """The bytes of a field of type bytes or records."""

    field: FieldLayout
    var: str
    source: str
    length: str
    prefix: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """The elements of an array of numbers or bools; `code` is that of one element."""

    field: FieldLayout
    var: str
    source: str
    length: str
    prefix: str
    code: str


@dataclass(frozen=True, slots=True)
class Items:
    """The elements of an array of strings, bytes or uuids. `steps` are those of one element."""

    field: FieldLayout
    var: str
    source: str
    length: str
    prefix: str
    item: str
    steps: tuple["Step", ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """The elements of an array of structs."""

    field: FieldLayout
    var: str
    source: str
    length: str
    prefix: str
    element: "StructPlan"


@dataclass(frozen=True, slots=True)
class Optional:
    """A struct that may be null, behind its marker."""

    field: FieldLayout
    var: str
    source: str
    length: str
    prefix: str
    struct: "StructPlan"


@dataclass(frozen=True, slots=True)
class TagSection:
    """The tagged fields of a struct, behind their count."""

    head: "StructHead"
    length: str
    prefix: str = "B"


@dataclass(frozen=True, slots=True)
class Open:
    """Where a struct that cannot be null begins. No bytes."""

    head: "StructHead"
    source: str


@dataclass(frozen=True, slots=True)
class Build:
    """Where all fields in place of a struct are known. No bytes."""

    head: "StructHead"


Body: TypeAlias = Text | Blob | Numbers | Items | Rows | Optional | TagSection


@dataclass(frozen=True, slots=True)
class Prefix:
    """The length, count or marker before a body."""

    body: Body


Step: TypeAlias = Fixed | Prefix | Body | Open | Build


@dataclass(frozen=True, slots=True)
class Tagged:
    """One tagged field; its steps have the names of the function for the section."""

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
        section: the name of the function for its tag section, ``""`` where it has no tagged fields.
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

    def sections(self) -> Iterator[StructHead]:
        """The structs in it that have tagged fields, inner before outer."""
        for step in self.steps:
            match step:
                case Optional(struct=plan) | Rows(element=plan):
                    yield from plan.sections()
                case TagSection(head=head) if head.section:
                    for tagged in head.tagged:
                        yield from StructPlan(head, tagged.steps).sections()
                    yield head
                case _:
                    pass


def plan_message(root: StructLayout, functions: Names) -> StructPlan:
    """The plan of a message; `functions` are the names of the module's functions."""
    return _plan_struct(root, "message", Names(_RUNTIME_NAMES), functions)


def _plan_struct(struct: StructLayout, name: str, names: Names, functions: Names) -> StructPlan:
    """The plan of a struct; `names` are those of the function that it is a part of."""
    var = names.fresh(name)
    values: list[str] = []
    steps: list[Step] = []
    for field in struct.fields:
        variable, planned = _plan_field(field, f"{var}[{field.name!r}]", names, functions)
        values.append(variable)
        steps += planned
    section = functions.fresh(f"{struct.name}_tags") if struct.tagged else ""
    unknown = names.fresh(f"{var}_tags") if struct.flexible else ""
    tagged = tuple(_plan_tagged(field, functions) for field in struct.tagged)
    head = StructHead(struct, var, tuple(values), unknown, section, tagged)
    if not struct.flexible:
        return StructPlan(head, (*steps, Build(head)))
    body = TagSection(head, names.fresh("tag_count"))
    return StructPlan(head, (*steps, Prefix(body), Build(head), body))


def nesting(plan: StructPlan) -> int:
    """How many loops and conditions stand inside one another in the struct's code."""
    deepest = 0
    for step in plan.steps:
        match step:
            case Optional(struct=inner) | Rows(element=inner):
                deepest = max(deepest, 1 + nesting(inner))
            case TagSection(head=head):
                depths = [nesting(StructPlan(head, tagged.steps)) for tagged in head.tagged]
                deepest = max(deepest, 2 + max(depths, default=0))
            case _:
                pass
    return deepest


def _plan_tagged(field: FieldLayout, functions: Names) -> Tagged:
    assert field.tag is not None
    var, steps = _plan_field(field, f"value[{field.name!r}]", Names(_RUNTIME_NAMES), functions)
    return Tagged(field.tag, field, var, tuple(steps))


def _plan_field(field: FieldLayout, source: str, names: Names, functions: Names) -> tuple[str, list[Step]]:
    """The variable of a field's value and the steps for it."""
    if field.struct is not None and not field.is_array and not field.nullable:
        plan = _plan_struct(field.struct, field.name, names, functions)
        return plan.head.var, [Open(plan.head, source), *plan.steps]
    if isinstance(field.type, ScalarType) and field.type.value in FIXED_CODES:
        var = names.fresh(field.name)
        return var, [Fixed(field, var, source, FIXED_CODES[field.type.value])]
    body = _plan_body(field, source, names, functions)
    return body.var, [Prefix(body), body]


def _plan_body(
    field: FieldLayout, source: str, names: Names, functions: Names
) -> Text | Blob | Numbers | Items | Rows | Optional:
    if field.is_array:
        return _plan_array(field, source, names, functions)
    if field.struct is not None:
        plan = _plan_struct(field.struct, field.name, names, functions)
        marker = "B" if field.tag is not None else "b"
        return Optional(field, plan.head.var, source, names.fresh(f"{field.name}_marker"), marker, plan)
    var, length = names.fresh(field.name), names.fresh(f"{field.name}_length")
    if field.scalar is ScalarType.STRING:
        return Text(field, var, source, length, "B" if field.compact else "h")
    return Blob(field, var, source, length, "B" if field.compact else "i")


def _plan_array(field: FieldLayout, source: str, names: Names, functions: Names) -> Numbers | Items | Rows:
    prefix = "B" if field.compact else "i"
    var, count = names.fresh(field.name), names.fresh(f"{field.name}_count")
    if field.struct is not None:
        element = _plan_struct(field.struct, _lower_first(field.struct.name), names, functions)
        return Rows(field, var, source, count, prefix, element)
    assert field.scalar is not None
    code = FIXED_CODES.get(field.scalar.value, "16s")
    if code != "16s":
        return Numbers(field, var, source, count, prefix, code)
    name = f"{field.name}_item"
    item = FieldLayout(name, field.scalar, None, False, None, None, field.compact, field.versions)
    item_var, steps = _plan_field(item, "", names, functions)
    return Items(field, var, source, count, prefix, item_var, tuple(steps))


def _lower_first(name: str) -> str:
    return name[:1].lower() + name[1:]
