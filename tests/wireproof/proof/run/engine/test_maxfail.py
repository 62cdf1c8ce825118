"""A run that stops after a number of findings, and one that begins with certain cells."""

import pytest

from tests.support.environments import small_environment
from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import Phase
from wireproof.proof.run.core.cell_events import CellResult, FailedCase
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import RunEvent, RunFooter
from wireproof.proof.run.engine.engine import Engine

CELLS = [small_environment.cell("PingRequest", version) for version in range(4)]
OPTIONS = RunOptions(phases=(Phase.ENUMERATED, Phase.FRAME), shrink_s=0)


def run(
    most: int | None, wrong: type | None = small_environment.NullAsEmpty
) -> tuple[Engine, list[RunEvent]]:
    engine = Engine(small_environment.make(wrong=wrong), OPTIONS, most_findings=most)
    return engine, list(engine.run(CELLS))


@pytest.mark.parametrize("most", [1, 2])
def test_a_run_stops_after_so_many_findings(most: int):
    """Its exit code is that of a divergence; its totals count the failures of the cell under way."""
    engine, events = run(most)
    footer = events[-1]

    assert engine.enough
    assert isinstance(footer, RunFooter)
    assert footer.exit_code is ExitCode.DIVERGENCE
    assert footer.totals.cells_done < len(CELLS)
    assert footer.totals.failed_cases >= sum(isinstance(event, FailedCase) for event in events) >= most


def test_a_right_codec_is_judged_to_the_end():
    """The limit changes nothing for it, nor does a limit that is never reached."""
    for wrong, most in ((None, 1), (small_environment.NullAsEmpty, 10_000)):
        engine, events = run(most, wrong)
        footer = events[-1]
        assert not engine.enough
        assert isinstance(footer, RunFooter)
        assert footer.totals.cells_done == len(CELLS)
        assert footer.exit_code is (ExitCode.PROVEN if wrong is None else ExitCode.DIVERGENCE)


@pytest.mark.parametrize("version", [0, 3])
def test_the_cells_that_failed_last_come_first(version: int):
    """Before all others, wherever they are in the list."""
    first = small_environment.cell("PingRequest", version)
    engine = Engine(small_environment.make(), OPTIONS, first=frozenset({first}))
    judged = [event.cell for event in engine.run(CELLS) if isinstance(event, CellResult)]
    assert judged == [first, *(cell for cell in CELLS if cell != first)]
