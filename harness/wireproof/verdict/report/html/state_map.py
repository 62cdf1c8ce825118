"""A map of states: rows of cells, each cell with the state of each of its parts."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ["LEGEND", "MapCell", "MapPart", "MapRow", "MapState", "StateMap"]


class MapState(StrEnum):
    """The state of one part of a cell, such as one direction of a message version."""

    FINDING = "finding"
    KNOWN = "known"
    UNASKED = "not-asked"
    PROVEN = "proven"
    UNCLAIMED = "not-claimed"

    @property
    def words(self) -> str:
        """The words of the legend."""
        return LEGEND[self][1]

    @property
    def sign(self) -> str:
        """One character: readers who see no colours need it."""
        return LEGEND[self][0]


LEGEND: Final = {
    MapState.FINDING: ("✗", "finding"),
    MapState.KNOWN: ("~", "known deviation"),
    MapState.UNASKED: ("?", "not asked"),
    MapState.PROVEN: ("✓", "proven"),
    MapState.UNCLAIMED: ("·", "not claimed"),
}
"""The sign and the words of each state, the one that needs most attention first."""


@dataclass(frozen=True, slots=True)
class MapPart:
    """A part of a cell: ``encode``, and its state."""

    name: str
    state: MapState


@dataclass(frozen=True, slots=True)
class MapCell:
    """A cell of a map.

    Attributes:
        name: in full, for the tooltip and screen readers.
        column: the name of its column.
        filter: the parameters of the filter that its link sets, such as ``message=FetchRequest``.
    """

    name: str
    column: str
    parts: tuple[MapPart, ...]
    filter: str

    @property
    def words(self) -> str:
        """``FetchRequest 12: encode proven, decode finding``."""
        states = ", ".join(f"{part.name} {part.state.words}" for part in self.parts)
        return f"{self.name}: {states}"


@dataclass(frozen=True, slots=True)
class MapRow:
    """A row: its cells by column."""

    name: str
    cells: dict[str, MapCell]
    filter: str

    @property
    def states(self) -> str:
        """The states of all cells, each once, separated by spaces."""
        found = {part.state for cell in self.cells.values() for part in cell.parts}
        return " ".join(state for state in MapState if state in found)


@dataclass(frozen=True, slots=True)
class StateMap:
    """A map with a title.

    Attributes:
        rows_are, columns_are: nouns for the corner of the table.
    """

    title: str
    rows_are: str
    columns_are: str
    columns: tuple[str, ...]
    rows: tuple[MapRow, ...]
