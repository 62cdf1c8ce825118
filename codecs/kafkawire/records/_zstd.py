"""Zstandard frames, one or several behind each other (zstd-jni: `ZstdOutputStream`, `ZstdInputStream`).

Neither the content size nor the window that a frame declares is trusted: what comes out is bounded by
what went in, piece by piece.
"""

import threading
from typing import Any, Final

from kafkawire.errors import Fault
from kafkawire.records._libraries import library
from kafkawire.records._refusal import CompressionRefusal

__all__ = ["compress", "decompress"]

MAX_WINDOW: Final = 1 << 27
"""The largest window that Kafka's reader takes (zstd's own default)."""

_PER_BYTE: Final = 1 << 15
"""A block of 128 KiB may come out of 4 bytes."""
_LEAST_PIECE: Final = 64


def compress(data: bytes) -> bytes:
    """One frame at level 3, Kafka's default, without a content size, as Kafka's stream has it."""
    return bytes(_compressor().compress(data))


def decompress(data: bytes, limit: int) -> bytes:
    """The content of all frames, at most `limit` bytes."""
    zstandard = library("zstandard", "zstd")
    out: list[bytes] = []
    left = limit
    rest = data
    try:
        while rest:
            left, rest = _frame(_decompressor().decompressobj(), rest, left, out)
    except zstandard.ZstdError as error:
        raise CompressionRefusal(Fault.COMPRESSION, str(error)) from error
    return b"".join(out)


def _frame(frame: Any, data: bytes, left: int, out: list[bytes]) -> tuple[int, bytes]:
    """Read one frame; what may be left, and the bytes behind the frame."""
    pos = 0
    while not frame.eof:
        if pos >= len(data):
            raise CompressionRefusal(Fault.COMPRESSION, "the frame is cut off")
        piece = max(_LEAST_PIECE, left // _PER_BYTE)
        content = frame.decompress(data[pos : pos + piece])
        pos += piece
        left -= len(content)
        if left < 0:
            raise CompressionRefusal(Fault.BOMB, "more than the bytes that may be left")
        out.append(content)
    return left, frame.unused_data + data[pos:]


class _Contexts(threading.local):
    """What takes longer to make than to use, one for each thread: neither may be shared."""

    compressor: Any = None
    decompressor: Any = None


_contexts = _Contexts()


def _compressor() -> Any:
    if _contexts.compressor is None:
        zstandard = library("zstandard", "zstd")
        _contexts.compressor = zstandard.ZstdCompressor(level=3, write_content_size=False)
    return _contexts.compressor


def _decompressor() -> Any:
    if _contexts.decompressor is None:
        zstandard = library("zstandard", "zstd")
        _contexts.decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
    return _contexts.decompressor
