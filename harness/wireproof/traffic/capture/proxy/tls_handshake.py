"""The TLS handshake with a client, before the first bytes to record."""

import asyncio
import ssl
from collections.abc import Callable
from typing import cast

from wireproof.traffic.capture.proxy.relay_end import RelayEnd
from wireproof.traffic.capture.proxy.route import address_text


class TlsHandshake(asyncio.Protocol):
    """A handshake that hands the connection to the relay; asyncio alone would not report a failure.

    Args:
        report: receives the address of a client that does not speak TLS, and the reason.
    """

    def __init__(self, end: RelayEnd, tls: ssl.SSLContext | None, report: Callable[[str, str], None]) -> None:
        assert tls is not None
        self._end = end
        self._tls = tls
        self._report = report
        self._handshake: asyncio.Task[None] | None = None
        self._early = bytearray()
        self._lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).pause_reading()  # the next bytes belong to the handshake
        self._handshake = asyncio.get_running_loop().create_task(
            self._shake_hands(cast(asyncio.Transport, transport))
        )

    def data_received(self, data: bytes) -> None:
        """Keep bytes that come after the handshake, before the relay has the connection."""
        self._early += data

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True

    async def _shake_hands(self, plain: asyncio.Transport) -> None:
        client = address_text(plain.get_extra_info("peername")[:2])
        try:
            secured = await asyncio.get_running_loop().start_tls(plain, self, self._tls, server_side=True)
        except OSError as error:  # ssl.SSLError is a subclass
            plain.abort()
            self._report(client, str(error))
            return
        if secured is not None and not self._lost:
            secured.set_protocol(self._end)
            self._end.connection_made(secured)
            self._end.came_early(bytes(self._early))
