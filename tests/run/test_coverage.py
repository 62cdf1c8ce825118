"""The classes of values that the cases of a run cover."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.support.environments import small_environment
from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import Cell, Phase
from wireproof.model.coverage.cell_coverage import CellCoverage
from wireproof.proof.run.core.cell_events import CellResult, LostCell
from wireproof.proof.run.core.environment import all_cells
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import RunFooter
from wireproof.proof.run.engine.engine import Engine

OPTIONS = RunOptions(phases=small_environment.PHASES, examples=20, shrink_s=0.5)
NAMED = (Phase.ENUMERATED, Phase.FRAME, Phase.EVOLUTION)
CELLS = list(all_cells(small_environment.schemas()))


def run(
    options: RunOptions = OPTIONS, cells: Sequence[Cell] = CELLS, **traits: Any
) -> tuple[dict[str, CellCoverage], RunFooter]:
    """Return the coverage of each cell, and the footer. Every cell has its coverage."""
    met, footer = met_of_any(options, cells, **traits)
    return {cell: each for cell, each in met.items() if each is not None}, footer


def met_of_any(
    options: RunOptions = OPTIONS, cells: Sequence[Cell] = CELLS, **traits: Any
) -> tuple[dict[str, CellCoverage | None], RunFooter]:
    """The coverage of each cell, None for a cell that counts no class; and the footer."""
    start = Engine if "deadly" in traits else small_environment.engine
    events = list(start(small_environment.make(**traits), options).run(cells))
    (footer,) = (event for event in events if isinstance(event, RunFooter))
    done = {event.cell.id: event.coverage for event in events if isinstance(event, CellResult)}
    assert len(done) + sum(isinstance(event, LostCell) for event in events) == len(cells)
    return done, footer


def test_the_default_plan_covers_every_reachable_class():
    """This holds for each cell and for the sum; unreachable classes are counted separately."""
    done, footer = run()
    assert footer.exit_code is ExitCode.PROVEN
    assert all(each.covered == each.reachable and not each.missing for each in done.values())
    totals = footer.totals
    assert totals.classes_met == totals.classes_reachable == sum(each.reachable for each in done.values())
    assert totals.classes_unreachable == sum(each.unreachable for each in done.values()) > 0
    assert totals.cells_below_floor == 0


@pytest.mark.parametrize(
    ("robbed", "name", "cells"),
    [
        ("name/length-16383", "name/length-16383", ["PingRequest/0", "PingRequest/1"]),
        ("hops/count-127", "hops/count-127", ["PingRequest/1", "PingRequest/2", "PingRequest/3"]),
        # The fullest instance has it too: a class that two cases cover survives the loss of one.
        ("count/off-default", "count/off-default", []),
    ],
)
def test_a_missing_scenario_leaves_a_class_uncovered(robbed, name, cells):
    """The run ends with 7, and names cell, field and class."""
    done, footer = run(RunOptions(phases=NAMED), robbed=robbed)
    below = {cell for cell, each in done.items() if each.below_floor}
    for cell in cells:
        assert name in done[f"1.0.0/{cell}"].missing
        assert f"1.0.0/{cell}" in below
    assert footer.totals.cells_below_floor == len(below)
    assert footer.exit_code is (ExitCode.BELOW_FLOOR if cells else ExitCode.PROVEN)


def test_random_instances_count_too():
    """A class is covered by any proven value, with or without a name."""
    robbed, name, cell = "name/length-126", "name/length-126", "1.0.0/PingRequest/0"
    named, _ = run(RunOptions(phases=NAMED), robbed=robbed)
    both, footer = run(RunOptions(phases=small_environment.PHASES, examples=200), robbed=robbed)
    assert named[cell].missing == (name,)
    assert both[cell].missing == ()
    assert footer.exit_code is ExitCode.PROVEN


@pytest.mark.parametrize("phase", [Phase.ORACLE, Phase.RANDOM, Phase.FRAME, Phase.EVOLUTION])
def test_a_single_phase_reports_its_coverage_without_a_requirement(phase):
    """Without the named cases the classes are counted, but none is required."""
    done, footer = run(RunOptions(phases=(phase,), examples=10))
    counted = list(done.values())
    assert counted
    assert 0 < sum(each.covered for each in counted) < sum(each.reachable for each in counted)
    assert footer.totals.cells_below_floor == 0
    assert footer.exit_code is ExitCode.PROVEN


def test_the_named_cases_must_cover_their_own_classes():
    """The enumerated phase alone covers all classes of the cell's own fields. Headers and fields of other
    versions, which it does not try, are not counted."""
    alone, footer = run(RunOptions(phases=(Phase.ENUMERATED,)))
    whole, _ = run(RunOptions(phases=NAMED))
    assert all(each.covered == each.reachable for each in alone.values())
    assert footer.exit_code is ExitCode.PROVEN
    assert alone["1.0.0/PingRequest/0"].reachable < whole["1.0.0/PingRequest/0"].reachable


def test_wrong_bytes_are_of_no_class():
    """A run of mutations says nothing of coverage."""
    done, footer = met_of_any(RunOptions(phases=(Phase.MUTATIONS,)))
    assert set(done.values()) == {None}
    assert footer.totals.classes_reachable == 0


def test_a_failed_case_covers_no_class():
    """A case that diverges covers nothing; the failure decides the exit code instead of the uncovered
    class."""
    done, footer = run(wrong=small_environment.NullAsEmpty)
    assert footer.exit_code is ExitCode.DIVERGENCE
    assert "name/null" in done["1.0.0/PingRequest/1"].missing
    assert not done["1.0.0/PingRequest/1"].below_floor


def test_a_case_that_kills_its_process_leaves_its_class_uncovered():
    """The classes of the lost case are missing, and coverage is not required where cases are left out."""
    cells = [small_environment.cell("PingRequest", 0), small_environment.cell("PingResponse", 0)]
    done, footer = run(RunOptions(phases=(Phase.ENUMERATED,)), cells, deadly=bytes.fromhex("7fffffff"))
    assert footer.exit_code is ExitCode.BROKEN
    assert "count/max" in done["1.0.0/PingRequest/0"].missing
    assert not any(each.below_floor for each in done.values())
