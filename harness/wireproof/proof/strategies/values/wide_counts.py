"""More elements than 16 bits count, in one cheap array of each kind: all arrays would take minutes."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from kafkawire.schema.layout import FieldLayout, MessageLayout
from kafkawire.schema.model import ScalarType
from wireproof.proof.strategies.values.boundary_values import Named
from wireproof.proof.strategies.values.sized_values import small_element
from wireproof.proof.strategies.values.struct_locations import struct_locations

__all__ = ["WIDE_COUNTS", "wide_count_cases"]

WIDE_COUNTS: Final = (2**16, 2**17 - 1)
"""The first number that 16 bits count as 0, and the last one that 17 bits hold."""

_ARRAYS: Final[Mapping[str, tuple[str, tuple[int, ...]]]] = {
    "ElectLeadersRequest": ("topicPartitions[].partitions", WIDE_COUNTS),
    "DescribeGroupsRequest": ("groups", WIDE_COUNTS[:1]),
    "OffsetDeleteRequest": ("topics[].partitions", WIDE_COUNTS[:1]),
}
"""By message: an array of numbers, of texts and of structs, and how many elements it gets."""


def wide_count_cases(layout: MessageLayout) -> Iterator[Named]:
    """Yield messages with this many different elements in one array; none for most layouts."""
    path, counts = _ARRAYS.get(layout.name, ("", ()))
    for place in struct_locations(layout):
        for field in place.struct.all_fields:
            make = _element(field) if place.inside(field.name) == path else None
            if make is not None:
                for count in counts:
                    yield f"elements-{count}", place.instance({field.name: [*map(make, range(count))]})


def _element(field: FieldLayout) -> Callable[[int], Any] | None:
    """Return the maker of short elements; None if the field of this name has none, as in a fork."""
    if field.is_array and field.scalar is ScalarType.STRING:
        return "{:x}".format
    return small_element(field)
