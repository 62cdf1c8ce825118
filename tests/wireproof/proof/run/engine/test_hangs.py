"""A codec that hangs on one operator at one field: the hang hides no other failure of the cell."""

import io
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from tests.support.codecs.lenient_codecs import ThreeBugs
from tests.support.environments import small_environment
from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import Phase
from wireproof.model.codec_ends import EVERY_HANG_S, HANG, CodecEnd, FatalSites, HangBudget, MutationSite
from wireproof.model.malformed_input import MalformedVerdict
from wireproof.proof.run.core.cell_events import CellResult, EndedCodec, FailedCase
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import RunEvent, RunFooter
from wireproof.proof.run.engine.cell_pool import CellPool, CellQueue
from wireproof.proof.run.engine.cell_worker import AnnouncementSlot, Assignment, prove_one
from wireproof.proof.run.engine.engine import Engine
from wireproof.proof.run.engine.worker_pool import Worker
from wireproof.verdict.report.run.terminal_report import TerminalReport


def run(hang_s: float = 60.0, versions: Sequence[int] = (1,), jobs: int = 1) -> list[RunEvent]:
    options = RunOptions(phases=(Phase.MUTATIONS,), shrink_s=0, hang_s=hang_s)
    cells = [small_environment.cell("PingRequest", version) for version in versions]
    return list(Engine(small_environment.make(wrong=ThreeBugs), options, jobs).run(cells))


def findings(events: list[RunEvent]) -> set[tuple[str, str, str]]:
    """Return the kinds and paths of all failures, without their versions."""
    done = [event for event in events if isinstance(event, CellResult)]
    return {(event.cell.message, cause.field, cause.kind) for event in done for cause in event.causes}


def test_the_number_of_workers_changes_no_finding() -> None:
    """A request that ended the codec at a field is not repeated at other versions, by any worker. The
    findings are the same for each number of workers, and every request is asked."""
    one, two = (run(versions=(0, 1, 2, 3), jobs=jobs) for jobs in (1, 2))
    assert findings(one) == findings(two)
    assert any(kind.startswith("hang:") for _, _, kind in findings(one))
    for events in (one, two):
        (footer,) = (event for event in events if isinstance(event, RunFooter))
        assert footer.totals.not_asked == 0
    ends = [event.end for event in one if isinstance(event, EndedCodec)]
    assert len({(end.subject, end.at.operator, end.at.path) for end in ends}) == len(ends)


def process_of(pid: int) -> tuple[Any, Any]:
    """A process that never runs, and its pipe."""
    return SimpleNamespace(pid=pid), None


def test_workers_share_what_they_know_and_what_they_spent() -> None:
    """The next cell of a worker comes with the crashes that other workers reported and the seconds that they
    spent."""
    pool = CellPool(small_environment.make(), RunOptions(), 2)
    here, there = (Worker(*process_of(pid), CellQueue(AnnouncementSlot())) for pid in (1, 2))
    site = MutationSite("count-huge", "topics", "[]Topic", "hang")
    cell = small_environment.cell("PingRequest", 1)
    pool._ended.append((1, EndedCodec(cell, "", CodecEnd("it", HANG, "", "", "", 0.0, site))))
    pool._hangs_s.update({1: 3.0, 2: 4.0})
    next_cell = Assignment(small_environment.cell("PingRequest", 2))
    informed = pool._informed(there, next_cell)
    assert (len(informed.ended), informed.hangs_s) == (1, 3.0)
    assert pool._informed(there, next_cell).ended == ()
    assert (pool._informed(here, next_cell).ended, pool._informed(here, next_cell).hangs_s) == ((), 4.0)

    sites = FatalSites("it", HangBudget(5.0))
    prove_one(
        environment_with(sites.budget),
        RunOptions(phases=(), hang_s=5.0),
        informed,
        lambda _: None,
        lambda *_: None,
    )
    assert sites.same_as(site) == f"{cell.id}/hang"
    assert sites.had_enough(replace(site, path="other"), 2.5).endswith("3 s of this run were spent on hangs")


def environment_with(hangs: HangBudget) -> WorkerEnvironment:
    """A worker environment whose codecs share this budget."""
    return replace(small_environment.make()(), hangs=hangs)


@pytest.fixture(scope="module")
def events() -> list[RunEvent]:
    """Return the events of a run with enough time."""
    return run()


def test_a_hang_hides_no_other_bug(events: list[RunEvent]) -> None:
    """A cell with a hang, an abort and a leniency reports all three. A skipped request names the failure that
    was reported, and no request is left out for another reason."""
    done = [event for event in events if isinstance(event, CellResult)]
    ends = [event for event in events if isinstance(event, EndedCodec)]
    failed = {event.case_id for event in events if isinstance(event, FailedCase)}
    for each in done:
        assert {MalformedVerdict.HANG, MalformedVerdict.CRASH, MalformedVerdict.LAXER} <= set(each.verdicts)
        assert each.skipped
        assert each.not_asked == 0
    assert {each.end.error for each in ends} == {HANG, "process"}
    assert {case for each in done for case in each.skipped} <= {each.case_id for each in ends}
    assert failed & {each.case_id for each in ends}
    (footer,) = (event for event in events if isinstance(event, RunFooter))
    assert footer.exit_code is ExitCode.DIVERGENCE
    assert footer.totals.ended[HANG] == sum(each.end.error == HANG for each in ends)
    assert sum(footer.totals.skipped.values()) == sum(sum(each.skipped.values()) for each in done)
    assert all(each.end.left_s > 0 for each in ends)


def test_a_hang_is_reported_when_it_happens(events: list[RunEvent]) -> None:
    """The event comes before its cell is done, with the case, the operation and field, and the time that is
    left."""
    first = next(index for index, event in enumerate(events) if isinstance(event, EndedCodec))
    assert first < next(index for index, event in enumerate(events) if isinstance(event, CellResult))
    text = io.StringIO()
    report = TerminalReport(Console(file=text, width=400), live=True)
    for event in events:
        report(event)
    lines = text.getvalue().splitlines()
    said = [line for line in lines if line.startswith("hangs 1.0.0/PingRequest/")]
    assert len(said) == sum(isinstance(each, EndedCodec) and each.end.error == HANG for each in events)
    assert " s left for hangs" in said[0]
    assert any(line.startswith("Skipped: ") and "for the same cause as" in line for line in lines)


def test_a_run_whose_time_for_hangs_is_spent_is_incomplete() -> None:
    """Requests that are left out for lack of time prove nothing: their cells are incomplete."""
    events = run(hang_s=1.0)
    (footer,) = (event for event in events if isinstance(event, RunFooter))
    assert footer.totals.not_asked > 0
    assert footer.totals.cells_not_whole == 1
    assert footer.exit_code in (ExitCode.BELOW_FLOOR, ExitCode.NOTHING_RAN)


def test_a_thorough_run_tries_an_operator_at_every_field() -> None:
    """Usually a hang skips its operator at every field; with `every_hang` only at its own field."""
    site = MutationSite("count-huge", "topics", "[]Topic", "hang")
    elsewhere = replace(site, path="topics[].partitions", kind="[]Partition", name="other")
    usual, thorough = FatalSites("it", HangBudget()), FatalSites("it", HangBudget())
    thorough.budget.every_place = True
    for sites in (usual, thorough):
        sites.add(site, HANG, "no answer")
        assert sites.same_as(site) == "hang"
    assert (usual.same_as(elsewhere), thorough.same_as(elsewhere)) == ("hang", "")


def test_a_thorough_run_gives_a_suspected_request_a_short_time() -> None:
    """After a hang its operator is asked at other fields, where a field without an answer is then skipped."""
    site = MutationSite("count-huge", "topics", "[]Topic", "hang")
    elsewhere = replace(site, path="topics[].partitions", kind="[]Partition", name="other")
    sites = FatalSites("it", HangBudget())
    sites.budget.every_place = True
    assert sites.doubted(elsewhere) == ""
    sites.add(site, HANG, "no answer")
    assert sites.doubted(elsewhere) == "hang"
    sites.skip(elsewhere, "hang")
    assert sites.same_as(elsewhere) == "hang"


def test_a_thorough_run_has_hours_for_hangs() -> None:
    """The worker passes both limits on to its codecs."""
    budget = HangBudget()
    assignment = Assignment(small_environment.cell("PingRequest", 2))
    prove_one(
        environment_with(budget),
        RunOptions(phases=(), every_hang=True),
        assignment,
        lambda _: None,
        lambda *_: None,
    )
    assert (budget.every_place, budget.total_s) == (True, EVERY_HANG_S)
