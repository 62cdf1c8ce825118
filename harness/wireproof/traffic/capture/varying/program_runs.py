"""Runs of the same program, each with its own variations."""

import contextlib
import hashlib
import os
import select
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias
from uuid import uuid4

from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.proxy.relay import ByteFilter, Piece
from wireproof.traffic.capture.varying.varied_run import VariationChoice, VariedRun, VaryingFilter
from wireproof.traffic.capture.workloads.judged_program import JudgedProgram
from wireproof.traffic.wire.frame_identifier import FrameIdentifier

_END_S: Final = 5.0
_PROC: Final = Path("/proc")


def end_left_processes(variable: str, value: str) -> int:
    """Kill all processes whose environment has the variable with this value; return their number.

    Returns when they have ended. Does nothing where the system has no `/proc` with environments.
    """
    wanted = f"{variable}={value}".encode()
    ended = 0
    for folder in _PROC.glob("[0-9]*"):
        try:
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                _kill(int(folder.name))
                ended += 1
        except OSError:
            continue  # it ended, or is of another user
    return ended


def _kill(process: int) -> None:
    descriptor = os.pidfd_open(process)
    try:
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        select.select([descriptor], [], [], _END_S)
    finally:
        os.close(descriptor)


_TAIL_BYTES: Final = 2_000
_RUN_MARK: Final = "WIREPROOF_RUN_MARK"
"""The variable by which processes of a run are known."""
RUN_NUMBER: Final = "WIREPROOF_RUN"
"""The variable with the number of the run, from 1: programs can make names of topics and groups with it."""


ProgramResult: TypeAlias = tuple[str, str, frozenset[tuple[int, int]]]
"""End, digest of stdout, and the requests in versions that were not offered, by api key and version."""


class VaryingProxy:
    """The door of the proxy: it gives each new connection the filter of the current run."""

    def __init__(self, naming: FrameIdentifier) -> None:
        self.run = VariedRun()
        self._naming = naming

    def filter(self, send: Callable[[Sequence[Piece]], None], inner: ByteFilter | None) -> ByteFilter:
        """Return the filter of a new connection."""
        return VaryingFilter(self._naming, self.run, send, inner)


@dataclass(frozen=True, slots=True)
class ProgramEnd:
    """The end of one run.

    Attributes:
        number: of the run, from 1.
        ended: as `JudgedProgram.ended` has it.
        output: the digest of its stdout; ``""`` if outputs are not compared.
        errors: the end of its stderr.
        log: what was varied.
    """

    number: int
    ended: str
    output: str
    errors: str
    log: VariedRun
    seconds: float
    late: bool

    @property
    def result(self) -> ProgramResult:
        """The part of the end that must be the same in each run."""
        return ("late" if self.late else self.ended), self.output, frozenset(self.log.not_offered)


class ProgramRuns:
    """Runs a program again and again.

    Args:
        stage: the cluster.
        folder: gets stdout and stderr of each run: ``NUMBER.out``, ``NUMBER.err``.
        compares: true if stdout must be the same.
    """

    def __init__(
        self,
        command: Sequence[str],
        stage: CaptureStage,
        proxy: VaryingProxy,
        folder: Path,
        *,
        seed: int,
        compares: bool,
    ) -> None:
        self.ends: list[ProgramEnd] = []
        self._command = command
        self._stage = stage
        self._proxy = proxy
        self._folder = folder
        self._seed = seed
        self._compares = compares
        folder.mkdir(parents=True, exist_ok=True)

    def run(self, selections: Sequence[VariationChoice], limit_s: float) -> ProgramEnd:
        """Run the program once.

        Raises:
            CaptureError: it cannot be started, or the cluster failed.
        """
        number = len(self.ends) + 1
        log = self._proxy.run = VariedRun(selections, self._seed)
        out, err = (self._folder / f"{number}.{kind}" for kind in ("out", "err"))
        began = time.monotonic()
        with contextlib.ExitStack() as files:
            stdout, stderr = (files.enter_context(path.open("wb")).fileno() for path in (out, err))
            variables = {RUN_NUMBER: str(number), _RUN_MARK: (mark := uuid4().hex)}
            program = JudgedProgram(self._command, limit_s, _watch_nothing, stdout, stderr, variables)
            try:
                program.run(self._stage)
            finally:
                end_left_processes(_RUN_MARK, mark)
        self._stage.settle()  # a program may end before the proxy has taken up its connection
        self._proxy.run = VariedRun()  # connections of processes that are left are not of the next run
        output = hashlib.sha256(out.read_bytes()).hexdigest() if self._compares else ""
        tail = err.read_bytes()[-_TAIL_BYTES:].decode("utf-8", "replace")
        seconds = time.monotonic() - began
        end = ProgramEnd(number, program.ended, output, tail, log, seconds, program.late)
        self.ends.append(end)
        return end


def _watch_nothing(stage: CaptureStage) -> None:
    """Judge no request."""
