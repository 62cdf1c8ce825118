"""gzip, one member or several in a row (`GZIPInputStream` reads them as one)."""

import zlib
from typing import Final

from kafkawire.errors import Fault
from kafkawire.records.compression._refusal import CompressionRefusal

_GZIP: Final = 31
"""zlib's word for: a gzip member, window of 32 KiB."""
_LEAST_PIECE: Final = 64


def compress(data: bytes) -> bytes:
    """One member, at zlib's default level, as Kafka's."""
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
        piece: bytes given to zlib at first. zlib copies what it does not use, so a member that may be
            small is given small pieces, each twice as large as the one before.
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
