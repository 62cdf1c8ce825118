"""Splitting of a byte stream into frames: int32 size, then content (protocol guide)."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from kafkawire.wire import PREFIX_BYTES

MAX_FRAME_BYTES: Final = 104_857_600
"""A broker's default limit (`socket.request.max.bytes`). Responses may be larger."""

_OPENINGS: Final = {
    b"GET ": "HTTP",
    b"POST": "HTTP",
    b"PUT ": "HTTP",
    b"HEAD": "HTTP",
    b"HTTP": "HTTP",
    b"OPTI": "HTTP",
    b"DELE": "HTTP",
    b"PRI ": "HTTP/2",
    b"SSH-": "SSH",
    b"<!DO": "HTML",
    b"<htm": "HTML",
}
"""First bytes of other protocols. As a size each is above a billion."""
_TLS: Final = (b"\x16\x03", b"\x15\x03")
"""A TLS handshake, and the alert of a TLS listener to other bytes. As a size: 350 million."""


class Frame(NamedTuple):
    """One frame of a stream, with its size; `offset` is that of the size, from the stream's first byte."""

    offset: int
    data: bytes

    @property
    def content(self) -> memoryview:
        """Header and body: the bytes after the size."""
        return memoryview(self.data)[PREFIX_BYTES:]


@dataclass(frozen=True, slots=True)
class ForeignBytes:
    """The point at which a stream stops being frames: later bytes cannot be split.

    Attributes:
        offset: of the invalid size.
        reason: text.
        protocol: the likely protocol; ``""`` where unknown.
    """

    offset: int
    reason: str
    protocol: str = ""

    def __str__(self) -> str:
        return f"byte {self.offset}: {self.reason}"


class FrameSplitter:
    """Splits one direction of one connection. However the bytes are sliced, the frames are the same.

    Args:
        limit: largest content of a frame in bytes.

    Attributes:
        foreign: set once the stream cannot be split; later bytes are ignored.
    """

    def __init__(self, limit: int = MAX_FRAME_BYTES) -> None:
        self.foreign: ForeignBytes | None = None
        self._limit = limit
        self._rest = bytearray()
        self._start = 0
        self._needed = PREFIX_BYTES

    @property
    def unfinished(self) -> bytes:
        """The received bytes of an incomplete frame."""
        return bytes(self._rest)

    @property
    def offset(self) -> int:
        """The offset of the next or the incomplete frame."""
        return self._start

    def feed(self, data: bytes | bytearray | memoryview) -> list[Frame]:
        """Return the frames that these bytes complete."""
        if self.foreign is not None:
            return []
        if not self._rest and type(data) is bytes and self._is_one(data):
            frame = Frame(self._start, data)
            self._start += len(data)
            return [frame]
        self._rest += data
        return self._frames() if len(self._rest) >= self._needed else []

    def _is_one(self, data: bytes) -> bool:
        """Check that a chunk is exactly one frame, as most chunks are."""
        size = len(data) - PREFIX_BYTES
        return 0 <= size <= self._limit and int.from_bytes(data[:PREFIX_BYTES], "big", signed=True) == size

    def skip(self, count: int) -> None:
        """Restart after a hole: the incomplete frame and `count` missing bytes are lost."""
        self._start += len(self._rest) + count
        self._rest.clear()
        self._needed = PREFIX_BYTES

    def _frames(self) -> list[Frame]:
        """Remove whole frames from the front; keep the rest."""
        frames: list[Frame] = []
        rest, pos = self._rest, 0
        while len(rest) - pos >= PREFIX_BYTES:
            size = int.from_bytes(rest[pos : pos + PREFIX_BYTES], "big", signed=True)
            self.foreign = self._strange(bytes(rest[pos : pos + PREFIX_BYTES]), size, self._start + pos)
            if self.foreign is not None:
                break
            end = pos + PREFIX_BYTES + size
            if end > len(rest):
                self._needed = end - pos
                break
            frames.append(Frame(self._start + pos, bytes(rest[pos:end])))
            pos = end
            self._needed = PREFIX_BYTES
        del rest[:pos]
        self._start += pos
        return frames

    def _strange(self, begin: bytes, size: int, offset: int) -> ForeignBytes | None:
        if 0 <= size <= self._limit:
            return None
        protocol = guess_protocol(begin)
        if protocol:
            return ForeignBytes(
                offset, f"the bytes {begin.hex()} look like {protocol}, not like a size", protocol
            )
        if size < 0:
            return ForeignBytes(offset, f"a frame of {size} bytes")
        return ForeignBytes(offset, f"a frame of {size} bytes; {self._limit} at most")


def guess_protocol(begin: bytes) -> str:
    """Guess the protocol of a stream by its first bytes; ``""`` for Kafka and unknown ones."""
    return _OPENINGS.get(begin[:PREFIX_BYTES], "TLS" if begin[:2] in _TLS else "")
