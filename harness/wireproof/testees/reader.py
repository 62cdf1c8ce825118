"""A testee as a reader of malformed bytes: what became of each input."""

from collections.abc import Sequence

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.model import (
    Answer,
    Cell,
    Crashed,
    Decode,
    Decoded,
    DecodedFrame,
    DecodeFrame,
    Outcome,
    Reencoded,
    Refused,
    Reply,
    Unsupported,
)
from wireproof.testees.adapter import TesteeAdapter

__all__ = ["TesteeReader"]

_ENDED = {"hang": Outcome.HUNG}


class TesteeReader:
    """Reads with a testee, whose processes have limits anyway. What it does not claim is left out.

    A codec whose values nobody else can hold is asked to write again what it read: the value is what our own
    codec reads there.
    """

    def __init__(self, adapter: TesteeAdapter) -> None:
        self._adapter = adapter

    @property
    def name(self) -> str:
        return self._adapter.name

    def decode_all(self, layout: MessageLayout, inputs: Sequence[bytes]) -> list[Answer]:
        """What becomes of each body."""
        replies = self._adapter.answers(_cell(layout), layout, [Decode(data) for data in inputs])
        return [_answer(layout, None, reply) for reply in replies]

    def decode_frames(
        self, header: MessageLayout, layout: MessageLayout, inputs: Sequence[bytes]
    ) -> list[Answer]:
        """What becomes of each whole frame."""
        replies = self._adapter.answers(_cell(layout), layout, [DecodeFrame(data) for data in inputs], header)
        return [_answer(layout, header, reply) for reply in replies]

    def decode_records(self, inputs: Sequence[bytes]) -> list[Answer]:
        """Record sets are not asked for yet."""
        return [Answer(Outcome.LEFT_OUT)] * len(inputs)

    def close(self) -> None:
        """The process is the adapter's."""


def _cell(layout: MessageLayout) -> Cell:
    """What is read does not depend on the release."""
    return Cell("", "", layout.name, layout.version)


def _answer(layout: MessageLayout, header: MessageLayout | None, reply: Reply) -> Answer:
    try:
        match reply:
            case Decoded(value):
                return Answer(Outcome.ACCEPTED, canonical(layout).to_binary(value))
            case DecodedFrame(head, value):
                assert header is not None
                binary = canonical(header).to_binary(head) + canonical(layout).to_binary(value)
                return Answer(Outcome.ACCEPTED, binary)
            case Reencoded(data):
                value = compile_layout(layout).decode(data)
                return Answer(Outcome.ACCEPTED, canonical(layout).to_binary(value))
            case Refused(error, message, path, offset):
                return Answer(Outcome.REFUSED, b"", error, message, path, offset)
            case Crashed(error, message):
                return Answer(_ENDED.get(error, Outcome.CRASHED), b"", error, message)
            case Unsupported(reason, message):
                return Answer(Outcome.LEFT_OUT, b"", reason, message)
            case _:
                raise ValueError(f"{type(reply).__name__} is no answer to bytes")
    except CodecError as error:
        return Answer(Outcome.CRASHED, b"", "value", f"what it read is no value of the message: {error}")
