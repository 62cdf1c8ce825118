"""gzip, one member or several behind each other (`GZIPInputStream` reads them as one)."""

import zlib
from typing import Final

from kafkawire.errors import Fault
from kafkawire.records._refusal import CompressionRefusal

__all__ = ["compress", "decompress"]

_GZIP: Final = 31
"""zlib's word for: a gzip member, window of 32 KiB."""


def compress(data: bytes) -> bytes:
    """One member, at zlib's default level, as Kafka's."""
    member = zlib.compressobj(wbits=_GZIP)
    return member.compress(data) + member.flush()


def decompress(data: bytes, limit: int) -> bytes:
    """The content of all members, at most `limit` bytes."""
    out: list[bytes] = []
    left, rest = limit, data
    while True:
        member = zlib.decompressobj(_GZIP)
        try:
            content = member.decompress(rest, left + 1)
        except zlib.error as error:
            raise CompressionRefusal(Fault.COMPRESSION, str(error)) from error
        left -= len(content)
        if left < 0:
            raise CompressionRefusal(Fault.BOMB, "more than the bytes that may be left")
        if not member.eof:
            raise CompressionRefusal(Fault.COMPRESSION, "the member is cut off")
        out.append(content)
        rest = member.unused_data
        if not rest:
            return b"".join(out)
