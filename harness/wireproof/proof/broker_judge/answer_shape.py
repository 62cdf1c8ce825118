"""The shape of an answer: error codes, fields that are null, empty or set, numbers of elements."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from kafkawire.schema import ScalarType
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.values import StructValue
from wireproof.model.kafka.releases import error_name, holds_error_code

Shape = Counter[tuple[str, str]]
"""Counts of the forms that each path (without indices) has, such as ``null``, ``empty``, ``3 elements``."""


def shape_of(layout: MessageLayout, body: StructValue, ignored: Callable[[str], bool]) -> Shape:
    """Return the shape of a body.

    Args:
        ignored: returns whether a path, ``topics[].partitions``, is left out with all paths inside it.
    """
    return Counter(_forms(layout.root, body, "", ignored))


def _forms(
    struct: StructLayout, value: StructValue, path: str, ignored: Callable[[str], bool]
) -> Iterator[tuple[str, str]]:
    for field in struct.fields:
        here = f"{path}.{field.name}" if path else field.name
        if ignored(here) or field.name not in value:
            continue
        inner = value[field.name]
        yield here, _form(field, inner)
        if field.struct is not None and inner is not None:
            below = f"{here}[]" if isinstance(inner, list) else here
            for each in inner if isinstance(inner, list) else [inner]:
                yield from _forms(field.struct, each, below, ignored)


def _form(field: FieldLayout, value: Any) -> str:
    if value is None:
        return "null"
    if holds_error_code(field):
        return error_name(value)
    if isinstance(value, list):
        return f"{len(value)} elements" if value else "empty"
    if isinstance(value, str | bytes) or field.scalar is ScalarType.RECORDS:
        return "set" if len(value) else "empty"
    return str(value).lower() if isinstance(value, bool) else "set"


def shape_difference(left: Shape, right: Shape) -> tuple[str, str, str] | None:
    """Return the first path that differs, with the forms of both sides; None without a difference."""
    for path in dict.fromkeys(path for path, _ in [*left, *right]):
        forms = [{form: count for (at, form), count in side.items() if at == path} for side in (left, right)]
        if forms[0] != forms[1]:
            return path, *(_words(each) for each in forms)  # type: ignore[return-value]
    return None


def _words(forms: dict[str, int]) -> str:
    return (
        ", ".join(f"{form} ({count} times)" if count > 1 else form for form, count in forms.items())
        or "absent"
    )
