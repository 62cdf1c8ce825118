"""Runs of the same program, each with its own variations."""

import contextlib
import hashlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from typing import Final, TypeAlias

from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.proxy.proxy_port import Route
from wireproof.traffic.capture.proxy.recording_proxy import RecordingProxy
from wireproof.traffic.capture.proxy.relay import ByteFilter, Piece
from wireproof.traffic.capture.raw_client.raw_client import LOOPBACK
from wireproof.traffic.capture.varying.varied_run import VariationChoice, VariedRun, VaryingFilter
from wireproof.traffic.capture.workloads.judged_program import JudgedProgram
from wireproof.traffic.wire.frame_identifier import FrameIdentifier


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_KEPT_BYTES: Final = 1 << 20
"""The most bytes that stay of one output: a program has many runs, and may write much."""


def _shortened(path: Path) -> bytes:
    """Keep the end of an output, and return it."""
    with path.open("rb+") as file:
        whole = file.seek(0, os.SEEK_END)
        file.seek(max(0, whole - _KEPT_BYTES))
        end = file.read()
        if len(end) < whole:
            file.seek(0)
            file.write(end)
            file.truncate()
    return end


_TAIL_BYTES: Final = 2_000
RUN_NUMBER: Final = "WIREPROOF_RUN"
"""The variable with the number of the run, from 1: programs can make names of topics and groups with it."""


ProgramResult: TypeAlias = tuple[str, str, frozenset[tuple[int, int]]]
"""End, digest of stdout, and the requests in versions that were not offered, by api key and version."""


@dataclass(slots=True)
class VaryingProxy:
    """The proxy's source of filters: it gives each new connection the filter of the current run."""

    naming: FrameIdentifier
    run: VariedRun = field(default_factory=VariedRun)

    def filter(self, send: Callable[[Sequence[Piece]], None], inner: ByteFilter | None) -> ByteFilter:
        return VaryingFilter(self.naming, self.run, send, inner)


@dataclass(frozen=True, slots=True)
class ProgramEnd:
    """The end of one run.

    Attributes:
        number: the number of the run, from 1.
        ended: as in `JudgedProgram.ended`.
        output: the digest of its stdout; ``""`` if outputs are not compared.
        errors: the end of its stderr.
        log: the varied answers of the run.
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


class BudgetOverError(Exception):
    """No run can begin or go on."""


@dataclass(frozen=True, slots=True)
class Lane:
    """The access of one run at a time to the cluster: a proxy of its own, and a stage with its addresses."""

    stage: CaptureStage
    proxy: VaryingProxy


@contextlib.contextmanager
def open_lanes(first: Lane, naming: FrameIdentifier, folder: Path, most: int) -> Iterator[Sequence[Lane]]:
    """Yield `most` lanes to the cluster of the first lane. The proxies of the others rewrite addresses.

    Args:
        folder: gets the captures of the further proxies.
    """
    cluster = first.stage.cluster
    lanes = [first]
    with contextlib.ExitStack() as stack:
        for number in range(2, most + 1):
            varying = VaryingProxy(naming)
            tls = cluster.access.tls
            routes = [
                Route(place.node, place.listener, (LOOPBACK, 0), address, tls_to_node=tls)
                for place, address in cluster.places.items()
                if place in first.stage.addresses
            ]
            proxy = RecordingProxy(
                routes,
                folder / f"lane-{number}",
                {"release": cluster.release},
                rewrite=naming,
                vary=varying.filter,
                report=first.stage.report,
            )
            stack.enter_context(proxy)
            addresses = {place: proxy.address(place.node, place.listener) for place in first.stage.addresses}
            stage = replace(first.stage, addresses=addresses, settle=proxy.settle)
            lanes.append(Lane(stage, varying))
        yield lanes


class ProgramRuns:
    """Runs a program again and again; each lane has one run at a time.

    Args:
        folder: gets stdout and stderr of each run: ``NUMBER.out``, ``NUMBER.err``.
        compares: true if stdout must be the same.

    Attributes:
        ends: the ends of all runs, in their order in time.
        stopping: set to end all runs.
    """

    def __init__(
        self, command: Sequence[str], lanes: Sequence[Lane], folder: Path, *, seed: int, compares: bool
    ) -> None:
        self.ends: list[ProgramEnd] = []
        self.stopping = Event()
        self._numbers = count(1)
        self._command = command
        self._lanes: SimpleQueue[Lane] = SimpleQueue()
        self._folder = folder
        self._seed = seed
        self._compares = compares
        folder.mkdir(parents=True, exist_ok=True)
        for lane in lanes:
            self._lanes.put(lane)

    def run(self, selections: Sequence[VariationChoice], limit_s: float) -> ProgramEnd:
        """Run the program once, as soon as a lane is free.

        Raises:
            CaptureError: it cannot be started, or the cluster failed.
            BudgetOverError: all runs were stopped.
        """
        lane = self._lanes.get()
        try:
            end = self._run(lane, selections, limit_s)
        finally:
            self._lanes.put(lane)
        self.ends.append(end)
        return end

    def _run(self, lane: Lane, selections: Sequence[VariationChoice], limit_s: float) -> ProgramEnd:
        self._observe(lane.stage)
        number = next(self._numbers)
        log = lane.proxy.run = VariedRun(selections, self._seed)
        out, err = (self._folder / f"{number}.{kind}" for kind in ("out", "err"))
        began = time.monotonic()
        with contextlib.ExitStack() as files:
            stdout, stderr = (files.enter_context(path.open("wb")).fileno() for path in (out, err))
            variables = {RUN_NUMBER: str(number)}
            program = JudgedProgram(self._command, limit_s, self._observe, stdout, stderr, variables)
            program.run(lane.stage)
        lane.stage.settle()  # a program may end before the proxy has taken up its connection
        lane.proxy.run = VariedRun()  # connections of leftover processes do not belong to the next run
        output = _digest(out) if self._compares else ""
        _, tail = _shortened(out), _shortened(err)[-_TAIL_BYTES:].decode("utf-8", "replace")
        seconds = time.monotonic() - began
        return ProgramEnd(number, program.ended, output, tail, log, seconds, program.late)

    def _observe(self, _: CaptureStage) -> None:
        if self.stopping.is_set():
            raise BudgetOverError
