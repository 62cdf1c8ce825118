"""The map of a run: messages by versions, with the state of each task of the codec."""

from collections.abc import Iterator, Mapping
from typing import Final

from wireproof.model import Cell, CodecDirection, CodecTask, Phase
from wireproof.proof.checks import tasks_of
from wireproof.proof.run import CellResult
from wireproof.verdict.report.html.state_map import MapCell, MapPart, MapRow, MapState, StateMap
from wireproof.verdict.report.run_summary import RunSummary

__all__ = ["run_maps", "state_counts"]

_VALUES: Final = frozenset(Phase) - {Phase.SHAPE, Phase.MUTATIONS}
_DIRECTIONS: Final = {
    CodecTask.ENCODE: CodecDirection.ENCODE,
    CodecTask.DECODE: CodecDirection.DECODE,
    CodecTask.MALFORMED: CodecDirection.DECODE,
}
"""The direction that a codec has to claim so that it has the task."""


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
    """Return the tasks with a failure; a cell without its end has those that were reported."""
    if done is not None:
        places = [(cause.check, cause.field) for cause in done.causes]
    else:
        found = summary.of_cell.get(cell, ())
        places = [(str(each.divergence.check), each.divergence.path) for each in found]
    return frozenset(task for check, path in places for task in tasks_of(check, path))


def _known(summary: RunSummary, done: CellResult) -> frozenset[CodecTask]:
    """Return the tasks with a known deviation. Without terms it counts for both directions."""
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
