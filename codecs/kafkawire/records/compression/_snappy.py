"""Snappy as Kafka frames it: the xerial stream (snappy-java: `SnappyOutputStream`).

A stream has a header of 16 bytes (8 of magic, version int32, least compatible version int32), then blocks: an
int32 length and raw snappy of this length. A stream without the header is one raw block, as for
`SnappyInputStream` and the C clients. The header may be repeated between blocks (concatenated streams).
"""

import struct
from typing import Final

from kafkawire.errors import Fault
from kafkawire.records._libraries import library
from kafkawire.records.compression._refusal import CompressionRefusal

MAGIC: Final = b"\x82SNAPPY\x00"
HEADER: Final = MAGIC + struct.pack(">ii", 1, 1)
BLOCK: Final = 32 * 1024
"""Bytes in a block before compression: `SnappyOutputStream`'s default."""

MAX_RATIO: Final = 22
"""The highest compression ratio of snappy: a copy of 64 bytes takes three. Other data are refused."""


def compress(data: bytes) -> bytes:
    """The stream of these bytes; only the header if there are none."""
    snappy = library("cramjam", "snappy").snappy
    out = [HEADER]
    for start in range(0, len(data), BLOCK):
        block = bytes(snappy.compress_raw(data[start : start + BLOCK]))
        out += len(block).to_bytes(4, "big"), block
    return b"".join(out)


def decompress(data: bytes, limit: int) -> bytes:
    """All blocks, at most `limit` bytes."""
    if not data.startswith(MAGIC):
        return _block(data, limit)
    out: list[bytes] = []
    total = pos = 0
    while pos < len(data):
        if data.startswith(MAGIC, pos):
            pos += len(HEADER)
            if pos > len(data):
                raise CompressionRefusal(Fault.COMPRESSION, "the stream's header is cut off")
            continue
        length = int.from_bytes(data[pos : pos + 4], "big")
        pos += 4
        if not 0 < length <= len(data) - pos:
            raise CompressionRefusal(
                Fault.COMPRESSION, f"a block of {length} bytes where {max(len(data) - pos, 0)} are left"
            )
        out.append(_block(data[pos : pos + length], limit - total))
        total += len(out[-1])
        pos += length
    return b"".join(out)


def _block(block: bytes, limit: int) -> bytes:
    cramjam = library("cramjam", "snappy")
    declared = _declared(block)
    if declared > MAX_RATIO * len(block) + 64:
        raise CompressionRefusal(Fault.COMPRESSION, f"{len(block)} bytes that declare {declared}")
    if declared > limit:
        raise CompressionRefusal(Fault.BOMB, f"a block of {declared} bytes where {limit} may be left")
    try:
        return bytes(cramjam.snappy.decompress_raw(block))
    except cramjam.DecompressionError as error:
        raise CompressionRefusal(Fault.COMPRESSION, str(error)) from error


def _declared(block: bytes) -> int:
    """The length that a raw block begins with: an unsigned varint of at most 5 bytes."""
    value = 0
    for index, byte in enumerate(block[:5]):
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value
    raise CompressionRefusal(Fault.COMPRESSION, "a block without its length")
