"""Worker processes, and what to do when one of them dies.

A JVM that crashes takes its Python process with it, and whatever was in flight. The cell is then
given to a new process, one case at a time, each announced before it is tried: the second death
names the case. That case is written down as lost, and the cell goes on without it.
"""

import contextlib
import multiprocessing
import signal
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import ModuleType

from wireproof.model import Cell
from wireproof.run.core.environment import MakeEnvironment
from wireproof.run.core.plan import RunOptions, over_releases
from wireproof.run.core.run_events import (
    CaseFailed,
    CaseLost,
    CaseShrunk,
    CaseStricter,
    CellCompared,
    CellDone,
    CellLost,
    CellProgress,
    CellRetried,
    CodecEnded,
    ProverEvent,
)
from wireproof.run.engine.announcement import AnnouncedCases, AnnouncementSlot
from wireproof.run.engine.cell_worker import (
    Assignment,
    HangTime,
    Message,
    WorkerBroken,
    run_worker,
)
from wireproof.run.engine.ignored_interrupts import start_ignoring_interrupts

__all__ = ["CellPool", "PoolEvent"]

PoolEvent = ProverEvent | CellRetried | CaseLost | CellLost | CellDone | WorkerBroken

_MOST_LOST_CASES = 5
"""Cases of one cell that may take their process down before the cell is given up."""
_MOST_DEATHS = 60
"""Once so many processes died in a run, no cell is tried again case by case: each death may cost a codec's
whole time."""
_GIVEN_UP = 2 * _MOST_DEATHS
"""Once so many did, the cells that are left are not begun."""
_POLL_S = 0.2


@dataclass(slots=True)
class _Worker:
    """A process and its cells.

    Attributes:
        announced: the cases that it is about to try.
        knows: how many of the codec's ends it has heard of.
    """

    process: SpawnProcess
    pipe: Connection
    announced: AnnouncementSlot
    assignment: Assignment | None = None
    mine: deque[Assignment] = field(default_factory=deque)
    knows: int = 0


@dataclass(slots=True)
class CellPool:
    """Proves cells over processes. Use as a context manager: leaving it ends every process.

    Args:
        jobs: how many processes at most.
        lasting: whether processes wait for another `run` when they have nothing to do.
    """

    make_environment: MakeEnvironment
    options: RunOptions
    jobs: int
    lasting: bool = False
    _waiting: deque[tuple[Assignment, ...]] = field(default_factory=deque)
    _workers: list[_Worker] = field(default_factory=list)
    _stopping: bool = False
    _deaths: int = 0
    _ended: list[tuple[int, CodecEnded]] = field(default_factory=list)
    _hangs_s: dict[int, float] = field(default_factory=dict)

    def __enter__(self) -> "CellPool":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()
        self._workers.clear()
        self._waiting.clear()

    def stop(self) -> None:
        """Give out no more work, and end `run` at the next chance. Safe to call from a signal handler."""
        self._stopping = True

    def run(self, cells: Sequence[Cell]) -> Iterator[PoolEvent | None]:
        """What happens, as it happens; None now and then, so that the caller can look at the clock."""
        # One process gets a cell of all releases, one after the other: what is alike is worked out once.
        self._waiting.extend(tuple(map(Assignment, group)) for group in over_releases(cells))
        self._stopping = False
        for worker in self._workers:
            self._assign(worker)
        for _ in range(min(self.jobs - len(self._busy), len(self._waiting))):
            self._start()
        while self._busy and not self._stopping:
            ready = set(wait([worker.pipe for worker in self._busy], timeout=_POLL_S))
            yield None
            for worker in [worker for worker in self._workers if worker.pipe in ready]:
                yield from self._hear(worker)
        if self._stopping:
            self._end()  # what they are at belongs to nobody any more

    @property
    def _busy(self) -> list[_Worker]:
        """Those that have a cell; all of them, unless they are to last."""
        return [worker for worker in self._workers if worker.assignment is not None]

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        announced = AnnouncementSlot()
        process = context.Process(target=run_worker, args=(theirs, announced), daemon=True)
        with _no_program_of_ours():
            start_ignoring_interrupts(process)
        theirs.close()
        with contextlib.suppress(BrokenPipeError):  # it died: reading from it will tell
            ours.send((self.make_environment, self.options))
        worker = _Worker(process, ours, announced)
        self._workers.append(worker)
        self._assign(worker)

    def _assign(self, worker: _Worker) -> None:
        if not worker.mine and self._waiting:
            worker.mine.extend(self._waiting.popleft())
        worker.assignment = worker.mine.popleft() if worker.mine else None
        if worker.assignment is None and self.lasting:
            return
        if worker.assignment is not None:
            worker.assignment = self._informed(worker, worker.assignment)
        try:
            worker.pipe.send(worker.assignment)
        except BrokenPipeError:
            return  # it died: reading from it will tell
        if worker.assignment is None:
            self._workers.remove(worker)
            worker.process.join()
            worker.pipe.close()

    def _informed(self, worker: _Worker, assignment: Assignment) -> Assignment:
        """The assignment with what the other processes found out about hangs and ends of the codec."""
        own = worker.process.pid or 0
        news = tuple(event for pid, event in self._ended[worker.knows :] if pid != own)
        worker.knows = len(self._ended)
        spent_s = sum(seconds for pid, seconds in self._hangs_s.items() if pid != own)
        return replace(assignment, ended=news, hangs_s=spent_s)

    def _hear(self, worker: _Worker) -> Iterator[PoolEvent]:
        """Everything the worker has to say now."""
        try:
            while worker in self._workers and worker.pipe.poll():
                message: Message = worker.pipe.recv()
                match message:
                    case HangTime(seconds):
                        self._hangs_s[worker.process.pid or 0] = seconds
                    case CellDone() | CellLost():
                        yield message
                        self._assign(worker)
                    case CodecEnded():
                        self._ended.append((worker.process.pid or 0, message))
                        yield message
                    case (
                        CaseFailed()
                        | CaseShrunk()
                        | CaseStricter()
                        | CellCompared()
                        | CellProgress()
                        | WorkerBroken()
                    ):
                        yield message
        except (EOFError, ConnectionResetError):
            yield from self._bury(worker)

    def _bury(self, worker: _Worker) -> Iterator[PoolEvent]:
        """A worker is dead: find out what killed it, or give its cell up."""
        self._workers.remove(worker)
        worker.process.join()
        worker.pipe.close()
        self._deaths += 1
        death = _death(worker.process.exitcode)
        if worker.mine:
            self._waiting.appendleft(tuple(worker.mine))
        if worker.assignment is not None:
            yield from self._blame(worker.assignment, worker.announced.get(), death)
        if self._deaths >= _GIVEN_UP:
            yield from self._give_up(death)
        if self._waiting and not self._stopping:
            self._start()

    def _give_up(self, death: str) -> Iterator[PoolEvent]:
        """The cells that nobody has begun."""
        while self._waiting:
            for left in self._waiting.popleft():
                yield CellLost(left.cell, f"not begun: {self._deaths} processes ended in this run; {death}")

    def _blame(self, lost: Assignment, trying: AnnouncedCases | None, death: str) -> Iterator[PoolEvent]:
        if trying is None:
            yield CellLost(lost.cell, f"{death} before its first case")
            return
        if not lost.careful and self._deaths >= _MOST_DEATHS:
            yield CellLost(lost.cell, f"{death}; {self._deaths} processes ended so in this run")
            return
        if not lost.careful:
            first, last = (lost.cell.case_id(trying.phase, name) for name in (trying.first, trying.last))
            yield CellRetried(lost.cell, first, last, death)
            self._waiting.appendleft((Assignment(lost.cell, careful=True),))
            return
        case_id = lost.cell.case_id(trying.phase, trying.last)
        yield CaseLost(lost.cell, case_id, death)
        if case_id in lost.skip or len(lost.skip) >= _MOST_LOST_CASES:
            yield CellLost(lost.cell, f"{death} at {case_id}, again and again")
            return
        self._waiting.appendleft((Assignment(lost.cell, careful=True, skip=lost.skip | {case_id}),))


@contextlib.contextmanager
def _no_program_of_ours() -> Iterator[None]:
    """Keep `multiprocessing` from running the caller's program again in the new process.

    It does so to find what is defined there, which no worker needs; a script that proves without an
    ``if __name__ == "__main__"`` would begin anew in each, and one on standard input cannot be read twice.
    """
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


def _death(exit_code: int | None) -> str:
    if exit_code == -signal.SIGXCPU:
        return "what was tried hung and could not be stopped, and the process was ended"
    if exit_code is not None and exit_code < 0:
        return f"the process was killed by signal {-exit_code}"
    return f"the process ended with code {exit_code}"
