"""Values in requests to a testee: canonical JSON of the keys that a value has, with any content.

`kafkawire.canonical` cannot be used: it refuses values that a version cannot hold, and writes every field. A
testee must refuse such values itself, and must know the defaults.

Field names are not on the wire, and Kafka changes them now and then. A testee states the release whose names
it uses; requests and answers are renamed by the positions of the fields.
"""

import json
import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias
from uuid import UUID

from kafkawire.primitives import VALUE
from kafkawire.schema.layout import AbsentField, Empty, FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ArrayType, ScalarType
from kafkawire.values import TAGS

LayoutLookup: TypeAlias = Callable[[str, str, int], MessageLayout | None]
"""(release, message, version) -> layout."""

MAX_LAYOUTS: Final = 64


@dataclass(frozen=True, slots=True)
class Renaming:
    """The new names of a struct's fields, and the renaming within each field, by the old name."""

    names: Mapping[str, str]
    within: Mapping[str, "Renaming"] = field(default_factory=dict)

    def apply(self, tree: Any) -> Any:
        """Return the value with the new names; values that are not structs stay."""
        if isinstance(tree, list):
            return [self.apply(each) for each in tree]
        if not isinstance(tree, Mapping):
            return tree
        return {
            self.names.get(name, name): self.within[name].apply(item) if name in self.within else item
            for name, item in tree.items()
        }


def renaming(old: StructLayout, new: StructLayout) -> Renaming | None:
    """Return the renaming from one struct to another; None if they are equal, or not only names differ."""
    pairs = [*_pairs(old, new)]
    if len(pairs) != len(old.all_fields) or len(pairs) != len(new.all_fields):
        return None
    names = {before.name: after.name for before, after in pairs if before.name != after.name}
    within = {}
    for before, after in pairs:
        inner = (
            None if before.struct is None or after.struct is None else renaming(before.struct, after.struct)
        )
        if inner is not None:
            within[before.name] = inner
    return Renaming(names, within) if names or within else None


def renaming_both_ways(
    layout_in: LayoutLookup, release: str, layout: MessageLayout
) -> tuple[Renaming | None, Renaming | None]:
    """Return the renaming to the names of a release, and the one back.

    Args:
        layout_in: returns a message's layout in that release; None if the release lacks it.
    """
    other = layout_in(release, layout.name, layout.version)
    if other is None:
        return None, None
    return renaming(layout.root, other.root), renaming(other.root, layout.root)


def _pairs(old: StructLayout, new: StructLayout) -> list[tuple[FieldLayout, FieldLayout]]:
    """Return the fields that have the same position, or the same tag, and the same encoding."""
    tagged = {each.tag: each for each in new.tagged}
    pairs = [*zip(old.fields, new.fields, strict=False)]
    pairs += [(each, tagged[each.tag]) for each in old.tagged if each.tag in tagged]
    return [(before, after) for before, after in pairs if _kind(before) == _kind(after)]


def _kind(each: FieldLayout) -> object:
    return each.is_array, each.scalar, each.struct is None


_AS_TEXT = frozenset({ScalarType.INT64, ScalarType.UINT32})


class NoJsonError(Exception):
    """A value cannot be written as JSON: a field holds an object of another type."""


class RecordTree(dict[str, Any]):
    """A record set as JSON, in the place of the bytes of a records field."""


def sparse_json(
    layout: MessageLayout,
    value: Mapping[str, Any],
    names: Renaming | None = None,
    *,
    whole: bool = False,
    omitted: str = "",
) -> str:
    """Return the JSON text of a value, with the keys in the value's own order.

    Args:
        names: the renaming to the testee's field names.
        whole: send fields that the value lacks, too, at their defaults; tagged fields never are.
        omitted: the path of a field that is not sent in any case.

    Raises:
        NoJsonError: the value cannot be written as JSON.
    """
    try:
        tree = _form(layout)(_completed(layout.root, value, "", omitted) if whole else value)
        tree = tree if names is None else names.apply(tree)
        return json.dumps(tree, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, AttributeError) as error:
        raise NoJsonError(str(error)) from error


def primitive_json(layout: MessageLayout, value: Mapping[str, Any]) -> str:
    """Return the JSON text of a primitive's value; of its default if there is no value.

    Raises:
        NoJsonError: the value cannot be written as JSON.
    """
    (field,) = layout.root.fields
    try:
        tree = _writer(field)(value.get(VALUE, field.default))
        return json.dumps(tree, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise NoJsonError(str(error)) from error


def _completed(layout: StructLayout, value: Any, prefix: str, omitted: str) -> Any:
    """Add every untagged field of the version, in the structs within the value, too.

    Args:
        prefix: the path of the struct, with the dot.
        omitted: the path of a field that is left out.
    """
    if not isinstance(value, Mapping):
        return value
    defaults = {
        field.name: _default(field)
        for field in layout.fields
        if field.name not in value and f"{prefix}{field.name}" != omitted
    }
    inner = {
        field.name: _completed_field(field, value[field.name], f"{prefix}{field.name}", omitted)
        for field in layout.all_fields
        if field.struct is not None and field.name in value
    }
    return {**value, **inner, **defaults}


def _completed_field(field: FieldLayout, value: Any, path: str, omitted: str) -> Any:
    assert field.struct is not None
    if field.is_array and isinstance(value, list | tuple):
        return [_completed(field.struct, each, f"{path}[].", omitted) for each in value]
    return _completed(field.struct, value, f"{path}.", omitted)


def _default(field: FieldLayout) -> Any:
    if not isinstance(field.default, Empty):
        return field.default
    return [] if field.is_array or field.struct is None else _completed(field.struct, {}, "", "")


@lru_cache(MAX_LAYOUTS)
def _form(layout: MessageLayout) -> "_StructForm":
    return _StructForm(layout.root)


class _StructForm:
    """The JSON of a struct's values; the layout is looked up once."""

    __slots__ = ("_writers",)

    def __init__(self, layout: StructLayout) -> None:
        fields: tuple[FieldLayout | AbsentField, ...] = (*layout.all_fields, *layout.absent)
        self._writers = {each.name: _writer(each) for each in fields}

    def __call__(self, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return _plain(value)
        tree: dict[str, Any] = {}
        for name, item in value.items():
            if name == TAGS:
                tree[TAGS] = {str(tag): data.hex() for tag, data in item.items()}
            else:
                tree[name] = self._writers.get(name, _plain)(item)
        return tree


def _writer(field: FieldLayout | AbsentField) -> Callable[[Any], Any]:
    """Return the function that makes JSON of a field's values."""
    form = _plain if field.struct is None else _StructForm(field.struct)
    if isinstance(field.type, ArrayType):
        return partial(_elements, _text if field.type.element in _AS_TEXT else form, form)
    return _text if field.type in _AS_TEXT else form


def _elements(element: Callable[[Any], Any], other: Callable[[Any], Any], value: Any) -> Any:
    return [element(each) for each in value] if isinstance(value, list | tuple) else other(value)


def _text(value: Any) -> Any:
    return str(value) if type(value) is int else _plain(value)


def _plain(value: Any) -> Any:
    """Convert a scalar by its Python type."""
    match value:
        case bool() | int() | str() | None:
            return value
        case float() if math.isfinite(value) and (value != 0 or math.copysign(1, value) > 0):
            return value
        case float():
            return "0x" + struct.pack(">d", value).hex()
        case bytes() | bytearray() | memoryview():
            return bytes(value).hex()
        case UUID():
            return str(value)
        case list():
            return [_plain(each) for each in value]
        case RecordTree():
            return value
        case _:
            raise NoJsonError(f"{type(value).__name__} has no JSON")
