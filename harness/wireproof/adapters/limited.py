"""A codec in a process of its own, with limits: what hostile bytes do there, they do to nobody else."""

import contextlib
import os
import selectors
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kafkawire.compiler import MessageCodec
from kafkawire.schema.layout import MessageLayout
from wireproof.adapters.limited_child import (
    BOARD_BYTES,
    Batch,
    Done,
    Limits,
    MakeRecords,
    own_records,
    receive,
    send,
)
from wireproof.model import NOT_ASKED, Answer, Outcome

__all__ = ["LimitedCodec"]

_BATCH_INPUTS: Final = 512
_BATCH_BYTES: Final = 2 << 20

MEMORY_FACTOR: Final = 128
"""Bytes of memory that a byte of input may take: Python objects are large."""
MEMORY_SLACK: Final = 8 << 20
"""Memory that comes and goes with the interpreter, whatever it reads."""
BATCH_SLACK: Final = 48 << 20
"""The same for a batch, whose answers are held until all of them are there."""
SET_SLACK: Final = 80 << 20
"""The same for a record set: compressed data hold any multiple of their length; a codec has to stop."""
SLOW_S: Final = 0.05
"""Processor time that each 64 KiB begun of a message may take."""
_SLOW_BYTES: Final = 1 << 16
SLOW_SET_S: Final = 1.0
"""The same for a record set, whatever its length: it may be compressed."""
_MOST_DEATHS: Final = 6
"""Inputs of one call that may end the process before the rest is left out: each death costs seconds."""
_TRIES: Final = 3
"""An input that took too long is looked at so often, alone, and the shortest counts."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What the inputs are: messages of a layout, frames where there is a header's too, or record sets."""

    layout: MessageLayout | None
    header: MessageLayout | None = None

    def is_(self, other: "_Kind") -> bool:
        """Whether it is the very same: equal layouts are compared by content, which takes longer."""
        return self.layout is other.layout and self.header is other.header

    def most_s(self, data: bytes) -> float:
        """The processor time that an input may take."""
        return SLOW_SET_S if self.layout is None else SLOW_S * (1 + len(data) // _SLOW_BYTES)

    def most_bytes(self, inputs: Sequence[bytes]) -> int:
        """The memory that inputs may take, which are read one by one and answered together."""
        slack = MEMORY_SLACK if len(inputs) == 1 else BATCH_SLACK
        if self.layout is None:
            slack += SET_SLACK
        return slack + MEMORY_FACTOR * max(len(data) for data in inputs)


_CHILD: Final = "from wireproof.adapters.limited_child import main; main()"
"""Not ``-m``: that would import the module twice, under two names."""


class LimitedCodec:
    """Reads bytes with a codec in a child process, started when it is first asked.

    Args:
        make: makes the codec of a layout; pickled, for it is called in the child.
        make_records: gives what decodes record sets; likewise.
        memory_mb: address space of the child.
        cpu_s: processor time of a batch; the child is ended beyond it.
        wall_s: time to wait for a batch, for a child that neither works nor answers.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[MessageLayout], MessageCodec],
        *,
        make_records: MakeRecords = own_records,
        memory_mb: int = 1024,
        cpu_s: int = 3,
        wall_s: float = 120.0,
    ) -> None:
        self._name = name
        self._make = make
        self._make_records = make_records
        self._limits = Limits(memory_mb << 20, cpu_s, MEMORY_SLACK, MEMORY_FACTOR)
        self._wall_s = wall_s
        self._process: subprocess.Popen[bytes] | None = None
        self._told: _Kind | None = None
        self._deaths = 0
        self._board = -1

    @property
    def name(self) -> str:
        return self._name

    def decode_all(self, layout: MessageLayout, inputs: Sequence[bytes]) -> list[Answer]:
        """What becomes of each body."""
        return self._all(_Kind(layout), inputs)

    def decode_frames(
        self, header: MessageLayout, layout: MessageLayout, inputs: Sequence[bytes]
    ) -> list[Answer]:
        """What becomes of each whole frame."""
        return self._all(_Kind(layout, header), inputs)

    def decode_records(self, inputs: Sequence[bytes]) -> list[Answer]:
        """What becomes of each record set."""
        return self._all(_Kind(None), inputs)

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()
        os.close(self._board)

    def _all(self, kind: _Kind, inputs: Sequence[bytes]) -> list[Answer]:
        answers: list[Answer] = []
        self._deaths = 0
        start = size = 0
        for end, data in enumerate(inputs, 1):
            size += len(data)
            if end - start >= _BATCH_INPUTS or size >= _BATCH_BYTES or end == len(inputs):
                answers += self._batch(kind, inputs[start:end])
                start, size = end, 0
        return list(self._timed(kind, inputs, answers))

    def _timed(self, kind: _Kind, inputs: Sequence[bytes], answers: Sequence[Answer]) -> Iterator[Answer]:
        """The answers; those to slow inputs once more, until the codec was slow time and again."""
        hung = 0
        for data, answer in zip(inputs, answers, strict=True):
            if answer.cpu_s > kind.most_s(data):
                found = self._again(kind, data, answer, 0 if hung >= _MOST_DEATHS else _TRIES)
                hung += found.outcome is Outcome.HUNG
                yield found
            else:
                yield answer

    def _again(self, kind: _Kind, data: bytes, answer: Answer, tries: int) -> Answer:
        """A slow input, alone: nobody is convicted at first sight, when something may have been compiled."""
        for _ in range(tries):
            (answer,) = self._batch(kind, [data])
            if answer.cpu_s <= kind.most_s(data):
                return answer
        words = f"{answer.cpu_s:.3f} s of processor time for {len(data)} bytes"
        return replace(answer, outcome=Outcome.HUNG, message=words)

    def _batch(self, kind: _Kind, inputs: Sequence[bytes]) -> list[Answer]:
        """Answers to some inputs; one that ends the process is tried again alone, and those around it too."""
        if not inputs:
            return []
        if self._deaths >= _MOST_DEATHS:
            return [Answer(Outcome.LEFT_OUT, error=NOT_ASKED)] * len(inputs)
        done = self._ask(kind, inputs)
        if isinstance(done, Done):
            return self._weighed(kind, inputs, done)
        if len(inputs) == 1:
            self._deaths += 1
            return [done]
        (guilty,) = struct.unpack(">i", os.pread(self._board, BOARD_BYTES, 0))
        before, alone, behind = inputs[:guilty], inputs[guilty : guilty + 1], inputs[guilty + 1 :]
        return self._batch(kind, before) + self._batch(kind, alone) + self._batch(kind, behind)

    def _weighed(self, kind: _Kind, inputs: Sequence[bytes], done: Done) -> list[Answer]:
        """The answers; where memory grew out of proportion, halves of halves until one is left alone."""
        if done.growth_bytes <= kind.most_bytes(inputs):
            return list(done.answers)
        if len(inputs) > 1:
            half = len(inputs) // 2
            return self._batch(kind, inputs[:half]) + self._batch(kind, inputs[half:])
        words = f"{done.growth_bytes} bytes of memory for {len(inputs[0])} bytes of input"
        return [replace(done.answers[0], outcome=Outcome.BLEW_UP, message=words)]

    def _ask(self, kind: _Kind, inputs: Sequence[bytes]) -> Done | Answer:
        """The answers to one batch, or what ended the process."""
        process = self._process
        if process is None or process.returncode is not None:
            self.close()
            process = self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        same = self._told is not None and kind.is_(self._told)
        try:
            send(process.stdin, Batch(inputs, same=True) if same else Batch(inputs, kind.layout, kind.header))
            self._told = kind
            if not self._answers_in_time(process):
                process.kill()
                process.wait()
                return Answer(Outcome.HUNG, message=f"no answer after {self._wall_s:.0f} s")
            done: Done = receive(process.stdout)
        except (EOFError, BrokenPipeError):
            code = process.wait()
            return _death(code)
        return done

    def _answers_in_time(self, process: subprocess.Popen[bytes]) -> bool:
        with selectors.DefaultSelector() as selector:
            assert process.stdout is not None
            selector.register(process.stdout, selectors.EVENT_READ)
            return bool(selector.select(self._wall_s))

    def _start(self) -> subprocess.Popen[bytes]:
        self._told = None
        self._board = os.memfd_create("wireproof-limited")
        os.ftruncate(self._board, BOARD_BYTES)
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=[self._board],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            send(self._process.stdin, (self._limits, self._make, self._make_records, self._board))
            receive(self._process.stdout)
        except (EOFError, BrokenPipeError):
            code = self._process.wait()
            words = f"the limited process of {self._name} does not start: exit code {code}"
            raise RuntimeError(words) from None
        return self._process


def _death(code: int) -> Answer:
    if code == -signal.SIGXCPU:
        return Answer(Outcome.HUNG, message="its processor time was up")
    words = f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
    return Answer(
        Outcome.CRASHED,
        error="process",
        message=f"its process was {words}" if code < 0 else f"its process {words}",
    )
