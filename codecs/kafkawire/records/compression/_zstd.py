"""Zstandard frames, one or several in a row (zstd-jni: `ZstdOutputStream`, `ZstdInputStream`).

Neither the content size nor the window that a frame declares is trusted: the output is bounded by the input,
piece by piece.
"""

import threading
from typing import Any, Final

from kafkawire.errors import Fault
from kafkawire.records._libraries import library
from kafkawire.records.compression._refusal import CompressionRefusal

MAX_WINDOW: Final = 1 << 27
"""The largest window that Kafka's reader accepts (zstd's own default)."""

_PER_BYTE: Final = 1 << 15
"""The largest output for each byte of input: 4 bytes may become a block of 128 KiB."""
_LEAST_PIECE: Final = 64


def compress(data: bytes) -> bytes:
    """One frame at level 3, Kafka's default, without a content size, as in Kafka's stream."""
    return bytes(_compressor().compress(data))


def decompress(data: bytes, limit: int) -> bytes:
    """The content of all frames, at most `limit` bytes; the time is linear in `data`."""
    zstandard = library("zstandard", "zstd")
    out: list[bytes] = []
    left, pos = limit, 0
    try:
        while pos < len(data):
            left, pos = _frame(_decompressor().decompressobj(), data, pos, left, out)
    except zstandard.ZstdError as error:
        raise CompressionRefusal(Fault.COMPRESSION, str(error)) from error
    return b"".join(out)


def _frame(frame: Any, data: bytes, pos: int, left: int, out: list[bytes]) -> tuple[int, int]:
    """Read the frame at `pos`; return the rest of the limit, and the position after the frame."""
    while not frame.eof:
        given = data[pos : pos + max(_LEAST_PIECE, left // _PER_BYTE)]
        if not given:
            raise CompressionRefusal(Fault.COMPRESSION, "the frame is cut off")
        content = frame.decompress(given)
        pos += len(given)
        left -= len(content)
        if left < 0:
            raise CompressionRefusal(Fault.BOMB, "more than the bytes that may be left")
        out.append(content)
    return left, pos - len(frame.unused_data)


class _Contexts(threading.local):
    """The compressor and decompressor of each thread: slow to make, and not shareable."""

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
