"""A codec that hangs on one operator at one place: nothing else of the cell is hidden by that."""

import io

import pytest
from rich.console import Console

import small_bench
from careless_codecs import ThreeBugs
from wireproof.model import HANG, Phase, Verdict
from wireproof.report.terminal import TerminalReport
from wireproof.run import (
    CaseFailed,
    CellDone,
    CodecEnded,
    Engine,
    ExitCode,
    RunEvent,
    RunFinished,
    RunOptions,
)


def run(hang_s: float = 60.0) -> list[RunEvent]:
    options = RunOptions(phases=(Phase.MUTATIONS,), shrink_s=0, hang_s=hang_s)
    return list(Engine(small_bench.make(wrong=ThreeBugs), options).run([small_bench.cell("PingRequest", 1)]))


@pytest.fixture(scope="module")
def events() -> list[RunEvent]:
    """Those of a run with time enough."""
    return run()


def test_a_hang_hides_no_other_bug(events: list[RunEvent]) -> None:
    """A hang, an abort and a laxity in one cell: all three are found. What is skipped names the failure that
    was reported; nothing is left out for another reason."""
    done = [event for event in events if isinstance(event, CellDone)]
    ends = [event for event in events if isinstance(event, CodecEnded)]
    failed = {event.case_id for event in events if isinstance(event, CaseFailed)}
    for each in done:
        assert {Verdict.HANG, Verdict.CRASH, Verdict.LAXER} <= set(each.verdicts)
        assert each.skipped
        assert each.not_asked == 0
    assert {each.end.error for each in ends} == {HANG, "process"}
    assert {case for each in done for case in each.skipped} <= {each.case_id for each in ends}
    assert failed & {each.case_id for each in ends}
    (footer,) = (event for event in events if isinstance(event, RunFinished))
    assert footer.exit_code is ExitCode.DIVERGENCE
    assert footer.totals.ended[HANG] == sum(each.end.error == HANG for each in ends)
    assert sum(footer.totals.skipped.values()) == sum(sum(each.skipped.values()) for each in done)
    assert all(each.end.left_s > 0 for each in ends)


def test_a_hang_is_said_when_it_happens(events: list[RunEvent]) -> None:
    """Before its cell is done, with the case, what was done where, and the time that is left for others."""
    first = next(index for index, event in enumerate(events) if isinstance(event, CodecEnded))
    assert first < next(index for index, event in enumerate(events) if isinstance(event, CellDone))
    text = io.StringIO()
    report = TerminalReport(Console(file=text, width=400), live=True)
    for event in events:
        report(event)
    lines = text.getvalue().splitlines()
    said = [line for line in lines if line.startswith("hangs 1.0.0/PingRequest/")]
    assert len(said) == sum(isinstance(each, CodecEnded) and each.end.error == HANG for each in events)
    assert " s left for hangs in this worker" in said[0]
    assert any(line.startswith("Skipped: ") and "for the same cause as" in line for line in lines)


def test_time_that_is_spent_leaves_the_run_incomplete() -> None:
    """What is not asked for that is no proof: its cells are not whole."""
    events = run(hang_s=1.0)
    (footer,) = (event for event in events if isinstance(event, RunFinished))
    assert footer.totals.not_asked > 0
    assert footer.totals.cells_not_whole == 1
    assert footer.exit_code in (ExitCode.BELOW_FLOOR, ExitCode.NOTHING_RAN)
