"""A codec in a process of its own, with limits, so that hostile bytes harm no other process."""

import contextlib
import copy
import os
import selectors
import signal
import struct
import subprocess
import sys
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import IO, Final, TypeAlias

import psutil

from kafkawire.compiler import MessageCodec
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import NOT_ASKED, SAME_CAUSE
from wireproof.model.codec_ends import HANG, FatalSites, MutationSite
from wireproof.model.malformed_input import Answer, DecodeOutcome, MutationSites, placed
from wireproof.proof.adapters.own.limited_child import (
    BOARD_BYTES,
    BatchAnswers,
    ChildLimits,
    InputBatch,
    ReaderStart,
    RecordDecoderFactory,
    own_records,
    receive,
    send,
)

_BATCH_INPUTS: Final = 512
_BATCH_BYTES: Final = 2 << 20

MEMORY_FACTOR: Final = 128
"""Most bytes of memory for each byte of input: Python objects are large."""
MEMORY_SLACK: Final = 8 << 20
"""Memory that the interpreter takes for any input."""
BATCH_SLACK: Final = 48 << 20
"""The same for a batch, which holds its answers until it is complete."""
SET_SLACK: Final = 80 << 20
"""The same for a record set: compressed data can expand to any length, so a codec needs a limit."""
SLOW_S: Final = 0.05
"""Most processor time for each started 64 KiB of a message."""
_SLOW_BYTES: Final = 1 << 16
SLOW_SET_S: Final = 1.0
"""The same for a record set, whatever its length: it may be compressed."""
_FIRST_FACTOR: Final = 10
_FIRST_S: Final = 0.5
"""The factor from an input's limit to the processor time after which it ends the process, and the minimum of
that time."""
_SECOND_FACTOR: Final = 3
"""The factor of that time for the second attempt, alone in a fresh process."""
_POLL_S: Final = 0.25
"""The time between two checks of a silent process."""
_TRIES: Final = 3
"""The attempts for an input that took too long, alone; the shortest time counts."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """The kind of the inputs: messages of a layout, frames if there is also a header layout, or sets."""

    layout: MessageLayout | None
    header: MessageLayout | None = None

    def is_same(self, other: "_Kind") -> bool:
        """Return whether both have the same objects, without comparing layouts by content."""
        return self.layout is other.layout and self.header is other.header

    def max_s(self, data: bytes) -> float:
        """Return the processor time that an input may take."""
        return SLOW_SET_S if self.layout is None else SLOW_S * (1 + len(data) // _SLOW_BYTES)

    def first_s(self, inputs: Sequence[bytes]) -> float:
        """Return the processor time after which one of several inputs ends the process."""
        return max(_FIRST_S, _FIRST_FACTOR * max(map(self.max_s, inputs)))

    def max_bytes(self, inputs: Sequence[bytes]) -> int:
        """Return the memory that a batch may take: its inputs are read one by one and answered together."""
        slack = MEMORY_SLACK if len(inputs) == 1 else BATCH_SLACK
        if self.layout is None:
            slack += SET_SLACK
        return slack + MEMORY_FACTOR * max(len(data) for data in inputs)


_Item: TypeAlias = tuple[bytes, MutationSite | None]

_CHILD: Final = "from wireproof.proof.adapters.own.limited_child import main; main()"
"""Not ``-m``: that would import the module twice, under two names."""


@dataclass(slots=True)
class _Child:
    """A running child process, with its reader.

    Attributes:
        reader: the process id of its reader.
        inputs, answers: the pipes to it and from it.
        board: the file descriptor of the memory where it writes the index of the input that it reads.
    """

    process: "subprocess.Popen[bytes]"
    board: int
    inputs: IO[bytes]
    answers: IO[bytes]
    reader: int = 0

    def kill(self) -> None:
        """Kill both processes."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def end(self) -> None:
        """Kill both processes, and close the pipes and the board."""
        self.kill()
        for pipe in (self.inputs, self.answers):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        os.close(self.board)


class LimitedCodec:
    """Reads bytes with a codec in a child process, which starts at the first use.

    The process ends when the object is closed, or is not used any more.

    Args:
        make: makes the codec of a layout; pickled, because the child calls it.
        make_records: makes the decoder of record sets; pickled as well.
        memory_mb: address space of the child.
        cpu_s: processor time of a batch; the child is ended beyond it.
        asleep_s: time to wait for a child that neither answers nor wants the processor.
        fatal: the sites at which inputs ended it.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[MessageLayout], MessageCodec],
        *,
        make_records: RecordDecoderFactory = own_records,
        memory_mb: int = 1024,
        cpu_s: float = 3.0,
        asleep_s: float = 5.0,
        fatal: FatalSites | None = None,
    ) -> None:
        self.name = name
        self._make = make
        self._make_records = make_records
        self._limits = ChildLimits(memory_mb << 20, cpu_s, MEMORY_SLACK, MEMORY_FACTOR)
        self._asleep_s = asleep_s
        self._child: _Child | None = None
        self._end_child: Callable[[], object] = _nothing_runs
        self._sent_kind: _Kind | None = None
        self._batches = 0
        self._fatal = FatalSites(name) if fatal is None else fatal

    def decode_all(
        self, layout: MessageLayout, inputs: Sequence[bytes], sites: MutationSites = ()
    ) -> list[Answer]:
        """Read each body."""
        return self._all(_Kind(layout), inputs, sites)

    def decode_frames(
        self, header: MessageLayout, layout: MessageLayout, inputs: Sequence[bytes], sites: MutationSites = ()
    ) -> list[Answer]:
        """Read each whole frame."""
        return self._all(_Kind(layout, header), inputs, sites)

    def decode_records(self, magic: int, inputs: Sequence[bytes], sites: MutationSites = ()) -> list[Answer]:
        """Read each record set."""
        return self._all(_Kind(None), inputs, sites)

    def fresh(self) -> "LimitedCodec":
        """Return the same codec in another process; it shares the known fatal sites."""
        fresh = copy.copy(self)
        fresh._child, fresh._end_child, fresh._sent_kind = None, _nothing_runs, None
        return fresh

    def close(self) -> None:
        """End the process."""
        self._end_child()
        self._child = None

    def _all(self, kind: _Kind, inputs: Sequence[bytes], sites: MutationSites) -> list[Answer]:
        answers: list[Answer] = []
        self._fatal.forgive()
        items = list(placed(inputs, sites))
        start = size = 0
        for end, data in enumerate(inputs, 1):
            size += len(data)
            if end - start >= _BATCH_INPUTS or size >= _BATCH_BYTES or end == len(inputs):
                answers += self._batch(kind, items[start:end])
                start, size = end, 0
        return answers

    def _skip(self, site: MutationSite | None) -> Answer | None:
        """Return the answer to an input that is skipped; None if it is tried."""
        if same_as := self._fatal.same_as(site):
            return Answer(DecodeOutcome.LEFT_OUT, error=SAME_CAUSE, message=same_as)
        if message := self._fatal.had_enough(site, _FIRST_S + self._limits.cpu_s):
            return Answer(DecodeOutcome.LEFT_OUT, error=NOT_ASKED, message=message)
        return None

    def _batch(self, kind: _Kind, items: Sequence[_Item]) -> list[Answer]:
        """Answer some inputs; skipped ones are not sent."""
        answers = [self._skip(site) for _, site in items]
        tried = [item for item, answer in zip(items, answers, strict=True) if answer is None]
        results = iter(self._read_batch(kind, tried))
        return [next(results) if answer is None else answer for answer in answers]

    def _read_batch(self, kind: _Kind, items: Sequence[_Item]) -> list[Answer]:
        """Answer some inputs; if one ends the process, try it again alone, and then the others.

        Slow inputs are tried again in their order, so that the first input with a cause is reported.
        """
        if not items:
            return []
        result = self._ask(kind, [data for data, _ in items])
        if isinstance(result, BatchAnswers):
            answers = self._check_memory(kind, items, result)
            return [
                self._alone(kind, item)
                if answer.outcome is not DecodeOutcome.HUNG and answer.cpu_s > kind.max_s(item[0])
                else answer
                for item, answer in zip(items, answers, strict=True)
            ]
        assert self._child is not None
        (offending,) = struct.unpack(">i", os.pread(self._child.board, BOARD_BYTES, 0))
        before, after = self._batch(kind, items[:offending]), items[offending + 1 :]
        return [*before, self._alone(kind, items[offending]), *self._batch(kind, after)]

    def _alone(self, kind: _Kind, item: _Item) -> Answer:
        """Try a suspected input again: the first attempt may have compiled something.

        An input is reported if it ends the process again, or if it is slow each time.
        """
        data, site = item
        left_out = self._skip(site)
        if left_out is not None:
            return left_out
        spent_s = 0.0
        for _ in range(_TRIES):
            result = self._ask(kind, [data], alone=True)
            if not isinstance(result, BatchAnswers):
                self._fatal.add(
                    site, HANG if result.outcome is DecodeOutcome.HUNG else "process", result.message
                )
                return result
            (answer,) = self._check_memory(kind, [item], result)
            spent_s += answer.cpu_s
            if answer.cpu_s <= kind.max_s(data):
                return answer
        message = f"{answer.cpu_s:.3f} s of processor time for {len(data)} bytes"
        self._fatal.budget.spend(spent_s)
        self._fatal.add(site, HANG, message)
        return replace(answer, outcome=DecodeOutcome.HUNG, message=message)

    def _check_memory(self, kind: _Kind, items: Sequence[_Item], result: BatchAnswers) -> list[Answer]:
        """Return the answers; if memory grew out of proportion, bisect until one input is left."""
        inputs = [data for data, _ in items]
        if result.growth_bytes <= kind.max_bytes(inputs):
            return list(result.answers)
        if len(items) > 1:
            half = len(items) // 2
            return self._batch(kind, items[:half]) + self._batch(kind, items[half:])
        message = f"{result.growth_bytes} bytes of memory for {len(inputs[0])} bytes of input"
        return [replace(result.answers[0], outcome=DecodeOutcome.BLEW_UP, message=message)]

    def _ask(self, kind: _Kind, inputs: Sequence[bytes], *, alone: bool = False) -> BatchAnswers | Answer:
        """Return the answers to one batch, or the end of the process.

        Args:
            alone: the batch is a single suspected input.
        """
        child = self._child
        if child is None or child.process.returncode is not None:
            self.close()
            child = self._start()
        same = self._sent_kind is not None and kind.is_same(self._sent_kind)
        self._batches += 1
        first_s = min(kind.first_s(inputs), self._limits.cpu_s)
        one_s = min(_SECOND_FACTOR * first_s, self._limits.cpu_s) if alone else first_s
        new = _Kind(None) if same else kind
        batch = InputBatch(inputs, one_s, self._batches, new.layout, new.header, same)
        os.pwrite(child.board, bytes(BOARD_BYTES), 0)
        try:
            send(child.inputs, batch)
            self._sent_kind = kind
            if not self._answers_in_time(child):
                child.kill()
                self._fatal.budget.spend(self._asleep_s)
                return Answer(DecodeOutcome.HUNG, message=f"no answer after {self._asleep_s:.0f} s asleep")
            result = self._receive(child.answers)
        except (EOFError, BrokenPipeError):
            return self._ended(child.process.wait(), one_s)
        if isinstance(result, BatchAnswers):
            return result
        child.reader, self._sent_kind = result.pid, None
        return self._ended(result.ended, one_s)

    def _receive(self, pipe: IO[bytes]) -> BatchAnswers | ReaderStart:
        """Return the answers to the last batch, or the start of a reader after the end of one."""
        while True:
            result: BatchAnswers | ReaderStart = receive(pipe)
            if isinstance(result, ReaderStart) or result.number == self._batches:
                return result

    def _ended(self, code: int, spent_s: float) -> Answer:
        answer = _describe_end(code)
        if answer.outcome is DecodeOutcome.HUNG:
            self._fatal.budget.spend(spent_s)
        return answer

    def _answers_in_time(self, child: _Child) -> bool:
        """Return whether an answer comes before the reader slept too long; work has its own limit."""
        slept_s = 0.0
        with selectors.DefaultSelector() as selector:
            selector.register(child.answers, selectors.EVENT_READ)
            while slept_s < self._asleep_s:
                if selector.select(_POLL_S):
                    return True
                slept_s += _POLL_S if _sleeps(child.reader) else 0.0
        return False

    def _start(self) -> _Child:
        self._sent_kind = None
        board = os.memfd_create("wireproof-limited")
        os.ftruncate(board, BOARD_BYTES)
        process = subprocess.Popen(
            [sys.executable, "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=[board],
            process_group=0,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        assert process.stdin is not None
        assert process.stdout is not None
        child = self._child = _Child(process, board, process.stdin, process.stdout)
        self._end_child = weakref.finalize(self, child.end)
        try:
            send(child.inputs, (self._limits, self._make, self._make_records, board))
            child.reader = receive(child.answers).pid
        except (EOFError, BrokenPipeError):
            code = process.wait()
            message = f"the limited process of {self.name} does not start: exit code {code}"
            raise RuntimeError(message) from None
        return child


def _nothing_runs() -> None:
    """Do nothing: there is no child to end."""


def _sleeps(pid: int) -> bool:
    with contextlib.suppress(psutil.Error):
        return bool(psutil.Process(pid).status() == psutil.STATUS_SLEEPING)
    return False


def _describe_end(code: int) -> Answer:
    if code in (-signal.SIGXCPU, -signal.SIGPROF):
        return Answer(DecodeOutcome.HUNG, message="its processor time was up")
    message = f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
    return Answer(
        DecodeOutcome.CRASHED,
        error="process",
        message=f"its process was {message}" if code < 0 else f"its process {message}",
    )
