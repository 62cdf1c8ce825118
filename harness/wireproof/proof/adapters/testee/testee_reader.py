"""A testee as a reader of malformed bytes.

Inputs are measured in groups, which costs almost nothing. If a group makes the memory grow out of proportion,
its inputs are measured one by one, in a fresh process. A testee with a garbage collector grows for other
reasons, too. So an input is reported only if the memory grows twice: in its group, and alone in a process
that has read only valid bytes before, by more than these make it grow. The longest inputs come first. They
are the most likely ones, and a measurement takes as long as the testee needs for the memory.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol, TypeAlias

from kafkawire.canonical import canonical
from kafkawire.compiler import fastest_codec
from kafkawire.errors import CodecError, DecodeError
from kafkawire.records import decode_records, from_value, record_set_layout, to_canonical
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import (
    NO_VALUE,
    Crashed,
    Decode,
    Decoded,
    DecodedFrame,
    DecodeFrame,
    Reencoded,
    Refused,
    Reply,
    Unsupported,
)
from wireproof.model.cell import RECORDS_MODULE, Cell
from wireproof.model.malformed_input import Answer, DecodeOutcome, MutationSites, placed
from wireproof.proof.adapters.testee.record_values import RECORD_SET
from wireproof.proof.adapters.testee.testee_adapter import TesteeAdapter
from wireproof.proof.testees.limits.watchdog import PeakMemory

BLEW_UP: Final = "memory"
"""The error of the reply if the memory grew out of proportion."""
FACTOR: Final = 128
"""Most bytes of memory for each byte of input."""
SLACK_BYTES: Final = 64 << 20
"""Memory that a runtime and its garbage collector take for any input."""
SET_SLACK_BYTES: Final = 144 << 20
"""The same for a record set: compressed data can expand to any length, so a codec needs a limit."""
_GROUP: Final = 64
_WARM_UP: Final = 3
"""The number of times that a fresh process reads valid bytes before it is measured."""
_MAX_OFFENDING: Final = 8
"""Most inputs that one call reports; each costs up to two starts of the testee."""

AskInputs: TypeAlias = Callable[[Sequence[bytes]], list[Reply]]


class PeakMeter(Protocol):
    """Measures the memory of a testee."""

    def measure_peak(self, *, begin: bool = False) -> PeakMemory | None:
        """Return the peak since the last call with `begin`; None if it cannot be measured."""

    def end(self) -> object:
        """End the process, so that the next request is the first of a new one."""


@dataclass(slots=True)
class MemoryGrowthMeter:
    """Sends inputs to a testee and measures its memory.

    Args:
        normal_bytes: the growth by groups without an offending input.
    """

    meter: PeakMeter
    normal_bytes: int = 0

    def ask(
        self, ask: AskInputs, inputs: Sequence[bytes], valid: Sequence[bytes], slack_bytes: int
    ) -> list[Reply]:
        """Return the replies; those of offending inputs are crashes with the error `BLEW_UP`.

        Args:
            valid: valid bytes of the same kind.
            slack_bytes: the growth that is allowed for an input of any length.
        """
        replies: list[Reply] = []
        for start in range(0, len(inputs), _GROUP):
            group = inputs[start : start + _GROUP]
            answers, growth = self._measure(ask, group)
            if growth > slack_bytes + self.normal_bytes + FACTOR * max(map(len, group)):
                offending = self._find_offending(ask, group, valid, slack_bytes)
                if not offending:
                    self.normal_bytes = max(self.normal_bytes, growth)
                for index, bytes_grown in offending.items():
                    message = f"{bytes_grown} bytes of memory for {len(group[index])} bytes of input"
                    answers[index] = Crashed(BLEW_UP, message)
            replies += answers
        return replies

    def _measure(self, ask: AskInputs, inputs: Sequence[bytes]) -> tuple[list[Reply], int]:
        """Return the replies and the growth in bytes; 0 if the process was replaced meanwhile."""
        before = self.meter.measure_peak(begin=True)
        replies = ask(inputs)
        after = self.meter.measure_peak()
        if before is None or after is None or before.process != after.process:
            return replies, 0
        return replies, max(0, after.peak_bytes - before.peak_bytes)

    def _find_offending(
        self, ask: AskInputs, inputs: Sequence[bytes], valid: Sequence[bytes], slack_bytes: int
    ) -> dict[int, int]:
        """Return the growth in bytes by the index of each offending input."""
        offending: dict[int, int] = {}
        normal, untouched = self._restart(ask, valid), True
        for index in sorted(range(len(inputs)), key=lambda each: -len(inputs[each])):
            data = inputs[index]
            growth = self._measure(ask, [data])[1]
            if growth <= slack_bytes + 2 * normal + FACTOR * len(data):
                untouched = False
                continue
            if not untouched:
                normal = self._restart(ask, valid)
                growth = self._measure(ask, [data])[1]
            if growth > slack_bytes + 2 * normal + FACTOR * len(data):
                offending[index] = growth
            if len(offending) >= _MAX_OFFENDING:
                break
            normal, untouched = self._restart(ask, valid), True
        return dict(sorted(offending.items()))

    def _restart(self, ask: AskInputs, valid: Sequence[bytes]) -> int:
        """Start a fresh process, let it read valid bytes, and return the growth by the last of them."""
        self.meter.end()
        growth = 0
        for _ in range(_WARM_UP if valid else 0):
            growth = self._measure(ask, valid)[1]
        return growth


_ENDED = {"hang": DecodeOutcome.HUNG, BLEW_UP: DecodeOutcome.BLEW_UP}


class TesteeReader:
    """Reads with a testee, whose processes have limits in any case. Unclaimed messages are left out.

    A codec whose values cannot be exported is asked to encode again what it read; our own codec reads the
    value from these bytes. If ours refuses them, the bytes themselves are the answer.

    Args:
        make: makes an adapter of the same testee with a process of its own; None if there is none.
        owner: whether the process ends with the reader.
    """

    def __init__(
        self, adapter: TesteeAdapter, make: Callable[[], TesteeAdapter] | None = None, *, owner: bool = False
    ) -> None:
        self._adapter = adapter
        self._make = make
        self._owner = owner
        self._meter = MemoryGrowthMeter(adapter)

    @property
    def name(self) -> str:
        return self._adapter.name

    def decode_all(
        self, layout: MessageLayout, inputs: Sequence[bytes], sites: MutationSites = ()
    ) -> list[Answer]:
        """Read each body."""
        valid = fastest_codec(layout).encode({})
        replies = self._ask(Decode, _cell(layout), layout, inputs, sites, valid, SLACK_BYTES)
        return [_answer(layout, None, reply) for reply in replies]

    def decode_frames(
        self, header: MessageLayout, layout: MessageLayout, inputs: Sequence[bytes], sites: MutationSites = ()
    ) -> list[Answer]:
        """Read each whole frame."""
        valid = _valid_frame(header, layout)
        replies = self._ask(DecodeFrame, _cell(layout), layout, inputs, sites, valid, SLACK_BYTES, header)
        return [_answer(layout, header, reply) for reply in replies]

    def decode_records(self, magic: int, inputs: Sequence[bytes], sites: MutationSites = ()) -> list[Answer]:
        """Read each record set; a mutated one may have batches of any magic."""
        cell, layout = Cell("", RECORDS_MODULE, RECORD_SET, magic), record_set_layout(2)
        replies = self._ask(Decode, cell, layout, inputs, sites, b"", SET_SLACK_BYTES)
        return [_answer_of_set(reply) for reply in replies]

    def _ask(
        self, question: type[Decode | DecodeFrame], cell: Cell, layout: MessageLayout,
        inputs: Sequence[bytes], sites: MutationSites, valid: bytes, slack_bytes: int,
        header: MessageLayout | None = None,
    ) -> list[Reply]:  # fmt: skip
        site_by = dict(placed(inputs, sites))

        def ask(some: Sequence[bytes]) -> list[Reply]:
            questions = [question(data, site=site_by.get(data)) for data in some]
            return self._adapter.answers(cell, layout, questions, header)

        return self._meter.ask(ask, inputs, [valid], slack_bytes)

    def fresh(self) -> "TesteeReader | None":
        """Return the same testee in another process; None if there is none."""
        return None if self._make is None else TesteeReader(self._make(), self._make, owner=True)

    def close(self) -> None:
        """End the process of a fresh reader; other processes belong to the adapter."""
        if self._owner:
            self._adapter.end()


def _valid_frame(header: MessageLayout, layout: MessageLayout) -> bytes:
    """Encode a valid frame of the message."""
    identity = {"requestApiKey": layout.api_key or 0, "requestApiVersion": layout.version}
    known = {field.name for field in header.root.fields}
    head = fastest_codec(header).encode({name: each for name, each in identity.items() if name in known})
    frame = head + fastest_codec(layout).encode({})
    return len(frame).to_bytes(4) + frame


def _cell(layout: MessageLayout) -> Cell:
    """Return a cell without a release: reading does not depend on it."""
    return Cell("", "", layout.name, layout.version)


def _answer_of_set(reply: Reply) -> Answer:
    """Convert a reply; the answer has the view of the set that Kafka's readers return."""
    match reply:
        case Decoded(value):
            records = from_value(value)
        case Reencoded(data):
            try:
                records = decode_records(data)
            except CodecError as error:
                return Answer(
                    DecodeOutcome.CRASHED, b"", NO_VALUE, f"what it wrote is no record set: {error}"
                )
        case _:
            return _failure(reply)
    try:
        return Answer(DecodeOutcome.ACCEPTED, to_canonical(records))
    except CodecError as error:  # the key of a control record, which readers parse on demand
        return Answer(DecodeOutcome.REFUSED, b"", str(error.fault), str(error), error.path, error.offset)


def _answer(layout: MessageLayout, header: MessageLayout | None, reply: Reply) -> Answer:
    try:
        match reply:
            case Refused(error, message, offset=offset, read=read) if read is not None:
                answer = _answer(layout, header, read)
                if answer.outcome is not DecodeOutcome.ACCEPTED:
                    return answer
                return replace(
                    answer, outcome=DecodeOutcome.STOPPED, error=error, message=message, offset=offset
                )
            case Decoded(value):
                return Answer(DecodeOutcome.ACCEPTED, canonical(layout).to_binary(value))
            case DecodedFrame(head, value):
                assert header is not None
                binary = canonical(header).to_binary(head) + canonical(layout).to_binary(value)
                return Answer(DecodeOutcome.ACCEPTED, binary)
            case Reencoded(data):
                return _written_again(layout, data)
            case _:
                return _failure(reply)
    except CodecError as error:
        return Answer(
            DecodeOutcome.CRASHED, b"", NO_VALUE, f"what it read is no value of the message: {error}"
        )


def _failure(reply: Reply) -> Answer:
    match reply:
        case Refused(error, message, path, offset):
            return Answer(DecodeOutcome.REFUSED, b"", error, message, path, offset)
        case Crashed(error, message):
            return Answer(_ENDED.get(error, DecodeOutcome.CRASHED), b"", error, message)
        case Unsupported(reason, message):
            return Answer(DecodeOutcome.LEFT_OUT, b"", reason, message)
        case _:
            raise ValueError(f"{type(reply).__name__} is no answer to bytes")


def _written_again(layout: MessageLayout, data: bytes) -> Answer:
    try:
        value = fastest_codec(layout).decode(data)
    except DecodeError:
        return Answer(DecodeOutcome.ACCEPTED, written=data)
    return Answer(DecodeOutcome.ACCEPTED, canonical(layout).to_binary(value))
