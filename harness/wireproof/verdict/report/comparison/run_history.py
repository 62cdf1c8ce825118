"""The runs of one codec, one after the other: each is compared with what the runs before it showed."""

from collections.abc import Iterator
from typing import Final

from wireproof.base.text.wording import counted
from wireproof.verdict.report.causes import Causes
from wireproof.verdict.report.comparison.run_difference import CauseChange, RunDifference, compare_runs
from wireproof.verdict.report.run_summary import RunSummary

_LISTED: Final = 5
"""Findings of a change that are listed: the report of the run has the others."""


class RunHistory:
    """The newest result of each cell. A run of few cells leaves the results of the others."""

    def __init__(self) -> None:
        self._known: RunSummary | None = None

    def add(self, summary: RunSummary) -> RunDifference | None:
        """Add a run that came to its end; return its difference to the runs before, None for the first."""
        if self._known is None:
            self._known = summary
            return None
        difference = compare_runs(self._known, summary)
        self._known = _updated(self._known, summary)
        return difference


def _updated(old: RunSummary, new: RunSummary) -> RunSummary:
    judged = new.cells.keys()
    kept = {cell: found for cell, found in old.of_cell.items() if cell not in judged}
    lost = {cell: reasons for cell, reasons in old.lost.items() if cell not in judged}
    cells = {**old.cells, **new.cells}
    causes = Causes()
    for cell, done in cells.items():
        if done.diagnosis is not None:
            causes.add(cell, done.diagnosis)
    return RunSummary(
        started=new.started,
        finished=new.finished,
        cells=cells,
        of_cell={**kept, **new.of_cell},
        lost={**lost, **new.lost},
        causes=causes,
    )


def change_lines(difference: RunDifference) -> Iterator[str]:
    """Yield a line with the numbers of findings by their change, and a line for each that is new or gone."""
    numbers = {change: len(difference.of(change)) for change in CauseChange}
    parts = [
        counted(numbers[CauseChange.NEW], "new finding"),
        f"{numbers[CauseChange.GONE]:,} gone",
        f"{numbers[CauseChange.UNCHANGED]:,} unchanged",
    ]
    if numbers[CauseChange.NOT_JUDGED]:
        parts.append(f"{numbers[CauseChange.NOT_JUDGED]:,} not judged in this round")
    yield f"since the last round: {', '.join(parts)}"
    if difference.new or difference.gone:
        yield f"  {difference.causes_line}"
    for change in (CauseChange.NEW, CauseChange.GONE):
        causes = difference.of(change)
        for each in causes[:_LISTED]:
            field = f" {each.key.field}:" if each.key.field else ""
            yield f"  {change:5} {each.where}: [{each.key.check}]{field} {each.cause.summary}"
        if len(causes) > _LISTED:
            yield f"  {change:5} and {len(causes) - _LISTED:,} more"
