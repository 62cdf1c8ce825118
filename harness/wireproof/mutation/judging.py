"""One mutant of a testee: the plan, cell by cell, until a case fails that the testee itself passes."""

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, TypeAlias

from wireproof.adapters.testee import ColdStartTestee, TesteeAdapter, TesteeBlobs, TesteeReader
from wireproof.model import Cell, KnownDeviations, Phase
from wireproof.model.divergence import without_indices
from wireproof.mutation.mutant import AnswerMutant
from wireproof.mutation.mutated_session import MutatedSession, MutationCounts
from wireproof.mutation.probing import Probe
from wireproof.mutation.source_mutants import SOURCE_CLASS, SourceMutant, mutated_launch, same_code, spec_of
from wireproof.mutation.verdicts import (
    Description,
    KilledVerdict,
    LostVerdict,
    MaskedVerdict,
    MutantVerdict,
    NotAskedVerdict,
    StillbornVerdict,
    SurvivedVerdict,
    UnchangedVerdict,
)
from wireproof.mutation.watching import (
    CautiousSession,
    Excuse,
    ExcuseCounter,
    Transcript,
    WatchedSession,
)
from wireproof.run import DEFAULT_PHASES, FailedCase, LostCell, RunOptions, WorkerEnvironment
from wireproof.run.core.cell_events import ProverEvent
from wireproof.run.core.shared_layouts import MutationMemory, SharedLayoutMemory
from wireproof.run.engine.cell_worker import prover_for
from wireproof.testees import Launch, TesteeError, TesteeSession
from wireproof.wording import counted

__all__ = ["MutantJudge", "describe"]

_MOST_CELLS: Final = 4
"""Cells that a mutant is tried in before it counts as one that the plan does not kill."""

_CPU_S: Final = 2.0
"""Processor time between two answers: changed source loops now and then, and each hang costs so much."""

_VERSION: Final = re.compile(r'"version":(-?\d+)')
"""The version that a question is about."""

_Cause: TypeAlias = tuple[str, str, str]
"""Check, field without indices, kind."""

_Pair: TypeAlias = tuple[TesteeSession, TesteeSession]
"""The process that is asked everything, and the one that is started anew for first questions."""


class TesteeAdapterFactory(Protocol):
    """Makes the adapter of a conversation with a testee."""

    def __call__(self, testee: TesteeSession) -> TesteeAdapter: ...


class OpenSession(Protocol):
    """Begins a conversation with a testee; nothing starts before the first question."""

    def __call__(self, launch: Launch) -> TesteeSession: ...


@dataclass(frozen=True, slots=True)
class _Baseline:
    """What the testee itself does in a cell.

    Attributes:
        causes: of cases that fail though no bug was planted; a ledger that is not up to date leaves some.
        transcript: its answers.
        lost: why the cell cannot be judged; empty where it can.
    """

    causes: frozenset[_Cause]
    excuses: Counter[Excuse]
    transcript: Transcript
    lost: str = ""


class _Stop(BaseException):
    """Ends the proof of a cell, through whatever stands between: one failure is enough."""

    def __init__(self, failure: FailedCase) -> None:
        self.failure = failure


@dataclass(frozen=True, slots=True)
class _Tried:
    """A cell, tried to its end or to its first failure."""

    cases: int
    excuses: Counter[Excuse]
    transcript: Transcript
    ended: FailedCase | LostCell | None


@dataclass(slots=True)
class _Passed:
    """The cells of a mutant in which no case failed.

    Attributes:
        excuses: what was excused with the mutant and not without it.
        excused: what was excused with the mutant.
        asked: how many answers were compared with those of the testee itself.
        changed: by cell and digest the questions whose answers differ, each cut short.
    """

    cells: int = 0
    cases: int = 0
    duration_s: float = 0.0
    excuses: Counter[Excuse] = field(default_factory=Counter)
    excused: set[Excuse] = field(default_factory=set)
    asked: int = 0
    changed: dict[Cell, dict[int, str]] = field(default_factory=dict)


@dataclass(slots=True)
class MutantJudge:
    """Judges mutants of one testee. It keeps the testee's processes, and what the testee itself does.

    Attributes:
        name: of the testee.
        bench: of a run of it; its adapters are not asked.
        known: its ledger; None where it has none.
        cells: those that it claims.
    """

    name: str
    bench: WorkerEnvironment
    launch: Launch
    open: OpenSession
    adapt: TesteeAdapterFactory
    known: KnownDeviations | None
    cells: Sequence[Cell]
    seed: int = 0
    phases: tuple[Phase, ...] = DEFAULT_PHASES
    _pair: _Pair | None = None
    _baselines: dict[Cell, _Baseline] = field(default_factory=dict)
    _probed: dict[Cell, list[int]] = field(default_factory=dict)

    def close(self) -> None:
        """End the testee's processes."""
        for each in self._pair or ():
            each.close()
        self._pair = None

    def judge(self, places: Sequence[AnswerMutant] | SourceMutant) -> MutantVerdict:
        """Judge a mutant at the first of some places where the plan reaches it.

        Raises:
            OracleError: the oracle cannot work at all.
            TesteeError: the testee does not start.
        """
        if isinstance(places, SourceMutant):
            return self._judge_source(places)
        verdict = self._judge_answers(places[0])
        for mutant in places[1:]:
            if not isinstance(verdict, NotAskedVerdict):
                break
            verdict = self._judge_answers(mutant)
        return verdict

    def _judge_answers(self, mutant: AnswerMutant) -> MutantVerdict:
        tally, told = MutationCounts(), describe(self.name, mutant)
        one, other = self._conversations()
        pair = MutatedSession(one, mutant, tally), MutatedSession(other, mutant, tally)
        passed = self._plan(told, self._cells(mutant), pair)
        if not isinstance(passed, _Passed):
            return passed
        if not tally.changed:
            words = f"none of {tally.asked:,} answers about the message changed"
            return NotAskedVerdict(told, words, passed.duration_s)
        return _left(told, passed, tally.changed, tally.first)

    def _judge_source(self, mutant: SourceMutant) -> MutantVerdict:
        told = describe(self.name, mutant)
        if not mutant.executed:
            return NotAskedVerdict(told, "no question executes the line")
        if same_code(mutant):
            return UnchangedVerdict(told, 0, 0, "Python compiles it to the same code", 0.0)
        launch = mutated_launch(self.launch, spec_of(mutant)).with_cpu_limit(_CPU_S)
        pair = CautiousSession(self.open(launch)), CautiousSession(self.open(launch))
        try:
            return self._stillborn(told, pair[0]) or self._judge_running(told, mutant, pair)
        finally:
            for each in pair:
                each.close()

    def _stillborn(self, told: Description, testee: TesteeSession) -> StillbornVerdict | None:
        try:
            hello = testee.hello()
        except TesteeError as error:
            return StillbornVerdict(told, f"it does not start: {error.message[:200]}")
        same = hello == self._conversations()[0].hello()
        return None if same else StillbornVerdict(told, "its hello says otherwise what it claims")

    def _judge_running(self, told: Description, mutant: SourceMutant, pair: _Pair) -> MutantVerdict:
        cells = sorted(mutant.cells, key=lambda cell: cell not in self._baselines)[:_MOST_CELLS]
        if not cells:
            started = time.monotonic()
            cells, asked = self._changed_cells(pair[0])
            if not cells:
                words = f"none of {asked:,} answers about {counted(len(self.cells), 'cell')} changed"
                return UnchangedVerdict(told, len(self.cells), asked, words, time.monotonic() - started)
        passed = self._plan(told, cells, pair)
        if not isinstance(passed, _Passed):
            return passed
        changed = [
            words for cell, questions in passed.changed.items() for words in self._steady(cell, questions)
        ]
        if not changed:
            where = counted(passed.cells, "cell")
            words = f"all {passed.asked:,} answers in {where} are those of the codec itself"
            return UnchangedVerdict(told, passed.cells, passed.asked, words, passed.duration_s)
        return _left(told, passed, len(changed), min(changed))

    def _steady(self, cell: Cell, questions: dict[int, str]) -> Iterator[str]:
        """Those of changed questions that the testee itself answers twice alike, at a version that there is.

        Other answers change by themselves (gzip writes the time), or nothing is promised of them.
        """
        if not questions:
            return
        again = self._try(cell, self._conversations(), set())
        _, unsteady = again.transcript.compared(self._baseline(cell).transcript)
        versions = {each.version for each in self.cells if each.message == cell.message}
        for key, words in questions.items():
            version = _VERSION.search(words)
            if key not in unsteady and (version is None or int(version[1]) in versions):
                yield words

    def _changed_cells(self, testee: TesteeSession) -> tuple[list[Cell], int]:
        """The first cells in which a few questions are answered otherwise; and how many were asked."""
        probe, adapter = Probe(self.bench), self.adapt(testee)
        if not self._probed:
            own = self.adapt(self._conversations()[0])
            self._probed = {cell: Probe(self.bench).digests(own, cell) for cell in self.cells}
        found: list[Cell] = []
        for cell in self.cells:
            if probe.digests(adapter, cell) != self._probed[cell]:
                found.append(cell)
            if len(found) >= _MOST_CELLS:
                break
        return found, probe.asked

    def _plan(
        self, told: Description, cells: Sequence[Cell], pair: _Pair
    ) -> KilledVerdict | LostVerdict | _Passed:
        """The plan in one cell after the other, until a case fails that the testee itself passes."""
        passed = _Passed()
        for cell in cells:
            own = self._baseline(cell)
            if own.lost:
                return LostVerdict(told, f"{cell.id}: {own.lost}")
            started = time.monotonic()
            done = self._try(cell, pair)
            if _hung(done) and self._learn_of_hurry(cell):
                done = self._try(cell, pair)
            passed.duration_s += time.monotonic() - started
            passed.cases += done.cases
            if isinstance(done.ended, FailedCase):
                return _killed(told, done.ended, passed.cases, passed.duration_s)
            if isinstance(done.ended, LostCell):
                return LostVerdict(told, f"{cell.id}: {done.ended.reason}")
            passed.cells += 1
            passed.excuses += done.excuses - own.excuses
            passed.excused |= done.excuses.keys()
            asked, changed = done.transcript.compared(own.transcript)
            passed.asked += asked
            passed.changed[cell] = changed
        return passed

    def _learn_of_hurry(self, cell: Cell) -> bool:
        """Whether the testee itself fails otherwise in the little time that a changed source is given.

        What it fails of then is not the mutant's doing, and counts among the usual causes from now on.
        """
        usual, causes = self._baselines[cell], set[_Cause]()
        hurried = self.launch.with_cpu_limit(_CPU_S)
        pair = CautiousSession(self.open(hurried)), CautiousSession(self.open(hurried))
        try:
            self._try(cell, pair, causes)
        finally:
            for each in pair:
                each.close()
        self._baselines[cell] = replace(usual, causes=usual.causes | causes)
        return not causes <= usual.causes

    def _cells(self, mutant: AnswerMutant) -> list[Cell]:
        """The mutant's own cell, then others of the message: the newest, the oldest, and one between."""
        message = mutant.cell.message
        every = [each for each in self.cells if each.message == message and each.version in mutant.layouts]
        every.sort(key=lambda cell: -cell.version)
        return list(dict.fromkeys([mutant.cell, every[0], every[-1], every[len(every) // 2]]))

    def _conversations(self) -> _Pair:
        if self._pair is None:
            self._pair = self.open(self.launch), self.open(self.launch)
        return self._pair

    def _baseline(self, cell: Cell) -> _Baseline:
        if cell not in self._baselines:
            causes: set[_Cause] = set()
            done = self._try(cell, self._conversations(), causes)
            lost = done.ended.reason if isinstance(done.ended, LostCell) else ""
            self._baselines[cell] = _Baseline(frozenset(causes), done.excuses, done.transcript, lost)
        return self._baselines[cell]

    def _try(self, cell: Cell, pair: _Pair, causes: set[_Cause] | None = None) -> _Tried:
        """One cell to its end, or to the first case that fails for a cause that the testee does not have.

        Args:
            causes: filled with the causes of all that fails; then no failure ends it.
        """
        known, transcript = ExcuseCounter(self.known), Transcript()
        usual = frozenset[_Cause]() if causes is not None else self._baselines[cell].causes

        def emit(event: ProverEvent) -> None:
            if not isinstance(event, FailedCase):
                return
            found = {(str(each.check), without_indices(each.path), each.kind) for each in event.divergences}
            if causes is not None:
                causes.update(found)
            elif not found <= usual:
                raise _Stop(event)

        options = RunOptions(
            self.phases, seed=self.seed, shrink_s=0, known=known, classes=False, fresh_retries=False
        )
        with self._benched((WatchedSession(pair[0], transcript), pair[1])) as bench:
            prover = prover_for(cell)(bench, options, cell, emit, lambda phase, names: None)
            try:
                done = prover.prove()
            except _Stop as stop:
                return _Tried(prover.cases + 1, known.excuses, transcript, stop.failure)
        lost = done if isinstance(done, LostCell) else None
        return _Tried(prover.cases, known.excuses, transcript, lost)

    @contextmanager
    def _benched(self, pair: _Pair) -> Iterator[WorkerEnvironment]:
        adapter = self.adapt(pair[0])

        def fresh() -> TesteeAdapter:
            pair[1].stop()
            return self.adapt(pair[1])

        yield replace(
            self.bench,
            adapters=[adapter],
            records=[adapter],
            limited=[TesteeReader(adapter)],
            blobs=[TesteeBlobs(adapter)],
            fresh=ColdStartTestee(fresh),
            alike=SharedLayoutMemory(),
            mutations=MutationMemory(),
            find_reference_release=None,
        )


def describe(testee: str, mutant: AnswerMutant | SourceMutant) -> Description:
    """A mutant in words."""
    if isinstance(mutant, SourceMutant):
        return Description(testee, "source", mutant.operator, SOURCE_CLASS, mutant.says, mutant.place)
    operator = mutant.operator
    return Description(
        testee, "answers", operator.name, operator.bug_class.value, operator.says, mutant.place
    )


def _left(told: Description, passed: _Passed, changed: int, example: str) -> MaskedVerdict | SurvivedVerdict:
    """The verdict on a mutant that changed answers and failed no case."""
    if passed.excuses:
        return MaskedVerdict(told, _by(passed.excuses), passed.cases, passed.duration_s)
    excused = tuple(sorted({name for name, *_ in passed.excused}))
    return SurvivedVerdict(told, passed.cells, passed.cases, changed, example, passed.duration_s, excused)


def _hung(tried: _Tried) -> bool:
    """Whether a case failed because no answer came in time."""
    ended = tried.ended
    return isinstance(ended, FailedCase) and any("hang" in each.kind for each in ended.divergences)


def _killed(told: Description, failure: FailedCase, cases: int, duration_s: float) -> KilledVerdict:
    first = failure.divergences[0]
    scenario = failure.case_id.removeprefix(f"{failure.cell.id}/")
    return KilledVerdict(
        told, failure.cell, str(first.check), scenario, first.path, first.kind, cases, duration_s
    )


def _by(excuses: Counter[Excuse]) -> dict[str, int]:
    by: Counter[str] = Counter()
    for (name, *_), count in excuses.items():
        by[name] += count
    return dict(by)
