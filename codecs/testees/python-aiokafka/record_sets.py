"""aiokafka's compiled classes of record batches: what the producer's builders write, what the consumer reads.

The classes do not show where a batch ends, nor its leader epoch, nor all of a compressed old set.
The library's own `MemoryRecords` is asked where a batch ends. The rest is a limit: the bytes decide if it
applies, once the library has read them.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from typing import Any

import aiokafka.codec
import wireproof_records as sets
import wireproof_testee as kit
from aiokafka.errors import CorruptRecordException
from aiokafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder
from aiokafka.record.legacy_records import LegacyRecordBatchBuilder
from aiokafka.record.memory_records import MemoryRecords

LIMITS = {
    **sets.LIMITS,
    "leader-epoch": "the leader epoch of a batch is not shown",
    "old-sets": "a compressed set of messages does not show its key, its other attributes, and its timestamp "
    "where that is not the largest inside",
}
RECORD_LIMITS = (*sets.RECORD_LIMITS, "leader-epoch")
NO_LIMIT = (1 << 31) - 1
ENCODERS = {
    1: aiokafka.codec.gzip_encode,
    2: aiokafka.codec.snappy_encode,
    3: aiokafka.codec.lz4_encode,
    4: aiokafka.codec.zstd_encode,
}
DECODERS = {1: aiokafka.codec.gzip_decode, 2: aiokafka.codec.snappy_decode, 3: aiokafka.codec.lz4_decode}
CODEC_MASK, APPEND_TIME = 7, 8


class RecordSets(sets.RecordSets):
    """Record sets, read as the fetcher's `PartitionRecords` and written as the producer's accumulator."""

    def batches(self, data: bytes) -> tuple[list[dict[str, Any]], bytes]:
        records = MemoryRecords(data)
        batches, start = [], 0
        while records.has_next():
            batch = records.next_batch()
            if not batch.validate_crc():
                raise CorruptRecordException("Invalid CRC")
            end = _end(data, len(batches) + 1)
            whole = data[start:end]
            is_new = isinstance(batch, DefaultRecordBatch)
            batches.append(_batch(batch, whole) if is_new else _old(batch, whole))
            start = end
        return batches, data[start:]

    def builder(self, *head: Any) -> Any:
        return DefaultRecordBatchBuilder(*head, NO_LIMIT)

    def old_builder(self, magic: int, compression: int) -> Any:
        return LegacyRecordBatchBuilder(magic, compression, NO_LIMIT)

    def compressed(self, compression: int, data: bytes) -> bytes:
        return bytes(ENCODERS[compression](data))


def _end(data: bytes, count: int) -> int:
    """Return the end of a batch: the length of the shortest prefix with that many batches for the library."""
    return bisect_left(range(len(data)), count, key=lambda end: _found(data[:end]))


def _found(data: bytes) -> int:
    records, count = MemoryRecords(data), 0
    while records.has_next():
        records.next_batch()
        count += 1
    return count


def _batch(batch: Any, whole: bytes) -> dict[str, Any]:
    value = sets.batch_to_json(batch, -1)
    (epoch,) = struct.unpack_from(">i", whole, 12)
    if epoch != -1:
        raise kit.Unsupported("leader-epoch", f"it is {epoch}")
    return value


def _old(batch: Any, whole: bytes) -> dict[str, Any]:
    """Convert a message, or a compressed set of messages."""
    records = list(batch)
    magic, codec = whole[16], whole[17] & CODEC_MASK
    if not codec:
        (record,) = records
        return {"magic": magic, "compression": 0, **_message(record, 0)}
    set_offset = sets.int64(batch.next_offset - 1)
    times = [_time(record) for record in records]
    inside = _inside(magic, whole, max(times) if magic else None)
    base = max(set_offset - _last_offset(inside), 0) if magic else 0
    return {
        "magic": magic,
        "compression": codec,
        "offset": str(set_offset),
        **({"timestamp": str(max(times))} if magic else {}),
        "messages": [_message(record, base) for record in records],
    }


def _inside(magic: int, whole: bytes, shown: int | None) -> bytes:
    """The messages in a compressed set.

    Args:
        shown: the timestamp that the set must have, for its own is not shown.

    Raises:
        Unsupported: the set holds more than the library shows.
    """
    head = struct.unpack_from(">q", whole, 18)[0] if magic else None
    at = 26 if magic else 18
    (key_size,) = struct.unpack_from(">i", whole, at)
    if whole[17] & ~CODEC_MASK or key_size != -1 or head != shown:
        raise kit.Unsupported("old-sets", "a timestamp, a key or attributes of the set itself")
    return bytes(DECODERS[whole[17] & CODEC_MASK](whole[at + 8 :]))


def _last_offset(inside: bytes) -> int:
    """The offset that the last message in a set has on the wire.

    The library adds what a set's own offset exceeds it by, and shows the sums alone. To compare them with the
    wire, the same is taken off again: a sum that is wrong stays wrong.
    """
    offset, at = 0, 0
    while at + 12 <= len(inside):
        offset, size = struct.unpack_from(">qi", inside, at)
        at += 12 + max(size, 0)
    return offset


def _message(record: Any, base: int) -> dict[str, Any]:
    return {
        "offset": str(record.offset - base),
        "timestamp": str(_time(record)),
        "attributes": APPEND_TIME if record.timestamp_type else 0,
        "key": sets.hex_of(record.key),
        "value": sets.hex_of(record.value),
    }


def _time(record: Any) -> int:
    """The library's None is -1, which means that there is none."""
    return -1 if record.timestamp is None else int(record.timestamp)
