"""The first collection of each kind and element type of a layout, with any number of elements."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from kafkawire.schema.layout import FieldLayout, MessageLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS, StructValue
from wireproof.model.case_source import CollectionKind, ElementCollection
from wireproof.proof.strategies.values.sized_values import small_element
from wireproof.proof.strategies.values.whole_instances import (
    StructLocation,
    free_tag,
    required,
    struct_locations,
)

_MOST: Final = 1 << 13
_MOST_CHARACTERS: Final = 32767
_TEXT_TIMES: Final = 20
"""Short texts are repeated so often: a codec that copies the rest for each element has much to copy."""
_BLOCK: Final = bytes(range(64))
_DISTINCT: Final = 300
"""Elements that are compared by their keys: those of 8 bits repeat after 256."""


def collections_of(layout: MessageLayout) -> Iterator[ElementCollection]:
    """The first collection of each kind and element type, in the order of the fields."""
    seen = set()
    for found in _every(layout):
        if (found.kind, found.element) not in seen:
            seen.add((found.kind, found.element))
            yield found


def _every(layout: MessageLayout) -> Iterator[ElementCollection]:
    for place in struct_locations(layout):
        for field in place.struct.all_fields:
            found = _of_array(place, field) if field.is_array else _of_bytes(place, field)
            if found is not None:
                yield found
    if layout.flexible:
        yield _of_tags(layout)


def _of_array(place: StructLocation, field: FieldLayout) -> ElementCollection | None:
    element = small_element(field)
    if element is None or not _distinct(field, element):
        return None
    structs = field.struct is not None
    kind = CollectionKind.STRUCTS if structs else CollectionKind.SCALARS
    return ElementCollection(
        place.inside(field.name),
        kind,
        str(kind if structs else field.scalar),
        lambda count: place.instance({field.name: [_wide(element(number)) for number in range(count)]}),
        _MOST,
    )


def _wide(element: Any) -> Any:
    """The element with longer texts."""
    match element:
        case str():
            return element * _TEXT_TIMES
        case dict():
            return {name: _wide(item) if isinstance(item, str) else item for name, item in element.items()}
        case _:
            return element


def _distinct(field: FieldLayout, element: Callable[[int], Any]) -> bool:
    """Return True if all keys differ: Kafka's own collections look through equal keys."""
    keys = [each.name for each in field.struct.all_fields if each.map_key] if field.struct else []
    if not keys:
        return True
    found = {tuple(str(element(number).get(key)) for key in keys) for number in range(_DISTINCT)}
    return len(found) == _DISTINCT


def _of_bytes(place: StructLocation, field: FieldLayout) -> ElementCollection | None:
    path, scalar = place.inside(field.name), field.scalar
    if scalar is ScalarType.STRING:
        return ElementCollection(
            path,
            CollectionKind.TEXT,
            str(scalar),
            lambda count: place.instance({field.name: "a" * count}),
            _MOST_CHARACTERS,
        )
    if scalar is ScalarType.BYTES:
        return ElementCollection(
            path,
            CollectionKind.DATA,
            str(scalar),
            lambda count: place.instance({field.name: _BLOCK * count}),
            _MOST,
        )
    return None


def _of_tags(layout: MessageLayout) -> ElementCollection:
    first = free_tag(layout.root)

    def make(count: int) -> StructValue:
        tags = {tag: tag.to_bytes(4) for tag in range(first, first + count)}
        return {**required(layout.root), TAGS: tags}

    return ElementCollection(TAGS, CollectionKind.TAGS, "", make, _MOST)
