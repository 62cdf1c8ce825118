"""The difference of two runs, and of one run to all before it: causes, findings, cells, coverage and time."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, NamedTuple

from wireproof.base.text.wording import counted, ranges_text
from wireproof.model.agreement import ObservedCause
from wireproof.model.cell import Cell
from wireproof.verdict.report.causes import Cause, Causes
from wireproof.verdict.report.findings import CauseFinding
from wireproof.verdict.report.run_summary import RunSummary


class CauseKey(NamedTuple):
    """The identity of a cause in all runs, whatever cases show it; its field is without indices."""

    message: str
    check: str
    field: str
    subject: str
    kind: str


class CauseChange(StrEnum):
    """The change of a cause between two runs."""

    NEW = "new"
    """It shows in cells in which the run before did not show it."""
    GONE = "gone"
    """It no longer shows in cells that the run after judged."""
    UNCHANGED = "unchanged"
    NOT_JUDGED = "not judged"
    """The run after did not judge the cells in which it showed."""


class CellState(StrEnum):
    """The state of a cell in a run."""

    AGREES = "agrees"
    """Every case agrees with Kafka, or the ledger explains it."""
    FAILS = "fails"
    LOST = "lost"
    """A case or the cell has no verdict."""
    NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class ComparedCause:
    """A cause with the cells of one change. A cause may be new in one version and unchanged in others.

    Attributes:
        cause: one of its observations: in the run after, or in the run before if the cause is gone.
        cells: never empty.
        cases: the number of its cases in these cells, in the run of the observation.
    """

    key: CauseKey
    change: CauseChange
    cause: ObservedCause
    cells: frozenset[Cell]
    cases: int

    @property
    def where(self) -> str:
        """``FetchRequest version 4-18``; with the releases where there are several."""
        releases = sorted({cell.release for cell in self.cells})
        versions = ranges_text({cell.version for cell in self.cells})
        more = f" of {', '.join(releases)}" if len(releases) > 1 else ""
        return f"{self.key.message} version {versions}{more}"


@dataclass(frozen=True, slots=True)
class RunDifference:
    """The difference of two runs.

    Attributes:
        causes: the causes of findings, by message, new causes first.
        new, gone: causes of the codec. At least one cell of a gone cause was judged again. None if a run with
            failures has no diagnosis.
        cells: the cells whose state differs, by their states before and after.
        known: the entries of the ledger whose number of cases differs: (before, after).
    """

    before: RunSummary
    after: RunSummary
    causes: tuple[ComparedCause, ...]
    cells: Mapping[tuple[CellState, CellState], frozenset[Cell]] = field(default_factory=dict)
    known: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    new: tuple[Cause, ...] | None = None
    gone: tuple[Cause, ...] | None = None

    @property
    def causes_line(self) -> str:
        """``causes: 2 gone, none new``; empty where they cannot be compared."""
        if self.new is None or self.gone is None:
            return ""
        return f"causes: {_number(self.gone)} gone, {_number(self.new)} new"

    def of(self, change: CauseChange) -> list[ComparedCause]:
        """Return the causes of a change, in order."""
        return [each for each in self.causes if each.change is change]

    @property
    def regressed(self) -> bool:
        """Return whether the run after has a new cause, or lost a cell that had a verdict before."""
        lost = any(after is CellState.LOST and before is not CellState.LOST for before, after in self.cells)
        return lost or any(each.change is CauseChange.NEW for each in self.causes)


def compare_runs(before: RunSummary, after: RunSummary) -> RunDifference:
    """Compare two runs of one codec, or of two."""
    observed = [observed_causes(each) for each in (before, after)]
    causes = [
        compared
        for key in sorted(observed[0].keys() | observed[1].keys())
        for compared in _compared(key, [each.get(key, {}) for each in observed], after)
    ]
    causes.sort(key=lambda each: _ORDER.index(each.change))
    difference = RunDifference(
        before, after, tuple(causes), _changed_cells(before, after), _changed_entries(before, after)
    )
    if not (before.is_diagnosed and after.is_diagnosed):
        return difference
    old, new = ({each.key: each for each in run.causes.ranked()} for run in (before, after))
    gone = tuple(each for key, each in old.items() if key not in new and each.cells & after.cells.keys())
    return replace(difference, new=tuple(each for key, each in new.items() if key not in old), gone=gone)


def _number(causes: tuple[Cause, ...]) -> str:
    return f"{len(causes):,}" if causes else "none"


_ORDER: Final = list(CauseChange)

_Observed = dict[CauseKey, dict[Cell, list[ObservedCause]]]


def observed_causes(summary: RunSummary) -> _Observed:
    """Return the causes that a run showed, each with its cells."""
    shown = [(cell, cause) for cell, result in summary.cells.items() for cause in result.causes]
    for cell, findings in summary.of_cell.items():
        if cell not in summary.cells:  # the run ended before the cell did
            shown += [(cell, _cause_of(finding)) for finding in findings]
    found: _Observed = {}
    for cell, cause in shown:
        key = CauseKey(cell.message, cause.check, cause.field, cause.subject, cause.kind)
        found.setdefault(key, {}).setdefault(cell, []).append(cause)
    return found


def _cause_of(finding: CauseFinding) -> ObservedCause:
    first = finding.first
    return ObservedCause.of(first.divergences[0], first.phase, first.case_id, finding.cases)


def _compared(
    key: CauseKey, observed: list[dict[Cell, list[ObservedCause]]], after: RunSummary
) -> Iterator[ComparedCause]:
    old, new = observed
    judged = after.cells.keys()
    parts = (
        (CauseChange.NEW, new.keys() - old.keys(), new),
        (CauseChange.GONE, {cell for cell in old.keys() - new.keys() if cell in judged}, old),
        (CauseChange.UNCHANGED, old.keys() & new.keys(), new),
        (CauseChange.NOT_JUDGED, {cell for cell in old if cell not in judged}, old),
    )
    for change, cells, source in parts:
        if cells:
            met = [cause for cell in sorted(cells) for cause in source[cell]]
            cases = sum(cause.cases for cause in met)
            yield ComparedCause(key, change, met[0], frozenset(cells), cases)


def state_of(summary: RunSummary, cell: Cell) -> CellState:
    if cell in summary.lost:
        return CellState.LOST
    result = summary.cells.get(cell)
    if cell in summary.of_cell or (result is not None and result.failed_cases):
        return CellState.FAILS
    return CellState.NOT_JUDGED if result is None else CellState.AGREES


def _changed_cells(
    before: RunSummary, after: RunSummary
) -> dict[tuple[CellState, CellState], frozenset[Cell]]:
    changed: dict[tuple[CellState, CellState], set[Cell]] = {}
    for cell in {*before.all_cells, *after.all_cells}:
        states = state_of(before, cell), state_of(after, cell)
        if states[0] is not states[1]:
            changed.setdefault(states, set()).add(cell)
    return {states: frozenset(cells) for states, cells in sorted(changed.items())}


def _changed_entries(before: RunSummary, after: RunSummary) -> dict[str, tuple[int, int]]:
    counts = [_known(each) for each in (before, after)]
    pairs = {entry: (counts[0][entry], counts[1][entry]) for entry in sorted({*counts[0], *counts[1]})}
    return {entry: pair for entry, pair in pairs.items() if pair[0] != pair[1]}


def _known(summary: RunSummary) -> Counter[str]:
    totals: Counter[str] = Counter()
    for result in summary.cells.values():
        totals.update(result.known)
    return totals


_LISTED: Final = 5
"""Findings of a change that are listed: the report of the run has the others."""


class RunHistory:
    """The newest result of each cell. A run keeps the older results of cells that it does not judge."""

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
