"""Record sets as bytes: compressed streams that are valid, and that our own encoder does not write.

Other clients do: a stream flushed in the middle, members joined together, checksums, larger blocks. There is
no value to begin with; the codec has to read in them what Kafka reads.
"""

import gzip
import struct
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final
from zlib import crc32

from kafkawire.records import Compression, Message, Record, RecordBatch, encode_records
from kafkawire.records.compression import compress

__all__ = ["record_bytes"]

_V2_BODY: Final = 61


def record_bytes() -> Iterator[tuple[str, int, bytes]]:
    """(name, magic, bytes) of each set; the order is fixed."""
    records = [Record(n, n, b"key %d" % n, b"value %d" % n * 9) for n in range(40)]
    plain = encode_records((RecordBatch.of(records),))
    for codec, name, body in _streams(plain[_V2_BODY:], 2):
        yield f"v2/{codec.name.lower()}/{name}", 2, _batch(codec, plain, body)
    for magic in (0, 1):
        messages = tuple(
            Message(n, 5 if magic else -1, b"key", b"value %d" % n * 9, magic) for n in range(40)
        )
        inner = encode_records(messages)
        wrapper = encode_records((Message(39, 5 if magic else -1, None, b"", magic),))
        for codec, name, body in _streams(inner, magic):
            if codec is not Compression.ZSTD:
                yield f"v{magic}/{codec.name.lower()}/{name}", magic, _wrapped(codec, wrapper, body)


def _streams(content: bytes, magic: int) -> Iterator[tuple[Compression, str, bytes]]:
    half = len(content) // 2
    parts = content[:half], content[half:]
    for codec in (Compression.GZIP, Compression.SNAPPY, Compression.ZSTD):
        joined = b"".join(compress(codec, part, magic) for part in parts)
        yield codec, "two-streams", joined
    yield Compression.GZIP, "stored", gzip.compress(content, compresslevel=0)
    yield Compression.SNAPPY, "raw-block", _snappy(content)
    yield Compression.ZSTD, "checksum", _zstd(content, write_checksum=True)
    yield Compression.ZSTD, "no-content-size", _zstd(content, write_content_size=False)
    for name, options in (
        ("block-4-mib", {"block_size": 7}),
        ("block-checksum", {"block_checksum": True}),
        ("content-checksum", {"content_checksum": True}),
    ):
        yield Compression.LZ4, name, _lz4(content, **options)


def _snappy(content: bytes) -> bytes:
    """One block without the xerial frame, as the C library writes it."""
    return bytes(import_module("cramjam").snappy.compress_raw(content))


def _zstd(content: bytes, **options: Any) -> bytes:
    return bytes(import_module("zstandard").ZstdCompressor(**options).compress(content))


def _lz4(content: bytes, **options: Any) -> bytes:
    settings = {"block_linked": False, "store_size": False, **options}
    return bytes(import_module("lz4.frame").compress(content, **settings))


def _batch(codec: Compression, plain: bytes, body: bytes) -> bytes:
    """A batch of magic 2 with other content under the same header."""
    attributes = struct.pack(">h", codec)
    rest = attributes + plain[23:_V2_BODY] + body
    head = plain[:8] + struct.pack(">i", 9 + len(rest)) + plain[12:17]
    return head + struct.pack(">I", import_module("google_crc32c").value(rest)) + rest


def _wrapped(codec: Compression, wrapper: bytes, body: bytes) -> bytes:
    """A legacy message with another value, and the codec in its attributes."""
    rest = wrapper[16:17] + bytes([codec]) + wrapper[18:-4] + struct.pack(">i", len(body)) + body
    return wrapper[:8] + struct.pack(">iI", 4 + len(rest), crc32(rest)) + rest
