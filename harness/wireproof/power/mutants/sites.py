"""The sites of mutations in a layout, its structs and fields, and functions that change the layout there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from kafkawire.schema import FieldLayout, MessageLayout, ScalarType, StructLayout
from wireproof.model import Cell

__all__ = ["Site", "find_field", "find_struct", "scalar_of", "sites", "with_struct"]


@dataclass(frozen=True, slots=True)
class Site:
    """One place in one cell.

    Attributes:
        path: of the field, or of the struct: ``topics[].index``, ``topics[]``, ``""`` for the message.
        struct: the struct meant, or the one that holds the field.
        struct_path: of that struct.
        field: None where the struct itself is meant.
    """

    cell: Cell
    layout: MessageLayout
    path: str
    struct: StructLayout
    struct_path: str
    field: FieldLayout | None = None

    def __str__(self) -> str:
        return f"{self.cell.id} {self.path}".rstrip()


def sites(cell: Cell, layout: MessageLayout) -> Iterator[Site]:
    """Every struct, the message first, each followed by its fields."""
    yield from _descend(cell, layout, layout.root, "")


def _descend(cell: Cell, layout: MessageLayout, struct: StructLayout, path: str) -> Iterator[Site]:
    yield Site(cell, layout, path, struct, path)
    for field in struct.all_fields:
        inside = _inside(path, field.name)
        yield Site(cell, layout, inside, struct, path, field)
        if field.struct is not None:
            yield from _descend(cell, layout, field.struct, f"{inside}[]" if field.is_array else inside)


def _inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def find_field(layout: MessageLayout, path: str) -> FieldLayout:
    """The field at a path.

    Raises:
        KeyError: there is none.
    """
    found = next((field for known, _, field in layout.walk() if known == path), None)
    if found is None:
        raise KeyError(path)
    return found


def find_struct(layout: MessageLayout, path: str) -> StructLayout:
    """The struct at a path.

    Raises:
        KeyError: there is none.
    """
    if not path:
        return layout.root
    struct = find_field(layout, path.removesuffix("[]")).struct
    if struct is None:
        raise KeyError(path)
    return struct


def with_struct(
    layout: MessageLayout, path: str, change: Callable[[StructLayout], StructLayout]
) -> MessageLayout:
    """The layout with the struct at the path changed."""
    steps = [step.removesuffix("[]") for step in path.split(".")] if path else []
    return replace(layout, root=_changed(layout.root, steps, change))


def _changed(
    struct: StructLayout, steps: list[str], change: Callable[[StructLayout], StructLayout]
) -> StructLayout:
    if not steps:
        return change(struct)

    def inner(field: FieldLayout) -> FieldLayout:
        if field.name != steps[0] or field.struct is None:
            return field
        return replace(field, struct=_changed(field.struct, steps[1:], change))

    return replace(struct, fields=tuple(map(inner, struct.fields)), tagged=tuple(map(inner, struct.tagged)))


def scalar_of(site: Site) -> ScalarType | None:
    """The type of a field that is a single scalar; None for arrays, structs, and sites without a field."""
    field = site.field
    return field.type if field is not None and isinstance(field.type, ScalarType) else None
