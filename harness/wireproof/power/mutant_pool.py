"""A pool of worker processes that judge mutants, with the verdicts in the order of the mutants."""

import multiprocessing
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Generic, TypeAlias, TypeVar

from wireproof.model import CannotWorkError
from wireproof.run.engine.ignored_interrupts import ignore_interrupts, start_ignoring_interrupts

__all__ = ["BrokenWorker", "MutantPool"]

_POLL_S = 0.2

_Mutant = TypeVar("_Mutant")
_Verdict = TypeVar("_Verdict")


@dataclass(frozen=True, slots=True)
class BrokenWorker:
    """A worker cannot start: its oracle, or a prerequisite of it, is missing or broken."""

    message: str
    advice: str


@dataclass(frozen=True, slots=True)
class _Fault:
    """The harness failed while it judged a mutant."""

    reason: str


@dataclass(slots=True)
class _Worker:
    process: SpawnProcess
    pipe: Connection
    index: int | None = None


_MakeJudge: TypeAlias = Callable[[], Callable[[_Mutant], _Verdict]]


@dataclass(slots=True)
class MutantPool(Generic[_Mutant, _Verdict]):
    """Judges mutants. Use as a context manager: leaving it ends every process.

    Args:
        make_judge: each process calls it once; the function it returns judges one mutant after the other.
        mutants: the mutants to judge; each is pickled.
        lost: makes the verdict on a mutant that the harness could not judge, from the reason.
        jobs: the most processes.
        in_order: yield verdicts in the order of the mutants; else as they arrive.
    """

    make_judge: "_MakeJudge[_Mutant, _Verdict]"
    mutants: Sequence[_Mutant]
    lost: Callable[[_Mutant, str], _Verdict]
    jobs: int
    in_order: bool = True
    _waiting: deque[int] = field(default_factory=deque)
    _workers: list[_Worker] = field(default_factory=list)
    _verdicts: dict[int, _Verdict] = field(default_factory=dict)
    _broken: BrokenWorker | None = None

    def __enter__(self) -> "MutantPool[_Mutant, _Verdict]":
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()
        self._workers.clear()

    @property
    def judged(self) -> int:
        """The number of verdicts so far, including those that are not yielded yet."""
        return len(self._verdicts)

    def run(self) -> Iterator[_Verdict | BrokenWorker | None]:
        """Yield the verdict on each mutant, and None between verdicts. `BrokenWorker` is the last item."""
        self._waiting.extend(range(len(self.mutants)))
        yielded: set[int] = set()
        for _ in range(min(self.jobs, len(self.mutants))):
            self._start()
        while self._workers:
            ready = set(wait([worker.pipe for worker in self._workers], timeout=_POLL_S))
            for worker in [worker for worker in self._workers if worker.pipe in ready]:
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
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, self.make_judge), daemon=True)
        start_ignoring_interrupts(process)
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        self._assign(worker)

    def _assign(self, worker: _Worker) -> None:
        worker.index = self._waiting.popleft() if self._waiting else None
        try:
            worker.pipe.send(None if worker.index is None else (self.mutants[worker.index],))
        except BrokenPipeError:
            return  # it died: the next read reports that
        if worker.index is None:
            self._dismiss(worker)

    def _dismiss(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.process.join()
        worker.pipe.close()

    def _receive(self, worker: _Worker) -> None:
        try:
            message: _Verdict | BrokenWorker | _Fault = worker.pipe.recv()
        except (EOFError, ConnectionResetError):
            self._replace(worker)
            return
        if isinstance(message, BrokenWorker):
            self._broken = message
        elif worker.index is not None:
            self._keep(worker.index, message)
            self._assign(worker)

    def _keep(self, index: int, message: _Verdict | _Fault) -> None:
        if isinstance(message, _Fault):
            message = self.lost(self.mutants[index], message.reason)
        self._verdicts[index] = message

    def _replace(self, worker: _Worker) -> None:
        """Record the mutant of a dead worker as lost, and start another process for the rest."""
        self._dismiss(worker)
        if worker.index is not None:
            self._keep(worker.index, _Fault(f"its process ended with code {worker.process.exitcode}"))
        if self._waiting:
            self._start()


def _work(pipe: Connection, make_judge: "_MakeJudge[_Mutant, _Verdict]") -> None:
    """Judge the mutants from the pipe, until None or the end of the pipe."""
    ignore_interrupts()
    try:
        judge = make_judge()
        while (item := pipe.recv()) is not None:
            try:
                pipe.send(judge(item[0]))
            except (CannotWorkError, EOFError, BrokenPipeError):
                raise
            except Exception as error:  # noqa: BLE001 - a bug of the harness loses one mutant, and the report names its line
                pipe.send(_Fault(_fault(error)))
    except CannotWorkError as error:
        pipe.send(BrokenWorker(error.message, error.advice))
    except (EOFError, BrokenPipeError):
        pass  # the parent has ended


def _fault(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "nowhere"
    return f"the harness failed: {type(error).__name__}: {error} at {place}"
