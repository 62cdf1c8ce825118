"""Record sets of other writers: framings of compressed data that Kafka reads and never writes."""

import gzip
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any, Final

from kafkawire.records import (
    Batch,
    Compression,
    Message,
    Record,
    RecordBatch,
    RecordSet,
    compress,
    encode_records,
)
from kafkawire.wire.varints import write_varint
from wireproof.model.case_source import RecordCase
from wireproof.proof.strategies.records.record_cases import BASE, message_set

_LZ4_HEADER_BYTES: Final = 7
_XERIAL_BYTES: Final = 20
"""The header of the stream and the length of its first block."""


def foreign_cases() -> Iterator[RecordCase]:
    """Every case; the order is fixed."""
    for name, codec, framing in _framings():
        for magic in (0, 1, 2):
            if magic not in _MAGICS.get(name, _ALL if codec is not Compression.ZSTD else (2,)):
                continue
            records = RecordSet((_batch(magic, codec),))
            data = encode_records(records, compress=framing)
            yield RecordCase(
                f"v{magic}/{codec.name.lower()}/foreign-{name}",
                records,
                builder=False,
                parts=False,
                foreign=data,
            )


def _batch(magic: int, codec: Compression) -> Batch:
    rows = [(n, b"key-%d" % n, b"value-%d" % n * 20) for n in range(40)]
    if magic == 2:
        records = [Record(n, 3 * n, key, value) for n, key, value in rows]
        return RecordBatch.of(records, base_timestamp=BASE, compression=codec)
    messages = [Message(n + 9, BASE + n if magic else -1, key, value, magic) for n, key, value in rows]
    return message_set(codec, messages)


_ALL: Final = (0, 1, 2)
_MAGICS: Final = {"long-varints": (2,), "right-checksum": (0,)}
"""The magics of framings that exist only for some magics."""


def _framings() -> Iterator[tuple[str, Compression, Callable[[Compression, bytes, int], bytes]]]:
    for codec in (Compression.GZIP, Compression.SNAPPY, Compression.ZSTD):
        yield "two-streams", codec, partial(_joined, (0.5,))
        yield "empty-stream-between", codec, partial(_joined, (0.3, 0.3))
    yield "stored", Compression.GZIP, lambda _, data, __: gzip.compress(data, compresslevel=0)
    yield "checksum", Compression.ZSTD, partial(_zstd, write_checksum=True)
    yield "content-size", Compression.ZSTD, partial(_zstd, write_content_size=True)
    yield "blocks-of-4-mib", Compression.LZ4, partial(_lz4, block_size=7)
    yield "block-checksums", Compression.LZ4, partial(_lz4, block_checksum=True)
    yield "content-checksum", Compression.LZ4, partial(_lz4, content_checksum=True)
    yield "raw-block", Compression.SNAPPY, _raw_snappy
    yield "stored-blocks", Compression.LZ4, _stored_lz4
    yield "right-checksum", Compression.LZ4, _right_lz4
    yield "long-varints", Compression.GZIP, _long_varints


def _joined(cuts: tuple[float, ...], codec: Compression, data: bytes, magic: int) -> bytes:
    """Join streams of the data, cut at these fractions of it."""
    ends = [0, *(int(cut * len(data)) for cut in cuts), len(data)]
    return b"".join(compress(codec, data[start:end], magic) for start, end in pairwise(ends))


def _zstd(codec: Compression, data: bytes, magic: int, **options: Any) -> bytes:
    return bytes(import_module("zstandard").ZstdCompressor(**options).compress(data))


def _lz4(codec: Compression, data: bytes, magic: int, **options: Any) -> bytes:
    settings = {"block_linked": False, "store_size": False, **options}
    return bytes(import_module("lz4.frame").compress(data, **settings))


def _raw_snappy(codec: Compression, data: bytes, magic: int) -> bytes:
    """One block without the stream around it, as some clients in C send."""
    return compress(codec, data, magic)[_XERIAL_BYTES:]


def _right_lz4(codec: Compression, data: bytes, magic: int) -> bytes:
    """Return a magic 0 frame whose header has the checksum of the LZ4 specification (KAFKA-3160)."""
    return compress(codec, data, 1)


def _stored_lz4(codec: Compression, data: bytes, magic: int) -> bytes:
    """A frame of two blocks that are not compressed."""
    header = compress(codec, data, magic)[:_LZ4_HEADER_BYTES]
    middle = len(data) // 3
    blocks = [(len(part) | 1 << 31).to_bytes(4, "little") + part for part in (data[:middle], data[middle:])]
    return header + b"".join(blocks) + bytes(4)


def _long_varints(codec: Compression, data: bytes, magic: int) -> bytes:
    """The records of `_batch` with each varint a byte longer than it needs to be, which Kafka reads."""
    batch = _batch(2, codec)
    assert isinstance(batch, RecordBatch)
    block = b""
    for record in batch.records:
        numbers = (record.timestamp_delta, record.offset_delta, len(record.key or b""))
        body = b"\0" + b"".join(map(_longer, numbers)) + (record.key or b"")
        body += _longer(len(record.value or b"")) + (record.value or b"") + _longer(0)
        block += _longer(len(body)) + body
    return compress(codec, block, magic)


def _longer(value: int) -> bytes:
    *rest, last = write_varint(value)
    return bytes([*rest, last | 0x80, 0])
