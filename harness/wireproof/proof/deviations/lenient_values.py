"""Kafka's leniencies: bytes that Kafka reads and the reference refuses. A codec may do either."""

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from wireproof.model import Decode, Decoded, DecodedFrame, DecodeFrame, Refused, Reply
from wireproof.proof.checks.known_defects.leniencies import known_leniencies
from wireproof.proof.checks.malformed.lenient_reader import read_frame_leniently, read_leniently
from wireproof.proof.deviations.prediction import CodecExchange


def is_lenient_reading(exchange: CodecExchange, right: Reply, release: str) -> bool:
    """Test if the codec read what Kafka's classes of a release read, where the reference refuses."""
    reply, request, layout = exchange.reply, exchange.request, exchange.layout
    consumed: int | None = None
    if isinstance(reply, Refused) and reply.read is not None:
        consumed, reply = reply.offset, reply.read
    if not isinstance(right, Refused) or layout.version not in layout.versions:
        return False
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
    return consumed is None or consumed == reading.consumed_bytes
