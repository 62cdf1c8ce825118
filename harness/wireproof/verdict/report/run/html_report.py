"""The page of a run: verdict and coverage, causes, findings, the map, the ledger, and where the time went."""

import shlex
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import PurePath
from typing import Final

from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.wording import counted
from wireproof.model.cell import Phase
from wireproof.proof.checks.check_table import ROWS
from wireproof.proof.run.core.run_events import AcceptedDeviation
from wireproof.verdict.report.html.page import render
from wireproof.verdict.report.html.run_findings import FindingView, InputKind, finding_views
from wireproof.verdict.report.html.state_map import LEGEND, MapState, run_maps, state_counts
from wireproof.verdict.report.lines.cause_lines import cause_headline, cause_notes, cause_rows
from wireproof.verdict.report.lines.totals_lines import (
    classes_line,
    malformed_lines,
    not_asked_line,
    summary_line,
    trust_lines,
    verdict_line,
)
from wireproof.verdict.report.run_summary import RunSummary
from wireproof.verdict.report.text.escaping import plain_text

MOST_FINDINGS: Final = 400
"""Findings with their evidence; further ones have a line each."""


def render_html(summary: RunSummary) -> str:
    """Return the page; it is made from the events alone."""
    maps = run_maps(summary)
    views = finding_views(summary)
    ranked = summary.causes.ranked()
    started = summary.started
    return render(
        "run.html",
        summary=summary,
        subjects=", ".join(started.subjects) if started else "wireproof",
        releases=", ".join(started.releases) if started else "",
        verdict=_verdict(summary),
        tone=_tone(summary),
        tiles=list(_tiles(summary)),
        maps=maps,
        causes=[(each, dict(cause_rows(each, summary.causes, summary.testee))) for each in ranked],
        causes_line=cause_headline(summary.causes) if ranked else "",
        cause_notes=list(cause_notes(summary.causes)),
        counts=state_counts(maps),
        legend_signs=LEGEND,
        command=shlex.join(_command(summary)),
        states=list(MapState),
        findings=views[:MOST_FINDINGS],
        more_findings=views[MOST_FINDINGS:],
        kinds=_kinds(views),
        checks=_checks(views),
        ledger=list(_ledger(summary)),
        phases=list(_phases(summary)),
        notes=list(_notes(summary)),
        uncovered=_uncovered(summary),
        closing=summary_line(summary.finished, summary.number) if summary.finished else "",
    )


def _verdict(summary: RunSummary) -> tuple[str, str]:
    """Return the verdict in a few words, and the rest of its sentence."""
    if summary.broken is not None:
        return "Error.", f"{summary.broken.message} {summary.broken.advice}".rstrip()
    if summary.finished is None:
        return "No verdict.", summary.stopped or "The run has not ended."
    line = plain_text(verdict_line(summary.finished, summary.number, summary.started))
    head, dot, rest = line.partition(". ")
    return f"{head}{dot}".rstrip(), " ".join(filter(None, (rest, summary.stopped)))


def _command(summary: RunSummary) -> list[str]:
    """Return the command line, with the program's name without its folder."""
    if summary.started is None or not summary.started.command:
        return []
    program, *words = summary.started.command
    return [PurePath(program).name, *words]


def _tone(summary: RunSummary) -> str:
    code = None if summary.finished is None else summary.finished.exit_code
    if code is ExitCode.PROVEN:
        return "good"
    return "wary" if code in (None, ExitCode.BELOW_FLOOR, ExitCode.INTERRUPTED) else "bad"


def _tiles(summary: RunSummary) -> Iterator[tuple[str, str, bool]]:
    """Yield a figure, its words, and whether it calls for attention."""
    if summary.finished is None:
        return
    totals = summary.finished.totals
    findings = summary.number
    if len(summary.causes):
        yield f"{len(summary.causes):,}", "cause" if len(summary.causes) == 1 else "causes", True
    yield f"{findings:,}", "finding" if findings == 1 else "findings", findings > 0
    yield (
        f"{totals.cells_done - totals.cells_failed:,} of {totals.cells_selected:,}",
        "cells without a finding",
        False,
    )
    if totals.cells_lost:
        yield f"{totals.cells_lost:,}", "cells without a verdict", True
    if totals.classes_reachable:
        share = 100 * totals.classes_met / totals.classes_reachable
        yield f"{share:.1f} %", "of the reachable classes of values met", totals.cells_below_floor > 0
    if totals.known:
        yield f"{len(totals.known):,}", "known deviations met", False
    if totals.claims:
        below = totals.claims_exercised < totals.claims
        yield f"{totals.claims_exercised:,} of {totals.claims:,}", "claims exercised", below
    yield f"{totals.all_cases:,}", "cases", False
    yield f"{summary.finished.duration_s:,.1f} s", "in all", False


def _kinds(views: list[FindingView]) -> list[tuple[InputKind, int]]:
    counts = Counter(each.input for each in views)
    return [(kind, counts[kind]) for kind in InputKind if counts[kind]]


def _checks(views: list[FindingView]) -> list[tuple[str, str, str, str]]:
    """Return name, sentence, reference and level of each check that a finding names."""
    names = sorted({str(each.first.divergence.check) for each in views})
    rows = [(name, ROWS.get(name)) for name in names]
    return [(name, row.verifies, row.reference, str(row.level)) for name, row in rows if row is not None]


_SOON: Final = timedelta(days=30)
_NO_TERMS: Final = AcceptedDeviation("", "", "", "")


def _ledger(summary: RunSummary) -> Iterator[tuple[str, str, AcceptedDeviation, int, bool]]:
    """Yield the entries of the ledger with their words, terms and cases in the run, those that it met first,
    and whether each expires within 30 days, or has."""
    if summary.started is None:
        return
    met = summary.finished.totals.known if summary.finished is not None else {}
    today = date.today()
    for entry, words in sorted(summary.ledger.items(), key=lambda item: (-met.get(item[0], 0), item[0])):
        terms = summary.started.terms.get(entry, _NO_TERMS)
        due = bool(terms.expires) and date.fromisoformat(terms.expires) <= today + _SOON
        yield entry, words, terms, met.get(entry, 0), due


def _phases(summary: RunSummary) -> Iterator[tuple[str, int, float]]:
    """Yield each phase with its cases, and the seconds that all cells spent in it together."""
    cases: Counter[Phase] = Counter()
    seconds: Counter[Phase] = Counter()
    for done in summary.cells.values():
        cases.update(done.cases)
        seconds.update(done.phase_s)
    for phase in Phase:
        if cases[phase] or seconds[phase] >= 0.05:
            yield str(phase), cases[phase], float(seconds[phase])


def _notes(summary: RunSummary) -> Iterator[str]:
    """Yield what a reader should know beside the findings, a sentence each."""
    if summary.finished is None:
        return
    totals = summary.finished.totals
    lines = list(malformed_lines(totals))
    lines += trust_lines(totals)
    if totals.classes_reachable:
        lines.append(classes_line(totals))
    if totals.not_asked:
        lines.append(f"Not asked: {not_asked_line(totals)}")
    yield from (plain_text(line).strip() for line in lines)
    if summary.started is not None:
        yield from (f"Without Java, nothing is said about: {words}" for words in summary.started.unsaid)


def _uncovered(summary: RunSummary) -> list[tuple[str, str]]:
    """Return the classes of values that no case met, with the number of cells: the most frequent first."""
    counts: Counter[str] = Counter()
    for done in summary.cells.values():
        if done.coverage is not None:
            counts.update(done.coverage.missing)
    return [(name, counted(cells, "cell")) for name, cells in counts.most_common(50)]
