"""Extraction of requests with their responses from segment entries."""

from collections.abc import Iterator
from typing import assert_never

from wireproof.proof.client_judge.sent_requests import (
    MissingResponse,
    ReceivedResponse,
    RequestFault,
    RequestFinding,
    SentRequest,
)
from wireproof.traffic.wire.frame_identifier import FrameIdentifier
from wireproof.traffic.wire.request_matcher import Exchange, SaslToken, UnpairedFrame, UnpairedReason
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry, StreamDirection
from wireproof.traffic.wire.stream_assembler import AssembledPart, LossReason, LostBytes, StreamAssembler

_PRODUCE = 0
_BEGIN_BYTES = 64


class _Connection:
    """The assembler of a connection, and the side that ended it."""

    def __init__(self) -> None:
        self.assembler = StreamAssembler()
        self.broken_by: StreamDirection | None = None

    def feed(self, entry: SegmentEntry) -> Iterator[AssembledPart]:
        if entry.kind is EntryKind.RESET:
            self.broken_by = entry.direction
        elif entry.kind is EntryKind.END and self.broken_by is None:
            self.broken_by = entry.direction  # the first end counts
        yield from self.assembler.feed(entry)


class RequestExtractor:
    """Extracts the requests of one listener's connections.

    Args:
        place: its name, ``1-CLIENT``.
    """

    def __init__(self, place: str, naming: FrameIdentifier) -> None:
        self.place = place
        self.connections = 0
        self._naming = naming
        self._open: dict[int, _Connection] = {}

    def feed(self, entry: SegmentEntry) -> Iterator[SentRequest | RequestFinding]:
        """Yield the requests and findings that an entry completes."""
        if entry.kind is EntryKind.OPEN:
            self.connections += 1
            self._open[entry.connection] = _Connection()
        connection = self._open.get(entry.connection)
        if connection is None:
            return
        for settled in connection.feed(entry):
            yield from self._extract(entry.connection, connection, settled)
        if entry.kind in (EntryKind.CLOSE, EntryKind.RESET):
            yield from self._close(entry.connection)

    def close(self) -> Iterator[SentRequest | RequestFinding]:
        """Yield the remaining requests of open connections."""
        for number in list(self._open):
            yield from self._close(number)

    def _close(self, number: int) -> Iterator[SentRequest | RequestFinding]:
        connection = self._open.pop(number)
        for settled in connection.assembler.close():
            yield from self._extract(number, connection, settled)

    def _extract(
        self, number: int, connection: _Connection, settled: AssembledPart
    ) -> Iterator[SentRequest | RequestFinding]:
        match settled:
            case Exchange():
                names = self._naming.exchange(settled)
                yield SentRequest(
                    self.place,
                    number,
                    names.request,
                    settled.request,
                    ReceivedResponse(names.response, settled.response),
                )
            case UnpairedFrame(direction=StreamDirection.TO_BROKER):
                yield self._lone(number, connection, settled)
            case LostBytes(direction=StreamDirection.TO_BROKER):
                if settled.reason is LossReason.FOREIGN:
                    yield RequestFinding(
                        RequestFault.NOT_KAFKA,
                        self.place,
                        number,
                        settled.offset,
                        settled.detail,
                        b"",
                        protocol=settled.protocol,
                    )
            case UnpairedFrame() | LostBytes() | SaslToken():
                pass  # the broker's bytes are not judged, and SASL tokens have no Kafka layout
            case _:
                assert_never(settled)

    def _lone(
        self, number: int, connection: _Connection, lone: UnpairedFrame
    ) -> SentRequest | RequestFinding:
        if lone.api_key is None or lone.version is None:
            summary = f"{len(lone.frame.content)} bytes are too few for a request: it has 8 at least"
            return RequestFinding(
                RequestFault.TOO_SHORT, self.place, number, lone.frame.offset, summary, bytes(lone.frame.data)
            )
        named = self._naming.request(lone.api_key, lone.version)
        return SentRequest(self.place, number, named, lone.frame, _missing(connection, lone))


def _missing(connection: _Connection, lone: UnpairedFrame) -> MissingResponse:
    if lone.reason is UnpairedReason.NO_ANSWER and lone.api_key == _PRODUCE:
        return MissingResponse.NONE_DUE
    if connection.broken_by is StreamDirection.TO_CLIENT:
        return MissingResponse.DROPPED
    return MissingResponse.NOT_SEEN
