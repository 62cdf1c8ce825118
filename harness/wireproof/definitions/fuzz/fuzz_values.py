"""The values of a drawn schema: whole instances, which a smaller schema has too, then some of its fields."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

from kafkawire.schema.layout import MessageLayout
from wireproof.proof.strategies import bulk_block
from wireproof.proof.strategies.cases.scenarios import field_cases, whole_cases
from wireproof.proof.strategies.layout_source import LayoutSource
from wireproof.proof.strategies.values.struct_locations import struct_locations

__all__ = ["MOST_VALUES", "FuzzValues"]

_SEEDED: Final = 8
_BOUNDARY: Final = 16
"""Boundary values of single fields, spread over all fields of the version."""
_WHOLE: Final = 8
_GOLDEN: Final = 0.6180339887
MOST_VALUES: Final = _WHOLE + _BOUNDARY + _SEEDED


class FuzzValues(LayoutSource):
    """A source whose bulk phase has few values that are chosen well.

    The seeded instances of a layout depend on its name, so a smaller schema has others and may lose a
    disagreement. The fullest instance has every field off its default in every schema.
    """

    def bulk(self, layout: MessageLayout, first: int, count: int, *, seed: int) -> Iterator[dict[str, Any]]:
        """The values of a layout from number `first` on, at most `count` of `MOST_VALUES`."""
        whole = sorted(whole_cases(layout), key=lambda each: each[0] != "fullest-known")  # it says most
        values = [value for _, value in whole]
        values += bulk_block(layout, seed, 0)[1 : _SEEDED + 1]  # the first is the empty one
        values += _boundary_values(layout)
        return islice(values, first, first + count)


def _boundary_values(layout: MessageLayout) -> list[dict[str, Any]]:
    places = [
        (place, field.name, value)
        for place in struct_locations(layout)
        for field in place.struct.all_fields
        for _, value in field_cases(field)
    ]
    chosen: Iterable[int] = range(len(places))
    if len(places) > _BOUNDARY:  # an even step would hit the same case of each field
        chosen = dict.fromkeys(int(number * _GOLDEN % 1 * len(places)) for number in range(_BOUNDARY))
    return [place.instance({name: value}) for place, name, value in map(places.__getitem__, chosen)]
