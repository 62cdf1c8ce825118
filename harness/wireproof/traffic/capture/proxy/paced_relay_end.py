"""The two ends of a relay; that to the client may send bytes in given pieces, each at its time."""

import asyncio
import socket
import struct
from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, cast

from wireproof.traffic.capture.raw_client.raw_client import Address
from wireproof.traffic.wire.segment_format import StreamDirection

_NO_LINGER: Final = struct.pack("ii", 1, 0)


class SocketOwner(Protocol):
    """The part of a relay that its sockets call."""

    def made(self, end: "RelayEnd") -> None: ...

    def received(self, direction: StreamDirection, data: bytes) -> None: ...

    def ended(self, direction: StreamDirection) -> None: ...

    def lost(self, end: "RelayEnd", error: Exception | None) -> None: ...

    def stalled(self, end: "RelayEnd", *, stalled: bool) -> None: ...


class RelayEnd(asyncio.Protocol):
    """One socket. The bytes read from it flow in `direction`."""

    def __init__(self, relay: SocketOwner, direction: StreamDirection) -> None:
        self.direction = direction
        self.present = False
        self.gone = False
        self._relay = relay
        self._transport: asyncio.Transport | None = None
        self._socket: socket.socket | None = None
        self._early = b""

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
        self._relay.received(self.direction, data)

    def came_early(self, data: bytes) -> None:
        """Keep bytes that were read before `connection_made`, until reading begins."""
        self._early = data

    def eof_received(self) -> bool:
        self._relay.ended(self.direction)
        assert self._transport is not None
        return self._transport.can_write_eof()

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
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        if self._transport is None:
            return
        early, self._early = self._early, b""
        if early:
            self.data_received(early)
        self._transport.resume_reading()

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

    def __init__(self, relay: SocketOwner, direction: StreamDirection) -> None:
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
