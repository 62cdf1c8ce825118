"""The summary of a run. Every report of a run is rendered from it: terminal, JUnit, Markdown, annotations."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from wireproof.base.text.wording import counted
from wireproof.model.agreement import LedgerProblem
from wireproof.model.cell import Cell
from wireproof.model.coverage.cell_coverage import CellCoverage
from wireproof.model.repertoire import ClaimProblem
from wireproof.proof.run.core.cell_events import CellResult, FailedCase, LostCase, LostCell, ShrunkCase
from wireproof.proof.run.core.run_events import (
    KAFKA,
    BrokenRun,
    ClaimFinding,
    LedgerFinding,
    RunEvent,
    RunFooter,
    RunHeader,
)
from wireproof.verdict.report.causes import Causes
from wireproof.verdict.report.findings import CauseGroup, Findings, SharedReason

_NUMBER: Final = re.compile(r"\d+")


@dataclass(slots=True)
class LossGroup:
    """The cases and cells that were lost for one reason.

    Attributes:
        first: the name of the first case or cell.
        times: how many events had the reason.
    """

    first: str
    reason: str
    cells: set[Cell] = field(default_factory=set)
    times: int = 0


class LossGroups:
    """Losses grouped by their reasons. Reasons that differ only in numbers or the cell's name are equal."""

    def __init__(self) -> None:
        self._by_reason: dict[str, LossGroup] = {}

    def add(self, event: LostCase | LostCell) -> None:
        name = event.case_id if isinstance(event, LostCase) else event.cell.id
        loss = self._by_reason.setdefault(_reason(event), LossGroup(name, event.reason))
        loss.cells.add(event.cell)
        loss.times += 1

    def of_reason(self, event: LostCase | LostCell) -> LossGroup:
        """Return the group of a loss that was added."""
        return self._by_reason[_reason(event)]

    def __iter__(self) -> Iterator[LossGroup]:
        """Yield the groups, those of most cells first."""
        return iter(sorted(self._by_reason.values(), key=lambda loss: (-len(loss.cells), loss.first)))

    def lines(self, above: int = 0) -> Iterator[str]:
        """Yield a line for each reason with more than `above` events."""
        for loss in self:
            if loss.times > above:
                cells = counted(len(loss.cells), "cell")
                yield f"{loss.first} and all in all {cells}, for one reason: {loss.reason}"


def _reason(event: LostCase | LostCell) -> str:
    return _NUMBER.sub("0", re.sub(rf"{re.escape(event.cell.id)}\S*", "", event.reason))


@dataclass(frozen=True, slots=True)
class GroupedFindings:
    """The findings in the groups that reports show.

    Attributes:
        reason: the reason that all failing cells share; None where there is none.
        groups: findings that look alike are one group. Those that `reason` covers are left out.
    """

    reason: SharedReason | None
    groups: list[CauseGroup]

    @property
    def number(self) -> int:
        """The number of findings that a person would count."""
        return len(self.groups) + (self.reason is not None)

    def without_predicted(self, causes: Causes) -> "GroupedFindings":
        """Return the groups with at least one finding that no cause fully predicts."""
        left = [group for group in self.groups if causes.unpredicted(group.findings)]
        alone = self.reason is not None and causes.unpredicted(self.reason.findings)
        return GroupedFindings(self.reason if alone else None, left)


@dataclass(slots=True)
class CellCounts:
    """The counts of one row of a table of cells."""

    cells: int = 0
    failed: int = 0
    lost: int = 0
    cases: int = 0


@dataclass(slots=True)
class RunSummary:
    """A listener that keeps the events of a run which reports need.

    The totals of a run come from its footer (`RunFooter.totals`): the engine adds them up. This class adds up
    only the counts of parts: of a cell, a message or a module.

    Attributes:
        cells: every cell that was judged to its end.
        of_cell: the failures of each cell that has one.
        lost: for each cell that lost a case or its verdict, what was lost and why.
        causes: the deviations that predict the failures.
        stopped: the reason why the run did not end, in words; empty if it ended.
    """

    started: RunHeader | None = None
    finished: RunFooter | None = None
    broken: BrokenRun | None = None
    cells: dict[Cell, CellResult] = field(default_factory=dict)
    findings: Findings = field(default_factory=Findings)
    of_cell: dict[Cell, Findings] = field(default_factory=dict)
    losses: LossGroups = field(default_factory=LossGroups)
    lost: dict[Cell, list[str]] = field(default_factory=dict)
    problems: list[LedgerProblem] = field(default_factory=list)
    claims: list[ClaimProblem] = field(default_factory=list)
    causes: Causes = field(default_factory=Causes)
    stopped: str = ""

    def __call__(self, event: RunEvent) -> None:
        match event:
            case RunHeader():
                self.started = event
                self.causes.taken = frozenset(event.ledger)
            case FailedCase():
                self.findings.add(event)
                self.of_cell.setdefault(event.cell, Findings()).add(event)
            case ShrunkCase():
                self.findings.shrink(event)
                self.of_cell.setdefault(event.cell, Findings()).shrink(event)
            case CellResult():
                self.cells[event.cell] = event
                self.findings.count(event.cell, event.causes)
                if event.cell in self.of_cell:
                    self.of_cell[event.cell].count(event.cell, event.causes)
                if event.diagnosis is not None:
                    self.causes.add(event.cell, event.diagnosis)
            case LostCase() | LostCell():
                name = event.case_id if isinstance(event, LostCase) else event.cell.id
                self.losses.add(event)
                self.lost.setdefault(event.cell, []).append(f"{name}: {event.reason}")
            case LedgerFinding(problem):
                self.problems.append(problem)
            case ClaimFinding(claim):
                self.claims.append(claim)
            case BrokenRun():
                self.broken = event
            case RunFooter():
                self.finished = event
            case _:
                pass  # no report at the end needs it

    @property
    def authority(self) -> str:
        """The authority that a proven codec agrees with, in words."""
        return KAFKA if self.started is None else self.started.authority

    @property
    def testee(self) -> str:
        """The name of the codec under test on the command line; empty for our own."""
        return self.started.testee if self.started is not None else ""

    @property
    def locations(self) -> Mapping[str, str]:
        """The lines of source that reports name, ``codec.py:12``, by message."""
        return self.started.locations if self.started is not None else {}

    @property
    def ledger(self) -> Mapping[str, str]:
        """The sentences of the ledger's entries, by their ids."""
        return self.started.ledger if self.started is not None else {}

    @property
    def all_cells(self) -> list[Cell]:
        """Every cell with a result, a failure or a loss, in order."""
        known = self.cells.keys() | self.of_cell.keys() | self.lost.keys()
        return sorted(known, key=lambda cell: (cell.release, cell.module, cell.message, cell.version))

    @property
    def is_diagnosed(self) -> bool:
        """Return whether every cell with failures has a diagnosis."""
        return all(done.diagnosis is not None or not done.failed_cases for done in self.cells.values())

    @property
    def below_minimum(self) -> Iterator[tuple[Cell, CellCoverage]]:
        """The cells whose coverage is below the minimum, in the order in which they were judged."""
        for cell, done in self.cells.items():
            if done.coverage is not None and done.coverage.below_floor:
                yield cell, done.coverage

    def grouped(self) -> GroupedFindings:
        """Return the findings in the groups that reports show."""
        reason = self.findings.one_reason(len(self.cells))
        return GroupedFindings(reason, self.findings.groups(without=reason))

    @property
    def number(self) -> int:
        """The number of causes, and of findings that no cause predicts."""
        return len(self.causes) + self.grouped().without_predicted(self.causes).number

    def by_module(self) -> dict[str, CellCounts]:
        """Return the counts of each module: ``4.4.0 clients``."""
        return self._rows(self.all_cells, by_message=False)

    def by_message(self) -> dict[str, CellCounts]:
        return self._rows(self.all_cells, by_message=True)

    def _rows(self, cells: list[Cell], *, by_message: bool) -> dict[str, CellCounts]:
        rows: dict[str, CellCounts] = {}
        for cell in cells:
            name = cell.message if by_message else f"{cell.release} {cell.module}"
            row = rows.setdefault(name, CellCounts())
            done = self.cells.get(cell)
            row.cells += 1
            row.failed += cell in self.of_cell or (done is not None and done.failed_cases > 0)
            row.lost += cell in self.lost
            row.cases += sum(done.cases.values()) if done is not None else 0
        return rows
