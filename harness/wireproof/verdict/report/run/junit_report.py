"""The run as JUnit XML, which every CI server shows: a test case for each cell.

A failed run never gives a green file: a problem of the whole run (the ledger, a run that was cut short, a
missing tool) is a test case of its own. No test case is ever skipped: a cell with only known deviations
passes, and its output names them.
"""

from collections.abc import Iterator
from typing import Final

from junitparser import Error, Failure, TestCase, TestSuite

from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.wording import counted, first_lines
from wireproof.model.cell import Cell
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.verdict.report.findings import CauseGroup, Findings
from wireproof.verdict.report.lines.cause_lines import (
    cause_headline,
    cause_notes,
    cause_text,
    finding_lines,
    headline,
)
from wireproof.verdict.report.lines.excused_lines import claims_line
from wireproof.verdict.report.lines.totals_lines import summary_line, verdict_line
from wireproof.verdict.report.run_summary import RunSummary
from wireproof.verdict.report.text.escaping import plain_text
from wireproof.verdict.report.text.xml_results import failed, legal, result, suite_xml

_IN_FULL: Final = 5
"""Findings of a cell that are printed in full."""
_NAMED: Final = 20
"""Classes of values of a cell that are named."""


def render_junit(summary: RunSummary) -> str:
    """The report, as text with its XML declaration."""
    suite = TestSuite("wireproof")
    for name, value in _properties(summary):
        suite.add_property(legal(name), legal(value))
    reason = summary.grouped().reason
    line = "" if reason is None else reason.line(summary.testee)
    suite.add_testcases(
        [*(_case(summary, cell, line) for cell in summary.all_cells), *_beside_cells(summary)]
    )
    # Cells run side by side: the suite has the time of the run, and not the sum of the cells' times.
    return suite_xml(suite, None if summary.finished is None else summary.finished.duration_s)


def _causes(summary: RunSummary) -> Iterator[str]:
    """Yield the causes as paragraphs: servers count failures by cell, and causes span cells."""
    causes = summary.causes
    if len(causes):
        yield cause_headline(causes)
    for number, cause in enumerate(causes.ranked(), 1):
        yield f"{number}. {cause_text(cause, causes, summary.testee)}"
    yield from cause_notes(causes)


def _case(summary: RunSummary, cell: Cell, reason: str) -> TestCase:
    """Return the test case of a cell. Servers show one result per test case: a loss includes the failures."""
    done = summary.cells.get(cell)
    case = TestCase(f"{cell.message}/{cell.version}", f"{cell.release}.{cell.module}")
    case.time = round(done.duration_s, 3) if done is not None else 0
    findings = summary.of_cell.get(cell, Findings())
    faults = list(_faults(findings, summary.testee, reason))
    lost = summary.lost.get(cell, [])
    below = _below_floor(done)
    if lost:
        text = [*lost, *(line for fault in faults for line in ("", *fault))]
        case.result = [result(Error, lost[0], "lost", text)]
    elif faults:
        words, check = _headline(findings, reason)
        text = [line for fault in faults for line in (*fault, "")]
        case.result = [result(Failure, words, check, text)]
    elif below:
        case.result = [result(Failure, below[0], "coverage", below)]
    output = list(_output(summary, done))
    if output:
        case.system_out = legal("\n".join(output))
    return case


def _faults(findings: Findings, testee: str, reason: str) -> Iterator[list[str]]:
    """Yield the lines of each finding of a cell; if all cells fail for one reason, that reason and a case."""
    every = list(findings)
    if reason and every:
        yield [reason, f"here: {every[0].first.case_id}"]
        return
    for finding in every[:_IN_FULL]:
        yield list(map(plain_text, finding_lines(CauseGroup((finding,)), testee)))
    if len(every) > _IN_FULL:
        yield [f"and {len(every) - _IN_FULL:,} more; --events FILE writes them all down"]


def _headline(findings: Findings, reason: str) -> tuple[str, str]:
    """Return the line that a server shows in its list, and the type of the failure."""
    first, *more = list(findings)
    found = first.divergence
    rest = f" (and {len(more):,} more)" if more else ""
    return reason or f"{headline(found)}{rest}", f"{found.check}:{found.kind}"


def _below_floor(done: CellResult | None) -> list[str]:
    if done is not None and done.not_asked:
        return ["not every question was asked", _not_asked(done)]
    if done is None or done.coverage is None or not done.coverage.below_floor:
        return []
    missing = [f"not met: {name}" for name in done.coverage.missing]
    wrong = [f"met, though said to be out of reach: {name}" for name in done.coverage.contradicted]
    words = [*missing, *wrong]
    return ["not every class of values was met", *first_lines(words, _NAMED, "and {:,} more")]


def _output(summary: RunSummary, done: CellResult | None) -> Iterator[str]:
    """Yield lines about what a cell met without failing, and about questions that were not asked."""
    if done is None:
        return
    for entry, cases in sorted(done.known.items()):
        met = f"known deviation {entry}, met in {counted(cases, 'case')}"
        yield f"{met}: {summary.ledger.get(entry, '')}".rstrip(": ")
    for witness, cases in sorted(done.errata.items()):
        yield f"known Kafka bug {witness}, met in {counted(cases, 'case')}"
    for limit, cases in sorted(done.unsupported.items()):
        yield f"left out {counted(cases, 'case')} by the codec's limit {limit}"
    if done.not_asked:
        yield _not_asked(done)


def _not_asked(done: CellResult) -> str:
    why = "the codec had ended too often, or no time was left for hangs"
    return f"{counted(done.not_asked, 'question')} were not asked: {why}"


def _beside_cells(summary: RunSummary) -> Iterator[TestCase]:
    """Yield the test cases of problems that belong to the run, and not to a cell."""
    for problem in summary.problems:
        if problem.fails:
            text = problem.lines
            yield failed(f"ledger/{problem.entry}", Failure, problem.fault, problem.message, text)
    for claim in summary.claims:
        if claim.fails:
            name = f"claim/{claim.message}/{claim.fault}"
            yield failed(name, Failure, f"claim:{claim.fault}", claim.line, [claim.line, claim.advice])
    if summary.broken is not None:
        text = [summary.broken.message, summary.broken.advice]
        yield failed("run", Error, "broken", summary.broken.message, text)
    elif summary.stopped:
        yield failed("run", Error, "stopped", summary.stopped.splitlines()[0], [summary.stopped])
    elif summary.finished is not None:
        yield from _cut_short(summary)


def _cut_short(summary: RunSummary) -> Iterator[TestCase]:
    """Yield the test case of a run that ended without judging everything."""
    assert summary.finished is not None
    totals, code = summary.finished.totals, summary.finished.exit_code
    left = totals.cells_selected - totals.cells_done - sum(cell not in summary.cells for cell in summary.lost)
    words = f"{left:,} of {totals.cells_selected:,} cells were not judged"
    if code is ExitCode.INTERRUPTED:
        yield failed("run", Error, "interrupted", f"interrupted: {words}", [words])
    elif left > 0:
        yield failed("run", Error, "cut", f"cut short: {words}", [words])
    elif totals.claims_below_floor:
        yield failed("claims", Failure, "claims", claims_line(totals), ["that is less than 90 %"])
    elif code is ExitCode.NOTHING_RAN:
        yield failed("run", Error, "nothing", "nothing ran: no case was tried", ["no case was tried"])


def _properties(summary: RunSummary) -> Iterator[tuple[str, str]]:
    started, finished = summary.started, summary.finished
    if started is not None:
        yield "version", started.version
        yield "command", " ".join(started.command)
        yield "seed", str(started.seed)
        yield "releases", ", ".join(started.releases)
        yield "subjects", ", ".join(started.subjects)
        yield "phases", ", ".join(started.phases)
        if started.testee:
            yield "testee", started.testee
        for index, words in enumerate(started.unsaid, 1):
            yield f"unsaid.{index}", words
    causes = "\n\n".join(_causes(summary))
    if causes:
        yield "causes", causes
    if finished is None:
        return
    totals = finished.totals
    counts = {
        "cells.selected": totals.cells_selected,
        "cells.done": totals.cells_done,
        "cells.failed": totals.cells_failed,
        "cells.lost": totals.cells_lost,
        "cases": totals.all_cases,
        **{f"cases.{phase}": count for phase, count in totals.cases.items()},
        "cases.failed": totals.failed_cases,
        "bytes": totals.data_bytes,
        "classes.met": totals.classes_met,
        "classes.reachable": totals.classes_reachable,
        "claims": totals.claims,
        "claims.exercised": totals.claims_exercised,
        **{f"known.{entry}": count for entry, count in sorted(totals.known.items())},
        **{f"erratum.{witness}": count for witness, count in sorted(totals.errata.items())},
        "exit-code": int(finished.exit_code),
    }
    yield from ((name, str(count)) for name, count in counts.items())
    yield "verdict", plain_text(verdict_line(finished, summary.number, summary.started))
    yield "summary", summary_line(finished, summary.number)
