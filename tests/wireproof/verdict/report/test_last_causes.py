"""The record of the causes of the last run: an event file that `wireproof run --cause` reads."""

from dataclasses import replace
from pathlib import Path

from tests.support.reports.sample_events import CAUSE, CELL, DIAGNOSIS, DONE, FINISHED, STARTED
from wireproof.base.exit_codes import ExitCode
from wireproof.proof.run.core.run_events import RunEvent
from wireproof.verdict.report.causes import Causes
from wireproof.verdict.report.events.event_reader import read_event_file
from wireproof.verdict.report.lines.cause_outcome import CauseOutcome, CauseRecord

SHOWS = replace(DONE, diagnosis=DIAGNOSIS, failed_cases=3)


def record(path: Path, *events: RunEvent) -> bool:
    listener = CauseRecord(path)
    for event in events:
        listener(event)
    return path.is_file()


def test_the_record_is_an_event_file_of_the_cells_with_causes(tmp_path: Path):
    """A cell that agrees is not in it."""
    path = tmp_path / ".wireproof/last-causes.ndjson"
    right = replace(DONE, cell=replace(CELL, version=1), failed_cases=0)

    assert record(path, STARTED, right, SHOWS, FINISHED)
    assert list(read_event_file(path)) == [STARTED, SHOWS, FINISHED]
    before = path.read_text()
    assert record(path, STARTED, right, FINISHED)
    assert path.read_text() == before, "a run without a cause leaves the record"


def test_a_run_that_was_cut_short_leaves_no_record(tmp_path: Path):
    assert not record(tmp_path / "last-causes.ndjson", STARTED, SHOWS)


def test_a_cause_gets_no_id_of_the_ledger():
    causes = Causes()
    causes.add(CELL, DIAGNOSIS)
    (first,) = (each.id for each in causes.ranked())
    causes.taken = frozenset({first})

    assert [each.id for each in causes.ranked()] == [f"{first}-2"]


def test_the_end_of_a_run_says_what_became_of_the_cause():
    """It shows, or is gone; in a red run without it, another failure is in its place."""
    green, red = (replace(FINISHED, exit_code=code) for code in (ExitCode.PROVEN, ExitCode.DIVERGENCE))
    right = replace(DONE, diagnosis=None, failed_cases=0)
    other = replace(CAUSE, deviation=replace(CAUSE.deviation, trigger="null", action="empty"))
    wrong = replace(SHOWS, diagnosis=replace(DIAGNOSIS, causes=(other,)))
    lines = []
    for events in ((SHOWS, red), (right, green), (wrong, red)):
        outcome = CauseOutcome("the-id", CAUSE.deviation.shown_in(CELL.message, CELL.version))
        for event in events:
            outcome(event)
        lines.append(outcome.line())

    assert lines == [
        "The cause the-id still shows in 1 of 1 cell.",
        "The cause the-id is gone from 1 cell. Without --cause a run tries the rest.",
        "The cause the-id predicts no answer in 1 cell, but the run is not green.",
    ]
