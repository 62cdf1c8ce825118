"""The frames of a stream, and the matching of requests and responses of a connection, by correlation id.

A broker answers the requests of a connection one after the other (`KafkaChannel` is muted while it works), so
a response to a later request means that the earlier ones get none, such as a Produce with acks 0.
"""

import struct
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from kafkawire.wire import PREFIX_BYTES
from wireproof.traffic.wire.segment_format import StreamDirection

MAX_FRAME_BYTES: Final = 104_857_600
"""A broker's default limit (`socket.request.max.bytes`). Responses may be larger."""

_OPENINGS: Final = {
    b"GET ": "HTTP",
    b"POST": "HTTP",
    b"PUT ": "HTTP",
    b"HEAD": "HTTP",
    b"HTTP": "HTTP",
    b"OPTI": "HTTP",
    b"DELE": "HTTP",
    b"PRI ": "HTTP/2",
    b"SSH-": "SSH",
    b"<!DO": "HTML",
    b"<htm": "HTML",
}
"""First bytes of other protocols. As a size each is above a billion."""
_TLS: Final = (b"\x16\x03", b"\x15\x03")
"""A TLS handshake, and the alert of a TLS listener to other bytes. As a size: 350 million."""


class Frame(NamedTuple):
    """One frame of a stream, with its size; `offset` is that of the size, from the stream's first byte."""

    offset: int
    data: bytes

    @property
    def content(self) -> memoryview:
        """Header and body: the bytes after the size."""
        return memoryview(self.data)[PREFIX_BYTES:]


@dataclass(frozen=True, slots=True)
class ForeignBytes:
    """The point at which a stream stops being frames: later bytes cannot be split.

    Attributes:
        offset: the offset of the invalid size.
        reason: the reason as text.
        protocol: the likely protocol; ``""`` if unknown.
    """

    offset: int
    reason: str
    protocol: str = ""

    def __str__(self) -> str:
        return f"byte {self.offset}: {self.reason}"


class FrameSplitter:
    """Splits one direction of one connection. However the bytes are sliced, the frames are the same.

    Args:
        limit: largest content of a frame in bytes.

    Attributes:
        foreign: set once the stream cannot be split; later bytes are ignored.
    """

    def __init__(self, limit: int = MAX_FRAME_BYTES) -> None:
        self.foreign: ForeignBytes | None = None
        self._limit = limit
        self._rest = bytearray()
        self._start = 0
        self._needed = PREFIX_BYTES

    @property
    def unfinished(self) -> bytes:
        """The received bytes of an incomplete frame."""
        return bytes(self._rest)

    @property
    def offset(self) -> int:
        """The offset of the next or the incomplete frame."""
        return self._start

    def feed(self, data: bytes | bytearray | memoryview) -> list[Frame]:
        """Return the frames that these bytes complete."""
        if self.foreign is not None:
            return []
        if not self._rest and type(data) is bytes and self._is_one(data):
            frame = Frame(self._start, data)
            self._start += len(data)
            return [frame]
        self._rest += data
        return self._frames() if len(self._rest) >= self._needed else []

    def _is_one(self, data: bytes) -> bool:
        """Check that a chunk is exactly one frame, as most chunks are."""
        size = len(data) - PREFIX_BYTES
        return 0 <= size <= self._limit and int.from_bytes(data[:PREFIX_BYTES], "big", signed=True) == size

    def skip(self, count: int) -> None:
        """Restart after a hole: the incomplete frame and `count` missing bytes are lost."""
        self._start += len(self._rest) + count
        self._rest.clear()
        self._needed = PREFIX_BYTES

    def _frames(self) -> list[Frame]:
        """Remove whole frames from the front; keep the rest."""
        frames: list[Frame] = []
        rest, pos = self._rest, 0
        while len(rest) - pos >= PREFIX_BYTES:
            size = int.from_bytes(rest[pos : pos + PREFIX_BYTES], "big", signed=True)
            self.foreign = self._strange(bytes(rest[pos : pos + PREFIX_BYTES]), size, self._start + pos)
            if self.foreign is not None:
                break
            end = pos + PREFIX_BYTES + size
            if end > len(rest):
                self._needed = end - pos
                break
            frames.append(Frame(self._start + pos, bytes(rest[pos:end])))
            pos = end
            self._needed = PREFIX_BYTES
        del rest[:pos]
        self._start += pos
        return frames

    def _strange(self, begin: bytes, size: int, offset: int) -> ForeignBytes | None:
        if 0 <= size <= self._limit:
            return None
        protocol = guess_protocol(begin)
        if protocol:
            return ForeignBytes(
                offset, f"the bytes {begin.hex()} look like {protocol}, not like a size", protocol
            )
        if size < 0:
            return ForeignBytes(offset, f"a frame of {size} bytes")
        return ForeignBytes(offset, f"a frame of {size} bytes; {self._limit} at most")


def guess_protocol(begin: bytes) -> str:
    """Guess the protocol of a stream by its first bytes; ``""`` for Kafka and unknown ones."""
    return _OPENINGS.get(begin[:PREFIX_BYTES], "TLS" if begin[:2] in _TLS else "")


_REQUEST: Final = struct.Struct(">hhi")
_RESPONSE: Final = struct.Struct(">i")
_SASL_HANDSHAKE: Final = 17

_TOKENS: Final = {"PLAIN": 1, "SCRAM-SHA-256": 2, "SCRAM-SHA-512": 2, "OAUTHBEARER": 1}
"""Tokens that a client sends outside of Kafka's requests after a SaslHandshake of version 0, by mechanism."""


class UnpairedReason(StrEnum):
    """The reason for a frame without a counterpart. The text is stable: tables hold it."""

    NO_ANSWER = "no-answer"
    """A later request of the connection was answered, or the connection closed in order, without it."""
    CUT = "cut"
    """The capture ends, or bytes are missing, before an answer could be seen."""
    NO_REQUEST = "no-request"
    """A response of a correlation id that no request in sight has."""
    TOO_SHORT = "too-short"
    """Fewer bytes than api key, version and correlation id take."""


class Exchange(NamedTuple):
    """A request and its response."""

    api_key: int
    version: int
    correlation_id: int
    request: Frame
    response: Frame


@dataclass(frozen=True, slots=True)
class UnpairedFrame:
    """A frame without a counterpart; API key and version are None for a response and for one too short."""

    direction: StreamDirection
    frame: Frame
    reason: UnpairedReason
    api_key: int | None = None
    version: int | None = None
    correlation_id: int | None = None


@dataclass(frozen=True, slots=True)
class SaslToken:
    """A SASL token: size and bytes without a header (after SaslHandshake version 0)."""

    direction: StreamDirection
    frame: Frame


MatchedFrames: TypeAlias = Exchange | UnpairedFrame | SaslToken


class _Waiting(NamedTuple):
    api_key: int
    version: int
    correlation_id: int
    frame: Frame

    def lone(self, reason: UnpairedReason) -> UnpairedFrame:
        return UnpairedFrame(
            StreamDirection.TO_BROKER, self.frame, reason, self.api_key, self.version, self.correlation_id
        )


class RequestResponseMatcher:
    """Matches the frames of one connection, each direction in order.

    A request must be fed before its response; the directions need no other common order.
    """

    def __init__(self) -> None:
        self._waiting: deque[_Waiting] = deque()
        self._awaited: Counter[int] = Counter()
        """The number of waiting requests of each correlation id."""
        self._tokens = [0, 0]
        """Number of expected tokens, by direction."""

    def feed(self, direction: StreamDirection, frame: Frame) -> Sequence[MatchedFrames]:
        """Return the exchange that this frame completes, after earlier requests without a response."""
        if self._tokens[direction]:
            self._tokens[direction] -= 1
            return (SaslToken(direction, frame),)
        if direction is StreamDirection.TO_BROKER:
            return self._request(frame)
        return self._response(frame)

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def awaits(self, correlation_id: int) -> bool:
        """Check that a request with this id waits for its response."""
        return correlation_id in self._awaited

    def close(self, *, in_order: bool) -> Iterator[MatchedFrames]:
        """Yield the requests without a response; with `in_order` no response can be missing."""
        while self._waiting:
            yield self._next_waiting().lone(UnpairedReason.NO_ANSWER if in_order else UnpairedReason.CUT)

    def _request(self, frame: Frame) -> Sequence[MatchedFrames]:
        if len(frame.data) < PREFIX_BYTES + _REQUEST.size:
            return (UnpairedFrame(StreamDirection.TO_BROKER, frame, UnpairedReason.TOO_SHORT),)
        api_key, version, correlation_id = _REQUEST.unpack_from(frame.data, PREFIX_BYTES)
        self._waiting.append(_Waiting(api_key, version, correlation_id, frame))
        self._awaited[correlation_id] += 1
        return ()

    def _next_waiting(self) -> _Waiting:
        waiting = self._waiting.popleft()
        self._awaited[waiting.correlation_id] -= 1
        if not self._awaited[waiting.correlation_id]:
            del self._awaited[waiting.correlation_id]
        return waiting

    def _response(self, frame: Frame) -> Sequence[MatchedFrames]:
        if len(frame.data) < PREFIX_BYTES + _RESPONSE.size:
            return (UnpairedFrame(StreamDirection.TO_CLIENT, frame, UnpairedReason.TOO_SHORT),)
        (correlation_id,) = _RESPONSE.unpack_from(frame.data, PREFIX_BYTES)
        if not self.awaits(correlation_id):
            return (
                UnpairedFrame(
                    StreamDirection.TO_CLIENT, frame, UnpairedReason.NO_REQUEST, correlation_id=correlation_id
                ),
            )
        settled: list[MatchedFrames] = []
        while (waiting := self._next_waiting()).correlation_id != correlation_id:
            settled.append(waiting.lone(UnpairedReason.NO_ANSWER))
        if waiting.api_key == _SASL_HANDSHAKE:
            self._expect_tokens(waiting, frame)
        settled.append(Exchange(waiting.api_key, waiting.version, correlation_id, waiting.frame, frame))
        return settled

    def _expect_tokens(self, request: _Waiting, response: Frame) -> None:
        """Expect tokens instead of requests after an accepted SaslHandshake of version 0."""
        accepted = bytes(response.content[_RESPONSE.size : _RESPONSE.size + 2]) == bytes(2)
        if request.version == 0 and accepted:
            tokens = _TOKENS.get(_mechanism(request.frame), 1)
            self._tokens = [tokens, tokens]


def _mechanism(frame: Frame) -> str:
    """Return the requested mechanism: the last string, with a 16-bit length, of SaslHandshake version 0."""
    content = bytes(frame.content)
    client_end = _REQUEST.size + 2 + max(0, int.from_bytes(content[8:10], "big", signed=True))
    return content[client_end + 2 :].decode("utf-8", "replace")
