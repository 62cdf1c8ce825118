"""The fields at which two values of one layout differ."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.values import TAGS
from wireproof.proof.checks.difference_kinds import is_reordered


@dataclass(frozen=True, slots=True)
class Difference:
    """A field at which two values differ.

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
    """The first difference of two full values (no key absent), in the order of the layout."""
    return next(differences(layout, left, right), None)


def differences(layout: MessageLayout, left: dict[str, Any], right: dict[str, Any]) -> Iterator[Difference]:
    """All differences of two full values (no key absent), in the order of the layout.

    An array with the same elements in another order is one difference. Elements of other arrays are compared
    by their index, then the lengths of the arrays. Floats are compared by their bits, so that a NaN equals
    itself and -0.0 differs from 0.0.
    """
    return _in_struct("", layout.root, left, right)


def _in_struct(
    prefix: str, struct_: StructLayout, left: dict[str, Any], right: dict[str, Any]
) -> Iterator[Difference]:
    for field in struct_.all_fields:
        yield from _in_field(f"{prefix}{field.name}", field, left.get(field.name), right.get(field.name))
    yield from _in_tags(f"{prefix}{TAGS}", left.get(TAGS, {}), right.get(TAGS, {}))


def _in_tags(path: str, left: dict[int, bytes], right: dict[int, bytes]) -> Iterator[Difference]:
    """Lost tags first, then added ones, then other contents: each is a difference of its own."""
    if left == right:
        return
    yield Difference(path, None, left, right)
    kept = {tag: data for tag, data in right.items() if tag in left}
    shared = {tag: data for tag, data in left.items() if tag in right}
    if len(kept) < len(right) and len(shared) < len(left):
        yield Difference(path, None, left, kept)
    if len(kept) < max(len(right), len(left)) and shared != kept:
        yield Difference(path, None, shared, kept)


def _in_field(path: str, field: FieldLayout, left: Any, right: Any) -> Iterator[Difference]:
    if left is None or right is None:
        if left is not right:
            yield Difference(path, field, left, right)
        return
    if not field.is_array:
        yield from _in_item(path, field, left, right)
        return
    if is_reordered(left, right):
        yield Difference(path, field, left, right)
        return
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        yield from _in_item(f"{path}[{index}]", field, one, other)
    if len(left) != len(right):
        yield Difference(path, field, left, right)


def _in_item(path: str, field: FieldLayout, left: Any, right: Any) -> Iterator[Difference]:
    if field.struct is not None:
        yield from _in_struct(f"{path}.", field.struct, left, right)
    elif not _same(left, right):
        yield Difference(path, field, left, right)


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return struct.pack(">d", left) == struct.pack(">d", right)
    return bool(left == right)
