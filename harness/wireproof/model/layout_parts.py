"""Parts of a layout: defaults, and places by their paths.

``topics[].name`` is the path of a field, ``topics[]`` of a struct, ``""`` of the message.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from kafkawire.schema.layout import EMPTY, AbsentField, FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ArrayType, MessageKind
from kafkawire.values import TAGS

StructChange: TypeAlias = Callable[[StructLayout], StructLayout]
FieldChange: TypeAlias = Callable[[FieldLayout], FieldLayout]

HEADERS: Final = {MessageKind.REQUEST: "RequestHeader", MessageKind.RESPONSE: "ResponseHeader"}
"""The kinds of messages that have frames of their own, each with the message that is its header."""


def without_unknown_tags(value: Any) -> Any:
    """The value without the unknown tagged fields of all its structs."""
    match value:
        case Mapping():
            return {name: without_unknown_tags(item) for name, item in value.items() if name != TAGS}
        case list():
            return [without_unknown_tags(item) for item in value]
        case _:
            return value


def sparse_default(field: FieldLayout | AbsentField) -> Any:
    """The value that an absent key means; ``{}`` for a struct whose fields are all at their defaults."""
    if field.default is not EMPTY:
        return field.default
    return [] if isinstance(field.type, ArrayType) else {}


def structs_of(layout: MessageLayout) -> Iterator[tuple[str, StructLayout]]:
    """Each struct with its path, outer before inner."""
    yield "", layout.root
    for path, _, field in layout.walk():
        if field.struct is not None:
            yield f"{path}[]" if field.is_array else path, field.struct


def field_in(layout: MessageLayout, path: str) -> FieldLayout | None:
    """The field at a path; None where the version lacks it."""
    return next((field for known, _, field in layout.walk() if known == path), None)


def struct_in(layout: MessageLayout, path: str) -> StructLayout | None:
    """The struct at a path; None where the version lacks it."""
    return next((struct for known, struct in structs_of(layout) if known == path), None)


def with_fields(struct: StructLayout, change: FieldChange) -> StructLayout:
    """The struct with each of its own fields changed, those in place and the tagged ones."""
    return replace(struct, fields=tuple(map(change, struct.fields)), tagged=tuple(map(change, struct.tagged)))


def with_struct(layout: MessageLayout, path: str, change: StructChange) -> MessageLayout:
    """The layout with the struct at a path changed."""
    steps = [step.removesuffix("[]") for step in path.split(".")] if path else []
    return replace(layout, root=_changed(layout.root, steps, change))


def _changed(struct: StructLayout, steps: list[str], change: StructChange) -> StructLayout:
    if not steps:
        return change(struct)

    def inner(field: FieldLayout) -> FieldLayout:
        if field.name != steps[0] or field.struct is None:
            return field
        return replace(field, struct=_changed(field.struct, steps[1:], change))

    return with_fields(struct, inner)
