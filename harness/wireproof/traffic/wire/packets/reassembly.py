"""Reassembly of TCP connections: bytes in order, each once, with marked holes.

Segments may come out of order, repeated, overlapping, or not at all, and a capture may start within a
connection. Sequence numbers wrap at 2^32 (RFC 9293, 3.4). Acknowledged bytes are not sent again (3.8): the
capture has lost them if it does not have them by then.
"""

import heapq
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from wireproof.traffic.wire.packets.tcp_segments import Endpoint, TcpSegment
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry, StreamDirection

_MODULUS: Final = 1 << 32
_HALF: Final = 1 << 31
_PENDING_BYTES: Final = 64 * 1024 * 1024
_PENDING_SEGMENTS: Final = 4096


@dataclass(slots=True)
class _Stream:
    """One direction of a connection.

    Attributes:
        connection: the number of the connection, from 1.
        next: the position of the next byte; None before the first segment. A position is a sequence number
            that does not wrap.
        acknowledged: the position that the peer has acknowledged; None before that.
        pending: early segments, by position.
        order: a heap of the positions of `pending`.
    """

    connection: int
    direction: StreamDirection
    next: int | None = None
    acknowledged: int | None = None
    pending: dict[int, TcpSegment] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)
    pending_bytes: int = 0
    ended: bool = False

    def entry(self, kind: EntryKind, segment: TcpSegment, payload: bytes = b"") -> SegmentEntry:
        return SegmentEntry(0, segment.time_ns, self.connection, kind, self.direction, payload)

    def position(self, sequence: int) -> int:
        """Return the position of a sequence number: the one nearest to the next byte."""
        expected = sequence if self.next is None else self.next
        return expected + (sequence - expected + _HALF) % _MODULUS - _HALF

    def is_other(self, segment: TcpSegment) -> bool:
        """Check for the SYN of another connection between the same ports."""
        fresh = segment.syn and self.direction is StreamDirection.TO_BROKER
        return fresh and self.next is not None and self.position(segment.sequence + 1) != self.next

    def take(self, segment: TcpSegment) -> Iterator[SegmentEntry]:
        """Yield bytes in order, keep early ones, drop repeated ones."""
        start = self.position(segment.sequence + segment.syn)
        if self.next is None:
            self.next = start
            if self.acknowledged is not None:
                self.acknowledged = self.position(self.acknowledged)
        if segment.data or segment.lost or segment.fin:
            self._keep(start, segment)
        yield from self._in_order()
        while len(self.pending) > _PENDING_SEGMENTS or self.pending_bytes > _PENDING_BYTES:
            yield from self._jump()

    def acknowledge(self, sequence: int) -> Iterator[SegmentEntry]:
        """Yield the bytes after holes that the peer has acknowledged."""
        position = self.position(sequence)
        if self.acknowledged is None or position > self.acknowledged:
            self.acknowledged = position
            yield from self._in_order()

    def close(self) -> Iterator[SegmentEntry]:
        """Yield holes, and the bytes after them."""
        while self.pending:
            yield from self._jump()

    def _keep(self, start: int, segment: TcpSegment) -> None:
        """Keep a segment until its turn; of two with the same start, the longer one."""
        known = self.pending.get(start)
        if known is None:
            heapq.heappush(self.order, start)
        elif len(known.data) >= len(segment.data):
            return
        self.pending_bytes += len(segment.data) - (0 if known is None else len(known.data))
        self.pending[start] = segment

    def _in_order(self) -> Iterator[SegmentEntry]:
        """Yield bytes in order, and across acknowledged holes."""
        while self.order:
            assert self.next is not None
            start = self.order[0]
            if start > self.next:
                if self.acknowledged is None or start > self.acknowledged:
                    return
                yield self._skip()
            segment = self.pending.pop(heapq.heappop(self.order))
            self.pending_bytes -= len(segment.data)
            yield from self._deliver(segment, seen=self.next - start)

    def _deliver(self, segment: TcpSegment, seen: int) -> Iterator[SegmentEntry]:
        """Yield the bytes of a segment after the first `seen`, which were yielded before."""
        assert self.next is not None
        fresh = segment.data[seen:]
        lost = segment.lost - max(0, seen - len(segment.data))
        if fresh:
            yield self.entry(EntryKind.DATA, segment, fresh)
        if lost > 0:
            yield self.entry(EntryKind.HOLE, segment, lost.to_bytes(8, "big"))
        self.next += len(fresh) + max(0, lost)
        if segment.fin and not self.ended:
            self.ended = True
            yield self.entry(EntryKind.END, segment)

    def _jump(self) -> Iterator[SegmentEntry]:
        """Skip the next missing bytes."""
        assert self.next is not None
        if self.order[0] > self.next:
            yield self._skip()
        yield from self._in_order()

    def _skip(self) -> SegmentEntry:
        """Return the hole before the first of the early segments."""
        assert self.next is not None
        start = self.order[0]
        hole = (start - self.next).to_bytes(8, "big")
        self.next = start
        return self.entry(EntryKind.HOLE, self.pending[start], hole)


class ConnectionReassembler:
    """Reassembles the connections of a capture, which it counts from 1.

    Bytes after a hole are released once the peer has acknowledged the missing bytes, so they precede the
    peer's answer. Memory is bounded: beyond 64 MiB or 4,096 early segments a direction releases them.
    `is_broker` tests an endpoint: without a SYN nothing else identifies the client.
    """

    def __init__(self, is_broker: Callable[[Endpoint], bool]) -> None:
        self._is_broker = is_broker
        self._open: dict[tuple[Endpoint, Endpoint], dict[StreamDirection, _Stream]] = {}
        self._count = 0
        self.unrelated = 0
        """Number of segments without a broker."""

    def feed(self, segment: TcpSegment) -> Iterator[SegmentEntry]:
        """Yield the entries of a segment; an OPEN entry records whether the SYN was captured."""
        direction = self._direction(segment)
        if direction is None:
            self.unrelated += 1
            return
        ends = (segment.source, segment.target)
        key = ends if direction is StreamDirection.TO_BROKER else ends[::-1]
        streams = self._open.get(key)
        if streams is not None and streams[direction].is_other(segment):
            yield from self._close(key, segment)
            streams = None
        if streams is None:
            self._count += 1
            streams = self._open[key] = {each: _Stream(self._count, each) for each in StreamDirection}
            facts = {"client": str(key[0]), "broker": str(key[1]), "knownStart": segment.syn}
            payload = json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()
            yield streams[direction].entry(EntryKind.OPEN, segment, payload)
        if segment.acknowledged is not None:
            yield from streams[direction.other].acknowledge(segment.acknowledged)
        yield from streams[direction].take(segment)
        if segment.reset:
            yield streams[direction].entry(EntryKind.RESET, segment, b"RST")
            yield from self._close(key, segment)
        elif all(each.ended for each in streams.values()):
            yield from self._close(key, segment)

    def close(self) -> Iterator[SegmentEntry]:
        """Yield the remaining entries at the end of the capture: holes, and the bytes after them."""
        for streams in self._open.values():
            for stream in streams.values():
                yield from stream.close()
        self._open.clear()

    def _direction(self, segment: TcpSegment) -> StreamDirection | None:
        if self._is_broker(segment.target):
            return StreamDirection.TO_BROKER
        return StreamDirection.TO_CLIENT if self._is_broker(segment.source) else None

    def _close(self, key: tuple[Endpoint, Endpoint], segment: TcpSegment) -> Iterator[SegmentEntry]:
        streams = self._open.pop(key)
        for stream in streams.values():
            yield from stream.close()
        yield streams[StreamDirection.TO_BROKER].entry(EntryKind.CLOSE, segment)
