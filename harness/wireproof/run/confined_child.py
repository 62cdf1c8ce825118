"""The process in which codecs meet bytes that are wrong. `confined.Confinement` starts it and talks with it.

What a codec may take is limited by the kernel: processor time (RLIMIT_CPU, whose signal ends the process) and
address space (RLIMIT_AS, which makes an allocation fail). Each case is announced in shared memory before it
is tried, so that whoever finds the process dead knows at which.
"""

import gc
import mmap
import os
import resource
import signal
import struct
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.model import (
    Adapter,
    Answer,
    Cell,
    Crashed,
    Decode,
    Decoded,
    DecodedFrame,
    DecodeFrame,
    Outcome,
    Refused,
    Reply,
)

__all__ = ["PROGRESS", "Batch", "Limits", "Subject", "main"]

PROGRESS: Final = struct.Struct("=II")
"""In shared memory: the indices of the adapter and of the case being tried."""

_MIB: Final = 1 << 20
_FRAME_BYTES: Final = 1 << 16
_TRIES: Final = 3
"""A case over its time is tried so often, and the shortest counts: the first may have compiled something."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one input may cost.

    Attributes:
        cpu_ms: processor time for each 64 KiB begun.
        hard_cpu_s: processor time at which the process is ended.
        memory_factor: memory, as a multiple of the input's length, beside the slack.
        slack_mib: memory that any input may take: what the allocator asks for ahead.
        stall_s: wall-clock time without a step after which the process is ended.
    """

    cpu_ms: float = 50.0
    hard_cpu_s: int = 2
    memory_factor: int = 128
    slack_mib: int = 8
    stall_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Subject:
    """The cell that the batches to come are of.

    Attributes:
        header: the layout of the header that frames of it have; None where it has none.
    """

    cell: Cell
    layout: MessageLayout
    header: MessageLayout | None


@dataclass(frozen=True, slots=True)
class Batch:
    """Inputs for every adapter.

    Attributes:
        framed: whether they are whole frames.
        skip: (adapter, case) pairs to leave out, by index.
        only: the one pair to try; None for all.
    """

    inputs: Sequence[bytes]
    framed: bool
    skip: frozenset[tuple[int, int]] = frozenset()
    only: tuple[int, int] | None = None

    def wants(self, adapter: int, case: int) -> bool:
        return (adapter, case) == self.only if self.only else (adapter, case) not in self.skip


def main(requests: int, answers: int, progress: int) -> None:
    """Answer batches until the pipe ends.

    Args:
        requests, answers, progress: file descriptors: of two pipes, and of the shared memory.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    hear = Connection(requests, writable=False)
    tell = Connection(answers, readable=False)
    adapters, limits = hear.recv()
    child = _Child(adapters, limits, mmap.mmap(progress, PROGRESS.size))
    gc.freeze()
    tell.send(True)
    try:
        while True:
            message = hear.recv()
            if isinstance(message, Subject):
                child.subject = message
            else:
                tell.send(child.answer(message))
    except (EOFError, BrokenPipeError):
        pass  # whoever asked is gone


class _Child:
    def __init__(self, adapters: Sequence[Adapter], limits: Limits, progress: mmap.mmap) -> None:
        self._adapters = adapters
        self._limits = limits
        self._progress = progress
        self.subject: Subject | None = None

    def answer(self, batch: Batch) -> list[list[Answer | None]]:
        """For each adapter the answers to all inputs."""
        return [
            [
                self._one(index, adapter, case, data, batch.framed) if batch.wants(index, case) else None
                for case, data in enumerate(batch.inputs)
            ]
            for index, adapter in enumerate(self._adapters)
        ]

    def _one(self, index: int, adapter: Adapter, case: int, data: bytes, framed: bool) -> Answer:
        PROGRESS.pack_into(self._progress, 0, index, case)
        most_ms = self._limits.cpu_ms * (1 + len(data) // _FRAME_BYTES)
        for _ in range(_TRIES):
            reply, cpu_ms = self._limited(adapter, data, framed)
            if cpu_ms <= most_ms:
                return self._told(reply, cpu_ms)
        return Answer(Outcome.HUNG, b"", f"{cpu_ms:.0f} ms of processor time for {len(data)} bytes", cpu_ms)

    def _limited(self, adapter: Adapter, data: bytes, framed: bool) -> tuple[Reply, float]:
        """One question under limits, which are lifted before anything else is done."""
        subject, limits = self.subject, self._limits
        assert subject is not None
        request = DecodeFrame(data) if framed else Decode(data)
        most = _address_space() + limits.slack_mib * _MIB + limits.memory_factor * len(data)
        begun = time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (int(begun) + 1 + limits.hard_cpu_s, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
        (reply,) = adapter.ask(subject.cell, subject.layout, [request])
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        return reply, (time.process_time() - begun) * 1e3

    def _told(self, reply: Reply, cpu_ms: float) -> Answer:
        match reply:
            case Refused(_, message):
                return Answer(Outcome.REFUSED, b"", message, cpu_ms)
            case Crashed("MemoryError", message):
                return Answer(Outcome.BLEW_UP, b"", f"MemoryError: {message}", cpu_ms)
            case Crashed(error, message):
                return Answer(Outcome.CRASHED, b"", f"{error}: {message}", cpu_ms)
            case Decoded() | DecodedFrame():
                return self._value(reply, cpu_ms)
            case _:
                return Answer(Outcome.NO_VALUE, b"", f"answered with {type(reply).__name__}", cpu_ms)

    def _value(self, reply: Decoded | DecodedFrame, cpu_ms: float) -> Answer:
        """The canonical form is made here: what a codec gives need not be fit to be sent."""
        subject = self.subject
        assert subject is not None
        try:
            value = canonical(subject.layout).to_binary(reply.value)
            if isinstance(reply, DecodedFrame):
                assert subject.header is not None
                value = canonical(subject.header).to_binary(reply.header) + value
        except CodecError as error:
            return Answer(Outcome.NO_VALUE, b"", str(error), cpu_ms)
        return Answer(Outcome.READ, value, "", cpu_ms)


_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_STATM: Final = os.open("/proc/self/statm", os.O_RDONLY) if sys.platform == "linux" else -1


def _address_space() -> int:
    """Bytes of address space that this process has now."""
    return int(os.pread(_STATM, 64, 0).split(b" ", 1)[0]) * _PAGE
