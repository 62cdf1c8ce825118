"""A codec in a process of its own, with limits: what hostile bytes do there, they do to nobody else."""

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
from typing import Final, TypeAlias

import psutil

from kafkawire.compiler import MessageCodec
from kafkawire.schema.layout import MessageLayout
from wireproof.adapters.own.limited_child import (
    BOARD_BYTES,
    BatchAnswers,
    ChildLimits,
    InputBatch,
    RecordDecoderFactory,
    own_records,
    receive,
    send,
)
from wireproof.model import (
    HANG,
    NOT_ASKED,
    SAME_CAUSE,
    Answer,
    DecodeOutcome,
    FatalSites,
    MutationSite,
    MutationSites,
    placed,
)

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
_FIRST_TIMES: Final = 10
_FIRST_S: Final = 0.5
"""Processor time after which an input among others ends the process: so many times what it may take, and at
least so much."""
_SECOND_TIMES: Final = 3
"""Alone it is tried again, in a fresh process, with so many times that."""
_LOOK_S: Final = 0.25
"""Between two looks at a process that says nothing."""
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

    def first_s(self, inputs: Sequence[bytes]) -> float:
        """The processor time after which one of several inputs ends the process."""
        return max(_FIRST_S, _FIRST_TIMES * max(map(self.most_s, inputs)))

    def most_bytes(self, inputs: Sequence[bytes]) -> int:
        """The memory that inputs may take, which are read one by one and answered together."""
        slack = MEMORY_SLACK if len(inputs) == 1 else BATCH_SLACK
        if self.layout is None:
            slack += SET_SLACK
        return slack + MEMORY_FACTOR * max(len(data) for data in inputs)


_Item: TypeAlias = tuple[bytes, MutationSite | None]

_CHILD: Final = "from wireproof.adapters.own.limited_child import main; main()"
"""Not ``-m``: that would import the module twice, under two names."""


@dataclass(frozen=True, slots=True)
class _Child:
    """A running child process.

    Attributes:
        board: the file descriptor of the memory where it writes the index of the input that it reads.
    """

    process: "subprocess.Popen[bytes]"
    board: int

    def end(self) -> None:
        """Kill the process, and close what leads to it."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()
        os.close(self.board)


class LimitedCodec:
    """Reads bytes with a codec in a child process, started when it is first asked.

    The process ends when the object is closed, or is not used any more.

    Args:
        make: makes the codec of a layout; pickled, for it is called in the child.
        make_records: gives what decodes record sets; likewise.
        memory_mb: address space of the child.
        cpu_s: processor time of a batch; the child is ended beyond it.
        asleep_s: time to wait for a child that neither answers nor wants the processor.
        fatal: where inputs ended it.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[MessageLayout], MessageCodec],
        *,
        make_records: RecordDecoderFactory = own_records,
        memory_mb: int = 1024,
        cpu_s: int = 3,
        asleep_s: float = 5.0,
        fatal: FatalSites | None = None,
    ) -> None:
        self._name = name
        self._make = make
        self._make_records = make_records
        self._limits = ChildLimits(memory_mb << 20, cpu_s, MEMORY_SLACK, MEMORY_FACTOR)
        self._asleep_s = asleep_s
        self._child: _Child | None = None
        self._end_child: Callable[[], object] = _nothing_runs
        self._told: _Kind | None = None
        self._fatal = FatalSites(name) if fatal is None else fatal

    @property
    def name(self) -> str:
        return self._name

    def decode_all(
        self, layout: MessageLayout, inputs: Sequence[bytes], sites: MutationSites = ()
    ) -> list[Answer]:
        """What becomes of each body."""
        return self._all(_Kind(layout), inputs, sites)

    def decode_frames(
        self, header: MessageLayout, layout: MessageLayout, inputs: Sequence[bytes], sites: MutationSites = ()
    ) -> list[Answer]:
        """What becomes of each whole frame."""
        return self._all(_Kind(layout, header), inputs, sites)

    def decode_records(self, magic: int, inputs: Sequence[bytes], sites: MutationSites = ()) -> list[Answer]:
        """What becomes of each record set."""
        return self._all(_Kind(None), inputs, sites)

    def fresh(self) -> "LimitedCodec":
        """The same codec in a process of its own; what is known to end it stays known."""
        fresh = copy.copy(self)
        fresh._child, fresh._end_child, fresh._told = None, _nothing_runs, None
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
        slow = [
            answer.outcome is not DecodeOutcome.HUNG and answer.cpu_s > kind.most_s(data)
            for data, answer in zip(inputs, answers, strict=True)
        ]
        return [
            self._alone(kind, item) if again else answer
            for item, answer, again in zip(items, answers, slow, strict=True)
        ]

    def _left_out(self, site: MutationSite | None) -> Answer | None:
        """The answer to an input that is not tried; None where it is."""
        if same_as := self._fatal.same_as(site):
            return Answer(DecodeOutcome.LEFT_OUT, error=SAME_CAUSE, message=same_as)
        if words := self._fatal.had_enough(site, _FIRST_S + self._limits.cpu_s):
            return Answer(DecodeOutcome.LEFT_OUT, error=NOT_ASKED, message=words)
        return None

    def _batch(self, kind: _Kind, items: Sequence[_Item]) -> list[Answer]:
        """Answers to some inputs; those that are left out are not even sent."""
        answers = [self._left_out(site) for _, site in items]
        asked = [item for item, answer in zip(items, answers, strict=True) if answer is None]
        given = iter(self._tried(kind, asked))
        return [next(given) if answer is None else answer for answer in answers]

    def _tried(self, kind: _Kind, items: Sequence[_Item]) -> list[Answer]:
        """Answers to some inputs; one that ends the process is tried again alone, and those around it too."""
        if not items:
            return []
        done = self._ask(kind, [data for data, _ in items])
        if isinstance(done, BatchAnswers):
            return self._weighed(kind, items, done)
        assert self._child is not None
        (guilty,) = struct.unpack(">i", os.pread(self._child.board, BOARD_BYTES, 0))
        before, behind = self._batch(kind, items[:guilty]), items[guilty + 1 :]
        return [*before, self._alone(kind, items[guilty]), *self._batch(kind, behind)]

    def _alone(self, kind: _Kind, item: _Item) -> Answer:
        """A suspected input: nobody is convicted at first sight, when something may have been compiled.

        One that ends the process again is convicted; one that is slow, once it was slow each time.
        """
        data, site = item
        left_out = self._left_out(site)
        if left_out is not None:
            return left_out
        spent_s = 0.0
        for _ in range(_TRIES):
            done = self._ask(kind, [data], alone=True)
            if not isinstance(done, BatchAnswers):
                self._fatal.add(site, HANG if done.outcome is DecodeOutcome.HUNG else "process", done.message)
                return done
            (answer,) = self._weighed(kind, [item], done)
            spent_s += answer.cpu_s
            if answer.cpu_s <= kind.most_s(data):
                return answer
        words = f"{answer.cpu_s:.3f} s of processor time for {len(data)} bytes"
        self._fatal.budget.spend(spent_s)
        self._fatal.add(site, HANG, words)
        return replace(answer, outcome=DecodeOutcome.HUNG, message=words)

    def _weighed(self, kind: _Kind, items: Sequence[_Item], done: BatchAnswers) -> list[Answer]:
        """The answers; where memory grew out of proportion, halves of halves until one is left alone."""
        inputs = [data for data, _ in items]
        if done.growth_bytes <= kind.most_bytes(inputs):
            return list(done.answers)
        if len(items) > 1:
            half = len(items) // 2
            return self._batch(kind, items[:half]) + self._batch(kind, items[half:])
        words = f"{done.growth_bytes} bytes of memory for {len(inputs[0])} bytes of input"
        return [replace(done.answers[0], outcome=DecodeOutcome.BLEW_UP, message=words)]

    def _ask(self, kind: _Kind, inputs: Sequence[bytes], *, alone: bool = False) -> BatchAnswers | Answer:
        """The answers to one batch, or what ended the process.

        Args:
            alone: whether it is one input that is suspected.
        """
        child = self._child
        if child is None or child.process.returncode is not None:
            self.close()
            child = self._start()
        process = child.process
        assert process.stdin is not None
        assert process.stdout is not None
        same = self._told is not None and kind.is_(self._told)
        try:
            first_s = min(kind.first_s(inputs), self._limits.cpu_s)
            one_s = min(_SECOND_TIMES * first_s, self._limits.cpu_s) if alone else first_s
            batch = InputBatch(inputs, one_s, kind.layout, kind.header)
            send(process.stdin, InputBatch(inputs, one_s, same=True) if same else batch)
            self._told = kind
            if not self._answers_in_time(process):
                process.kill()
                process.wait()
                self._fatal.budget.spend(self._asleep_s)
                return Answer(DecodeOutcome.HUNG, message=f"no answer after {self._asleep_s:.0f} s asleep")
            done: BatchAnswers = receive(process.stdout)
        except (EOFError, BrokenPipeError):
            died = _death(process.wait())
            if died.outcome is DecodeOutcome.HUNG:
                self._fatal.budget.spend(one_s)
            return died
        return done

    def _answers_in_time(self, process: subprocess.Popen[bytes]) -> bool:
        """Whether there is an answer before it slept too long; one that works has its processor time."""
        slept_s = 0.0
        with selectors.DefaultSelector() as selector:
            assert process.stdout is not None
            selector.register(process.stdout, selectors.EVENT_READ)
            while slept_s < self._asleep_s:
                if selector.select(_LOOK_S):
                    return True
                slept_s += _LOOK_S if _sleeps(process.pid) else 0.0
        return False

    def _start(self) -> _Child:
        self._told = None
        board = os.memfd_create("wireproof-limited")
        os.ftruncate(board, BOARD_BYTES)
        process = subprocess.Popen(
            [sys.executable, "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=[board],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        child = self._child = _Child(process, board)
        self._end_child = weakref.finalize(self, child.end)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, (self._limits, self._make, self._make_records, board))
            receive(process.stdout)
        except (EOFError, BrokenPipeError):
            code = process.wait()
            words = f"the limited process of {self._name} does not start: exit code {code}"
            raise RuntimeError(words) from None
        return child


def _nothing_runs() -> None:
    """Ends the child of a codec that has none."""


def _sleeps(pid: int) -> bool:
    with contextlib.suppress(psutil.Error):
        return bool(psutil.Process(pid).status() == psutil.STATUS_SLEEPING)
    return False


def _death(code: int) -> Answer:
    if code in (-signal.SIGXCPU, -signal.SIGPROF):
        return Answer(DecodeOutcome.HUNG, message="its processor time was up")
    words = f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
    return Answer(
        DecodeOutcome.CRASHED,
        error="process",
        message=f"its process was {words}" if code < 0 else f"its process {words}",
    )
