"""One connection, entry by entry -> its frames with their names, and all that is none.

What a frame is known to be depends on nothing but its own connection, so that connections may be read
anywhere and in any order.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias, assert_never

from kafkawire.errors import CodecError
from kafkawire.wire import PREFIX_BYTES
from wireproof.wire.frame_identifier import FrameIdentifier, FrameType, UnknownFrameType
from wireproof.wire.frame_splitter import Frame
from wireproof.wire.request_matcher import Exchange, SaslToken, UnpairedFrame, UnpairedReason
from wireproof.wire.segment_format import SegmentEntry, StreamDirection
from wireproof.wire.stream_assembler import AssembledPart, LostBytes, StreamAssembler

__all__ = [
    "CLIENT_NAMES",
    "OWN_CLIENT",
    "SkippedBytes",
    "DecodedPart",
    "IdentifiedFrame",
    "ConnectionDecoder",
]

CLIENT_NAMES: Final = frozenset({"aiokafka", "kafkajs"})
"""Software that calls itself by its client id, for it asks no version of ApiVersions that has its name."""

OWN_CLIENT: Final = "wireproof"
"""The client id under which our own requests are sent: they are made, and not captured."""

_API_VERSIONS: Final = 18
_KEY_VERSION_ID: Final = 8


class IdentifiedFrame(NamedTuple):
    """A frame with a name.

    Attributes:
        api_key, version: of its request.
        partner: of an exchange, where the other frame begins in the stream of its direction; None of a
            request that was answered by nobody.
        ours: whether the client of its connection is our own sweep.
        client: the program that sent it or got it, as it called itself; ``""`` where it did not.
        time_ns: when it was known to be whole: that of its exchange.
    """

    direction: StreamDirection
    frame: Frame
    named: FrameType
    api_key: int
    version: int
    correlation_id: int
    partner: int | None
    ours: bool
    client: str
    time_ns: int


@dataclass(frozen=True, slots=True)
class SkippedBytes:
    """Bytes that are no named frame.

    Attributes:
        offset: of the first, in the stream of the direction.
        count: how many bytes.
        frames: 1 of a whole frame, 0 of bytes that are in none.
        reason: in words; the same for the same cause.
        data: of a frame.
        answered: api key and version, where it is an unnamed frame of an exchange.
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
    """Reads one connection.

    Args:
        naming: of the release of the broker.
        known_start: whether the first bytes of both directions were captured.
    """

    def __init__(self, naming: FrameIdentifier, *, known_start: bool) -> None:
        self._naming = naming
        self._conversation = StreamAssembler(known_start=known_start)
        self._client = ""
        self._time_ns = 0

    def feed(self, entry: SegmentEntry) -> list[DecodedPart]:
        """What an entry settles. `close` must be called behind the last one."""
        self._time_ns = entry.time_ns
        return [met for settled in self._conversation.feed(entry) for met in self._met(settled)]

    def close(self) -> Iterator[DecodedPart]:
        """What is left when no more entries come."""
        for settled in self._conversation.close():
            yield from self._met(settled)

    def _met(self, settled: AssembledPart) -> Iterable[DecodedPart]:
        match settled:
            case Exchange():
                return self._exchange(settled)
            case UnpairedFrame():
                return (self._lone(settled),)
            case SaslToken(direction=direction, frame=frame):
                return (_left_out(direction, frame, "tokens of SASL without a header", self._time_ns),)
            case LostBytes():
                what = f": {settled.detail}" if settled.detail else ""
                goal = "broker" if settled.direction is StreamDirection.TO_BROKER else "client"
                words = f"bytes to the {goal}, {settled.reason}{what}"
                return (
                    SkippedBytes(settled.direction, settled.offset, settled.count, 0, words, self._time_ns),
                )
            case _:
                assert_never(settled)

    def _exchange(self, exchange: Exchange) -> list[DecodedPart]:
        time_ns = self._time_ns
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
            _unknown(direction, frame, named, time_ns, about[:2])
            if isinstance(named, UnknownFrameType)
            else IdentifiedFrame(direction, frame, named, *about, other.offset, ours, self._client, time_ns)
            for direction, named, frame, other in (
                (StreamDirection.TO_BROKER, names.request, request, response),
                (StreamDirection.TO_CLIENT, names.response, response, request),
            )
        ]

    def _lone(self, lone: UnpairedFrame) -> DecodedPart:
        """A request that gets no answer is one all the same, such as a Produce that wants none."""
        time_ns = self._time_ns
        if lone.reason is not UnpairedReason.NO_ANSWER or lone.api_key is None or lone.version is None:
            who = "requests" if lone.direction is StreamDirection.TO_BROKER else "responses"
            words = f"{who} without its partner: {lone.reason}"
            return _left_out(lone.direction, lone.frame, words, time_ns)
        if _client_id(lone.frame.data) == OWN_CLIENT:
            words = "requests of our own that no broker took"
            return _left_out(lone.direction, lone.frame, words, time_ns)
        named = self._naming.request(lone.api_key, lone.version)
        if isinstance(named, UnknownFrameType):
            return _unknown(lone.direction, lone.frame, named, time_ns, None)
        number = lone.correlation_id or 0
        return IdentifiedFrame(
            lone.direction,
            lone.frame,
            named,
            lone.api_key,
            lone.version,
            number,
            None,
            False,
            self._client,
            time_ns,
        )

    def _note_client(self, named: FrameType, data: bytes) -> None:
        """What the client calls itself, which it says at the beginning, from version 3 of ApiVersions on."""
        try:
            body = self._naming.codec(named).decode(data)[1]
        except CodecError:
            return
        words = body.get("clientSoftwareName", ""), body.get("clientSoftwareVersion", "")
        self._client = " ".join(filter(None, words)) or self._client


def _left_out(direction: StreamDirection, frame: Frame, reason: str, time_ns: int) -> SkippedBytes:
    return SkippedBytes(direction, frame.offset, len(frame.data), 1, reason, time_ns, frame.data)


def _unknown(
    direction: StreamDirection,
    frame: Frame,
    named: UnknownFrameType,
    time_ns: int,
    answered: tuple[int, int] | None,
) -> SkippedBytes:
    words = f"frames that the release does not know: {named}"
    return SkippedBytes(direction, frame.offset, len(frame.data), 1, words, time_ns, frame.data, answered)


def _client_id(request: bytes) -> str:
    """The client id, which stands at the same place in all headers of requests; ``""`` for null."""
    start = PREFIX_BYTES + _KEY_VERSION_ID
    length = int.from_bytes(request[start : start + 2], "big", signed=True)
    return request[start + 2 : start + 2 + max(0, length)].decode("utf-8", "replace")
