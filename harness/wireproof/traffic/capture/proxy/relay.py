"""One connection through the proxy: a socket to the client, a socket to the node, and the bytes between.

The relay writes the bytes of one side to the segment file, then sends them to the other. If one side accepts
no more bytes, the other has to stop sending. The end of one direction does not end the other. A reset on one
side becomes a reset on the other.
"""

import asyncio
import os
import socket
import struct
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass, field
from typing import Final, NamedTuple, Protocol, TypeAlias, cast

from wireproof.traffic.capture.proxy.proxy_port import RecordingError, Route, SegmentRecorder
from wireproof.traffic.capture.raw_client.raw_client import Address, address_text
from wireproof.traffic.wire.segment_format import EntryKind, StreamDirection

_NO_LINGER: Final = struct.pack("ii", 1, 0)


class RelayEnd(asyncio.Protocol):
    """One socket. The bytes read from it flow in `direction`."""

    def __init__(self, relay: "Relay", direction: StreamDirection) -> None:
        self.direction = direction
        self.present = False
        self.gone = False
        self._relay = relay
        self._transport: asyncio.Transport | None = None
        self._socket: socket.socket | None = None
        self._early = b""
        self._paused = False

    @property
    def peer(self) -> Address:
        assert self._transport is not None
        host, port = self._transport.get_extra_info("peername")[:2]
        return host, port

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._socket = transport.get_extra_info("socket")  # a closed TLS transport has none
        self.present = True
        self._relay.made(self)

    def data_received(self, data: bytes) -> None:
        if not self._paused:
            self._relay.received(self.direction, data)
            return
        # Up to Python 3.11.3 a transport reads in spite of a pause in `connection_made`, until the next one.
        self.came_early(data)
        assert self._transport is not None
        self._transport.resume_reading()
        self._transport.pause_reading()

    def came_early(self, data: bytes) -> None:
        """Keep bytes that were read before reading begins."""
        self._early += data

    def eof_received(self) -> bool:
        assert self._transport is not None
        stays_open = self._transport.can_write_eof()
        if not (self._paused and stays_open):  # else it comes again when reading begins
            self._relay.ended(self.direction)
        return stays_open

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone = True
        self._relay.lost(self, exc)

    def pause_writing(self) -> None:
        self._relay.stalled(self, stalled=True)

    def resume_writing(self) -> None:
        self._relay.stalled(self, stalled=False)

    def write(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(data)

    def write_end(self) -> None:
        """End this direction; over TLS that ends both directions."""
        if self._transport is None or self.gone:
            return
        if self._transport.can_write_eof():
            self._transport.write_eof()
        else:
            self._transport.close()

    def pause_reading(self) -> None:
        if self._transport is not None:
            self._paused = True
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        if self._transport is None:
            return
        self._paused = False
        self._transport.resume_reading()
        early, self._early = self._early, b""
        if early:
            self.data_received(early)

    def close(self) -> None:
        """Close after the remaining bytes are sent."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Reset the connection, so that the peer sees a reset instead of a close."""
        if self._transport is None or self.gone:
            return
        if self._socket is not None and self._socket.fileno() >= 0:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self._transport.abort()


class Piece(NamedTuple):
    """Bytes that are sent alone.

    Attributes:
        wait_s: seconds before they are sent.
        joined: true to send all waiting bytes in the same write.
        closed: true to close the connection afterwards.
    """

    wait_s: float
    data: bytes
    joined: bool = False
    closed: bool = False


class PacedRelayEnd(RelayEnd):
    """A `RelayEnd` with a queue of pieces. The end of the stream and a close wait for the queue."""

    def __init__(self, relay: "Relay", direction: StreamDirection) -> None:
        super().__init__(relay, direction)
        self._queue: deque[Piece] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._ends = self._closes = False

    def send(self, pieces: Sequence[Piece]) -> None:
        """Send the pieces after those that wait."""
        self._queue.extend(pieces)
        if self._timer is None:
            self._next()

    def write(self, data: bytes) -> None:
        self.send([Piece(0.0, data)])

    def write_end(self) -> None:
        if self._queue:
            self._ends = True
        else:
            super().write_end()

    def close(self) -> None:
        if self._queue and not self.gone:
            self._closes = True
        else:
            super().close()

    def _next(self) -> None:
        """Send the pieces that need no wait; set a timer for the first that does."""
        while self._queue and not self.gone:
            if self._queue[0].wait_s:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(self._queue[0].wait_s, self._late)
                return
            self._sent()
        self._finish()

    def _late(self) -> None:
        self._timer = None
        if not self.gone:
            self._sent()
        self._next()

    def _sent(self) -> None:
        piece = self._queue.popleft()
        data = piece.data
        while piece.joined and self._queue and not piece.closed:
            following = self._queue.popleft()
            data += following.data
            if following.closed:
                piece = following
        if data:
            super().write(data)
        if piece.closed:
            self._queue.clear()
            super().close()

    def _finish(self) -> None:
        if self.gone:
            self._queue.clear()
        elif self._closes:
            super().close()
        elif self._ends:
            super().write_end()


CONNECT_S: Final = 10.0
"""Seconds until a node must accept a connection."""


class ByteFilter(Protocol):
    """A filter of one connection's bytes. The segment file holds the bytes before the filter."""

    def passed(self, direction: StreamDirection, data: bytes) -> bytes:
        """Return the bytes to send on in place of received bytes."""

    def rest(self, direction: StreamDirection) -> bytes:
        """Return the held-back bytes at the end of a direction."""


FilterFactory: TypeAlias = Callable[[Callable[[Sequence[Piece]], None], ByteFilter | None], ByteFilter]
"""(sends pieces to the client, inner filter) -> the filter of a new connection."""


class RelayOwner(Protocol):
    """The part of the proxy that a relay calls."""

    def joined(self, relay: "Relay") -> None: ...

    def left(self, relay: "Relay") -> None: ...

    def unreachable(self, route: Route, reason: str) -> None: ...

    def failed(self, error: RecordingError) -> None: ...


@dataclass(eq=False)
class Relay:
    """A connection, from the client's connect to the close of both sides.

    Args:
        host: the proxy.
        connect: opens the socket to the node.
        changed: a filter of the bytes; None for no filter.
        vary: makes an outer filter, which sends answers in its own pieces; None for no outer filter.
    """

    host: RelayOwner
    route: Route
    recorder: SegmentRecorder
    connect: Callable[[Callable[[], asyncio.Protocol]], asyncio.Task[None]]
    changed: ByteFilter | None = None
    vary: InitVar[FilterFactory | None] = None
    _number: int = 0
    _over: bool = False
    _connecting: asyncio.Task[None] | None = None
    _ended: set[StreamDirection] = field(default_factory=set)

    def __post_init__(self, vary: FilterFactory | None) -> None:
        self.client = RelayEnd(self, StreamDirection.TO_BROKER)
        if vary is not None:
            self.client = paced = PacedRelayEnd(self, StreamDirection.TO_BROKER)
            self.changed = vary(paced.send, self.changed)
        self.node = RelayEnd(self, StreamDirection.TO_CLIENT)

    def abort(self, reason: str) -> None:
        """Reset both sides, because the proxy ends."""
        if not self._over:
            self._break(StreamDirection.TO_CLIENT, reason)

    def drop(self) -> None:
        """Reset both sides without an entry in the file, because writing failed."""
        self._over = True
        self._sever()

    def made(self, end: RelayEnd) -> None:
        """Handle a new socket: the client's comes first; the relay reads from it after the node's."""
        if end is self.client:
            end.pause_reading()
            if self._write(self._open):
                self.host.joined(self)
                self._connecting = self.connect(lambda: self.node)
                self._connecting.add_done_callback(self._connected)
        elif self._over:
            end.abort()
        else:
            self.client.resume_reading()

    def received(self, direction: StreamDirection, data: bytes) -> None:
        """Record bytes that one side sent, and send them on."""
        if self._over or not self._record(EntryKind.DATA, direction, data):
            return
        passed = data if self.changed is None else self.changed.passed(direction, data)
        if passed:
            self._other(direction).write(passed)

    def ended(self, direction: StreamDirection) -> None:
        """Record the end of one direction, and pass it on."""
        if self._over or direction in self._ended or not self._record(EntryKind.END, direction):
            return
        self._ended.add(direction)
        if self.changed is not None and (rest := self.changed.rest(direction)):
            self._other(direction).write(rest)
        self._other(direction).write_end()
        if len(self._ended) == len(StreamDirection):
            self.client.close()
            self.node.close()

    def lost(self, end: RelayEnd, error: Exception | None) -> None:
        """Handle a lost socket: closed by the relay, or reset."""
        if self._over:
            return
        if error is not None:
            self._break(end.direction, str(error) or type(error).__name__)
            return
        if end.direction not in self._ended:  # after the close of TLS no answer is possible
            self.ended(end.direction)
        other = self._other(end.direction)
        if other.gone:
            self._finish()
        else:
            other.close()

    def stalled(self, end: RelayEnd, *, stalled: bool) -> None:
        """Pause or resume reading from the other side."""
        other = self._other(end.direction)
        if stalled:
            other.pause_reading()
        elif self.node.present:
            other.resume_reading()

    def _open(self) -> None:
        self._number = self.recorder.open(
            {
                "client": address_text(self.client.peer),
                "broker": address_text(self.route.target),
                "knownStart": True,
            }
        )

    def _connected(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is None or self._over:
            return
        reason = _reason(self.route.target, error)
        self.host.unreachable(self.route, reason)
        self._break(StreamDirection.TO_CLIENT, reason)

    def _break(self, direction: StreamDirection, reason: str) -> None:
        self._record(EntryKind.RESET, direction, reason.encode())
        self._finish()
        self._sever()

    def _finish(self) -> None:
        if not self._over:
            self._over = True
            self._record(EntryKind.CLOSE, StreamDirection.TO_BROKER)
            self.host.left(self)

    def _sever(self) -> None:
        if self._connecting is not None:
            self._connecting.cancel()
        self.client.abort()
        self.node.abort()

    def _record(self, kind: EntryKind, direction: StreamDirection, payload: bytes = b"") -> bool:
        return self._write(lambda: self.recorder.add(kind, self._number, direction, payload))

    def _write(self, write: Callable[[], None]) -> bool:
        """Return True if an entry was written; otherwise all relaying stops, on every connection."""
        try:
            write()
        except RecordingError as error:
            self.drop()
            self.host.failed(error)
            return False
        return True

    def _other(self, direction: StreamDirection) -> RelayEnd:
        """Return the side that receives the bytes of a direction."""
        return self.node if direction is StreamDirection.TO_BROKER else self.client


def _reason(target: Address, error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return f"{address_text(target)} did not answer within {CONNECT_S:g} s"
    text = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    return f"no connection to {address_text(target)}: {text}"
