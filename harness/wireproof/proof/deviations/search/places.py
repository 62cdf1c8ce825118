"""The place of a deviation: its trigger with the type of the field; deviations of one place, or of none."""

from dataclasses import replace
from typing import NamedTuple

from wireproof.model import CodecDirection
from wireproof.proof.deviations.deviation import Deviation

__all__ = ["Place", "both_ways", "without_place"]


class Place(NamedTuple):
    """A trigger, and the type of the field that met it; empty where it has none."""

    direction: CodecDirection
    trigger: str
    kind: str

    @property
    def types(self) -> frozenset[str]:
        return frozenset({self.kind} - {""})


def both_ways(
    trigger: str, action: str, types: frozenset[str] = frozenset(), fields: frozenset[str] = frozenset()
) -> tuple[Deviation, ...]:
    """Return the deviation of a codec that is wrong in the same way in both directions."""
    return tuple(Deviation(each, trigger, action, types=types, fields=fields) for each in CodecDirection)


def without_place(deviation: Deviation) -> Deviation:
    """Return the deviation of any type and field."""
    return replace(deviation, types=frozenset(), fields=frozenset())
