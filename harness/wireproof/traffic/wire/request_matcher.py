"""Matching of requests and responses of a connection, by correlation id.

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
from wireproof.traffic.wire.frame_splitter import Frame
from wireproof.traffic.wire.segment_format import StreamDirection

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
        """The number of requests that wait for their response."""
        return len(self._waiting)

    def awaits(self, correlation_id: int) -> bool:
        """Check that a request with this id waits for its response."""
        return correlation_id in self._awaited

    def close(self, *, in_order: bool) -> Iterator[MatchedFrames]:
        """Yield the requests without a response; with `in_order` no response can be missing."""
        while self._waiting:
            yield self._next_waiting().lone(UnpairedReason.NO_ANSWER if in_order else UnpairedReason.CUT)

    def cut(self) -> Iterator[MatchedFrames]:
        """Yield all waiting requests: bytes are missing, so their responses may be lost."""
        return self.close(in_order=False)

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
