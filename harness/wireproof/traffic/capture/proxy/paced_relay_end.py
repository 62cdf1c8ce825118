"""A socket to the client that sends bytes in given pieces, each at its time."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from wireproof.traffic.capture.proxy.relay_end import RelayEnd, SocketOwner
from wireproof.traffic.wire import StreamDirection


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
