"""A map of states: rows of cells, each cell with the state of each of its parts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wireproof.model.agreement import CodecTask
from wireproof.model.cell import Cell, Phase
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.checks.check_table import tasks_of
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.verdict.report.run_summary import RunSummary


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
    """A map with a title, and nouns for the rows and columns in the corner of its table."""

    title: str
    rows_are: str
    columns_are: str
    columns: tuple[str, ...]
    rows: tuple[MapRow, ...]


_VALUES: Final = frozenset(Phase) - {Phase.SHAPE, Phase.MUTATIONS}
_DIRECTIONS: Final = {
    CodecTask.ENCODE: CodecDirection.ENCODE,
    CodecTask.DECODE: CodecDirection.DECODE,
    CodecTask.MALFORMED: CodecDirection.DECODE,
}
"""The direction that a codec must claim to have the task."""


def run_maps(summary: RunSummary) -> list[StateMap]:
    """Return a map for each release and module of a run."""
    cells: dict[tuple[str, str], dict[str, dict[int, MapCell]]] = {}
    for cell, parts in _all_parts(summary):
        rows = cells.setdefault((cell.release, cell.module), {})
        name = f"{cell.message} {cell.version}"
        place = f"message={cell.message}&version={cell.version}"
        rows.setdefault(cell.message, {})[cell.version] = MapCell(name, str(cell.version), parts, place)
    return [_map(release, module, rows) for (release, module), rows in sorted(cells.items())]


def state_counts(maps: list[StateMap]) -> dict[MapState, int]:
    """Return how many tasks of cells are in each state, over all maps."""
    counts = dict.fromkeys(MapState, 0)
    for each in maps:
        for row in each.rows:
            for cell in row.cells.values():
                for part in cell.parts:
                    counts[part.state] += 1
    return counts


def _map(release: str, module: str, rows: Mapping[str, Mapping[int, MapCell]]) -> StateMap:
    columns = sorted({version for cells in rows.values() for version in cells})
    made = (
        MapRow(message, {str(version): cell for version, cell in cells.items()}, f"message={message}")
        for message, cells in sorted(rows.items())
    )
    return StateMap(f"Kafka {release}, {module}", "message", "version", tuple(map(str, columns)), tuple(made))


def _all_parts(summary: RunSummary) -> Iterator[tuple[Cell, tuple[MapPart, ...]]]:
    for cell in summary.all_cells:
        yield cell, _parts(summary, cell)
    if summary.started is not None:
        unclaimed = tuple(MapPart(task, MapState.UNCLAIMED) for task in CodecTask)
        for place, versions in summary.started.unclaimed.items():
            release, module, message = place.split("/", 2)
            for version in versions:
                yield Cell(release, module, message, version), unclaimed


def _parts(summary: RunSummary, cell: Cell) -> tuple[MapPart, ...]:
    done = summary.cells.get(cell)
    failed = _failed(summary, cell, done)
    known = frozenset() if done is None else _known(summary, done)
    return tuple(MapPart(task, _state(task, done, failed, known)) for task in CodecTask)


def _failed(summary: RunSummary, cell: Cell, done: CellResult | None) -> frozenset[CodecTask]:
    """Return the tasks with a failure; for an unfinished cell, with a failure that was reported."""
    if done is not None:
        places = [(cause.check, cause.field) for cause in done.causes]
    else:
        found = summary.of_cell.get(cell, ())
        places = [(str(each.divergence.check), each.divergence.path) for each in found]
    return frozenset(task for check, path in places for task in tasks_of(check, path))


def _known(summary: RunSummary, done: CellResult) -> frozenset[CodecTask]:
    """Return the tasks with a known deviation. An entry without terms counts for both directions."""
    terms = {} if summary.started is None else summary.started.terms
    checks = (terms[entry].check if entry in terms else "" for entry in done.known)
    return frozenset(task for check in checks for task in tasks_of(check))


def _state(
    task: CodecTask, done: CellResult | None, failed: frozenset[CodecTask], known: frozenset[CodecTask]
) -> MapState:
    if task in failed:
        return MapState.FINDING
    if done is None:
        return MapState.UNASKED
    direction = _DIRECTIONS[task]
    if done.claimed and direction not in done.claimed:
        return MapState.UNCLAIMED
    if not _asked(task, done) or (done.claimed and direction not in done.exercised):
        return MapState.UNASKED
    if task in known:
        return MapState.KNOWN
    # Questions that were left out are mostly about malformed bytes, after which a codec hangs or ends.
    left_out = done.not_asked or done.skipped
    return MapState.UNASKED if left_out and task is CodecTask.MALFORMED else MapState.PROVEN


def _asked(task: CodecTask, done: CellResult) -> bool:
    tried = {phase for phase, cases in done.cases.items() if cases}
    return Phase.MUTATIONS in tried if task is CodecTask.MALFORMED else bool(tried & _VALUES)
