"""The table of a plan, for the native codec: nested tuples of plain objects.

A struct is ``(flexible, fields, tagged fields, reserved tags)``. A field is ``(name, kind, inner, nullable,
compact, default, tag, default's bytes, maker of the default)``; `inner` is a `struct` code, the row of an
array's item, or a struct. The default's bytes are None where the default cannot be encoded.
"""

from collections.abc import Iterator
from functools import partial
from sys import intern
from typing import Any, TypeAlias

from kafkawire.compiler._interpreted_decode import holds_free_elements
from kafkawire.compiler._interpreted_encode import field_writer
from kafkawire.compiler._plan import (
    BytesBody,
    FixedField,
    ItemArray,
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
    TagSection,
    plan_message,
)
from kafkawire.compiler.compiled import MOST_NESTED, nesting
from kafkawire.compiler.defaults import default_value
from kafkawire.errors import EncodeError
from kafkawire.generated import Names
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType

Row: TypeAlias = tuple[Any, ...]


def make_table(layout: MessageLayout) -> Row | None:
    """Return the table of a layout; None if the native codec does not support the layout.

    Not supported are integers of variable width (KIP-625), arrays whose elements take no bytes, floats inside
    a tagged struct, and deep nesting. No release has any of them.
    """
    root = layout.root
    if nesting(root) > MOST_NESTED or holds_free_elements(root) or _lacks_support(root):
        return None
    return _struct(plan_message(root, Names(prefix="_")))


def _lacks_support(struct: StructLayout) -> bool:
    fields = struct.all_fields
    if any(field.encoding is not None for field in fields):
        return True
    if any(field.struct is not None and _holds_floats(field.struct) for field in struct.tagged):
        return True
    return any(_lacks_support(field.struct) for field in fields if field.struct is not None)


def _holds_floats(struct: StructLayout) -> bool:
    return any(
        field.scalar is ScalarType.FLOAT64 or (field.struct is not None and _holds_floats(field.struct))
        for field in struct.all_fields
    )


def _struct(plan: StructPlan) -> Row:
    return _rows(plan.head, iter(plan.steps))


def _rows(head: StructHead, steps: Iterator[Step]) -> Row:
    """The row of the struct to which the next steps belong."""
    struct = head.layout
    fields = [_next_field(field, steps) for field in struct.fields]
    tagged = [_next_field(tagged.field, iter(tagged.steps)) for tagged in head.tagged]
    last = [next(steps) for _ in range(3 if struct.flexible else 1)]
    assert isinstance(last[-1], TagSection if struct.flexible else StructEnd)
    return struct.flexible, fields, tagged, sorted(struct.reserved_tags)


def _next_field(field: FieldLayout, steps: Iterator[Step]) -> Row:
    """The row of the field to which the next steps belong."""
    kind: str
    inner: Row | str | None
    step = next(steps)
    if isinstance(step, Prefix):
        step = next(steps)
    match step:
        case StructStart(head=head):
            kind, inner, compact = "struct", _rows(head, steps), False
        case FixedField(code=code):
            kind, inner, compact = "fixed", code, False
        case NumberArray(code=code, prefix=prefix):
            kind, inner, compact = "numbers", code, prefix == "B"
        case StringBody(prefix=prefix):
            kind, inner, compact = "text", None, prefix == "B"
        case BytesBody(prefix=prefix):
            kind, inner, compact = "blob", None, prefix == "B"
        case ItemArray(prefix=prefix, steps=item_steps):
            kind, inner, compact = "items", _item(item_steps), prefix == "B"
        case StructArray(prefix=prefix, element=plan):
            kind, inner, compact = "structs", _struct(plan), prefix == "B"
        case NullableStruct(prefix=prefix, struct=plan):
            kind, inner, compact = "optional", _struct(plan), prefix == "B"
        case _:
            raise AssertionError(step)
    return (intern(field.name), kind, inner, field.nullable, compact, *_default(field))


def _item(steps: tuple[Step, ...]) -> Row:
    """The row of an array's elements, which have no defaults."""
    step = steps[-1]
    assert isinstance(step, StringBody | BytesBody | FixedField)
    return _next_field(step.field, iter(steps))


def _default(field: FieldLayout) -> Row:
    default = default_value(field)
    try:
        data = None if field.tag is None else field_writer(field)(default)
    except EncodeError:
        data = None
    make = partial(default_value, field) if type(default) is dict else None
    return default, field.tag or 0, data, make
