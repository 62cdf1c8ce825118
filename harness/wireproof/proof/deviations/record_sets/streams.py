"""Compressed streams in record sets: their content, and streams that some readers do not read."""

from functools import lru_cache
from typing import Final
from zlib import decompressobj

from kafkawire.records import Compression
from kafkawire.records.compression import CompressionRefusal, decompress

_MOST_DECOMPRESSED: Final = 1 << 21
"""Most bytes to decompress; the tried sets have fewer, or are decompression bombs."""
_XERIAL: Final = b"\x82SNAPPY\0"
_XERIAL_BYTES: Final = 16
"""The beginning of a snappy stream, and the length of its header (snappy-java)."""


@lru_cache(maxsize=4)
def decompressed(codec: Compression, data: bytes, magic: int) -> bytes | None:
    """Decompress data; None if they are invalid. A search asks for the same data hundreds of times."""
    try:
        return decompress(codec, data, magic, _MOST_DECOMPRESSED)
    except CompressionRefusal:
        return None


@lru_cache(maxsize=4)
def is_of_several(codec: Compression, data: bytes) -> bool:
    """Test if data that can be decompressed are several streams, one after the other; of gzip and snappy."""
    if codec is Compression.GZIP:
        stream = decompressobj(wbits=31)
        stream.decompress(data, _MOST_DECOMPRESSED)
        return bool(stream.unused_data)
    return codec is Compression.SNAPPY and data.startswith(_XERIAL) and _XERIAL in data[_XERIAL_BYTES:]


def is_header_alone(codec: Compression, data: bytes) -> bool:
    """Test if data are a snappy stream without a block, as snappy-java writes for nothing at all."""
    return codec is Compression.SNAPPY and len(data) == _XERIAL_BYTES and data.startswith(_XERIAL)
