"""The first words of a client that must talk TLS, before there is anything to record."""

import asyncio
import ssl
from collections.abc import Callable
from typing import cast

from wireproof.capture.proxy.relay import RelayEnd
from wireproof.capture.proxy.route import address_text

__all__ = ["TlsHandshake"]


class TlsHandshake(asyncio.Protocol):
    """Agrees with a client on TLS, and leaves it to the relay; asyncio itself tells nobody that it failed.

    Args:
        mute: is given the address of a client that does not speak TLS, and why.
    """

    def __init__(self, end: RelayEnd, tls: ssl.SSLContext | None, mute: Callable[[str, str], None]) -> None:
        assert tls is not None
        self._end = end
        self._tls = tls
        self._mute = mute
        self._agreeing: asyncio.Task[None] | None = None
        self._early = bytearray()
        self._lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).pause_reading()  # what comes now is TLS
        self._agreeing = asyncio.get_running_loop().create_task(
            self._agree(cast(asyncio.Transport, transport))
        )

    def data_received(self, data: bytes) -> None:
        """What comes between the agreement and the moment in which the relay knows of it."""
        self._early += data

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True

    async def _agree(self, plain: asyncio.Transport) -> None:
        client = address_text(plain.get_extra_info("peername")[:2])
        try:
            secured = await asyncio.get_running_loop().start_tls(plain, self, self._tls, server_side=True)
        except OSError as error:  # of which ssl.SSLError is one
            plain.abort()
            self._mute(client, str(error))
            return
        if secured is not None and not self._lost:
            secured.set_protocol(self._end)
            self._end.connection_made(secured)
            self._end.came_early(bytes(self._early))
