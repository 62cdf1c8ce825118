"""Runs of one codec, one after the other: each is compared with the newest result of each cell."""

from collections.abc import Iterable
from dataclasses import replace

from tests.support.reports.sample_events import CAUSE, CELL, DONE, FAILED, FINISHED, STARTED
from wireproof.model.agreement import ObservedCause
from wireproof.model.cell import Phase
from wireproof.proof.deviations.search.cell_diagnosis import CellDiagnosis
from wireproof.proof.run.core.cell_events import CellResult, LostCell
from wireproof.proof.run.core.run_events import RunEvent
from wireproof.verdict.report.comparison.run_difference import RunHistory, change_lines
from wireproof.verdict.report.run_summary import RunSummary

OTHER = replace(CELL, version=13)
NAME = ObservedCause(Phase.ENUMERATED, "bytes", "codec", "name", "string", "differs", 3, FAILED.case_id, "no")
COUNT = replace(NAME, field="count", summary="other number")


def run(*events: RunEvent) -> RunSummary:
    summary = RunSummary()
    for event in (STARTED, *events, FINISHED):
        summary(event)
    return summary


def result(*causes: ObservedCause, other: bool = False) -> CellResult:
    cell = OTHER if other else CELL
    return replace(DONE, cell=cell, causes=causes, failed_cases=sum(each.cases for each in causes))


def lines(history: RunHistory, summary: RunSummary) -> list[str]:
    difference = history.add(summary)
    assert difference is not None
    return list(change_lines(difference))


def test_the_first_run_has_nothing_before_it():
    """Each later one is compared with the one before."""
    history = RunHistory()
    assert history.add(run(result(NAME))) is None

    (numbers, new) = lines(history, run(result(NAME, COUNT)))
    assert numbers == "since the last round: 1 new finding, 0 gone, 1 unchanged"
    assert new == "  new   FetchRequest version 12: [bytes] count: other number"
    (numbers, gone) = lines(history, run(result(COUNT)))
    assert numbers == "since the last round: 0 new findings, 1 gone, 1 unchanged"
    assert gone.startswith("  gone  FetchRequest version 12: [bytes] name:")


def test_a_run_of_few_cells_leaves_the_others():
    """The next run of all cells finds nothing new in them."""
    history = RunHistory()
    history.add(run(result(NAME), result(COUNT, other=True)))
    assert lines(history, run(result())) == [
        "since the last round: 0 new findings, 1 gone, 0 unchanged, 1 not judged in this round",
        "  gone  FetchRequest version 12: [bytes] name: no",
    ]
    assert lines(history, run(result(), result(COUNT, other=True))) == [
        "since the last round: 0 new findings, 0 gone, 1 unchanged"
    ]


def test_a_cell_that_is_lost_keeps_its_causes():
    """A run without a verdict on it proves no repair: when they show again, they are not new."""
    history = RunHistory()
    history.add(run(result(NAME)))
    history.add(run(LostCell(CELL, "died")))
    assert lines(history, run(result(NAME)))[0] == "since the last round: 0 new findings, 0 gone, 1 unchanged"


def test_a_cause_that_is_gone_is_counted():
    """Cells that a round left out keep theirs."""
    history = RunHistory()
    here, there = (
        replace(result(NAME, other=other), diagnosis=CellDiagnosis((replace(CAUSE, deviation=found),), 3))
        for other, found in ((False, CAUSE.deviation), (True, replace(CAUSE.deviation, action="null")))
    )
    history.add(run(here, there))

    assert "  causes: 1 gone, none new" in lines(history, run(result()))
    assert "  causes: 1 gone, none new" in lines(history, run(result(other=True)))


def test_a_list_of_causes_is_short():
    """Five of them, and the number of the others."""
    history = RunHistory()
    history.add(run(result()))
    causes: Iterable[ObservedCause] = (replace(NAME, field=f"field{number}") for number in range(8))
    found = lines(history, run(result(*causes)))
    assert len(found) == 7
    assert found[-1] == "  new   and 3 more"
