"""A pool of worker processes that judge mutants, with the verdicts in the order of the mutants."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeAlias, TypeVar

from wireproof.base.exit_codes import harness_failure
from wireproof.model.oracle import CannotWorkError
from wireproof.proof.run.engine.worker_pool import Send, Worker, WorkerBroken, WorkerDiedError, WorkerPool

_Mutant = TypeVar("_Mutant")
_Verdict = TypeVar("_Verdict")


@dataclass(frozen=True, slots=True)
class _Fault:
    """The harness failed while it judged a mutant."""

    reason: str


@dataclass(slots=True)
class _MutantIndex:
    """The index of the mutant that a worker judges; None if it judges none."""

    index: int | None = None


_MakeJudge: TypeAlias = Callable[[], Callable[[_Mutant], _Verdict]]


@dataclass(slots=True)
class MutantPool(Generic[_Mutant, _Verdict]):
    """Judges mutants. Use as a context manager: leaving it ends every process.

    Args:
        make_judge: makes the judge of one mutant after the other; each process calls it once.
        mutants: the mutants to judge; each is pickled.
        lost: makes the verdict on a mutant that the harness could not judge, from the reason.
        jobs: the most processes.
        in_order: whether to yield verdicts in the order of the mutants, and not as they arrive.
    """

    make_judge: "_MakeJudge[_Mutant, _Verdict]"
    mutants: Sequence[_Mutant]
    lost: Callable[[_Mutant, str], _Verdict]
    jobs: int
    in_order: bool = True
    _pool: WorkerPool[_MutantIndex] = field(init=False)
    _waiting: deque[int] = field(default_factory=deque)
    _verdicts: dict[int, _Verdict] = field(default_factory=dict)
    _broken: WorkerBroken | None = None

    def __post_init__(self) -> None:
        self._pool = WorkerPool(partial(_make_handler, self.make_judge))

    def __enter__(self) -> "MutantPool[_Mutant, _Verdict]":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.end()

    @property
    def judged(self) -> int:
        """The number of verdicts so far, including those that are not yielded yet."""
        return len(self._verdicts)

    def run(self) -> Iterator[_Verdict | WorkerBroken | None]:
        """Yield the verdict on each mutant, and None between verdicts. `WorkerBroken` is the last item."""
        self._waiting.extend(range(len(self.mutants)))
        yielded: set[int] = set()
        for _ in range(min(self.jobs, len(self.mutants))):
            self._start()
        while self._pool.workers:
            for worker in self._pool.ready(self._pool.workers):
                self._receive(worker)
            if self._broken is not None:
                yield self._broken
                return
            for index in range(len(self.mutants)):
                if index in yielded:
                    continue
                if index in self._verdicts:
                    yielded.add(index)
                    yield self._verdicts[index]
                elif self.in_order:
                    break
            yield None

    def _start(self) -> None:
        self._assign(self._pool.start(_MutantIndex()))

    def _assign(self, worker: Worker[_MutantIndex]) -> None:
        index = worker.state.index = self._waiting.popleft() if self._waiting else None
        if index is None:
            self._pool.dismiss(worker)
        else:
            self._pool.give(worker, self.mutants[index])

    def _receive(self, worker: Worker[_MutantIndex]) -> None:
        try:
            for message in self._pool.messages(worker):
                self._take(worker, message)
                if self._broken is not None:
                    return
        except WorkerDiedError as error:
            self._replace(worker, str(error))

    def _take(self, worker: Worker[_MutantIndex], message: _Verdict | WorkerBroken | _Fault) -> None:
        if isinstance(message, WorkerBroken):
            self._broken = message
        elif worker.state.index is not None:
            self._keep(worker.state.index, message)
            self._assign(worker)

    def _keep(self, index: int, message: _Verdict | _Fault) -> None:
        if isinstance(message, _Fault):
            message = self.lost(self.mutants[index], message.reason)
        self._verdicts[index] = message

    def _replace(self, worker: Worker[_MutantIndex], death: str) -> None:
        """Record the mutant of a dead worker as lost, and start another process for the rest."""
        if worker.state.index is not None:
            self._keep(worker.state.index, _Fault(death.replace("the process", "its process")))
        if self._waiting:
            self._start()


def _make_handler(make_judge: "_MakeJudge[_Mutant, _Verdict]", send: Send) -> Callable[[_Mutant], None]:
    """The function that judges a mutant in a worker, and sends the verdict."""
    judge = make_judge()

    def handle(mutant: _Mutant) -> None:
        try:
            send(judge(mutant))
        except (CannotWorkError, EOFError, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001 - a bug of the harness loses one mutant, and the report names its line
            send(_Fault(harness_failure(error)))

    return handle
