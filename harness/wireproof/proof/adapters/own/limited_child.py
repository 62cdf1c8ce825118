"""The process in which a codec reads hostile bytes; `LimitedCodec` starts it with `main`.

Standard input has pickles, each after an int32 length: first `ChildLimits` and the factories of the codecs,
then batches. The answers go to standard output in the same form. Only `LimitedCodec` uses this process.

The process imports the codec once and reads nothing itself: it forks a reader, and another reader whenever an
input ends the last one. So no end costs a start of Python, and no reader has seen an earlier reader's inputs.
"""

import contextlib
import gc
import math
import mmap
import os
import pickle
import resource
import signal
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import IO, Any, Final, TypeAlias

from kafkawire.canonical import Canonical, canonical
from kafkawire.compiler import MessageCodec
from kafkawire.errors import CodecError
from kafkawire.headers import FrameCodec
from kafkawire.records import RecordSet, decode_records, to_canonical
from kafkawire.schema.layout import MessageLayout
from wireproof.model.malformed_input import Answer, DecodeOutcome

_LENGTH = struct.Struct(">i")
BOARD_BYTES = 4
"""Memory shared with the parent: the index of the input being read."""

CanonicalReader: TypeAlias = Callable[[bytes], Callable[[], bytes]]
"""Decodes, and returns a function for the canonical form; its time does not count as the codec's."""


RecordDecoderFactory: TypeAlias = Callable[[], Callable[[bytes], RecordSet]]
"""Returns the decoder of record sets; called in the child."""


def own_records() -> Callable[[bytes], RecordSet]:
    """Return our decoder of record sets."""
    return decode_records


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """The limits of the process.

    Attributes:
        memory_bytes: address space.
        cpu_s: processor time of one batch; the system ends the process beyond it.
        slack_bytes, factor: address space that reading one message may add: the slack, and `factor` times
            the message's length. They do not apply to record sets, which may expand.
    """

    memory_bytes: int
    cpu_s: float
    slack_bytes: int
    factor: int

    def max_bytes(self, size: int) -> int:
        """Return the address space that reading a message of this size may add."""
        return self.slack_bytes + self.factor * size


@dataclass(frozen=True, slots=True)
class InputBatch:
    """Inputs to read.

    Attributes:
        layout: the layout of the messages; None for record sets.
        header: the layout of the header if the inputs are whole frames; else None.
        one_s: processor time of each input, in seconds; the system ends the reader beyond it.
        number: the number of the batch, which comes back with the answers.
        same: whether layout and header are those of the previous batch, and are left out.
    """

    inputs: Sequence[bytes]
    one_s: float
    number: int
    layout: MessageLayout | None = None
    header: MessageLayout | None = None
    same: bool = False


@dataclass(frozen=True, slots=True)
class BatchAnswers:
    """Answers in the order of the inputs, and the peak of memory minus its level before, in bytes."""

    answers: Sequence[Answer]
    growth_bytes: int
    number: int


@dataclass(frozen=True, slots=True)
class ReaderStart:
    """The start of a reader.

    Attributes:
        ended: how the reader before it ended: its exit code, or the negative number of the signal; 0 if there
            was none.
    """

    pid: int
    ended: int


def send(pipe: IO[bytes], message: object) -> None:
    """Write one message to a pipe."""
    _send_data(pipe, pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


def _send_data(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(_LENGTH.pack(len(data)) + data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """Read the next message of a pipe.

    Raises:
        EOFError: the other side is closed.
    """
    return pickle.loads(_receive_data(pipe))


def _receive_data(pipe: IO[bytes]) -> bytes:
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = pipe.read(length)
    if len(data) < length:
        raise EOFError
    return data


def main() -> None:
    """Read batches and answer them, until the pipe ends; start another reader after each end of one."""
    inputs = os.fdopen(os.dup(0), "rb")
    outputs = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # the codec's own output is not an answer
    limits, make, make_records, board = receive(inputs)
    trying = mmap.mmap(board, BOARD_BYTES)
    gc.freeze()
    ended = 0
    with contextlib.suppress(BrokenPipeError):
        while True:
            answered, answering = os.pipe()
            reader = os.fork()
            if reader == 0:
                os.close(answered)
                _limit(limits)
                _answer(inputs, os.fdopen(answering, "wb"), trying, limits, make, make_records)
                return
            os.close(answering)
            send(outputs, ReaderStart(reader, ended))
            with os.fdopen(answered, "rb") as answers:
                _forward(answers, outputs)
            ended = os.waitstatus_to_exitcode(os.waitpid(reader, 0)[1])
            if ended == 0:
                return


def _forward(answers: IO[bytes], outputs: IO[bytes]) -> None:
    """Pass on whole messages, until the reader ends: it may end in the middle of one."""
    with contextlib.suppress(EOFError):
        while True:
            _send_data(outputs, _receive_data(answers))


def _answer(
    inputs: IO[bytes],
    outputs: IO[bytes],
    trying: mmap.mmap,
    limits: ChildLimits,
    make: Callable[[MessageLayout], MessageCodec],
    make_records: RecordDecoderFactory,
) -> None:
    reader = _record_reader(make_records)
    one: ChildLimits | None = None
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            batch: InputBatch = receive(inputs)
            if not batch.same:
                messages = batch.layout is not None
                reader = _reader(make, batch) if messages else _record_reader(make_records)
                one = limits if messages else None
            _more_time(limits)
            send(outputs, _read_all(reader, batch, trying, one))


def _limit(limits: ChildLimits) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _more_time(limits: ChildLimits) -> None:
    """Allow processor time for one more batch; after it the system sends SIGXCPU, which ends the process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    stop = math.ceil(used.ru_utime + used.ru_stime + limits.cpu_s) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (stop, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _reader(make: Callable[[MessageLayout], MessageCodec], batch: InputBatch) -> CanonicalReader:
    assert batch.layout is not None
    codec, form = make(batch.layout), canonical(batch.layout)
    if batch.header is not None:
        return _frame_reader(FrameCodec(make(batch.header), codec), canonical(batch.header), form)

    def read(data: bytes) -> Callable[[], bytes]:
        value = codec.decode(data)
        return lambda: form.to_binary(value)

    return read


def _frame_reader(codec: FrameCodec, header_form: Canonical, form: Canonical) -> CanonicalReader:
    def read(data: bytes) -> Callable[[], bytes]:
        header, value = codec.decode(data)
        return lambda: header_form.to_binary(header) + form.to_binary(value)

    return read


def _record_reader(make: RecordDecoderFactory) -> CanonicalReader:
    decode = make()

    def read(data: bytes) -> Callable[[], bytes]:
        records = decode(data)
        return lambda: to_canonical(records)

    return read


def _read_all(
    reader: CanonicalReader, batch: InputBatch, trying: mmap.mmap, one: ChildLimits | None
) -> BatchAnswers:
    before = _memory("VmRSS", reset=True)
    answers = []
    for index, data in enumerate(batch.inputs):
        _LENGTH.pack_into(trying, 0, index)  # the offending input, if the process ends here
        signal.setitimer(signal.ITIMER_PROF, batch.one_s)  # at its end SIGPROF comes, which ends the process
        answers.append(_read(reader, data, lazy=True) if one is None else _read_within(one, reader, data))
    signal.setitimer(signal.ITIMER_PROF, 0)
    return BatchAnswers(answers, max(0, _memory("VmHWM") - before), batch.number)


def _read_within(limits: ChildLimits, reader: CanonicalReader, data: bytes) -> Answer:
    """Read with a limit of address space for this input, so that a larger allocation fails at once."""

    def within(data: bytes) -> Callable[[], bytes]:
        try:
            return reader(data)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))

    most = min(_address_space() + limits.max_bytes(len(data)), limits.memory_bytes)
    resource.setrlimit(resource.RLIMIT_AS, (most, limits.memory_bytes))
    return _read(within, data)


def _read(reader: CanonicalReader, data: bytes, *, lazy: bool = False) -> Answer:
    """Read one input.

    Args:
        lazy: whether the value may be refused later, when its parts are parsed, as control records may.
    """
    start = time.thread_time()
    try:
        form = reader(data)
    except CodecError as error:
        return _refused(error, time.thread_time() - start)
    except MemoryError:
        message = f"an allocation failed: too many bytes of memory for {len(data)} bytes of input"
        return Answer(DecodeOutcome.BLEW_UP, b"", "MemoryError", message)
    except Exception as error:  # noqa: BLE001 - any other error of a codec is the finding itself
        return Answer(DecodeOutcome.CRASHED, b"", type(error).__name__, str(error))
    spent = time.thread_time() - start
    try:
        return Answer(DecodeOutcome.ACCEPTED, form(), cpu_s=spent)
    except CodecError as error:
        if lazy:
            return _refused(error, spent)
        message = f"what it read has no canonical form: {error}"
        return Answer(DecodeOutcome.CRASHED, b"", "no value", message, cpu_s=spent)


def _refused(error: CodecError, spent: float) -> Answer:
    return Answer(DecodeOutcome.REFUSED, b"", str(error.fault), str(error), error.path, error.offset, spent)


_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


def _address_space() -> int:
    """Return the address space of this process now, in bytes."""
    return int(os.pread(_statm(), 64, 0).split(b" ", 1)[0]) * _PAGE


@cache
def _statm() -> int:
    return os.open("/proc/self/statm", os.O_RDONLY)


def _memory(name: str, *, reset: bool = False) -> int:
    """Return a memory counter of this process, in bytes; `reset` begins a new peak."""
    if reset:
        with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    with contextlib.suppress(OSError), open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(name):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
