"""One connection through the proxy: a socket to the client, one to the node, and what passes between.

What one side sends is written to the segment file first and sent on then. A side that cannot take more makes
the other stop sending; the end of one direction is the end of that direction alone; a break is passed on as
one.
"""

import asyncio
import os
import socket
import struct
from collections.abc import Callable
from typing import Final, Protocol, cast

from wireproof.capture.proxy.route import Address, Route, address_text
from wireproof.capture.proxy.segment_recorder import RecordingError, SegmentRecorder
from wireproof.wire import StreamDirection

__all__ = ["CONNECT_S", "RelayEnd", "ByteFilter", "RelayOwner", "Relay"]

CONNECT_S: Final = 10.0
"""How long a node may take to take a connection."""

_NO_LINGER: Final = struct.pack("ii", 1, 0)


class ByteFilter(Protocol):
    """Changes on the path of one connection. What is recorded is what came."""

    def passed(self, direction: StreamDirection, data: bytes) -> bytes:
        """What to send on now, in the place of bytes that came."""
        ...

    def rest(self, direction: StreamDirection) -> bytes:
        """What was held back, when no more comes."""
        ...


class RelayOwner(Protocol):
    """What a relay asks of the proxy."""

    def joined(self, relay: "Relay") -> None: ...

    def left(self, relay: "Relay") -> None: ...

    def unreachable(self, route: Route, reason: str) -> None: ...

    def failed(self, error: RecordingError) -> None: ...


class Relay:
    """A connection, from the client's to the close of both sides.

    Args:
        connect: opens the socket to the node.
    """

    def __init__(
        self,
        host: RelayOwner,
        route: Route,
        recorder: SegmentRecorder,
        connect: Callable[[Callable[[], asyncio.Protocol]], asyncio.Task[None]],
        changed: ByteFilter | None = None,
    ) -> None:
        self._host = host
        self._route = route
        self._recorder = recorder
        self._connect = connect
        self._changed = changed
        self._number = 0
        self._over = False
        self._connecting: asyncio.Task[None] | None = None
        self._ended: set[StreamDirection] = set()
        self.client = RelayEnd(self, StreamDirection.TO_BROKER)
        self.node = RelayEnd(self, StreamDirection.TO_CLIENT)

    def abort(self, reason: str) -> None:
        """Break both sides, because the proxy ends."""
        if not self._over:
            self._break(StreamDirection.TO_CLIENT, reason)

    def drop(self) -> None:
        """Break both sides, and write nothing about it: nothing more can be written."""
        self._over = True
        self._sever()

    def made(self, end: "RelayEnd") -> None:
        """A socket is there: the client's first, and nothing is read of it before the node's is, too."""
        if end is self.client:
            end.pause_reading()
            if self._write(self._open):
                self._host.joined(self)
                self._connecting = self._connect(lambda: self.node)
                self._connecting.add_done_callback(self._connected)
        elif self._over:
            end.abort()
        else:
            self.client.resume_reading()

    def received(self, direction: StreamDirection, data: bytes) -> None:
        """One side sent bytes: written, then sent on."""
        if self._over or not self._write(lambda: self._recorder.data(self._number, direction, data)):
            return
        passed = data if self._changed is None else self._changed.passed(direction, data)
        if passed:
            self._other(direction).write(passed)

    def ended(self, direction: StreamDirection) -> None:
        """One side has sent all that it will."""
        if self._over or direction in self._ended:
            return
        if not self._write(lambda: self._recorder.end(self._number, direction)):
            return
        self._ended.add(direction)
        if self._changed is not None and (rest := self._changed.rest(direction)):
            self._other(direction).write(rest)
        self._other(direction).write_end()
        if len(self._ended) == len(StreamDirection):
            self.client.close()
            self.node.close()

    def lost(self, end: "RelayEnd", error: Exception | None) -> None:
        """A socket is gone: closed by us, or broken."""
        if self._over:
            return
        if error is not None:
            self._break(end.direction, str(error) or type(error).__name__)
            return
        if end.direction not in self._ended:  # TLS that was closed cannot be answered
            self.ended(end.direction)
        other = self._other(end.direction)
        if other.gone:
            self._finish()
        else:
            other.close()

    def stalled(self, end: "RelayEnd", *, stalled: bool) -> None:
        """A side takes no more for now, or does again."""
        other = self._other(end.direction)
        if stalled:
            other.pause_reading()
        elif self.node.present:
            other.resume_reading()

    def _open(self) -> None:
        self._number = self._recorder.open(
            {
                "client": address_text(self.client.peer),
                "broker": address_text(self._route.target),
                "knownStart": True,
            }
        )

    def _connected(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is None or self._over:
            return
        reason = _reason(self._route.target, error)
        self._host.unreachable(self._route, reason)
        self._break(StreamDirection.TO_CLIENT, reason)

    def _break(self, direction: StreamDirection, reason: str) -> None:
        self._write(lambda: self._recorder.reset(self._number, direction, reason))
        self._finish()
        self._sever()

    def _finish(self) -> None:
        if not self._over:
            self._over = True
            self._write(lambda: self._recorder.over(self._number))
            self._host.left(self)

    def _sever(self) -> None:
        if self._connecting is not None:
            self._connecting.cancel()
        self.client.abort()
        self.node.abort()

    def _write(self, write: Callable[[], None]) -> bool:
        """Whether it was written; where it was not, nothing may pass any more, on no connection."""
        try:
            write()
        except RecordingError as error:
            self.drop()
            self._host.failed(error)
            return False
        return True

    def _other(self, direction: StreamDirection) -> "RelayEnd":
        """The side to which bytes of a direction go."""
        return self.node if direction is StreamDirection.TO_BROKER else self.client


class RelayEnd(asyncio.Protocol):
    """One socket. What is read of it goes in `direction`."""

    def __init__(self, relay: Relay, direction: StreamDirection) -> None:
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
        self._socket = transport.get_extra_info("socket")  # a transport of TLS that is closed has none
        self.present = True
        self._relay.made(self)

    def data_received(self, data: bytes) -> None:
        self._relay.received(self.direction, data)

    def came_early(self, data: bytes) -> None:
        """Bytes that were read before this was told of the connection: passed on when reading begins."""
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
        """Say that no more comes; over TLS that is the end of both directions."""
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
        """Close behind what is still to be sent."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Break the connection, so that the peer sees it broken, and not closed."""
        if self._transport is None or self.gone:
            return
        if self._socket is not None and self._socket.fileno() >= 0:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self._transport.abort()


def _reason(target: Address, error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return f"{address_text(target)} did not answer within {CONNECT_S:g} s"
    words = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    return f"no connection to {address_text(target)}: {words}"
