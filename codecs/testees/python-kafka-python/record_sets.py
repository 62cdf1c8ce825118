"""kafka-python's classes of record batches: what the producer's builders write, what the consumer reads."""

from __future__ import annotations

from typing import Any

import kafka.codec
import wireproof_records as sets
import wireproof_testee as kit
from kafka.errors import CorruptRecordError
from kafka.record.default_records import DefaultRecordBatchBuilder
from kafka.record.legacy_records import LegacyRecordBatch, LegacyRecordBatchBuilder
from kafka.record.memory_records import MemoryRecords

NO_LIMIT = 1 << 31
ENCODERS = {
    1: kafka.codec.gzip_encode,
    2: kafka.codec.snappy_encode,
    3: kafka.codec.lz4_encode,
    4: kafka.codec.zstd_encode,
}


class RecordSets(sets.RecordSets):
    """Record sets, read as the fetcher does and written as the producer does."""

    leader_epoch = 0

    def batches(self, data: bytes) -> tuple[list[dict[str, Any]], bytes]:
        records = MemoryRecords(data)
        batches = []
        while records.has_next():
            batch = records.next_batch()
            if not batch.validate_crc():
                raise CorruptRecordError("Record batch failed CRC check")
            is_old = isinstance(batch, LegacyRecordBatch)
            batches.append(_legacy(batch) if is_old else sets.batch_to_json(batch, batch.leader_epoch))
        return batches, data[records.valid_bytes() :]

    def builder(self, *head: Any) -> Any:
        return DefaultRecordBatchBuilder(*head, NO_LIMIT)

    def old_builder(self, magic: int, compression: int) -> Any:
        return LegacyRecordBatchBuilder(magic, compression, NO_LIMIT)

    def compressed(self, compression: int, data: bytes) -> bytes:
        made: bytes = ENCODERS[compression](data)
        return made


def _legacy(batch: Any) -> dict[str, Any]:
    if not batch.compression_type:
        (record,) = batch
        return {"magic": batch.magic, "compression": 0, **_message(record, 0)}
    records = list(batch)
    base = _base_offset(batch)
    messages = [_message(record, base) for record in records]
    if batch.timestamp_type and all(record.timestamp == batch._timestamp for record in records):
        raise kit.Unsupported("append-time", "the library gives each message the time of the set")
    return {
        "magic": batch.magic,
        "compression": batch.compression_type,
        "offset": str(batch.base_offset),
        "timestamp": _time(batch._timestamp),
        "messages": messages,
    }


def _base_offset(batch: Any) -> int:
    """Return the offset that iteration adds to the offsets inside a set, which are relative since magic 1.

    The library returns only the sums. The adapter subtracts this base to compare with the wire: a wrong sum
    stays wrong.
    """
    (last, *_), _ = batch._read_all_headers()[-1]
    return max(batch.base_offset - last, 0) if batch.magic else 0


def _message(record: Any, base: int) -> dict[str, Any]:
    if not record.validate_crc():
        raise CorruptRecordError("Record failed CRC check")
    return {
        "offset": str(record.offset - base),
        "timestamp": _time(record.timestamp),
        "attributes": 8 if record.timestamp_type else 0,
        "key": sets.hex_of(record.key),
        "value": sets.hex_of(record.value),
    }


def _time(time: Any) -> str:
    return str(-1 if time is None else time)
