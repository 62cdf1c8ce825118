"""One run in a line, and as plain data; a trend has a line for each of several."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.typed_json import camel_case
from wireproof.base.text.wording import counted
from wireproof.verdict.report.comparison.run_difference import CauseKey, observed_causes
from wireproof.verdict.report.run_summary import RunSummary
from wireproof.verdict.report.text.escaping import table, words


@dataclass(frozen=True, slots=True)
class RunOverview:
    """The numbers of a run.

    Attributes:
        verdict: the exit code's sentence; ``unfinished`` if the event file has no end.
        causes: the number of causes of failures; 0 for an event file without a diagnosis.
        findings: the number of findings that nothing explains, over all messages.
        known: the number of cases that the ledger explains.
        classes_met, classes_reachable: classes of values.
        seconds: wall-clock.
    """

    version: str
    subjects: tuple[str, ...]
    releases: tuple[str, ...]
    verdict: str
    cells_done: int
    cells_selected: int
    cells_failed: int
    cases: int
    failed_cases: int
    causes: int
    findings: int
    known: int
    classes_met: int
    classes_reachable: int
    seconds: float

    @property
    def line(self) -> str:
        who = f"{', '.join(self.subjects)} against Kafka {', '.join(self.releases)}"
        return (
            f"{who}: {self.verdict}; {self.cells_done:,} of {counted(self.cells_selected, 'cell')}, "
            f"{self.cells_failed:,} failed; {counted(self.causes, 'cause')}, "
            f"{counted(self.findings, 'finding')}, {counted(self.cases, 'case')}, "
            f"{self.seconds:.1f} s (wireproof {self.version})"
        )

    def as_plain(self) -> dict[str, Any]:
        """Return the numbers as JSON has them, keys in camelCase."""
        return {camel_case(name): value for name, value in asdict(self).items()}


def overview_of(summary: RunSummary, findings: int) -> RunOverview:
    """Return the numbers of a run with this number of findings. Its events must end with a footer."""
    assert summary.started is not None
    assert summary.finished is not None
    started, finished = summary.started, summary.finished
    totals = finished.totals
    return RunOverview(
        version=started.version,
        subjects=started.subjects,
        releases=started.releases,
        verdict="unfinished" if summary.stopped else ExitCode(finished.exit_code).sentence,
        cells_done=totals.cells_done,
        cells_selected=totals.cells_selected,
        cells_failed=totals.cells_failed,
        cases=totals.all_cases,
        failed_cases=totals.failed_cases,
        causes=len(summary.causes),
        findings=findings,
        known=sum(totals.known.values()),
        classes_met=totals.classes_met,
        classes_reachable=totals.classes_reachable,
        seconds=round(finished.duration_s, 1),
    )


HEADS = (
    "run",
    "verdict",
    "cells",
    "failed",
    "causes",
    "findings",
    "new",
    "gone",
    "known",
    "cases",
    "classes",
    "seconds",
)


@dataclass(frozen=True, slots=True)
class TrendRow:
    """A run of a trend.

    Attributes:
        name: of the event file.
        new, gone: numbers of findings that only this run, or only the run before, shows; 0 in the first row.
    """

    name: str
    overview: RunOverview
    new: int
    gone: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The texts of the columns, in the order of `HEADS`."""
        each = self.overview
        return (
            self.name,
            each.verdict,
            f"{each.cells_done:,}",
            f"{each.cells_failed:,}",
            f"{each.causes:,}",
            f"{each.findings:,}",
            f"{self.new:,}",
            f"{self.gone:,}",
            f"{each.known:,}",
            f"{each.cases:,}",
            f"{each.classes_met:,}/{each.classes_reachable:,}",
            f"{each.seconds:,.1f}",
        )


class TrendTable:
    """Adds run after run. It keeps the numbers of each, and the findings of the last one."""

    def __init__(self) -> None:
        self.rows: list[TrendRow] = []
        self._last: frozenset[CauseKey] | None = None

    def add(self, name: str, summary: RunSummary) -> None:
        """Add a run, which follows those added before."""
        causes = frozenset(observed_causes(summary))
        last = causes if self._last is None else self._last
        overview = overview_of(summary, len(causes))
        self.rows.append(TrendRow(name, overview, len(causes - last), len(last - causes)))
        self._last = causes


def trend_markdown(rows: Sequence[TrendRow]) -> str:
    return "\n".join(table(HEADS, [tuple(map(words, row.columns)) for row in rows])) + "\n"


def trend_json(rows: Sequence[TrendRow]) -> str:
    """Return the trend as a JSON array, a run an object."""
    plain = [{"run": row.name, **row.overview.as_plain(), "new": row.new, "gone": row.gone} for row in rows]
    return json.dumps(plain, indent=2) + "\n"
