"""The parts of every coverage model: points, and classifiers for them.

A class of values is a *point*: the path of a field and a name. Points are bits: what was met is an integer.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from wireproof.model.coverage.reasons import Reason
from wireproof.model.coverage.value_nodes import ALL

REFUSED: Final = "refused"
"""The names of classes of values that codecs refuse begin with it."""


@dataclass(frozen=True, slots=True)
class Point:
    """A class of values of one field."""

    path: str
    name: str

    def __str__(self) -> str:
        return f"{self.path}/{self.name}"


class CoverageModel(ABC):
    """The classes of one cell.

    Attributes:
        points: every class; the bit of each is its place.
        unreachable: the points that no value can meet, by bit, with the reason for it.
        reachable, doubtful: the bits of all others, and of these.
        absent: the bits of fields that the version lacks, reachable or not.
        readable: the bits that a value off the wire can meet: it has no field that the version lacks, and is
            none that codecs refuse.
    """

    def __init__(self, points: Sequence[Point], unreachable: Mapping[int, Reason], absent: int = 0) -> None:
        self.points: Final = tuple(points)
        self.unreachable: Final = unreachable
        self.absent: Final = absent
        self.doubtful: Final = sum(1 << bit for bit in unreachable)
        self.reachable: Final = (1 << len(self.points)) - 1 & ~self.doubtful
        refused = sum(1 << bit for bit, each in enumerate(self.points) if each.name.startswith(REFUSED))
        self.readable: Final = self.reachable & ~absent & ~refused

    @abstractmethod
    def look(self, value: Mapping[str, Any], wanted: int = ALL, size_bytes: int | None = None) -> int:
        """The bits that a value meets, as far as they are wanted; others may be among them.

        Args:
            size_bytes: what the value takes on the wire, of one that was read there; else it is worked out.
        """

    @abstractmethod
    def look_refused(self, path: str, value: Mapping[str, Any]) -> int:
        """The bits of what is wrong with a value at one path."""

    @abstractmethod
    def disproof(self, bit: int) -> str:
        """The objection to the reason for an unreachable point; empty where the reason holds."""

    def names(self, bits: int) -> tuple[str, ...]:
        """``PATH/CLASS`` of each of the points, in the order of the layout."""
        return tuple(str(point) for bit, point in enumerate(self.points) if bits >> bit & 1)


class _NoClasses(CoverageModel):
    """The model of a cell of which nothing is counted."""

    def look(self, value: Mapping[str, Any], wanted: int = ALL, size_bytes: int | None = None) -> int:
        return 0

    def look_refused(self, path: str, value: Mapping[str, Any]) -> int:
        return 0

    def disproof(self, bit: int) -> str:
        raise IndexError("the model has no points")


NO_CLASSES: Final = _NoClasses((), {})
