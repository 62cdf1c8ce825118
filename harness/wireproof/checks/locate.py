"""Where two values of one layout first differ."""

import struct
from dataclasses import dataclass
from typing import Any

from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.values import TAGS

__all__ = ["Difference", "first_difference"]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first field at which two values differ.

    Attributes:
        path: with indices; ``""`` is the message.
        field: its layout; None for the message itself and for unknown tags.
        left, right: both sides there.
    """

    path: str
    field: FieldLayout | None
    left: object
    right: object


def first_difference(layout: MessageLayout, left: dict[str, Any], right: dict[str, Any]) -> Difference | None:
    """The first difference of two full values (no key absent), in the order of the layout.

    Floats are compared by their bits, so that a NaN equals itself and -0.0 differs from 0.0.
    """
    return _in_struct("", layout.root, left, right)


def _in_struct(
    prefix: str, struct_: StructLayout, left: dict[str, Any], right: dict[str, Any]
) -> Difference | None:
    for field in struct_.all_fields:
        path = f"{prefix}{field.name}"
        found = _in_field(path, field, left.get(field.name), right.get(field.name))
        if found is not None:
            return found
    if left.get(TAGS, {}) != right.get(TAGS, {}):
        return Difference(f"{prefix}{TAGS}", None, left.get(TAGS, {}), right.get(TAGS, {}))
    return None


def _in_field(path: str, field: FieldLayout, left: Any, right: Any) -> Difference | None:
    if left is None or right is None:
        return None if left is right else Difference(path, field, left, right)
    if not field.is_array:
        return _in_item(path, field, left, right)
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        found = _in_item(f"{path}[{index}]", field, one, other)
        if found is not None:
            return found
    return None if len(left) == len(right) else Difference(path, field, left, right)


def _in_item(path: str, field: FieldLayout, left: Any, right: Any) -> Difference | None:
    if field.struct is not None:
        return _in_struct(f"{path}.", field.struct, left, right)
    return None if _same(left, right) else Difference(path, field, left, right)


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return struct.pack(">d", left) == struct.pack(">d", right)
    return bool(left == right)
