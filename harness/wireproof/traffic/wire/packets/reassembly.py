"""Reassembly of TCP connections: bytes in order, each once, with marked holes.

Segments may come out of order, repeated, overlapping, or not at all, and a capture may start within a
connection. Sequence numbers wrap at 2^32 (RFC 9293, 3.4). Acknowledged bytes are not sent again (3.8): the
capture has lost them if it does not have them by then.
"""

import heapq
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from wireproof.traffic.wire.packets.tcp_segments import Endpoint, TcpSegment
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry, StreamDirection

_MODULUS: Final = 1 << 32
_HALF: Final = 1 << 31
_PENDING_BYTES: Final = 64 * 1024 * 1024
_PENDING_SEGMENTS: Final = 4096


@dataclass(frozen=True, slots=True)
class OpenedConnection:
    """A connection at its first packet, counted from 1; its start is known if its SYN was captured."""

    number: int
    client: Endpoint
    broker: Endpoint
    known_start: bool

    @property
    def facts(self) -> Mapping[str, Any]:
        """The facts of its OPEN entry."""
        return {"client": str(self.client), "broker": str(self.broker), "knownStart": self.known_start}


@dataclass(slots=True)
class _Stream:
    """One direction of a connection.

    Attributes:
        next: the position of the next byte; None before the first segment. A position is a sequence number
            that does not wrap.
        acknowledged: the position that the peer has acknowledged; None before that.
        pending: early segments, by position.
        order: a heap of the positions of `pending`.
    """

    direction: StreamDirection
    next: int | None = None
    acknowledged: int | None = None
    pending: dict[int, TcpSegment] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)
    pending_bytes: int = 0
    ended: bool = False

    def position(self, sequence: int) -> int:
        """Return the position of a sequence number: the one nearest to the next byte."""
        expected = sequence if self.next is None else self.next
        return expected + (sequence - expected + _HALF) % _MODULUS - _HALF

    def keep(self, start: int, segment: TcpSegment) -> None:
        """Keep a segment until its turn; of two with the same start, the longer one."""
        known = self.pending.get(start)
        if known is None:
            heapq.heappush(self.order, start)
        elif len(known.data) >= len(segment.data):
            return
        self.pending_bytes += len(segment.data) - (0 if known is None else len(known.data))
        self.pending[start] = segment

    def take_first(self) -> TcpSegment:
        """Remove and return the first of the kept segments."""
        segment = self.pending.pop(heapq.heappop(self.order))
        self.pending_bytes -= len(segment.data)
        return segment


@dataclass(slots=True)
class _Connection:
    opened: OpenedConnection
    streams: dict[StreamDirection, _Stream]


class ConnectionReassembler:
    """Reassembles the connections of a capture.

    Bytes after a hole are released once the peer has acknowledged the missing bytes, so they precede the
    peer's answer. Memory is bounded: beyond 64 MiB or 4,096 early segments a direction releases them.
    `is_broker` tests an endpoint: without a SYN nothing else identifies the client.
    """

    def __init__(self, is_broker: Callable[[Endpoint], bool]) -> None:
        self._is_broker = is_broker
        self._open: dict[tuple[Endpoint, Endpoint], _Connection] = {}
        self._count = 0
        self.unrelated = 0
        """Number of segments without a broker."""

    def feed(self, segment: TcpSegment) -> Iterator[SegmentEntry]:
        """Yield the entries of a segment; OPEN entries have `OpenedConnection.facts`."""
        direction = self._direction(segment)
        if direction is None:
            self.unrelated += 1
            return
        ends = (segment.source, segment.target)
        key = ends if direction is StreamDirection.TO_BROKER else ends[::-1]
        connection = self._open.get(key)
        if connection is not None and self._is_new(connection, direction, segment):
            yield from self._close(key, segment.time_ns)
            connection = None
        if connection is None:
            connection = self._begin(key, segment)
            yield _entry(EntryKind.OPEN, segment, connection, direction, _facts(connection))
        if segment.acknowledged is not None:
            yield from self._acknowledge(
                connection, connection.streams[direction.other], segment.acknowledged
            )
        yield from self._take(connection, connection.streams[direction], segment)
        if segment.reset:
            yield _entry(EntryKind.RESET, segment, connection, direction, b"RST")
            yield from self._close(key, segment.time_ns)
        elif all(each.ended for each in connection.streams.values()):
            yield from self._close(key, segment.time_ns)

    def close(self) -> Iterator[SegmentEntry]:
        """Yield the remaining entries at the end of the capture: holes, and the bytes after them."""
        for connection in list(self._open.values()):
            for stream in connection.streams.values():
                while stream.pending:
                    yield from self._jump(connection, stream)
        self._open.clear()

    def _direction(self, segment: TcpSegment) -> StreamDirection | None:
        if self._is_broker(segment.target):
            return StreamDirection.TO_BROKER
        return StreamDirection.TO_CLIENT if self._is_broker(segment.source) else None

    def _begin(self, key: tuple[Endpoint, Endpoint], segment: TcpSegment) -> _Connection:
        self._count += 1
        opened = OpenedConnection(self._count, *key, known_start=segment.syn)
        connection = _Connection(opened, {each: _Stream(each) for each in StreamDirection})
        self._open[key] = connection
        return connection

    @staticmethod
    def _is_new(connection: _Connection, direction: StreamDirection, segment: TcpSegment) -> bool:
        """Check for the SYN of another connection between the same ports."""
        stream = connection.streams[direction]
        fresh = segment.syn and direction is StreamDirection.TO_BROKER
        return fresh and stream.next is not None and stream.position(segment.sequence + 1) != stream.next

    def _close(self, key: tuple[Endpoint, Endpoint], time_ns: int) -> Iterator[SegmentEntry]:
        connection = self._open.pop(key)
        for stream in connection.streams.values():
            while stream.pending:
                yield from self._jump(connection, stream)
        yield SegmentEntry(
            0, time_ns, connection.opened.number, EntryKind.CLOSE, StreamDirection.TO_BROKER, b""
        )

    def _take(self, connection: _Connection, stream: _Stream, segment: TcpSegment) -> Iterator[SegmentEntry]:
        """Yield bytes in order, keep early ones, drop repeated ones."""
        start = stream.position(segment.sequence + segment.syn)
        if stream.next is None:
            stream.next = start
            if stream.acknowledged is not None:
                stream.acknowledged = stream.position(stream.acknowledged)
        if segment.data or segment.lost or segment.fin:
            stream.keep(start, segment)
        yield from self._in_order(connection, stream)
        while len(stream.pending) > _PENDING_SEGMENTS or stream.pending_bytes > _PENDING_BYTES:
            yield from self._jump(connection, stream)

    def _acknowledge(self, connection: _Connection, stream: _Stream, sequence: int) -> Iterator[SegmentEntry]:
        """Yield the bytes after holes that the peer has acknowledged."""
        position = stream.position(sequence)
        if stream.acknowledged is None or position > stream.acknowledged:
            stream.acknowledged = position
            yield from self._in_order(connection, stream)

    def _in_order(self, connection: _Connection, stream: _Stream) -> Iterator[SegmentEntry]:
        """Yield bytes in order, and across acknowledged holes."""
        while stream.order:
            assert stream.next is not None
            start = stream.order[0]
            if start > stream.next:
                if stream.acknowledged is None or start > stream.acknowledged:
                    return
                yield self._skip(connection, stream, start)
            yield from self._deliver(connection, stream, stream.take_first(), seen=stream.next - start)

    def _deliver(
        self, connection: _Connection, stream: _Stream, segment: TcpSegment, seen: int
    ) -> Iterator[SegmentEntry]:
        """Yield the bytes of a segment after the first `seen`, which were yielded before."""
        assert stream.next is not None
        fresh = segment.data[seen:]
        lost = segment.lost - max(0, seen - len(segment.data))
        if fresh:
            yield _entry(EntryKind.DATA, segment, connection, stream.direction, fresh)
        if lost > 0:
            yield _entry(EntryKind.HOLE, segment, connection, stream.direction, lost.to_bytes(8, "big"))
        stream.next += len(fresh) + max(0, lost)
        if segment.fin and not stream.ended:
            stream.ended = True
            yield _entry(EntryKind.END, segment, connection, stream.direction, b"")

    def _jump(self, connection: _Connection, stream: _Stream) -> Iterator[SegmentEntry]:
        """Skip the next missing bytes."""
        assert stream.next is not None
        if stream.order[0] > stream.next:
            yield self._skip(connection, stream, stream.order[0])
        yield from self._in_order(connection, stream)

    @staticmethod
    def _skip(connection: _Connection, stream: _Stream, start: int) -> SegmentEntry:
        """Return the hole before the early segment at `start`."""
        assert stream.next is not None
        hole = (start - stream.next).to_bytes(8, "big")
        stream.next = start
        return _entry(EntryKind.HOLE, stream.pending[start], connection, stream.direction, hole)


def _facts(connection: _Connection) -> bytes:
    return json.dumps(connection.opened.facts, sort_keys=True, separators=(",", ":")).encode()


def _entry(
    kind: EntryKind, segment: TcpSegment, connection: _Connection, direction: StreamDirection, payload: bytes
) -> SegmentEntry:
    return SegmentEntry(0, segment.time_ns, connection.opened.number, kind, direction, payload)
