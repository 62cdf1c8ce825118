"""The run: cells in, events out, and the account of totals and exit code at the end."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final, Protocol, TypeAlias, TypeVar

from wireproof.base.exit_codes import ExitCode, worst
from wireproof.model.agreement import LedgerProblem
from wireproof.model.cell import Cell, Phase
from wireproof.model.coverage.cell_coverage import CellCoverage
from wireproof.model.repertoire import ClaimProblem, CodecDirection
from wireproof.proof.run.core.cell_events import (
    CellProgress,
    CellResult,
    EndedCodec,
    FailedCase,
    LostCase,
    LostCell,
)
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
from wireproof.proof.run.engine.worker_pool import WorkerBroken

_FLOOR: Final = 0.9
"""The share of the claims that has to be tried with values or bytes of Kafka's classes."""


@dataclass(slots=True)
class RunAccount:
    """Adds up the events of a run, or of the event files of its shards.

    Attributes:
        lost_cells: the cells that lost a case or their verdict.
        broken: the exit code of the event that ended the run; None if no event did.
        causes: the causes of the failures, each with its message.
    """

    totals: Totals = field(default_factory=Totals)
    lost_cells: set[Cell] = field(default_factory=set)
    broken: ExitCode | None = None
    causes: set[tuple[str, ...]] = field(default_factory=set)
    _under_way: dict[Cell, CellProgress] = field(default_factory=dict)
    _failed_cells: set[Cell] = field(default_factory=set)
    _failures_under_way: Counter[Cell] = field(default_factory=Counter)
    _claimed: set[tuple[str, int, CodecDirection]] = field(default_factory=set)
    _exercised: set[tuple[str, int, CodecDirection]] = field(default_factory=set)

    def take(self, event: RunEvent) -> None:
        """Add an event to the totals."""
        match event:
            case CellResult():
                self._take_result(event)
            case CellProgress():
                self._under_way[event.cell] = event
            case EndedCodec():
                _add(self.totals.ended, {event.end.error: 1})
            case FailedCase():
                self._failed_cells.add(event.cell)
                self._failures_under_way[event.cell] += 1
                self.causes.add((event.cell.message, *event.divergences[0].cause))
            case LostCase() | LostCell():
                self.lost_cells.add(event.cell)
                self.totals.cells_lost = len(self.lost_cells)
            case LedgerFinding(problem):
                self.totals.ledger_problems += problem.fails
            case ClaimFinding(problem):
                self.totals.claim_problems += problem.fails
            case BrokenRun():
                self.broken = event.exit_code
            case _:
                pass  # nothing to add up

    def close(self, *, claims_required: bool) -> None:
        """Count the cells that were not judged to their end, and the claims.

        Args:
            claims_required: whether the run had to try what the testee claims.
        """
        totals = self.totals
        for cell, progress in self._under_way.items():
            self._count(progress)
            # Progress is reported now and then: failures may have come after it.
            totals.failed_cases += max(0, self._failures_under_way.pop(cell, 0) - progress.failed_cases)
        totals.failed_cases += self._failures_under_way.total()
        self._under_way.clear()
        self._failures_under_way.clear()
        totals.claims, totals.claims_exercised = len(self._claimed), len(self._exercised)
        totals.claims_below_floor = claims_required and totals.claims_exercised < _FLOOR * totals.claims

    def exit_code(self, *, interrupted: bool = False, compares: bool = False) -> ExitCode:
        """Return the worst of the exit codes that apply.

        Args:
            compares: whether codecs are compared with each other: a difference to Kafka does not count.
        """
        totals = self.totals
        failed = totals.failed_cases > 0 or bool(self._failed_cells)
        ran_nothing = totals.cells_done > 0 and totals.all_cases == 0
        applies = (
            (interrupted, ExitCode.INTERRUPTED),
            (self.broken is not None, self.broken or ExitCode.BROKEN),
            (totals.cells_lost > 0, ExitCode.BROKEN),
            (totals.cells_selected == 0 or ran_nothing, ExitCode.NOTHING_RAN),
            (failed and not compares, ExitCode.DIVERGENCE),
            (totals.claim_problems > 0, ExitCode.DIVERGENCE),
            (totals.ledger_problems > 0, ExitCode.LEDGER),
            (totals.cells_done < totals.cells_selected, ExitCode.BELOW_FLOOR),
            (totals.cells_not_whole > 0, ExitCode.BELOW_FLOOR),
            (totals.cells_below_floor > 0, ExitCode.BELOW_FLOOR),
            (totals.claims_below_floor, ExitCode.BELOW_FLOOR),
        )
        return ExitCode(worst([code for holds, code in applies if holds]))

    def _take_result(self, event: CellResult) -> None:
        totals, cell = self.totals, event.cell
        self._under_way.pop(cell, None)
        self._failures_under_way.pop(cell, None)
        totals.cells_done += 1
        totals.cells_failed += bool(event.failed_cases)
        totals.cells_not_whole += bool(event.not_asked)
        totals.not_asked += event.not_asked
        self._count(event)
        _add(totals.skipped, event.skipped)
        _add(totals.errata, event.errata)
        _add(totals.verdicts, event.verdicts)
        _add(totals.laxities, event.laxities)
        _add(totals.unsupported, event.unsupported)
        _add(totals.known, event.known)
        for subject, outcomes in event.trust.items():
            _add(totals.trust.setdefault(subject, {}), outcomes)
        self._count_classes(event.coverage)
        self._claimed.update((cell.message, cell.version, way) for way in event.claimed)
        self._exercised.update((cell.message, cell.version, way) for way in event.exercised)

    def _count_classes(self, coverage: CellCoverage | None) -> None:
        if coverage is not None:
            self.totals.classes_met += coverage.covered
            self.totals.classes_reachable += coverage.reachable
            self.totals.classes_unreachable += coverage.unreachable
            self.totals.classes_excused += len(coverage.excused)
            self.totals.cells_below_floor += coverage.below_floor

    def _count(self, event: CellResult | CellProgress) -> None:
        self.totals.failed_cases += event.failed_cases
        self.totals.data_bytes += event.data_bytes
        _add(self.totals.cases, event.cases)


_Key = TypeVar("_Key", bound=str)


def _add(totals: dict[_Key, int], counts: Mapping[_Key, int]) -> None:
    for key, count in counts.items():
        totals[key] = totals.get(key, 0) + count


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
        jobs: the largest number of processes.
        budget_s: wall-clock seconds after which the run stops; None for no limit.
        audit: called at the end for the problems of the ledger; None if there is no ledger.
        claims_audit: called at the end for the problems of the testee's claims; None without a testee.
        prover: proves the cells and outlives the run; None if the engine starts its own processes.
        most_findings: the number of causes of failures after which the run stops; None for no limit.
        first: cells that are judged before all others, if the engine starts its own processes.
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
        # Claims are required only of a run that tries the values of one codec.
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
