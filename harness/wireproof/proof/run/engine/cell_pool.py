"""The distribution of cells over worker processes, and the recovery after one of them dies.

A JVM that crashes ends its Python process, and the cases under way are lost. Then another process tries the
cell again one case at a time, and announces each case first: if it dies, too, the case is known. That case
is reported as lost, and the cell goes on without it.
"""

import signal
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from wireproof.model.cell import RECORDS_MODULE, Cell
from wireproof.proof.run.core.cell_events import (
    CellResult,
    CellRetry,
    EndedCodec,
    LostCase,
    LostCell,
    ProverEvent,
)
from wireproof.proof.run.core.environment import MakeEnvironment
from wireproof.proof.run.core.plan import RunOptions, over_releases
from wireproof.proof.run.engine.cell_worker import (
    AnnouncedCases,
    AnnouncementSlot,
    Assignment,
    HangTime,
    Message,
    make_cell_handler,
)
from wireproof.proof.run.engine.worker_pool import Worker, WorkerBroken, WorkerDiedError, WorkerPool

PoolEvent = ProverEvent | CellRetry | LostCase | LostCell | CellResult | WorkerBroken

_MOST_LOST_CASES = 5
"""Cases of one cell that may kill their process before the cell is given up."""
_MOST_DEATHS = 60
"""After this many deaths in a run, no cell is tried again case by case: each death may cost all the time that
a codec has."""
_GIVEN_UP = 2 * _MOST_DEATHS
"""After this many deaths, the remaining cells are not begun."""


@dataclass(slots=True)
class CellQueue:
    """The cells of one worker.

    Attributes:
        announced: the cases that the worker is about to try.
        assignment: the cell under way; None if the worker waits.
        rest: the other cells of its group.
        known_ends: how many ends of the codec it was informed of.
    """

    announced: AnnouncementSlot
    assignment: Assignment | None = None
    rest: deque[Assignment] = field(default_factory=deque)
    known_ends: int = 0


@dataclass(slots=True)
class CellPool:
    """Proves cells over processes. Use as a context manager: leaving it ends every process.

    Args:
        jobs: the largest number of processes.
        lasting: whether processes wait for another `run` when they have nothing to do.
        first: cells that are begun before all others.
    """

    make_environment: MakeEnvironment
    options: RunOptions
    jobs: int
    lasting: bool = False
    first: Collection[Cell] = ()
    _pool: WorkerPool[CellQueue] = field(init=False)
    _waiting: deque[tuple[Assignment, ...]] = field(default_factory=deque)
    _stopping: bool = False
    _deaths: int = 0
    _ended: list[tuple[int, EndedCodec]] = field(default_factory=list)
    _hangs_s: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._pool = WorkerPool(partial(make_cell_handler, self.make_environment, self.options))

    def __enter__(self) -> "CellPool":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        self._pool.end()
        self._waiting.clear()

    def stop(self) -> None:
        """Give out no further work, and end `run` at the next chance. Safe to call from a signal handler."""
        self._stopping = True

    def run(self, cells: Sequence[Cell]) -> Iterator[PoolEvent | None]:
        """Yield the events as they happen, and None now and then: the caller can look at the clock then."""
        # One process gets a cell of all releases, one after the other: their shared layout is judged once.
        # Record sets come first: they take longest, and the other process takes the other cells meanwhile.
        groups = sorted(over_releases(cells), key=self._rank)
        self._waiting.extend(tuple(map(Assignment, group)) for group in groups)
        self._stopping = False
        for worker in list(self._pool.workers):
            self._assign(worker)
        for _ in range(min(self.jobs - len(self._busy), len(self._waiting))):
            self._start()
        while self._busy and not self._stopping:
            ready = self._pool.ready(self._busy)
            yield None
            for worker in ready:
                yield from self._receive(worker)
        if self._stopping:
            self._end()  # the cells under way are not needed any more

    def _rank(self, group: Sequence[Cell]) -> tuple[bool, bool]:
        return not any(cell in self.first for cell in group), group[0].module != RECORDS_MODULE

    @property
    def _busy(self) -> list[Worker[CellQueue]]:
        """The workers that have a cell; all of them, unless the pool is lasting."""
        return [worker for worker in self._pool.workers if worker.state.assignment is not None]

    def _start(self) -> None:
        announced = AnnouncementSlot()
        self._assign(self._pool.start(CellQueue(announced), announced))

    def _assign(self, worker: Worker[CellQueue]) -> None:
        queue = worker.state
        if not queue.rest and self._waiting:
            queue.rest.extend(self._waiting.popleft())
        queue.assignment = queue.rest.popleft() if queue.rest else None
        if queue.assignment is not None:
            queue.assignment = self._informed(worker, queue.assignment)
            self._pool.give(worker, queue.assignment)
        elif not self.lasting:
            self._pool.dismiss(worker)

    def _informed(self, worker: Worker[CellQueue], assignment: Assignment) -> Assignment:
        """The assignment with the hangs and ends of the codec that other processes reported."""
        own = worker.process.pid or 0
        news = tuple(event for pid, event in self._ended[worker.state.known_ends :] if pid != own)
        worker.state.known_ends = len(self._ended)
        spent_s = sum(seconds for pid, seconds in self._hangs_s.items() if pid != own)
        return replace(assignment, ended=news, hangs_s=spent_s)

    def _receive(self, worker: Worker[CellQueue]) -> Iterator[PoolEvent]:
        """The events that a worker has sent."""
        try:
            for message in self._pool.messages(worker):
                yield from self._take(worker, message)
        except WorkerDiedError as error:
            yield from self._replace(worker, _death(error.exit_code))

    def _take(self, worker: Worker[CellQueue], message: Message) -> Iterator[PoolEvent]:
        match message:
            case HangTime(seconds):
                self._hangs_s[worker.process.pid or 0] = seconds
            case CellResult() | LostCell():
                yield message
                self._assign(worker)
            case EndedCodec():
                self._ended.append((worker.process.pid or 0, message))
                yield message
            case _:
                yield message

    def _replace(self, worker: Worker[CellQueue], death: str) -> Iterator[PoolEvent]:
        """Find the case that killed a worker, or give its cell up; start another worker for the rest."""
        queue = worker.state
        self._deaths += 1
        if queue.rest:
            self._waiting.appendleft(tuple(queue.rest))
        if queue.assignment is not None:
            yield from self._retry(queue.assignment, queue.announced.get(), death)
        if self._deaths >= _GIVEN_UP:
            yield from self._give_up(death)
        if self._waiting and not self._stopping:
            self._start()

    def _give_up(self, death: str) -> Iterator[PoolEvent]:
        """The cells that no worker has begun."""
        while self._waiting:
            for left in self._waiting.popleft():
                yield LostCell(left.cell, f"not begun: {self._deaths} processes ended in this run; {death}")

    def _retry(self, lost: Assignment, trying: AnnouncedCases | None, death: str) -> Iterator[PoolEvent]:
        if trying is None and lost.again:
            yield LostCell(lost.cell, f"{death} before its first case, twice")
            return
        if trying is None:  # another program killed it while it started, or the machine had no memory left
            self._waiting.appendleft((replace(lost, again=True),))
            return
        if not lost.careful and self._deaths >= _MOST_DEATHS:
            yield LostCell(lost.cell, f"{death}; {self._deaths} processes ended so in this run")
            return
        if not lost.careful:
            first, last = (lost.cell.case_id(trying.phase, name) for name in (trying.first, trying.last))
            yield CellRetry(lost.cell, first, last, death)
            self._waiting.appendleft((Assignment(lost.cell, careful=True),))
            return
        case_id = lost.cell.case_id(trying.phase, trying.last)
        yield LostCase(lost.cell, case_id, death)
        if case_id in lost.skip or len(lost.skip) >= _MOST_LOST_CASES:
            yield LostCell(lost.cell, f"{death} at {case_id}, again and again")
            return
        self._waiting.appendleft((Assignment(lost.cell, careful=True, skip=lost.skip | {case_id}),))


def _death(exit_code: int | None) -> str:
    if exit_code == -signal.SIGXCPU:
        return "what was tried hung and could not be stopped, and the process was ended"
    if exit_code == -signal.SIGKILL:
        return "the process was killed by signal 9, which the system sends when memory runs out"
    if exit_code is not None and exit_code < 0:
        return f"the process was killed by signal {-exit_code}"
    return f"the process ended with code {exit_code}"
