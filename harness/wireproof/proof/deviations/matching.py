"""The comparison of replies: of a predicted reply with a codec's, or of two replies of a codec.

A codec may read bytes that the reference refuses as Kafka does; these readings are Kafka's leniencies.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from wireproof.model.adapter import (
    READ_PAST_END,
    Crashed,
    Decode,
    Decoded,
    DecodedFrame,
    DecodeFrame,
    Equality,
    FedFrame,
    Refused,
    Reply,
)
from wireproof.model.divergence import without_indices
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.checks.known_defects.leniencies import known_leniencies
from wireproof.proof.checks.malformed.lenient_reader import read_frame_leniently, read_leniently
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.field_values import same
from wireproof.proof.deviations.prediction import CodecExchange, Model, Prediction, right_reply
from wireproof.proof.deviations.record_sets.set_reading import RECORD_BYTES

_NULLABLE: Final = frozenset(
    f"{compact}nullable {kind}"
    for compact in ("", "compact ")
    for kind in ("array", "bytes", "records", "string")
)
_READ_ANYHOW: Final = (
    Deviation(CodecDirection.DECODE, "varint-bits", "drop"),
    Deviation(CodecDirection.DECODE, "negative-length", "null", types=_NULLABLE | {RECORD_BYTES}),
)
_LENIENT: Final = tuple(
    (Deviation(CodecDirection.DECODE, "ill-formed-text", action), *_READ_ANYHOW)
    for action in ("replace", "replace-bytes")
)
"""The readings of a lenient codec: none of them is a cause."""


def matches(predicted: Reply, reply: Reply) -> bool:
    """Test if a reply is the predicted one. The class of a crash is compared, that of a refusal is not."""
    match predicted, reply:
        case Refused(read=None), Refused(read=None):
            return True
        case Refused(offset=one, read=one_read), Refused(offset=other, read=other_read):
            if one_read is None or other_read is None:
                return other_read is None  # a codec may refuse bytes at which another codec stops reading
            return one == other and matches(one_read, other_read)
        case Crashed(error="hang"), Crashed(error="hang" | "memory" | "process"):
            return True
        case Crashed(error, message, path=path), Crashed(other_error, other_message, path=other_path):
            if path and other_path and without_indices(path) != without_indices(other_path):
                return False
            return other_error in error.split(", ") and (error != READ_PAST_END or message == other_message)
        case Equality(one, hashes), Equality(other, other_hashes):
            return one == other and (not one or other_hashes is None or hashes == other_hashes)
        case Decoded(value), Decoded(other_value):
            return same(value, other_value)
        case FedFrame(value, size, parts), FedFrame(other_value, other_size, other_parts):
            return (size, parts) == (other_size, other_parts) and same(value, other_value)
        case DecodedFrame(head, value), DecodedFrame(other_head, other_value):
            return same(head, other_head) and same(value, other_value)
        case _:
            return predicted == reply


def without_words(reply: Reply) -> Reply:
    """Return the reply without the message and the output of a crash, which may vary."""
    match reply:
        case Crashed(error, message):
            return Crashed(error, message if error == READ_PAST_END else "")
        case Refused(read=None):
            return Refused("", "")
    return reply


def predicted_leniently(deviations: Sequence[Deviation], exchange: CodecExchange) -> Prediction | None:
    """Return the prediction for bytes that the reference refuses and the codec reads as Kafka does.

    It is None if it differs from the codec's reply. `fired` does not contain the leniency itself.
    """
    if not isinstance(exchange.request, Decode | DecodeFrame) or not isinstance(
        right_reply(exchange), Refused
    ):
        return None
    for lenient in _LENIENT:
        made = Model([*deviations, *lenient]).predict(exchange)
        fired = tuple(each for each in made.fired if each[0] not in lenient)
        if fired and len(fired) < len(made.fired) and matches(made.reply, exchange.reply):
            return replace(made, fired=fired)
    return None


def is_lenient_reading(exchange: CodecExchange, right: Reply, release: str) -> bool:
    """Test if the codec read bytes that the reference refuses, and read them as Kafka's classes do."""
    reply, request, layout = exchange.reply, exchange.request, exchange.layout
    if not (isinstance(right, Refused) and isinstance(request, Decode | DecodeFrame)):
        return False
    if layout.version not in layout.versions:
        return False
    consumed: int | None = len(request.data)
    if isinstance(reply, Refused) and reply.read is not None:
        consumed, reply = reply.offset, reply.read
    try:
        if isinstance(request, Decode) and isinstance(reply, Decoded):
            reading = read_leniently(layout, request.data, known_leniencies(release))
            binary = canonical(layout).to_binary(reply.value)
        elif (
            isinstance(request, DecodeFrame)
            and isinstance(reply, DecodedFrame)
            and exchange.header is not None
        ):
            reading = read_frame_leniently(exchange.header, layout, request.data, known_leniencies(release))
            binary = canonical(exchange.header).to_binary(reply.header) + canonical(layout).to_binary(
                reply.value
            )
        else:
            return False
    except CodecError:
        return False
    if reading is None or reading.value != binary:
        return False
    return consumed == reading.consumed_bytes
