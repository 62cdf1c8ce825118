"""The plan in one cell, for a testee or a mutant of it, until a case fails that the testee passes."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, TypeAlias

from wireproof.model.cell import Cell
from wireproof.model.divergence import without_indices
from wireproof.power.testees.watching import (
    CautiousSession,
    Excuse,
    ExcuseCounter,
    Transcript,
    WatchedSession,
)
from wireproof.proof.adapters.testee.testee_adapter import ColdStartTestee, TesteeAdapter
from wireproof.proof.adapters.testee.testee_blobs import TesteeBlobs
from wireproof.proof.adapters.testee.testee_reader import TesteeReader
from wireproof.proof.config.selection import MutationSet
from wireproof.proof.deviations.search.cell_diagnosis import CellDiagnosis
from wireproof.proof.deviations.search.observing import AnswerObserver
from wireproof.proof.run.core.cell_events import FailedCase, LostCell, ProverEvent
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.plan import KnownDeviations, RunOptions
from wireproof.proof.run.core.shared_layouts import LayoutMemory
from wireproof.proof.run.engine.cell_worker import prover_for
from wireproof.proof.testees.build.launch import Launch
from wireproof.proof.testees.session.testee_session import TesteeSession

LESS_CPU_S: Final = 2.0
"""The processor seconds for each answer of a changed source: it may loop, and each hang costs this time."""

FailureCause: TypeAlias = tuple[str, str, str]
"""Check, field without indices, kind."""

SessionPair: TypeAlias = tuple[TesteeSession, TesteeSession]
"""The process that is asked everything, and the one that is restarted for first questions."""


class TesteeAdapterFactory(Protocol):
    """Makes the adapter of a session with a testee, whose answers an observer may get first."""

    def __call__(self, testee: TesteeSession, observer: AnswerObserver | None = None) -> TesteeAdapter: ...


SessionFactory: TypeAlias = Callable[[Launch], TesteeSession]
"""Opens a session with a testee; nothing starts before the first question."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The results of the testee itself in a cell.

    Attributes:
        causes: the causes of cases that fail without any mutant; an outdated ledger leaves some.
        transcript: the testee's answers.
        lost: the reason why the cell cannot be judged; empty if it can.
    """

    causes: frozenset[FailureCause]
    excuses: Counter[Excuse]
    transcript: Transcript
    lost: str = ""


@dataclass(frozen=True, slots=True)
class CellOutcome:
    """The result of the plan in a cell, up to its end or to its first failure.

    Attributes:
        ended: the failure, or the reason why the cell could not be judged; None if every case passed.
    """

    cases: int
    excuses: Counter[Excuse]
    transcript: Transcript
    ended: FailedCase | LostCell | None

    @property
    def hung(self) -> bool:
        """True if a case failed because no answer came in time."""
        ended = self.ended
        return isinstance(ended, FailedCase) and any("hang" in each.kind for each in ended.divergences)


class _Stop(BaseException):
    """Ends the proof of a cell, through all handlers of `Exception`: one failure is enough."""

    def __init__(self, failure: FailedCase) -> None:
        self.failure = failure


@dataclass(slots=True)
class PlanRunner:
    """Runs the plan in cells. It keeps the processes and the baselines of the testee itself.

    Attributes:
        environment: the environment of a run of the testee; its adapters are replaced.
        known: the testee's ledger; None if it has none.
    """

    environment: WorkerEnvironment
    launch: Launch
    open: SessionFactory
    adapt: TesteeAdapterFactory
    known: KnownDeviations | None
    options: RunOptions = field(default_factory=RunOptions)
    _pair: SessionPair | None = None
    _baselines: dict[Cell, Baseline] = field(default_factory=dict)
    _hurried_baselines: dict[tuple[Cell, ...], dict[Cell, Baseline]] = field(default_factory=dict)

    def close(self) -> None:
        """End the testee's processes."""
        for each in self._pair or ():
            each.close()
        self._pair = None

    @property
    def sessions(self) -> SessionPair:
        """The sessions with the testee itself, opened at the first access."""
        if self._pair is None:
            self._pair = self.open(self.launch), self.open(self.launch)
        return self._pair

    def has_baseline(self, cell: Cell) -> bool:
        """True if the testee itself was run in the cell before."""
        return cell in self._baselines

    def baseline(self, cell: Cell) -> Baseline:
        """Return the results of the testee itself. The first call for a cell runs the testee."""
        if cell not in self._baselines:
            self._baselines[cell] = self._run_baseline(cell, self.sessions)
        return self._baselines[cell]

    def hurried_baselines(self, cells: Sequence[Cell]) -> Mapping[Cell, Baseline]:
        """Return the results of the testee itself under the conditions of a changed source.

        New processes with little processor time run these cells in this order. They have not yet met the
        questions that end the testee's process, so they ask the questions that `sessions` now skips.
        """
        key = tuple(cells)
        if key not in self._hurried_baselines:
            with self._hurried_pair() as pair:
                self._hurried_baselines[key] = {cell: self._run_baseline(cell, pair) for cell in cells}
        return self._hurried_baselines[key]

    def _run_baseline(self, cell: Cell, pair: SessionPair) -> Baseline:
        causes: set[FailureCause] = set()
        done = self.run(cell, pair, causes)
        lost = done.ended.reason if isinstance(done.ended, LostCell) else ""
        return Baseline(frozenset(causes), done.excuses, done.transcript, lost)

    def learn_of_hurry(self, cell: Cell) -> bool:
        """Run the testee itself in the short time of a changed source; return whether it has new failures.

        The mutant does not cause these failures: from now on they count among the usual causes.
        """
        usual, causes = self._baselines[cell], set[FailureCause]()
        with self._hurried_pair() as pair:
            self.run(cell, pair, causes)
        self._baselines[cell] = replace(usual, causes=usual.causes | causes)
        return not causes <= usual.causes

    def hurried(self, launch: Launch) -> SessionPair:
        """Open sessions with little processor time, which stop at the first hang."""
        hurried = launch.with_cpu_limit(LESS_CPU_S)
        return CautiousSession(self.open(hurried)), CautiousSession(self.open(hurried))

    @contextmanager
    def _hurried_pair(self) -> Iterator[SessionPair]:
        pair = self.hurried(self.launch)
        try:
            yield pair
        finally:
            for each in pair:
                each.close()

    def run(self, cell: Cell, pair: SessionPair, causes: set[FailureCause] | None = None) -> CellOutcome:
        """Run a cell to its end, or to the first case that fails for a cause that the testee does not have.

        Args:
            causes: filled with the causes of all failures; then no failure ends the run.
        """
        known, transcript = ExcuseCounter(self.known), Transcript()
        usual = frozenset[FailureCause]() if causes is not None else self._baselines[cell].causes

        def emit(event: ProverEvent) -> None:
            if not isinstance(event, FailedCase):
                return
            found = {(str(each.check), without_indices(each.path), each.kind) for each in event.divergences}
            if causes is not None:
                causes.update(found)
            elif not found <= usual:
                raise _Stop(event)

        options = replace(self._options, known=known, fresh_retries=False)
        observer = AnswerObserver() if known.known_causes else None
        watched = WatchedSession(pair[0], transcript), pair[1]
        with self._environment_of(watched, observer) as environment:
            prover = prover_for(cell)(environment, options, cell, emit, lambda phase, names: None)
            try:
                done = prover.prove()
            except _Stop as stop:
                known.predicted({} if observer is None else observer.used)
                return CellOutcome(prover.cases + 1, known.excuses, transcript, stop.failure)
        known.predicted({} if observer is None else observer.used)
        lost = done if isinstance(done, LostCell) else None
        return CellOutcome(prover.cases, known.excuses, transcript, lost)

    def diagnose(self, cell: Cell, pair: SessionPair) -> CellDiagnosis | None:
        """Run a cell to its end, and search the causes of its failures beside those of the ledger."""
        options = replace(self._options, known=ExcuseCounter(self.known))
        with self._environment_of(pair, AnswerObserver()) as environment:
            prover = prover_for(cell)(environment, options, cell, lambda _: None, lambda *_: None)
            done = prover.prove()
        return None if isinstance(done, LostCell) else done.diagnosis

    @property
    def _options(self) -> RunOptions:
        return replace(self.options, shrink_s=0, mutations=MutationSet.SLICE, classes=False)

    @contextmanager
    def _environment_of(
        self, pair: SessionPair, observer: AnswerObserver | None
    ) -> Iterator[WorkerEnvironment]:
        adapter = self.adapt(pair[0], observer)

        def fresh() -> TesteeAdapter:
            pair[1].stop()
            return self.adapt(pair[1], observer)

        yield replace(
            self.environment,
            adapters=[adapter],
            records=[adapter],
            limited=[TesteeReader(adapter)],
            blobs=[TesteeBlobs(adapter)],
            fresh=ColdStartTestee(fresh),
            alike=LayoutMemory(),
            mutations=LayoutMemory(),
            other_definitions=None,
            observer=observer,
        )
