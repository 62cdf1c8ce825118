"""Decoding of one connection into frames with their types, and bytes that are skipped.

The type of a frame depends only on its own connection, so connections can be decoded anywhere and in any
order.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final, NamedTuple, TypeAlias, assert_never

from kafkawire.errors import CodecError
from kafkawire.wire import PREFIX_BYTES
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType, UnknownFrameType
from wireproof.traffic.wire.request_matcher import Exchange, Frame, SaslToken, UnpairedFrame, UnpairedReason
from wireproof.traffic.wire.segment_format import EntryKind, SegmentDamage, SegmentEntry, StreamDirection
from wireproof.traffic.wire.segment_reader import read_segment, with_holes
from wireproof.traffic.wire.stream_assembler import AssembledPart, LossReason, LostBytes, StreamAssembler

CLIENT_NAMES: Final = frozenset({"aiokafka", "kafkajs"})
"""Software that is known by its client id: it sends a version of ApiVersions without the software's name."""

OWN_CLIENT: Final = "wireproof"
"""The client id of wireproof's own requests: their provenance is made, not captured."""

_API_VERSIONS: Final = 18
_KEY_VERSION_ID: Final = 8


class IdentifiedFrame(NamedTuple):
    """A frame with its type.

    Attributes:
        api_key, version: the api key and version of its request.
        paired_offset: the offset of the exchange's other frame in the stream of its direction; None for a
            request without a response.
        from_wireproof: true for requests of wireproof's own sweep.
        client: the name of the client software; ``""`` where unknown.
        time_ns: the time of the entry that completes its exchange.
    """

    direction: StreamDirection
    frame: Frame
    named: FrameType
    api_key: int
    version: int
    correlation_id: int
    paired_offset: int | None
    from_wireproof: bool
    client: str
    time_ns: int


@dataclass(frozen=True, slots=True)
class SkippedBytes:
    """Bytes without a frame type.

    Attributes:
        offset: the offset of the first byte, in the stream of the direction.
        count: the number of bytes.
        frames: 1 for a whole frame, 0 for bytes outside of frames.
        reason: the reason as text; equal for equal causes.
        data: the frame, if there is one.
        answered: api key and version, for a frame of an exchange whose type is unknown.
    """

    direction: StreamDirection
    offset: int
    count: int
    frames: int
    reason: str
    time_ns: int
    data: bytes = field(default=b"", repr=False)
    answered: tuple[int, int] | None = None


DecodedPart: TypeAlias = IdentifiedFrame | SkippedBytes


class ConnectionDecoder:
    """Decodes one connection by the frame types of the broker's release.

    With `known_start` the first bytes of both directions were captured.
    """

    def __init__(self, naming: FrameIdentifier, *, known_start: bool) -> None:
        self._naming = naming
        self._conversation = StreamAssembler(known_start=known_start)
        self._client = ""
        self._time_ns = 0

    def feed(self, entry: SegmentEntry) -> list[DecodedPart]:
        """Return the frames and bytes that an entry completes. Call `close` after the last entry."""
        self._time_ns = entry.time_ns
        return [met for settled in self._conversation.feed(entry) for met in self._met(settled)]

    def close(self) -> Iterator[DecodedPart]:
        """Yield the remaining frames and bytes at the end of the connection."""
        for settled in self._conversation.close():
            yield from self._met(settled)

    def _met(self, settled: AssembledPart) -> Iterable[DecodedPart]:
        match settled:
            case Exchange():
                return self._exchange(settled)
            case UnpairedFrame():
                return (self._lone(settled),)
            case SaslToken(direction=direction, frame=frame):
                return (self._left_out(direction, frame, "tokens of SASL without a header"),)
            case LostBytes():
                what = f": {settled.detail}" if settled.detail else ""
                words = f"{_loss_words(settled.direction, settled.reason)}{what}"
                return (
                    SkippedBytes(settled.direction, settled.offset, settled.count, 0, words, self._time_ns),
                )
            case _:
                assert_never(settled)

    def _exchange(self, exchange: Exchange) -> list[DecodedPart]:
        names = self._naming.exchange(exchange)
        request, response = exchange.request, exchange.response
        client_id = _client_id(request.data)
        ours = client_id == OWN_CLIENT
        if ours:
            self._client = OWN_CLIENT
        elif exchange.api_key == _API_VERSIONS and isinstance(names.request, FrameType):
            self._note_client(names.request, request.data)
        if not self._client and client_id in CLIENT_NAMES:
            self._client = client_id
        about = exchange.api_key, exchange.version, exchange.correlation_id
        return [
            self._left_out(direction, frame, unknown_words(named), about[:2])
            if isinstance(named, UnknownFrameType)
            else IdentifiedFrame(
                direction, frame, named, *about, other.offset, ours, self._client, self._time_ns
            )
            for direction, named, frame, other in (
                (StreamDirection.TO_BROKER, names.request, request, response),
                (StreamDirection.TO_CLIENT, names.response, response, request),
            )
        ]

    def _lone(self, lone: UnpairedFrame) -> DecodedPart:
        """Decode a request without a response, such as Produce with acks 0; skip other unpaired frames."""
        if lone.reason is not UnpairedReason.NO_ANSWER or lone.api_key is None or lone.version is None:
            asks = lone.direction is StreamDirection.TO_BROKER
            words = "requests without their response" if asks else "responses without their request"
            return self._left_out(lone.direction, lone.frame, f"{words}: {lone.reason}")
        if _client_id(lone.frame.data) == OWN_CLIENT:
            return self._left_out(lone.direction, lone.frame, "requests of our own that no broker took")
        named = self._naming.request(lone.api_key, lone.version)
        if isinstance(named, UnknownFrameType):
            return self._left_out(lone.direction, lone.frame, unknown_words(named))
        return IdentifiedFrame(
            lone.direction,
            lone.frame,
            named,
            lone.api_key,
            lone.version,
            lone.correlation_id or 0,
            None,
            False,
            self._client,
            self._time_ns,
        )

    def _left_out(
        self, direction: StreamDirection, frame: Frame, reason: str, answered: tuple[int, int] | None = None
    ) -> SkippedBytes:
        data = frame.data
        return SkippedBytes(direction, frame.offset, len(data), 1, reason, self._time_ns, data, answered)

    def _note_client(self, named: FrameType, data: bytes) -> None:
        """Store the client's software name, which ApiVersions has from version 3 on."""
        try:
            body = self._naming.codec(named).decode(data)[1]
        except CodecError:
            return
        words = body.get("clientSoftwareName", ""), body.get("clientSoftwareVersion", "")
        self._client = " ".join(filter(None, words)) or self._client


def decoded_segment(
    file: BinaryIO, naming: FrameIdentifier
) -> Iterator[SegmentDamage | tuple[int, DecodedPart]]:
    """Yield the frames and skipped bytes of a segment file, with their connections, and the damaged parts.

    Raises SegmentFormatError if the file is not a segment file.
    """
    decoders: dict[int, ConnectionDecoder] = {}
    for part in with_holes(read_segment(file)):
        if isinstance(part, SegmentDamage):
            yield part
            continue
        number = part.connection
        if part.kind is EntryKind.OPEN:
            decoders[number] = ConnectionDecoder(naming, known_start=bool(part.facts.get("knownStart", True)))
        elif number in decoders:
            yield from ((number, each) for each in decoders[number].feed(part))
            if part.kind is EntryKind.CLOSE:
                yield from ((number, each) for each in decoders.pop(number).close())
    for number, decoder in decoders.items():
        yield from ((number, each) for each in decoder.close())


def _loss_words(direction: StreamDirection, reason: LossReason) -> str:
    goal = "broker" if direction is StreamDirection.TO_BROKER else "client"
    return f"bytes to the {goal}, {reason}"


LOST_IN_CAPTURE: Final = tuple(
    _loss_words(direction, reason)
    for direction in StreamDirection
    for reason in (LossReason.HOLE, LossReason.NO_BOUNDARY)
)
"""The reasons of bytes that cannot be read because others are missing."""


def unknown_words(named: UnknownFrameType) -> str:
    """Return the reason why a frame of an unknown type is left out."""
    return f"frames that the release does not know: {named}"


def _client_id(request: bytes) -> str:
    """Return the client id, at the same offset in every request header; ``""`` for null."""
    start = PREFIX_BYTES + _KEY_VERSION_ID
    length = int.from_bytes(request[start : start + 2], "big", signed=True)
    return request[start + 2 : start + 2 + max(0, length)].decode("utf-8", "replace")
