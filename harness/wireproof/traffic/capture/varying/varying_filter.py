"""The filter of one connection: it reads requests and answers, and sends varied answers to the client."""

import struct
from collections.abc import Callable, Sequence
from typing import Final

from kafkawire.errors import CodecError
from wireproof.traffic.capture.proxy.paced_relay_end import Piece
from wireproof.traffic.capture.proxy.relay import ByteFilter
from wireproof.traffic.capture.variations.answer import API_VERSIONS, BrokerAnswer
from wireproof.traffic.capture.varying.varied_run import VariedRun
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType
from wireproof.traffic.wire.request_matcher import Exchange, Frame, FrameSplitter, RequestResponseMatcher
from wireproof.traffic.wire.segment_format import StreamDirection

__all__ = ["VaryingFilter"]

_REQUEST: Final = struct.Struct(">hhi")
_ANSWER_LIMIT: Final = 1 << 30


class VaryingFilter:
    """Varies the answers of one connection; see `ByteFilter`. Frames that cannot be decoded pass unchanged.

    Args:
        run: the current run.
        send: sends pieces to the client.
        inner: a filter for the broker's bytes before they are varied; None for none.
    """

    def __init__(
        self,
        naming: FrameIdentifier,
        run: VariedRun,
        send: Callable[[Sequence[Piece]], None],
        inner: ByteFilter | None = None,
    ) -> None:
        self._naming = naming
        self._run = run
        self._send = send
        self._inner = inner
        self._pairing = RequestResponseMatcher()
        self._requests = FrameSplitter()
        self._answers = FrameSplitter(_ANSWER_LIMIT)
        self._offers: dict[int, tuple[int, int]] = {}
        """The versions that the client was offered here, by api key."""
        self._raw = False
        """True once the broker's bytes are no frames: they pass unchanged."""
        run.connections += 1

    def passed(self, direction: StreamDirection, data: bytes) -> bytes:
        """Return the bytes for the broker; send those for the client."""
        if self._inner is not None:
            data = self._inner.passed(direction, data)
        if direction is StreamDirection.TO_BROKER:
            return self._to_broker(data)
        if self._raw:
            self._send([Piece(0.0, data)])
            return b""
        for frame in self._answers.feed(data):
            self._answer(frame)
        if self._answers.foreign is not None:
            self._raw = True
            self._send([Piece(0.0, self._answers.unfinished)])
        return b""

    def rest(self, direction: StreamDirection) -> bytes:
        """Return the begin of an answer that ends too early."""
        rest = b"" if self._inner is None else self._inner.rest(direction)
        if direction is StreamDirection.TO_CLIENT and not self._raw:
            return self._answers.unfinished + rest
        return rest

    def _to_broker(self, data: bytes) -> bytes:
        for frame in self._requests.feed(data):
            self._pairing.feed(StreamDirection.TO_BROKER, frame)
            if len(frame.content) >= _REQUEST.size:
                key, version, _ = _REQUEST.unpack_from(frame.content)
                self._run.note_request(key, version, frame.data)
                oldest, newest = self._offers.get(key, (version, version))
                if not oldest <= version <= newest and key != API_VERSIONS:  # KIP-511: any version of that
                    self._run.not_offered.add((key, version))
        if self._requests.foreign is not None:
            self._run.foreign.add(self._requests.foreign.protocol or "something else")
        return data

    def _answer(self, frame: Frame) -> None:
        for event in self._pairing.feed(StreamDirection.TO_CLIENT, frame):
            if isinstance(event, Exchange):
                self._send(self._varied(event))
                return
        self._send([Piece(0.0, frame.data)])

    def _varied(self, exchange: Exchange) -> Sequence[Piece]:
        frame = exchange.response.data
        is_offer = exchange.api_key == API_VERSIONS
        answer = self._decoded(exchange) if self._run.selections or is_offer else None
        if answer is None:
            return [Piece(0.0, frame)]
        if is_offer:
            self._run.offers.update(_offered(answer))
        answer, frame = self._run.varied(answer, frame)
        if is_offer:
            self._offers = _offered(answer)
        return self._run.paced(answer, frame, idle=self._pairing.waiting == 0)

    def _decoded(self, exchange: Exchange) -> BrokerAnswer | None:
        names = self._naming.exchange(exchange)
        if not isinstance(names.response, FrameType) or not isinstance(names.request, FrameType):
            return None
        codec = self._naming.codec(names.response)
        try:
            header, body = codec.decode(exchange.response.data)
            if codec.encode(header, body) != exchange.response.data:
                return None  # what is not understood stays as it is
            request = self._naming.codec(names.request).decode(exchange.request.data)[1]
        except CodecError:
            return None
        return BrokerAnswer(
            self._naming, exchange.api_key, exchange.version, names.response.layout, header, body, request
        )


def _offered(answer: BrokerAnswer) -> dict[int, tuple[int, int]]:
    """Return the versions of an answer to ApiVersions, by api key; none if it has an error."""
    rows = () if answer.body["errorCode"] else answer.body["apiKeys"]
    return {row["apiKey"]: (row["minVersion"], row["maxVersion"]) for row in rows}
