"""One connection to a broker under test: it sends any bytes, and receives whole frames in limited time."""

import socket
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from kafkawire.wire import PREFIX_BYTES
from wireproof.traffic.capture.raw_client.raw_client import Address, unverified_tls_context
from wireproof.traffic.wire.request_matcher import guess_protocol

_READ_BYTES: Final = 1 << 18
_LARGEST_BYTES: Final = 1 << 28
"""A size far above that of any answer to the judge's requests."""
_SEGMENT_S: Final = 0.002
"""Seconds between two parts, so that each part is a separate segment."""


class ConnectionEnd(StrEnum):
    """The state of a connection after the answers were waited for."""

    OPEN = "open"
    """All frames came."""
    CLOSED = "closed"
    SILENT = "silent"
    """The time is over, and no byte of the next frame came."""
    SLOW = "slow"
    """The time is over, and the next frame is incomplete."""
    WRONG_SIZE = "wrong-size"
    """The next frame announces a size that no answer has."""


@dataclass(frozen=True, slots=True)
class Received:
    """The frames that came over a connection, and how the wait for them ended.

    Attributes:
        frames: whole frames, with their sizes.
        rest: the bytes after the last whole frame.
    """

    frames: tuple[bytes, ...]
    end: ConnectionEnd
    rest: bytes = field(default=b"", repr=False)
    seconds: float = 0.0

    @property
    def text(self) -> str:
        """The end in words."""
        match self.end:
            case ConnectionEnd.CLOSED if self.rest:
                return f"it closed the connection after {len(self.rest):,} bytes of an answer"
            case ConnectionEnd.CLOSED:
                return "it closed the connection without an answer"
            case ConnectionEnd.SILENT:
                return f"it sent nothing in {self.seconds:g} s"
            case ConnectionEnd.SLOW:
                return f"it sent {len(self.rest):,} bytes of an unfinished answer in {self.seconds:g} s"
            case ConnectionEnd.WRONG_SIZE:
                size = int.from_bytes(self.rest[:PREFIX_BYTES], signed=True)
                protocol = guess_protocol(self.rest)
                guess = f": these bytes look like {protocol}" if protocol else ""
                return f"it announced an answer of {size:,} bytes{guess}"
            case ConnectionEnd.OPEN:
                return "it answered"


class BrokerConnection:
    """A connection; a context.

    Args:
        timeout_s: seconds for all answers of one `receive` together.

    Raises:
        OSError: the broker does not accept the connection.
    """

    def __init__(self, address: Address, timeout_s: float, *, tls: bool = False) -> None:
        self._timeout_s = timeout_s
        self._socket = socket.create_connection(address, timeout_s)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._came = bytearray()
        if tls:
            try:
                self._socket = unverified_tls_context().wrap_socket(self._socket)
            except OSError:
                self._socket.close()
                raise

    def __enter__(self) -> "BrokerConnection":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def send(self, parts: Iterable[bytes]) -> None:
        """Send each part as a segment. If the connection is closed meanwhile, `receive` reports it."""
        with suppress(OSError):
            for number, part in enumerate(parts):
                if number:
                    time.sleep(_SEGMENT_S)
                self._socket.settimeout(self._timeout_s)
                self._socket.sendall(part)

    def finish(self) -> None:
        """Close the sending side; answers can still come."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def receive(self, count: int, within_s: float | None = None) -> Received:
        """Receive whole frames until there are `count` of them, or the time is over."""
        limit = self._timeout_s if within_s is None else within_s
        until = time.monotonic() + limit
        frames: list[bytes] = []
        while True:
            end = self._take(frames, count)
            if end is None:
                end = self._read(until)
            if end is not None:
                return Received(tuple(frames), end, bytes(self._came), limit)

    def _take(self, frames: list[bytes], count: int) -> ConnectionEnd | None:
        """Move whole frames out of the received bytes; return how the wait ends, None if it goes on."""
        while len(frames) < count:
            if len(self._came) < PREFIX_BYTES:
                return None
            size = int.from_bytes(self._came[:PREFIX_BYTES], signed=True)
            if not 0 <= size <= _LARGEST_BYTES:
                return ConnectionEnd.WRONG_SIZE
            if len(self._came) < PREFIX_BYTES + size:
                return None
            frames.append(bytes(self._came[: PREFIX_BYTES + size]))
            del self._came[: PREFIX_BYTES + size]
        return ConnectionEnd.OPEN

    def _read(self, until: float) -> ConnectionEnd | None:
        left = until - time.monotonic()
        over = ConnectionEnd.SLOW if self._came else ConnectionEnd.SILENT
        if left <= 0:
            return over
        self._socket.settimeout(left)
        try:
            data = self._socket.recv(_READ_BYTES)
        except TimeoutError:
            return over
        except OSError:
            return ConnectionEnd.CLOSED
        self._came += data
        return None if data else ConnectionEnd.CLOSED
