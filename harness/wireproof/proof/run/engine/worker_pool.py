"""Worker processes: each has a pipe and takes one job after the other.

Workers ignore Ctrl-C and SIGHUP: a terminal sends them to all processes, and only the parent acts on them. A
worker that ignored them only after its imports would print a traceback if a signal came during the imports.
So the parent blocks the signals while it starts a worker, and the worker inherits the mask.

A command with one thread forks its workers: they need not start Python and import everything again. With
several threads, one might hold a lock that no thread releases in the child, and a JVM does not survive a
fork. On Linux other programs use the fork server of `multiprocessing`: it has imported what workers need,
and ends with the program.
"""

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Generic, TypeAlias, TypeVar

from wireproof.base.own_process import is_own_process
from wireproof.model.oracle import CannotWorkError

POLL_S: Final = 0.2
"""The longest time that a caller of `WorkerPool.ready` waits."""
_OF_TERMINALS: Final = frozenset({signal.SIGINT, signal.SIGHUP})
_YOUNG_OBJECTS: Final = 100_000
"""New containers between two searches for garbage cycles, in place of Python's 700: values have no cycles."""
_DEAD: Final = (BrokenPipeError, ConnectionResetError)
"""The errors of a pipe whose other process has ended."""

_State = TypeVar("_State")

Send: TypeAlias = Callable[[Any], None]
"""Sends a message to the parent."""
MakeHandler: TypeAlias = Callable[..., Callable[[Any], None]]
"""Called once in each worker, with `Send` and its shared memory: returns the function that does a job. It is
pickled."""


@dataclass(frozen=True, slots=True)
class WorkerBroken:
    """A worker cannot start: its oracle, or a prerequisite of it, is missing or broken."""

    message: str
    advice: str


class WorkerDiedError(Exception):
    """The process of a worker ended by itself. The pool has removed it.

    Attributes:
        exit_code: the exit code of the process; negative if a signal ended it.
    """

    def __init__(self, exit_code: int | None) -> None:
        super().__init__(f"the process ended with code {exit_code}")
        self.exit_code = exit_code


@dataclass(slots=True, eq=False)
class Worker(Generic[_State]):
    """A worker process with its pipe, and the state that the pool keeps for it."""

    process: BaseProcess
    pipe: Connection
    state: _State


@dataclass(slots=True)
class WorkerPool(Generic[_State]):
    """Starts, feeds, watches and ends worker processes. Use `end` to kill all of them."""

    make_handler: MakeHandler
    workers: list[Worker[_State]] = field(default_factory=list)

    def start(self, state: _State, *shared: object) -> Worker[_State]:
        """Start a worker.

        Args:
            shared: memory that the worker shares with this process; a process gets it only at its start.
        """
        ours, theirs = multiprocessing.Pipe()
        process: BaseProcess
        if _may_fork():
            inherited = [ours, *(worker.pipe for worker in self.workers)]
            context = multiprocessing.get_context("fork")
            process = context.Process(target=_serve_forked, args=(inherited, theirs, *shared), daemon=True)
        elif _THREADS.is_dir():
            served = multiprocessing.get_context("forkserver")
            served.set_forkserver_preload([_IMPORTED_BY_WORKERS])
            process = served.Process(target=_serve, args=(theirs, *shared), daemon=True)
        else:
            spawned = multiprocessing.get_context("spawn")
            process = spawned.Process(target=_serve, args=(theirs, *shared), daemon=True)
        with _without_main_module():
            start_ignoring_interrupts(process)
        theirs.close()
        with contextlib.suppress(*_DEAD):  # `messages` reports the death
            ours.send((dict(os.environ), self.make_handler))  # the fork server has an older environment
        worker = Worker(process, ours, state)
        self.workers.append(worker)
        return worker

    def give(self, worker: Worker[_State], job: object) -> None:
        """Send a job to a worker; a dead worker takes none, which `messages` reports."""
        with contextlib.suppress(*_DEAD):
            worker.pipe.send((job,))

    def dismiss(self, worker: Worker[_State]) -> None:
        """Let a worker end after its job, and wait for that."""
        try:
            worker.pipe.send(None)
        except _DEAD:
            return  # `messages` reports the death
        self._remove(worker)

    def ready(self, workers: Sequence[Worker[_State]]) -> list[Worker[_State]]:
        """The workers that have sent a message or died, after at most `POLL_S` seconds."""
        pipes = set(wait([worker.pipe for worker in workers], timeout=POLL_S))
        return [worker for worker in workers if worker.pipe in pipes]

    def messages(self, worker: Worker[_State]) -> Iterator[Any]:
        """The messages that a worker has sent.

        Raises:
            WorkerDiedError: its process has ended.
        """
        try:
            while worker in self.workers and worker.pipe.poll():
                yield worker.pipe.recv()
        except (EOFError, *_DEAD):
            self._remove(worker)
            raise WorkerDiedError(worker.process.exitcode) from None

    def end(self) -> None:
        """Kill every worker."""
        for worker in self.workers:
            worker.process.kill()
        for worker in list(self.workers):
            self._remove(worker)

    def _remove(self, worker: Worker[_State]) -> None:
        self.workers.remove(worker)
        worker.process.join()
        worker.pipe.close()


_IMPORTED_BY_WORKERS: Final = "wireproof.proof.run.engine.cell_worker"
_THREADS: Final = Path("/proc/self/task")
"""The threads of this process, those of Java and of other libraries too, on Linux."""


def _may_fork() -> bool:
    """Test if this process can fork safely: it has no other thread, and so no lock held by one and no JVM."""
    return is_own_process() and _THREADS.is_dir() and len(list(_THREADS.iterdir())) == 1


def _serve_forked(inherited: Sequence[Connection], pipe: Connection, *shared: object) -> None:
    """Serve in a fork of the command: close the inherited ends of all pipes, and end at SIGTERM.

    Another worker's pipe would not break while this process holds the command's end of that pipe.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for each in inherited:
        each.close()
    _serve(pipe, *shared)


def _serve(pipe: Connection, *shared: object) -> None:
    """Do the jobs that come in, until None or the end of the pipe.

    The handler comes over the pipe, too: a pipe breaks if this process dies, but `multiprocessing` would wait
    forever to hand over arguments.
    """
    ignore_interrupts()
    try:
        environ, make_handler = pipe.recv()
        os.environ.clear()
        os.environ.update(environ)
        handle = make_handler(pipe.send, *shared)
        # Schemas and tables live as long as the process: the collector need not walk them again and again.
        gc.freeze()
        gc.set_threshold(_YOUNG_OBJECTS, 10, 10)
        while (job := pipe.recv()) is not None:
            handle(job[0])
    except CannotWorkError as error:
        pipe.send(WorkerBroken(error.message, error.advice))
    except (EOFError, *_DEAD):
        pass  # the parent has ended


def start_ignoring_interrupts(process: BaseProcess) -> None:
    """Start a worker that never sees Ctrl-C or SIGHUP; its body has to call `ignore_interrupts` first."""
    resource_tracker.ensure_running()  # its first start takes the signal from the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _OF_TERMINALS)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Ignore Ctrl-C and SIGHUP, also those since the process started; its child programs ignore them, too."""
    for number in _OF_TERMINALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _OF_TERMINALS)


@contextlib.contextmanager
def _without_main_module() -> Iterator[None]:
    """Keep `multiprocessing` from running the caller's program again in the new process.

    `multiprocessing` runs the program for its definitions, which no worker needs. A script without
    ``if __name__ == "__main__"`` would start its run again in each worker, and a program on standard input
    cannot be read twice.
    """
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program
