"""One mutant of a testee: the plan, cell by cell, until a case fails that the testee itself passes."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

from wireproof.model import Cell, Known, Phase
from wireproof.model.verdict import without_indices
from wireproof.mutation.conversation import MutatedConversation, Tally
from wireproof.mutation.mutant import AnswerMutant
from wireproof.mutation.verdicts import Description, Killed, Lost, Masked, NotAsked, Survived, Verdict
from wireproof.mutation.watching import Excuse, WatchedKnown
from wireproof.run import DEFAULT_PHASES, Bench, CaseFailed, CellLost, RunOptions
from wireproof.run.alike import AlikeMemory, MutationMemory
from wireproof.run.events import ProverEvent
from wireproof.run.worker import prover_of
from wireproof.testees import (
    Conversation,
    FreshTestee,
    TesteeAdapter,
    TesteeBlobs,
    TesteeReader,
)

__all__ = ["Judge", "describe"]

_Cause = tuple[str, str, str]
"""Check, field without indices, kind."""


class Adapt(Protocol):
    """Makes the adapter of a conversation with a testee."""

    def __call__(self, testee: Conversation) -> TesteeAdapter: ...


@dataclass(frozen=True, slots=True)
class _Baseline:
    """What the testee itself does in a cell.

    Attributes:
        causes: of cases that fail though no bug was planted; a ledger that is not up to date leaves some.
        lost: why the cell cannot be judged; empty where it can.
    """

    causes: frozenset[_Cause]
    excuses: Counter[Excuse]
    lost: str = ""


class _Stop(BaseException):
    """Ends the proof of a cell, through whatever stands between: one failure is enough."""

    def __init__(self, failure: CaseFailed) -> None:
        self.failure = failure


@dataclass(slots=True)
class Judge:
    """Judges mutants of one testee. It keeps the testee's processes, and what the testee itself does.

    Attributes:
        name: of the testee.
        bench: of a run of it; its adapters are not asked.
        open: begins a conversation with the testee as it is.
        known: its ledger; None where it has none.
        cells_of: the cells of a message that the testee claims.
    """

    name: str
    bench: Bench
    open: Callable[[], Conversation]
    adapt: Adapt
    known: Known | None
    cells_of: Callable[[str], Sequence[Cell]]
    seed: int = 0
    phases: tuple[Phase, ...] = DEFAULT_PHASES
    _pair: tuple[Conversation, Conversation] | None = None
    _baselines: dict[Cell, _Baseline] = field(default_factory=dict)

    def close(self) -> None:
        """End the testee's processes."""
        for each in self._pair or ():
            each.close()
        self._pair = None

    def judge(self, places: Sequence[AnswerMutant]) -> Verdict:
        """Judge a mutant at the first of some places where the plan reaches it.

        Raises:
            OracleError: the oracle cannot work at all.
            TesteeError: the testee does not start.
        """
        verdict: Verdict = self._judge(places[0])
        for mutant in places[1:]:
            if not isinstance(verdict, NotAsked):
                break
            verdict = self._judge(mutant)
        return verdict

    def _judge(self, mutant: AnswerMutant) -> Verdict:
        """Try the plan on the cells in which the mutant is wrong.

        Raises:
            OracleError: the oracle cannot work at all.
            TesteeError: the testee does not start.
        """
        tally, told = Tally(), describe(self.name, mutant)
        cells = self._cells(mutant)
        duration_s, cases, excuses = 0.0, 0, Counter[Excuse]()
        for cell in cells:
            if self._baseline(cell).lost:
                return Lost(told, f"{cell.id}: {self._baseline(cell).lost}")
            started = time.monotonic()
            done = self._try(cell, self._mutated(mutant, tally))
            duration_s += time.monotonic() - started
            cases += done.cases
            if isinstance(done.ended, CaseFailed):
                return _killed(told, done.ended, cases, duration_s)
            if isinstance(done.ended, CellLost):
                return Lost(told, f"{cell.id}: {done.ended.reason}")
            excuses += done.excuses - self._baseline(cell).excuses
        if not tally.changed:
            return NotAsked(told, f"none of {tally.asked:,} answers about the message changed", duration_s)
        if excuses:
            return Masked(told, _by(excuses), cases, duration_s)
        return Survived(told, len(cells), cases, tally.changed, tally.first, duration_s)

    def _cells(self, mutant: AnswerMutant) -> list[Cell]:
        """The mutant's own cell, then others of the message: the newest, the oldest, and one between."""
        every = [each for each in self.cells_of(mutant.cell.message) if each.version in mutant.layouts]
        every.sort(key=lambda cell: -cell.version)
        spread = [mutant.cell, every[0], every[-1], every[len(every) // 2]]
        return list(dict.fromkeys(spread))

    def _mutated(self, mutant: AnswerMutant, tally: Tally) -> tuple[Conversation, Conversation]:
        one, other = self._conversations()
        return MutatedConversation(one, mutant, tally), MutatedConversation(other, mutant, tally)

    def _conversations(self) -> tuple[Conversation, Conversation]:
        """The process that is asked everything, and the one that is started anew for first questions."""
        if self._pair is None:
            self._pair = self.open(), self.open()
        return self._pair

    def _baseline(self, cell: Cell) -> _Baseline:
        if cell not in self._baselines:
            causes: set[_Cause] = set()
            done = self._try(cell, self._conversations(), causes)
            lost = done.ended.reason if isinstance(done.ended, CellLost) else ""
            self._baselines[cell] = _Baseline(frozenset(causes), done.excuses, lost)
        return self._baselines[cell]

    def _try(
        self, cell: Cell, pair: tuple[Conversation, Conversation], causes: set[_Cause] | None = None
    ) -> "_Tried":
        """One cell to its end, or to the first case that fails for a cause that the testee does not have.

        Args:
            causes: filled with the causes of all that fails; then no failure ends it.
        """
        known = WatchedKnown(self.known)
        usual = frozenset[_Cause]() if causes is not None else self._baselines[cell].causes

        def emit(event: ProverEvent) -> None:
            if not isinstance(event, CaseFailed):
                return
            found = {(str(each.check), without_indices(each.path), each.kind) for each in event.divergences}
            if causes is not None:
                causes.update(found)
            elif not found <= usual:
                raise _Stop(event)

        options = RunOptions(self.phases, seed=self.seed, shrink_s=0, known=known, classes=False)
        with self._benched(pair) as bench:
            prover = prover_of(cell)(bench, options, cell, emit, lambda phase, names: None)
            try:
                done = prover.prove()
            except _Stop as stop:
                return _Tried(prover.cases + 1, known.excuses, stop.failure)
        return _Tried(prover.cases, known.excuses, done if isinstance(done, CellLost) else None)

    @contextmanager
    def _benched(self, pair: tuple[Conversation, Conversation]) -> Iterator[Bench]:
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
            fresh=FreshTestee(fresh),
            alike=AlikeMemory(),
            mutations=MutationMemory(),
            witness=None,
        )


@dataclass(frozen=True, slots=True)
class _Tried:
    cases: int
    excuses: Counter[Excuse]
    ended: CaseFailed | CellLost | None


def describe(testee: str, mutant: AnswerMutant) -> Description:
    """A mutant in words."""
    operator = mutant.operator
    return Description(
        testee, "answers", operator.name, operator.bug_class.value, operator.says, mutant.place
    )


def _killed(told: Description, failure: CaseFailed, cases: int, duration_s: float) -> Killed:
    first = failure.divergences[0]
    scenario = failure.case_id.removeprefix(f"{failure.cell.id}/")
    return Killed(told, failure.cell, str(first.check), scenario, first.path, first.kind, cases, duration_s)


def _by(excuses: Counter[Excuse]) -> dict[str, int]:
    by: Counter[str] = Counter()
    for (name, *_), count in excuses.items():
        by[name] += count
    return dict(by)
