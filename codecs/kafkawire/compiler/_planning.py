"""First pass of compiling: a layout becomes a plan."""

from dataclasses import dataclass, replace
from typing import Final

from kafkawire import wire
from kafkawire.compiler import _runtime
from kafkawire.compiler._plan import (
    BytesBody,
    FixedField,
    ItemArray,
    Loop,
    NullableStruct,
    NumberArray,
    Prefix,
    Step,
    StringBody,
    StructArray,
    StructEnd,
    StructHead,
    StructPlan,
    StructStart,
    Tagged,
    TagSection,
    VarintField,
)
from kafkawire.generated import Names
from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.schema.model import ScalarType

_OWN_NAMES: Final = (
    *("Struct", "UUID", "struct_error", "utf8"),
    *("decode", "data", "pos", "whole", "start", "stop", "end", "explain", "error"),
    *("encode", "size", "value", "out", "add", "total", "known", "unknown", "tag"),
)
_RUNTIME_NAMES: Final = (*_OWN_NAMES, *_runtime.__all__, *wire.__all__)
"""Names that generated code uses for itself: no variable of a field may hide one."""


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
    """The variable of a field's value and the steps for it; an encoder finds the value in `source`."""
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
    """The type whose fixed width an integer has: another than its own only with KIP-625's `fixed16` etc."""
    return (scalar if field.encoding is None else field.encoding.integer_type).value


def _lower_first(name: str) -> str:
    return name[:1].lower() + name[1:]
