"""The plan of a layout's generated code: a flat list of steps, with every name chosen.

A *slot* is a step of a fixed width in the message, such as a number, or the prefix of a length or count. The
printers fuse neighbouring slots into one `struct` call. A *body* is a step that follows its prefix.
A struct that cannot be null has no bytes of its own, so its steps are spliced into its parent's.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from kafkawire import wire
from kafkawire.compiler import _runtime
from kafkawire.generated import Names
from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.schema.model import ScalarType

WIDTHS: Final = {"?": 1, "b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "d": 8, "16s": 16}
"""The size in bytes of each `struct` code in use."""


@dataclass(frozen=True, slots=True)
class _PlannedField:
    """A field with names.

    Attributes:
        var: the variable of its value.
        source: the expression by which an encoder gets the value.
    """

    field: FieldLayout
    var: str
    source: str


@dataclass(frozen=True, slots=True)
class FixedField(_PlannedField):
    """A field of a fixed width; `code` is its `struct` code."""

    code: str


@dataclass(frozen=True, slots=True)
class VarintField(_PlannedField):
    """An integer of a variable width (KIP-625).

    Attributes:
        encoding: the name of its encoding in `wire.INTEGER_FORMS`.
        zigzag: whether a single byte can hold numbers of either sign.
    """

    encoding: str
    zigzag: bool


@dataclass(frozen=True, slots=True)
class _PrefixedField(_PlannedField):
    """A field with a prefix.

    Attributes:
        length: the variable of the prefix's value.
        prefix: the `struct` code of the prefix; B is the first byte of an unsigned varint.
    """

    length: str
    prefix: str


class StringBody(_PrefixedField):
    """The bytes of a string."""

    __slots__ = ()


class BytesBody(_PrefixedField):
    """The bytes of a field of type bytes or records."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class NumberArray(_PrefixedField):
    """The elements of an array of numbers or bools; `code` is the `struct` code of one element."""

    code: str


@dataclass(frozen=True, slots=True)
class ItemArray(_PrefixedField):
    """The elements of an array of strings, bytes, uuids or varints; `steps` are the steps of one element."""

    loop: "Loop"
    item: str
    steps: tuple["Step", ...]


@dataclass(frozen=True, slots=True)
class StructArray(_PrefixedField):
    """The elements of an array of structs."""

    loop: "Loop"
    element: "StructPlan"


@dataclass(frozen=True, slots=True)
class Loop:
    """The position of a decoder in an array: from it, an error is located without decoding from the start.

    Attributes:
        path: the names of the fields from the message to the array.
        index: the variable of the current element's index.
        start: the variable of the position where this element begins.
    """

    path: tuple[str, ...]
    index: str
    start: str


@dataclass(frozen=True, slots=True)
class NullableStruct(_PrefixedField):
    """A struct that may be null, after its marker."""

    struct: "StructPlan"


@dataclass(frozen=True, slots=True)
class TagSection:
    """The tagged fields of a struct, after their count.

    Attributes:
        tag, end: the variables of the current tag, and of the position where its data ends.
    """

    head: "StructHead"
    length: str
    tag: str
    end: str
    prefix: str = "B"


@dataclass(frozen=True, slots=True)
class StructStart:
    """The beginning of a struct that cannot be null. It has no bytes."""

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
    """One tagged field. In its steps the struct's dict is a variable named ``value``."""

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
        unknown: the variable of its unknown tags; ``""`` if it is not flexible.
        section: the name of an encoder's function for its tag section; ``""`` if it has no tagged fields.
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


_OWN_NAMES: Final = (
    *("Struct", "UUID", "struct_error", "utf8"),
    *("decode", "data", "pos", "whole", "start", "stop", "end", "explain", "error"),
    *("encode", "size", "value", "out", "add", "total", "known", "unknown", "tag"),
)
_RUNTIME_NAMES: Final = (*_OWN_NAMES, *_runtime.__all__, *wire.__all__)
"""Names that generated code uses itself: no variable of a field may hide one of them."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """The scope of a field: the names in use, and the fields that lead to it."""

    names: Names
    functions: Names
    path: tuple[str, ...] = ()

    def inside(self, field: FieldLayout) -> "_Scope":
        return replace(self, path=(*self.path, field.name))

    def loop(self, field: FieldLayout) -> Loop:
        index, start = (self.names.fresh(f"{field.name}_{what}") for what in ("index", "start"))
        return Loop((*self.path, field.name), index, start)


def plan_message(root: StructLayout, functions: Names) -> StructPlan:
    """The plan of a message; `functions` are the names of the module's functions."""
    return _plan_struct(root, "message", _Scope(Names(_RUNTIME_NAMES), functions))


def _plan_struct(struct: StructLayout, name: str, scope: _Scope) -> StructPlan:
    var = scope.names.fresh(name)
    values: list[str] = []
    steps: list[Step] = []
    for field in struct.fields:
        variable, planned = _plan_field(field, f"{var}[{field.name!r}]", scope)
        values.append(variable)
        steps += planned
    section = scope.functions.fresh(f"{struct.name}_tags") if struct.tagged else ""
    unknown = scope.names.fresh(f"{var}_tags") if struct.flexible else ""
    tagged = tuple(_plan_tagged(field, scope) for field in struct.tagged)
    head = StructHead(struct, var, tuple(values), unknown, section, tagged)
    if not struct.flexible:
        return StructPlan(head, (*steps, StructEnd(head)))
    body = TagSection(head, *(scope.names.fresh(wanted) for wanted in ("tag_count", "tag", "tag_end")))
    return StructPlan(head, (*steps, Prefix(body), StructEnd(head), body))


def _plan_tagged(field: FieldLayout, scope: _Scope) -> Tagged:
    assert field.tag is not None
    var, steps = _plan_field(field, f"value[{field.name!r}]", scope)
    return Tagged(field.tag, field, var, tuple(steps))


def _plan_field(field: FieldLayout, source: str, scope: _Scope) -> tuple[str, list[Step]]:
    """The variable of a field's value and the steps for it; an encoder gets the value from `source`."""
    if field.struct is not None and not field.is_array and not field.nullable:
        plan = _plan_struct(field.struct, field.name, scope.inside(field))
        return plan.head.var, [StructStart(plan.head, source), *plan.steps]
    if isinstance(field.type, ScalarType) and field.type.value in wire.FIXED_CODES:
        var = scope.names.fresh(field.name)
        if field.encoding is not None and not field.encoding.is_fixed:
            zigzag = not field.encoding.startswith("u")
            return var, [VarintField(field, var, source, field.encoding.value, zigzag)]
        return var, [FixedField(field, var, source, wire.FIXED_CODES[_wire_type(field, field.type)])]
    body = _plan_body(field, source, scope)
    return body.var, [Prefix(body), body]


def _plan_body(
    field: FieldLayout, source: str, scope: _Scope
) -> StringBody | BytesBody | NumberArray | ItemArray | StructArray | NullableStruct:
    if field.is_array:
        return _plan_array(field, source, scope)
    if field.struct is not None:
        plan = _plan_struct(field.struct, field.name, scope.inside(field))
        marker, code = scope.names.fresh(f"{field.name}_marker"), "B" if field.tag is not None else "b"
        return NullableStruct(field, plan.head.var, source, marker, code, plan)
    var, length = scope.names.fresh(field.name), scope.names.fresh(f"{field.name}_length")
    if field.scalar is ScalarType.STRING:
        return StringBody(field, var, source, length, "B" if field.compact else "h")
    return BytesBody(field, var, source, length, "B" if field.compact else "i")


def _plan_array(field: FieldLayout, source: str, scope: _Scope) -> NumberArray | ItemArray | StructArray:
    prefix = "B" if field.compact else "i"
    var, count = scope.names.fresh(field.name), scope.names.fresh(f"{field.name}_count")
    if field.struct is not None:
        loop = scope.loop(field)
        element = _plan_struct(field.struct, _lower_first(field.struct.name), scope.inside(field))
        return StructArray(field, var, source, count, prefix, loop, element)
    assert field.scalar is not None
    code = wire.FIXED_CODES.get(_wire_type(field, field.scalar), "16s")
    if code != "16s" and (field.encoding is None or field.encoding.is_fixed):
        return NumberArray(field, var, source, count, prefix, code)
    name = f"{field.name}_item"
    item = FieldLayout(
        name, field.scalar, None, False, None, None, field.compact, field.versions, encoding=field.encoding
    )
    item_var, steps = _plan_field(item, "", scope)
    return ItemArray(field, var, source, count, prefix, scope.loop(field), item_var, tuple(steps))


def _wire_type(field: FieldLayout, scalar: ScalarType) -> str:
    """The type whose width an integer has on the wire: its own, except with KIP-625's `fixed16` etc."""
    return (scalar if field.encoding is None else field.encoding.integer_type).value


def _lower_first(name: str) -> str:
    return name[:1].lower() + name[1:]
