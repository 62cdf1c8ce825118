"""Fields and structs of values by their paths: found, and changed in a copy wherever they stand."""

from collections.abc import Callable, Sequence
from typing import Any

from kafkawire.schema import FieldLayout, MessageLayout, StructLayout
from wireproof.power.testees.operator import REFUSED

__all__ = ["change_fields", "change_structs", "field_in", "struct_in"]


def field_in(layout: MessageLayout, path: str) -> FieldLayout | None:
    """The field at a path (``topics[].name``); None where the version lacks it."""
    return next((field for known, _, field in layout.walk() if known == path), None)


def struct_in(layout: MessageLayout, path: str) -> StructLayout | None:
    """The struct at a path (``topics[]``, empty for the message); None where the version lacks it."""
    if not path:
        return layout.root
    field = field_in(layout, path.removesuffix("[]"))
    return None if field is None else field.struct


def change_fields(value: dict[str, Any], path: str, change: Callable[[Any], Any], asked: Any = None) -> Any:
    """A copy of the value with a field changed wherever it stands; `REFUSED` where any change is.

    Args:
        asked: the value of the question; given, only fields that it leaves out are changed.
    """
    *outer, name = path.split(".")

    def change_one(item: dict[str, Any], known: Any) -> Any:
        if name not in item or (isinstance(known, dict) and name in known):
            return item
        changed = change(item[name])
        return REFUSED if changed is REFUSED else {**item, name: changed}

    return _descend(value, outer, change_one, asked)


def change_structs(value: dict[str, Any], path: str, change: Callable[[dict[str, Any]], Any]) -> Any:
    """A copy of the value with a struct changed wherever it stands."""
    return _descend(value, path.split(".") if path else [], lambda item, _: change(item), None)


def _descend(
    value: Any, steps: Sequence[str], change: Callable[[dict[str, Any], Any], Any], asked: Any
) -> Any:
    if not isinstance(value, dict):
        return value
    if not steps:
        return change(value, asked)
    name = steps[0].removesuffix("[]")
    inner, known = value.get(name), asked.get(name) if isinstance(asked, dict) else None
    if inner is None:
        return value
    if not isinstance(inner, list):
        changed = _descend(inner, steps[1:], change, known)
        return REFUSED if changed is REFUSED else {**value, name: changed}
    others = known if isinstance(known, list) and len(known) == len(inner) else [None] * len(inner)
    items = [_descend(each, steps[1:], change, other) for each, other in zip(inner, others, strict=True)]
    return REFUSED if any(each is REFUSED for each in items) else {**value, name: items}
