"""What a run came to, kept for the reports that are written at its end: JUnit, Markdown, annotations."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from wireproof.model import Cell, ClaimProblem, LedgerProblem
from wireproof.report.findings import Findings, Group, OneReason
from wireproof.report.losses import Losses
from wireproof.run import (
    KAFKA,
    CaseFailed,
    CaseLost,
    CaseShrunk,
    CellDone,
    CellLost,
    ClaimJudged,
    LedgerJudged,
    RunBroken,
    RunEvent,
    RunFinished,
    RunStarted,
)

__all__ = ["Account", "FinalReport", "Told"]

FinalReport = Callable[["Account"], str]
"""Makes the text of a report of what was told."""


@dataclass(frozen=True, slots=True)
class Told:
    """The findings, as they are to be told."""

    reason: OneReason | None
    groups: list[Group]

    @property
    def number(self) -> int:
        """How many findings a person would count."""
        return len(self.groups) + (self.reason is not None)


@dataclass(slots=True)
class Account:
    """Listens to a run and keeps what matters of it.

    Attributes:
        cells: every cell that was judged to its end.
        of_cell: the failures of each cell that has one.
        lost: of each cell that lost a case or its verdict, what was lost and why.
        stopped: why the run came to no end, in words; empty where it did. Something wrote that, or nobody
            knows: the process is going down.
    """

    started: RunStarted | None = None
    finished: RunFinished | None = None
    broken: RunBroken | None = None
    cells: dict[Cell, CellDone] = field(default_factory=dict)
    findings: Findings = field(default_factory=Findings)
    of_cell: dict[Cell, Findings] = field(default_factory=dict)
    losses: Losses = field(default_factory=Losses)
    lost: dict[Cell, list[str]] = field(default_factory=dict)
    problems: list[LedgerProblem] = field(default_factory=list)
    claims: list[ClaimProblem] = field(default_factory=list)
    stopped: str = ""

    @property
    def authority(self) -> str:
        """What all agrees with that is proven, in words."""
        return KAFKA if self.started is None else self.started.authority

    def __call__(self, event: RunEvent) -> None:
        match event:
            case RunStarted():
                self.started = event
            case CaseFailed():
                self.findings.add(event)
                self.of_cell.setdefault(event.cell, Findings()).add(event)
            case CaseShrunk():
                self.findings.shrink(event)
                self.of_cell.setdefault(event.cell, Findings()).shrink(event)
            case CellDone():
                self.cells[event.cell] = event
            case CaseLost() | CellLost():
                name = event.case_id if isinstance(event, CaseLost) else event.cell.id
                self.losses.add(event)
                self.lost.setdefault(event.cell, []).append(f"{name}: {event.reason}")
            case LedgerJudged(problem):
                self.problems.append(problem)
            case ClaimJudged(claim):
                self.claims.append(claim)
            case RunBroken():
                self.broken = event
            case RunFinished():
                self.finished = event
            case _:
                pass  # of no matter at the end

    @property
    def testee(self) -> str:
        """What names the codec under test on the command line; empty for our own."""
        return self.started.testee if self.started is not None else ""

    @property
    def ledger(self) -> Mapping[str, str]:
        """What the ledger's entries say, by their ids."""
        return self.started.ledger if self.started is not None else {}

    @property
    def all_cells(self) -> list[Cell]:
        """Every cell of which anything is known, in order."""
        known = self.cells.keys() | self.of_cell.keys() | self.lost.keys()
        return sorted(known, key=lambda cell: (cell.release, cell.module, cell.message, cell.version))

    def told(self) -> Told:
        """The findings, with what is alike together."""
        reason = self.findings.one_reason(len(self.cells))
        return Told(reason, self.findings.groups(without=reason))
