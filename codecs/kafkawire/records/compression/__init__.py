"""The four compressions in Kafka's framings."""

from collections.abc import Callable
from typing import TypeAlias, assert_never

from kafkawire.records.compression import _gzip, _lz4, _snappy, _zstd
from kafkawire.records.compression._refusal import CompressionRefusal
from kafkawire.records.model import Compression

__all__ = ["Compress", "CompressionRefusal", "Decompress", "compress", "decompress"]

Compress: TypeAlias = Callable[[Compression, bytes, int], bytes]
"""Codec, data, magic -> the bytes as a batch holds them."""
Decompress: TypeAlias = Callable[[Compression, bytes, int, int], bytes]
"""Codec, data, magic, limit of the output in bytes -> the decompressed data."""


def compress(codec: Compression, data: bytes, magic: int) -> bytes:
    """Compress bytes into the form of a batch of this magic (only LZ4 differs by magic)."""
    match codec:
        case Compression.NONE:
            return data
        case Compression.GZIP:
            return _gzip.compress(data)
        case Compression.SNAPPY:
            return _snappy.compress(data)
        case Compression.LZ4:
            return _lz4.compress(data, magic)
        case Compression.ZSTD:
            return _zstd.compress(data)
        case never:
            assert_never(never)


def decompress(codec: Compression, data: bytes, magic: int, limit: int) -> bytes:
    """Decompress the bytes to at most `limit` bytes; the limit also bounds the memory.

    Raises:
        CompressionRefusal: COMPRESSION, BOMB.
    """
    match codec:
        case Compression.NONE:
            return data
        case Compression.GZIP:
            return _gzip.decompress(data, limit)
        case Compression.SNAPPY:
            return _snappy.decompress(data, limit)
        case Compression.LZ4:
            return _lz4.decompress(data, magic, limit)
        case Compression.ZSTD:
            return _zstd.decompress(data, limit)
        case never:
            assert_never(never)
