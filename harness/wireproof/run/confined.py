"""Codecs in a process of their own, under limits: who starts it, hears it, and finds out what killed it."""

import contextlib
import mmap
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Final

from kafkawire.schema.layout import MessageLayout
from wireproof.model import Adapter, Answer, Cell, Outcome
from wireproof.run.confined_child import PROGRESS, Batch, Limits, Subject

__all__ = ["Confinement", "Limits"]

_MOST_DEATHS: Final = 8
"""Cases of one cell that may end the process before the rest of the cell is left out."""
_POLL_S: Final = 0.5


class _Died(Exception):  # noqa: N818 - news, not an error of ours
    """The process ended.

    Attributes:
        at: indices of the adapter and the case being tried.
        reason: what is known of it.
        hung: whether it was ended for taking too long.
    """

    def __init__(self, at: tuple[int, int], reason: str, hung: bool) -> None:
        super().__init__(reason)
        self.at = at
        self.reason = reason
        self.hung = hung


class Confinement:
    """Asks adapters in another process, which is started when it is first needed, and again when it died.

    One batch may be under way: `send` it, do something else, `receive` its answers.

    Args:
        adapters: are pickled; they must not have done anything yet that cannot be.
    """

    def __init__(self, adapters: Sequence[Adapter], limits: Limits | None = None) -> None:
        self._adapters = adapters
        self._limits = limits or Limits()
        self._process: _Process | None = None
        self._subject: Subject | None = None
        self._batch = Batch((), False)
        self._deaths = 0

    def open(self, cell: Cell, layout: MessageLayout, header: MessageLayout | None) -> None:
        """The cell of the batches to come."""
        self._subject = Subject(cell, layout, header)
        self._deaths = 0
        if self._process is not None:
            self._process.tell(self._subject)

    def send(self, inputs: Sequence[bytes], *, framed: bool) -> None:
        """Give a batch to the process, which works on it at once."""
        self._batch = Batch(inputs, framed)
        self._tell(self._batch)

    def receive(self) -> list[list[Answer | None]]:
        """For each adapter the answers to the batch under way; None where the rest of the cell is left out.

        A case that ends the process is tried again alone in a new one, and the others without it.
        """
        convicted: dict[tuple[int, int], Answer] = {}
        while True:
            try:
                answers = self._hear()
                break
            except _Died as death:
                self._deaths += 1
                convicted[death.at] = self._convict(death)
                if self._deaths > _MOST_DEATHS:
                    answers = [[None] * len(self._batch.inputs) for _ in self._adapters]
                    break
                self._tell(replace(self._batch, skip=frozenset(convicted)))
        for (adapter, case), answer in convicted.items():
            answers[adapter][case] = answer
        if any(answer and answer.outcome is Outcome.BLEW_UP for each in answers for answer in each):
            self.close()  # its allocator may hold what the next one would have to ask for
        return answers

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _convict(self, death: _Died) -> Answer:
        """What to say of the case at which the process died: it is tried alone in a new one."""
        self._tell(replace(self._batch, only=death.at))
        try:
            answers = self._hear()
        except _Died as again:
            return _fatal(again.reason, again.hung)
        alone = answers[death.at[0]][death.at[1]]
        if alone is not None and alone.outcome in (Outcome.HUNG, Outcome.BLEW_UP, Outcome.CRASHED):
            return alone
        return _fatal(f"{death.reason}, behind other cases; not alone", death.hung)

    def _tell(self, batch: Batch) -> None:
        if self._process is None:
            self._process = _Process(self._adapters, self._limits)
            self._process.tell(self._subject)
        self._process.tell(batch)

    def _hear(self) -> list[list[Answer | None]]:
        assert self._process is not None
        try:
            return self._process.hear(self._limits.stall_s)
        except _Died:
            self.close()
            raise


def _fatal(reason: str, hung: bool) -> Answer:
    return Answer(Outcome.HUNG if hung else Outcome.CRASHED, b"", reason)


class _Process:
    def __init__(self, adapters: Sequence[Adapter], limits: Limits) -> None:
        with tempfile.TemporaryFile() as shared:
            shared.truncate(PROGRESS.size)
            self._progress = mmap.mmap(shared.fileno(), PROGRESS.size)
            theirs_in, ours_out = os.pipe()
            ours_in, theirs_out = os.pipe()
            fds = (theirs_in, theirs_out, shared.fileno())
            code = f"from wireproof.run.confined_child import main; main{fds}"
            self._child = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
                pass_fds=fds,
            )
        os.close(theirs_in)
        os.close(theirs_out)
        self._out = Connection(ours_out, readable=False)
        self._in = Connection(ours_in, writable=False)
        self._ready = False
        self.tell((adapters, limits))

    def tell(self, message: object) -> None:
        with contextlib.suppress(BrokenPipeError):  # it died: hearing it will tell
            self._out.send(message)

    def hear(self, stall_s: float) -> list[list[Answer | None]]:
        """Its next answer.

        Raises:
            _Died: it ended, or stood still and was ended.
            RuntimeError: it did not even begin.
        """
        if not self._ready:
            self._begin()
        at, moved = self._at(), time.monotonic()
        while not self._in.poll(_POLL_S):
            if self._at() != at:
                at, moved = self._at(), time.monotonic()
            elif time.monotonic() - moved > stall_s:
                self._child.kill()
                self._child.wait()
                raise _Died(at, f"stood still for {stall_s:.0f} s", hung=True)
        try:
            answers: list[list[Answer | None]] = self._in.recv()
        except (EOFError, ConnectionResetError):
            code = self._child.wait()
            raise _Died(self._at(), _death(code), hung=code == -signal.SIGXCPU) from None
        return answers

    def _begin(self) -> None:
        """Wait until it has made its codecs: what ends it before is no case's fault."""
        try:
            self._ready = self._in.recv()
        except (EOFError, ConnectionResetError):
            raise RuntimeError(f"the confined process does not begin: {_death(self._child.wait())}") from None

    def end(self) -> None:
        self._child.kill()
        self._child.wait()
        self._out.close()
        self._in.close()
        self._progress.close()

    def _at(self) -> tuple[int, int]:
        adapter, case = PROGRESS.unpack_from(self._progress, 0)
        return adapter, case


def _death(code: int) -> str:
    if code == -signal.SIGXCPU:
        return "its process was ended for the processor time it took"
    if code < 0:
        return f"its process was ended by {signal.Signals(-code).name}"
    return f"its process ended with code {code}"
