"""A value with one field changed, for each field of it: what an equality has to see."""

from collections.abc import Iterator
from typing import Any

from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.values import TAGS, StructValue
from wireproof.proof.strategies.values.boundary_values import ZERO, one_off
from wireproof.proof.strategies.values.whole_instances import at_default, off_default, required

__all__ = ["changed_fields"]


def changed_fields(layout: MessageLayout, value: StructValue) -> Iterator[tuple[str, StructValue]]:
    """Yield, for each field at every depth, its path, and the value with this field changed alone.

    Of an array the length is changed, and the first element. Unknown tags are taken away.
    """
    return _in_struct(layout.root, value, "")


def _in_struct(struct: StructLayout, value: StructValue, prefix: str) -> Iterator[tuple[str, StructValue]]:
    for field in struct.all_fields:
        held = value.get(field.name, at_default(field))
        for path, other in _in_field(field, held, f"{prefix}{field.name}"):
            yield path, {**value, field.name: other}
    if value.get(TAGS):
        yield f"{prefix}{TAGS}", {name: held for name, held in value.items() if name != TAGS}


def _in_field(field: FieldLayout, held: Any, path: str) -> Iterator[tuple[str, Any]]:
    if held is None:
        default = at_default(field)
        yield path, off_default(field) if default is None else default
    elif field.is_array:
        yield from _in_array(field, held, path)
    elif field.struct is not None:
        yield from _in_struct(field.struct, held, f"{path}.")
    elif field.range_type is not None:
        yield path, one_off(field.range_type, held)


def _in_array(field: FieldLayout, held: list[Any], path: str) -> Iterator[tuple[str, list[Any]]]:
    plain = required(field.struct) if field.struct is not None else ZERO[_scalar(field)]
    yield path, held[:-1] or [*held, plain]
    if not held:
        return
    first, *rest = held
    if field.struct is None:
        yield f"{path}[]", [one_off(_scalar(field), first), *rest]
        return
    for inner, other in _in_struct(field.struct, first, f"{path}[]."):
        yield inner, [other, *rest]


def _scalar(field: FieldLayout) -> Any:
    if field.range_type is None:
        raise TypeError(f"{field.name} holds structs")
    return field.range_type
