"""The run: cells in, events out, totals and exit code at the end."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, TypeAlias, TypeVar

from wireproof.coverage import CellCoverage
from wireproof.exit_codes import ExitCode, worst
from wireproof.model import Cell, ClaimProblem, CodecDirection, LedgerProblem, Phase
from wireproof.run.core.cell_events import (
    CellProgress,
    CellResult,
    CellRetry,
    ComparedCell,
    EndedCodec,
    FailedCase,
    LostCase,
    LostCell,
    ShrunkCase,
    StricterCase,
)
from wireproof.run.core.environment import MakeEnvironment
from wireproof.run.core.plan import RunOptions
from wireproof.run.core.run_events import BrokenRun, ClaimFinding, LedgerFinding, RunEvent, RunFooter, Totals
from wireproof.run.engine.cell_pool import CellPool, PoolEvent
from wireproof.run.engine.worker_pool import WorkerBroken

__all__ = ["Audit", "ClaimsAudit", "Engine", "Prover"]

Audit: TypeAlias = Callable[[Sequence[CellResult]], Sequence[LedgerProblem]]
"""Returns the problems of the ledger; given the cells that were judged without losing a case."""

ClaimsAudit: TypeAlias = Callable[[], Sequence[ClaimProblem]]
"""Returns the problems of the testee's claims, and operations that it could claim."""

_FLOOR: Final = 0.9
"""The part of the claims that has to be tried with what Kafka's classes made."""


class Prover(Protocol):
    """A prover of cells: a `CellPool`, or an `InlineProver`."""

    def run(self, cells: Sequence[Cell]) -> Iterator[PoolEvent | None]:
        """Yield the events as they happen, and None now and then: the caller can look at the clock then."""
        ...

    def stop(self) -> None:
        """End `run` at the next chance."""
        ...


@dataclass(slots=True)
class Engine:
    """One run.

    Args:
        jobs: how many processes at most.
        budget_s: wall-clock seconds after which no further result is waited for; None for no limit.
        audit: asked at the end what is wrong with the ledger; None where there is none.
        claims_audit: asked at the end about the testee's claims; None where there is no testee.
        prover: proves the cells, and outlives the run; None for processes of its own.
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
    compares: bool = False
    totals: Totals = field(default_factory=Totals)
    _interrupted: bool = False
    _broken: ExitCode | None = None
    _lost_cells: set[Cell] = field(default_factory=set)
    _under_way: dict[Cell, CellProgress] = field(default_factory=dict)
    _failed_cells: set[Cell] = field(default_factory=set)
    _done: list[CellResult] = field(default_factory=list)
    _claimed: set[tuple[str, int, CodecDirection]] = field(default_factory=set)
    _exercised: set[tuple[str, int, CodecDirection]] = field(default_factory=set)

    def interrupt(self) -> None:
        """Stop soon; what was found is kept. Safe to call from a signal handler."""
        self._interrupted = True

    def run(self, cells: Sequence[Cell]) -> Iterator[RunEvent]:
        """Prove the cells. The last event is always `RunFooter`."""
        started = time.monotonic()
        self.totals.cells_selected = len(cells)
        own = CellPool(self.make_environment, self.options, self.jobs)
        with own if self.prover is None else nullcontext(self.prover) as pool:
            for event in pool.run(cells):
                if event is not None:
                    yield self._take(event)
                over = self.budget_s is not None and time.monotonic() - started > self.budget_s
                if over or self._interrupted or self._broken is not None:
                    pool.stop()
        self._count_under_way()
        yield from self._claims_audited()
        yield from self._audited()
        yield RunFooter(self.totals, time.monotonic() - started, self._exit_code())

    def _claims_audited(self) -> Iterator[ClaimFinding]:
        totals = self.totals
        totals.claims, totals.claims_exercised = len(self._claimed), len(self._exercised)
        # In a run that tries values at all, of one codec.
        required = Phase.ENUMERATED in self.options.phases and not self.compares
        totals.claims_below_floor = required and totals.claims_exercised < _FLOOR * totals.claims
        if self.claims_audit is None or self._interrupted or self._broken is not None:
            return
        for problem in self.claims_audit():
            self.totals.claim_problems += problem.fails
            yield ClaimFinding(problem)

    def _audited(self) -> Iterator[LedgerFinding]:
        if self.audit is None:
            return
        whole = [event for event in self._done if event.cell not in self._lost_cells]
        for problem in self.audit(whole):
            self.totals.ledger_problems += problem.fails
            yield LedgerFinding(problem)

    def _take(self, event: PoolEvent) -> RunEvent:
        totals = self.totals
        match event:
            case CellResult():
                self._under_way.pop(event.cell, None)
                totals.cells_done += 1
                totals.cells_failed += bool(event.failed_cases)
                totals.cells_not_whole += bool(event.not_asked)
                totals.not_asked += event.not_asked
                _add(totals.skipped, event.skipped)
                self._count(event)
                _add(totals.errata, event.errata)
                _add(totals.verdicts, event.verdicts)
                _add(totals.laxities, event.laxities)
                _add(totals.unsupported, event.unsupported)
                _add(totals.known, event.known)
                for subject, outcomes in event.trust.items():
                    _add(totals.trust.setdefault(subject, {}), outcomes)
                if self.audit is not None:
                    self._done.append(replace(event, coverage=None))
                self._count_classes(event.coverage)
                cell = event.cell
                self._claimed.update((cell.message, cell.version, way) for way in event.claimed)
                self._exercised.update((cell.message, cell.version, way) for way in event.exercised)
            case EndedCodec():
                _add(totals.ended, {event.end.error: 1})
            case CellProgress():
                self._under_way[event.cell] = event
            case FailedCase():
                self._failed_cells.add(event.cell)
            case LostCase() | LostCell():
                self._lost_cells.add(event.cell)
                totals.cells_lost = len(self._lost_cells)
            case WorkerBroken(message, advice):
                self._broken = ExitCode.MISSING if advice else ExitCode.BROKEN
                return BrokenRun(message, advice, self._broken)
            case ShrunkCase() | StricterCase() | ComparedCell() | CellRetry():
                pass
        return event

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

    def _count_under_way(self) -> None:
        """Count the cells that were not judged to their end."""
        for event in self._under_way.values():
            self._count(event)
        self._under_way.clear()

    def _exit_code(self) -> ExitCode:
        """The worst of those that apply."""
        totals = self.totals
        failed = totals.failed_cases > 0 or bool(self._failed_cells)
        ran_nothing = totals.cells_done > 0 and totals.all_cases == 0
        applies = (
            (self._interrupted, ExitCode.INTERRUPTED),
            (self._broken is not None, self._broken or ExitCode.BROKEN),
            (totals.cells_lost > 0, ExitCode.BROKEN),
            (totals.cells_selected == 0 or ran_nothing, ExitCode.NOTHING_RAN),
            (failed and not self.compares, ExitCode.DIVERGENCE),
            (totals.claim_problems > 0, ExitCode.DIVERGENCE),
            (totals.ledger_problems > 0, ExitCode.LEDGER),
            (totals.cells_done < totals.cells_selected, ExitCode.BELOW_FLOOR),
            (totals.cells_not_whole > 0, ExitCode.BELOW_FLOOR),
            (totals.cells_below_floor > 0, ExitCode.BELOW_FLOOR),
            (totals.claims_below_floor, ExitCode.BELOW_FLOOR),
        )
        return ExitCode(worst([code for holds, code in applies if holds]))


_Key = TypeVar("_Key", bound=str)


def _add(totals: dict[_Key, int], counts: Mapping[_Key, int]) -> None:
    for key, count in counts.items():
        totals[key] = totals.get(key, 0) + count
