"""The run: cells in, events out, totals and exit code at the end."""

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Protocol, TypeAlias

from wireproof.base.exit_codes import ExitCode
from wireproof.model.agreement import LedgerProblem
from wireproof.model.cell import Cell, Phase
from wireproof.model.repertoire import ClaimProblem
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.proof.run.core.environment import MakeEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import (
    BrokenRun,
    ClaimFinding,
    LedgerFinding,
    RunEvent,
    RunFooter,
    Totals,
)
from wireproof.proof.run.engine.cell_pool import CellPool, PoolEvent
from wireproof.proof.run.engine.run_account import RunAccount
from wireproof.proof.run.engine.worker_pool import WorkerBroken

Audit: TypeAlias = Callable[[Sequence[CellResult]], Sequence[LedgerProblem]]
"""Returns the problems of the ledger; given the cells that were judged without losing a case."""

ClaimsAudit: TypeAlias = Callable[[], Sequence[ClaimProblem]]
"""Returns the problems of the testee's claims, and operations that it could claim."""


class Prover(Protocol):
    """A prover of cells: a `CellPool`, or an `InlineProver`."""

    def run(self, cells: Sequence[Cell]) -> Iterator[PoolEvent | None]:
        """Yield the events as they happen, and None now and then: the caller can look at the clock then."""

    def stop(self) -> None:
        """End `run` at the next chance."""


@dataclass(slots=True)
class Engine:
    """One run: its cells, its counts, its exit code.

    Args:
        jobs: how many processes at most.
        budget_s: wall-clock seconds after which no further result is waited for; None for no limit.
        audit: asked at the end what is wrong with the ledger; None where there is none.
        claims_audit: asked at the end about the testee's claims; None where there is no testee.
        prover: proves the cells, and outlives the run; None for processes of its own.
        most_findings: stop after so many causes of failures; None for no limit.
        first: cells that are judged before all others, where the engine starts processes of its own.
        compares: whether codecs are compared with each other: a difference to Kafka is reported, and does
            not change the exit code.
    """

    make_environment: MakeEnvironment
    options: RunOptions
    jobs: int = 1
    budget_s: float | None = None
    audit: Audit | None = None
    claims_audit: ClaimsAudit | None = None
    prover: Prover | None = None
    most_findings: int | None = None
    compares: bool = False
    first: Collection[Cell] = ()
    _account: RunAccount = field(default_factory=RunAccount)
    _interrupted: bool = False
    _done: list[CellResult] = field(default_factory=list)

    @property
    def totals(self) -> Totals:
        """The totals of the run so far."""
        return self._account.totals

    @property
    def enough(self) -> bool:
        """Return whether the run found as much as it was asked to."""
        return self.most_findings is not None and len(self._account.causes) >= self.most_findings

    def interrupt(self) -> None:
        """Stop soon; what was found is kept. Safe to call from a signal handler."""
        self._interrupted = True

    def run(self, cells: Sequence[Cell]) -> Iterator[RunEvent]:
        """Prove the cells. The last event is always `RunFooter`."""
        started = time.monotonic()
        self.totals.cells_selected = len(cells)
        own = CellPool(self.make_environment, self.options, self.jobs, first=self.first)
        with own if self.prover is None else nullcontext(self.prover) as pool:
            for event in pool.run(cells):
                if event is not None:
                    yield self._take(event)
                over = self.budget_s is not None and time.monotonic() - started > self.budget_s
                if over or self.enough or self._interrupted or self._account.broken is not None:
                    pool.stop()
        # In a run that tries values at all, of one codec.
        required = Phase.ENUMERATED in self.options.phases and not self.compares
        self._account.close(claims_required=required)
        findings: Iterator[RunEvent] = chain(self._claims_audited(), self._audited())
        for finding in findings:
            self._account.take(finding)
            yield finding
        code = self._account.exit_code(interrupted=self._interrupted, compares=self.compares)
        yield RunFooter(self.totals, time.monotonic() - started, code)

    def _claims_audited(self) -> Iterator[ClaimFinding]:
        if self.claims_audit is None or self._interrupted or self._account.broken is not None:
            return
        for problem in self.claims_audit():
            yield ClaimFinding(problem)

    def _audited(self) -> Iterator[LedgerFinding]:
        if self.audit is None:
            return
        whole = [event for event in self._done if event.cell not in self._account.lost_cells]
        for problem in self.audit(whole):
            yield LedgerFinding(problem)

    def _take(self, event: PoolEvent) -> RunEvent:
        if isinstance(event, WorkerBroken):
            code = ExitCode.MISSING if event.advice else ExitCode.BROKEN
            broken = BrokenRun(event.message, event.advice, code)
            self._account.take(broken)
            return broken
        self._account.take(event)
        if isinstance(event, CellResult) and self.audit is not None:
            self._done.append(replace(event, coverage=None))
        return event
