"""A testee as a reader of malformed bytes."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.errors import CodecError, DecodeError
from kafkawire.records import decode_records, from_value, record_set_layout, to_canonical
from kafkawire.schema.layout import MessageLayout
from wireproof.model import (
    NO_VALUE,
    RECORDS_MODULE,
    Answer,
    Cell,
    Crashed,
    Decode,
    Decoded,
    DecodedFrame,
    DecodeFrame,
    DecodeOutcome,
    MutationSites,
    Reencoded,
    Refused,
    Reply,
    Unsupported,
    placed,
)
from wireproof.proof.adapters.testee.memory_growth import (
    BLEW_UP,
    SET_SLACK_BYTES,
    SLACK_BYTES,
    MemoryGrowthMeter,
)
from wireproof.proof.adapters.testee.record_set_requests import RECORD_SET
from wireproof.proof.adapters.testee.testee_adapter import TesteeAdapter

__all__ = ["TesteeReader"]

_ENDED = {"hang": DecodeOutcome.HUNG, BLEW_UP: DecodeOutcome.BLEW_UP}


class TesteeReader:
    """Reads with a testee, whose processes have limits in any case. Unclaimed messages are left out.

    A codec whose values cannot be exported is asked to encode again what it read; our own codec reads the
    value from these bytes. If ours refuses them, the bytes themselves are the answer.

    Args:
        make: makes an adapter of the same testee with a process of its own; None if there is none.
        owner: the process ends with the reader.
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
        site_by = dict(placed(inputs, sites))

        def ask(some: Sequence[bytes]) -> list[Reply]:
            return self._adapter.answers(
                _cell(layout), layout, [Decode(data, site=site_by.get(data)) for data in some]
            )

        replies = self._meter.ask(ask, inputs, [compile_layout(layout).encode({})], SLACK_BYTES)
        return [_answer(layout, None, reply) for reply in replies]

    def decode_frames(
        self, header: MessageLayout, layout: MessageLayout, inputs: Sequence[bytes], sites: MutationSites = ()
    ) -> list[Answer]:
        """Read each whole frame."""
        site_by = dict(placed(inputs, sites))

        def ask(some: Sequence[bytes]) -> list[Reply]:
            return self._adapter.answers(
                _cell(layout), layout, [DecodeFrame(data, site_by.get(data)) for data in some], header
            )

        replies = self._meter.ask(ask, inputs, [_valid_frame(header, layout)], SLACK_BYTES)
        return [_answer(layout, header, reply) for reply in replies]

    def decode_records(self, magic: int, inputs: Sequence[bytes], sites: MutationSites = ()) -> list[Answer]:
        """Read each record set; a mutated one may have batches of any magic."""
        cell, layout = Cell("", RECORDS_MODULE, RECORD_SET, magic), record_set_layout(2)
        site_by = dict(placed(inputs, sites))

        def ask(some: Sequence[bytes]) -> list[Reply]:
            return self._adapter.answers(
                cell, layout, [Decode(data, site=site_by.get(data)) for data in some]
            )

        replies = self._meter.ask(ask, inputs, [b""], SET_SLACK_BYTES)
        return [_answer_of_set(reply) for reply in replies]

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
    head = compile_layout(header).encode({name: each for name, each in identity.items() if name in known})
    frame = head + compile_layout(layout).encode({})
    return len(frame).to_bytes(4) + frame


def _cell(layout: MessageLayout) -> Cell:
    """Return a cell without a release: reading does not depend on it."""
    return Cell("", "", layout.name, layout.version)


def _answer_of_set(reply: Reply) -> Answer:
    """Convert a reply; the answer holds the properties of the set that Kafka's readers show."""
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
        value = compile_layout(layout).decode(data)
    except DecodeError:
        return Answer(DecodeOutcome.ACCEPTED, written=data)
    return Answer(DecodeOutcome.ACCEPTED, canonical(layout).to_binary(value))
