"""A stream of bytes in any slices -> the frames in it: int32 size, then content (protocol guide)."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from kafkawire.wire import PREFIX_BYTES

__all__ = ["MAX_FRAME_BYTES", "ForeignBytes", "Frame", "FrameSplitter", "guess_protocol"]

MAX_FRAME_BYTES: Final = 104_857_600
"""What a broker takes unless told otherwise (`socket.request.max.bytes`). Responses may be larger."""

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
"""What other protocols begin with. As a size each is above a billion."""
_TLS: Final = (b"\x16\x03", b"\x15\x03")
"""A handshake, and an alert: what a listener with TLS says to bytes that are none. As a size: 350 million."""


class Frame(NamedTuple):
    """One frame.

    Attributes:
        offset: where its size begins, counted from the first byte of the stream.
        data: all of it, its size included.
    """

    offset: int
    data: bytes

    @property
    def content(self) -> memoryview:
        """Header and body: what stands behind the size."""
        return memoryview(self.data)[PREFIX_BYTES:]


@dataclass(frozen=True, slots=True)
class ForeignBytes:
    """The stream is not, or no longer, one of frames: nothing behind this byte can be split.

    Attributes:
        offset: of the size that is none.
        reason: in words.
        protocol: what it seems to be; ``""`` where nothing is known.
    """

    offset: int
    reason: str
    protocol: str = ""

    def __str__(self) -> str:
        return f"byte {self.offset}: {self.reason}"


class FrameSplitter:
    """Splits one direction of one connection. However the bytes are sliced, the frames are the same.

    Args:
        limit: bytes of content that a frame may have.

    Attributes:
        foreign: why the stream cannot be split on; what is fed afterwards is left out.
    """

    def __init__(self, limit: int = MAX_FRAME_BYTES) -> None:
        self.foreign: ForeignBytes | None = None
        self._limit = limit
        self._rest = bytearray()
        self._start = 0
        self._needed = PREFIX_BYTES

    @property
    def unfinished(self) -> bytes:
        """What came of a frame that is not whole yet."""
        return bytes(self._rest)

    @property
    def offset(self) -> int:
        """Where the next frame begins, or the unfinished one began."""
        return self._start

    def feed(self, data: bytes | bytearray | memoryview) -> list[Frame]:
        """The frames that these bytes end."""
        if self.foreign is not None:
            return []
        if not self._rest and type(data) is bytes and self._is_one(data):
            frame = Frame(self._start, data)
            self._start += len(data)
            return [frame]
        self._rest += data
        return self._frames() if len(self._rest) >= self._needed else []

    def _is_one(self, data: bytes) -> bool:
        """Whether a chunk is a frame, no more and no less, as programs send most of them."""
        size = len(data) - PREFIX_BYTES
        return 0 <= size <= self._limit and int.from_bytes(data[:PREFIX_BYTES], "big", signed=True) == size

    def skip(self, count: int) -> None:
        """Begin anew behind a hole: the unfinished frame, and `count` bytes that are missing, are lost."""
        self._start += len(self._rest) + count
        self._rest.clear()
        self._needed = PREFIX_BYTES

    def _frames(self) -> list[Frame]:
        """Take whole frames from the front; the rest stays."""
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
    """What a stream that begins so seems to speak, if not Kafka; ``""`` where nothing is known."""
    return _OPENINGS.get(begin[:PREFIX_BYTES], "TLS" if begin[:2] in _TLS else "")
