"""One socket of a connection through the proxy."""

import asyncio
import socket
import struct
from typing import Final, Protocol, cast

from wireproof.traffic.capture.raw_client.socket_address import Address
from wireproof.traffic.wire import StreamDirection

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
