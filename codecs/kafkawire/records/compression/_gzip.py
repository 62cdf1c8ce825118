"""gzip, one member or several in a row (`GZIPInputStream` reads them as one)."""

import zlib
from typing import Final

from kafkawire.errors import Fault
from kafkawire.records.compression._refusal import CompressionRefusal

_GZIP: Final = 31
"""zlib's number for a gzip member with a window of 32 KiB."""
_LEAST_PIECE: Final = 64


def compress(data: bytes) -> bytes:
    """One member, at zlib's default level, as in Kafka."""
    member = zlib.compressobj(wbits=_GZIP)
    return member.compress(data) + member.flush()


def decompress(data: bytes, limit: int) -> bytes:
    """The content of all members, at most `limit` bytes; the time is linear in `data`."""
    out: list[bytes] = []
    left, pos, piece = limit, 0, len(data)
    while True:
        content, pos = _member(data, pos, left, piece)
        left -= len(content)
        out.append(content)
        if pos >= len(data):
            return b"".join(out)
        piece = _LEAST_PIECE


def _member(data: bytes, pos: int, left: int, piece: int) -> tuple[bytes, int]:
    """The content of the member that begins at `pos`, and the position after it.

    Args:
        piece: the number of bytes given to zlib first. zlib copies the bytes that it does not use, so the
            first piece is small, and each further piece is twice as large.
    """
    member = zlib.decompressobj(_GZIP)
    out: list[bytes] = []
    while not member.eof:
        given = data[pos : pos + piece]
        if not given:
            raise CompressionRefusal(Fault.COMPRESSION, "the member is cut off")
        try:
            content = member.decompress(given, left + 1)
        except zlib.error as error:
            raise CompressionRefusal(Fault.COMPRESSION, str(error)) from error
        left -= len(content)
        if left < 0:
            raise CompressionRefusal(Fault.BOMB, "more than the bytes that may be left")
        out.append(content)
        pos += len(given)
        piece *= 2
    return b"".join(out), pos - len(member.unused_data)
