"""The map of a run: each task of each message version has its state, and no other."""

from dataclasses import replace

import pytest

from tests.support.environments import small_environment
from tests.support.reports.planted_run import HEADER, events, summary_of
from wireproof.model.agreement import CodecTask
from wireproof.model.cell import Cell, Phase
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.run.core.cell_events import CellResult, LostCell
from wireproof.proof.run.core.run_events import AcceptedDeviation, RunEvent, RunHeader
from wireproof.verdict.report.html.state_map import MapState, run_maps, state_counts

CELL = small_environment.cell("PingResponse", 3)
DONE = CellResult(CELL, {Phase.ENUMERATED: 3, Phase.MUTATIONS: 4}, 9, 0, 0.1)
BOTH = tuple(CodecDirection)


def states(*found: RunEvent, cell: Cell = CELL) -> dict[str, MapState]:
    maps = run_maps(summary_of(*found))
    (row,) = [row for each in maps for row in each.rows if row.name == cell.message]
    return {part.name: part.state for part in row.cells[str(cell.version)].parts}


def all_of(state: MapState) -> dict[str, MapState]:
    return {str(task): state for task in CodecTask}


def test_a_planted_error_shows_where_it_is() -> None:
    """Null is written as empty in requests up to version 2; version 0 has no null and must refuse it."""
    found = events()
    for version in range(4):
        shown = states(*found, cell=small_environment.cell("PingRequest", version))
        wrong = version <= 2
        assert (shown[CodecTask.ENCODE] is MapState.FINDING) == wrong
        assert shown[CodecTask.MALFORMED] is MapState.PROVEN
    assert states(*found) == all_of(MapState.PROVEN)
    pong = Cell(small_environment.RELEASE, "clients", "PongRequest", 1)
    assert states(*found, cell=pong) == all_of(MapState.UNCLAIMED)


def test_the_counts_are_those_of_the_map() -> None:
    maps = run_maps(summary_of(*events()))
    counts = state_counts(maps)

    assert sum(counts.values()) == 3 * sum(len(row.cells) for each in maps for row in each.rows)
    assert counts[MapState.UNCLAIMED] == 2 * 3
    assert counts[MapState.FINDING] >= 2
    assert not counts[MapState.KNOWN]


@pytest.mark.parametrize(
    ("done", "expected"),
    [
        (DONE, {"encode": "proven", "decode": "proven", "malformed": "proven"}),
        (replace(DONE, cases={Phase.ENUMERATED: 3}), {"encode": "proven", "malformed": "not-asked"}),
        (replace(DONE, cases={Phase.MUTATIONS: 3}), {"encode": "not-asked", "malformed": "proven"}),
        (replace(DONE, not_asked=1), {"encode": "proven", "malformed": "not-asked"}),
        (replace(DONE, skipped={"x": 1}), {"encode": "proven", "malformed": "not-asked"}),
        (
            replace(DONE, claimed=(CodecDirection.DECODE,), exercised=(CodecDirection.DECODE,)),
            {"encode": "not-claimed", "decode": "proven", "malformed": "proven"},
        ),
        (
            replace(DONE, claimed=BOTH, exercised=(CodecDirection.ENCODE,)),
            {"encode": "proven", "decode": "not-asked", "malformed": "not-asked"},
        ),
        (replace(DONE, known={"e": 2}), {"encode": "known", "decode": "proven", "malformed": "proven"}),
        (replace(DONE, known={"other": 2}), {"encode": "known", "decode": "known", "malformed": "proven"}),
    ],
)  # fmt: skip
def test_a_cell_without_a_failure(done: CellResult, expected: dict[str, str]) -> None:
    """An entry without terms, as in files of older runs, counts for both directions."""
    header: RunHeader = replace(
        HEADER, terms={"e": AcceptedDeviation("bytes", "2026-01-02", "2026-03-04", "x")}, unclaimed={}
    )
    shown = states(header, done)
    assert {name: shown[name] for name in expected} == expected


def test_a_cell_without_its_end_was_not_asked() -> None:
    assert states(HEADER, LostCell(CELL, "the process died")) == all_of(MapState.UNASKED)
