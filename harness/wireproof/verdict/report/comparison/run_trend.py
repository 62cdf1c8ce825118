"""The trend over runs: how the numbers of a codec change from one event file to the next."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wireproof.verdict.report.comparison.run_difference import CauseKey, observed_causes
from wireproof.verdict.report.comparison.run_overview import RunOverview, overview_of
from wireproof.verdict.report.run_summary import RunSummary
from wireproof.verdict.report.text.escaping import words
from wireproof.verdict.report.text.markdown_tables import table

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
        new, gone: findings that the run before did not show, and that it alone showed; 0 in the first row.
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
    """Return the trend as a table in Markdown."""
    return "\n".join(_markdown_lines(rows)) + "\n"


def _markdown_lines(rows: Sequence[TrendRow]) -> Iterator[str]:
    yield from table(HEADS, [tuple(map(words, row.columns)) for row in rows])


def trend_json(rows: Sequence[TrendRow]) -> str:
    """Return the trend as a JSON array, a run an object."""
    plain = [{"run": row.name, **row.overview.as_plain(), "new": row.new, "gone": row.gone} for row in rows]
    return json.dumps(plain, indent=2) + "\n"
