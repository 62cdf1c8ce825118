"""All mutants, over processes: verdicts in the order of the flaws, as soon as they are there."""

import multiprocessing
import signal
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from wireproof.model import OracleError
from wireproof.power.bench import MakeFlaws, MakePowerBench
from wireproof.power.trial import judge_flaw
from wireproof.power.verdicts import Lost, Verdict

__all__ = ["Broken", "Court"]

_POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Broken:
    """A worker cannot work: its oracle, or something that needs, is missing or broken."""

    message: str
    advice: str


@dataclass(slots=True)
class _Worker:
    process: SpawnProcess
    pipe: Connection
    flaw: str | None = None


@dataclass(slots=True)
class Court:
    """Judges mutants. Use as a context manager: leaving it ends every process.

    Args:
        names: the flaws to judge, of those that `make_flaws` gives.
        jobs: how many processes at most.
    """

    make_bench: MakePowerBench
    make_flaws: MakeFlaws
    names: Sequence[str]
    seed: int
    jobs: int
    _waiting: deque[str] = field(default_factory=deque)
    _workers: list[_Worker] = field(default_factory=list)
    _verdicts: dict[str, Verdict] = field(default_factory=dict)
    _broken: Broken | None = None

    def __enter__(self) -> "Court":
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
        """How many verdicts there are so far, those that wait for their turn too."""
        return len(self._verdicts)

    def run(self) -> Iterator[Verdict | Broken | None]:
        """The verdict on each flaw in turn; None now and then; `Broken` is the last where it comes."""
        self._waiting.extend(self.names)
        turn = deque(self.names)
        for _ in range(min(self.jobs, len(self.names))):
            self._start()
        while self._workers:
            ready = set(wait([worker.pipe for worker in self._workers], timeout=_POLL_S))
            for worker in [worker for worker in self._workers if worker.pipe in ready]:
                self._hear(worker)
            if self._broken is not None:
                yield self._broken
                return
            while turn and turn[0] in self._verdicts:
                yield self._verdicts[turn.popleft()]
            yield None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        args = (theirs, self.make_bench, self.make_flaws, self.seed)
        process = context.Process(target=_work, args=args, daemon=True)
        process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        self._assign(worker)

    def _assign(self, worker: _Worker) -> None:
        worker.flaw = self._waiting.popleft() if self._waiting else None
        try:
            worker.pipe.send(worker.flaw)
        except BrokenPipeError:
            return  # it died: reading from it will tell
        if worker.flaw is None:
            self._dismiss(worker)

    def _dismiss(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.process.join()
        worker.pipe.close()

    def _hear(self, worker: _Worker) -> None:
        try:
            message: Verdict | Broken = worker.pipe.recv()
        except (EOFError, ConnectionResetError):
            self._bury(worker)
            return
        if isinstance(message, Broken):
            self._broken = message
        elif worker.flaw is not None:
            self._verdicts[worker.flaw] = message
            self._assign(worker)

    def _bury(self, worker: _Worker) -> None:
        """A worker is dead: its mutant is lost, another process takes the rest."""
        self._dismiss(worker)
        if worker.flaw is not None:
            flaw = self.make_flaws()[worker.flaw]
            reason = f"its process ended with code {worker.process.exitcode}"
            self._verdicts[worker.flaw] = Lost.of(flaw, reason)
        if self._waiting:
            self._start()


def _work(pipe: Connection, make_bench: MakePowerBench, make_flaws: MakeFlaws, seed: int) -> None:
    """Judge the flaws whose names come in, until None or the end of the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C and ends its processes
    try:
        bench, flaws = make_bench(), make_flaws()
        while (name := pipe.recv()) is not None:
            try:
                pipe.send(judge_flaw(bench, make_flaws, name, seed))
            except (OracleError, EOFError, BrokenPipeError):
                raise
            except Exception as error:  # noqa: BLE001 - a fault of the harness costs one mutant, with its place in the code
                pipe.send(Lost.of(flaws[name], _fault(error)))
    except OracleError as error:
        pipe.send(Broken(error.message, error.advice))
    except (EOFError, BrokenPipeError):
        pass  # the parent is gone: nobody to work for


def _fault(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "nowhere"
    return f"the harness failed: {type(error).__name__}: {error} at {place}"
