"""aiokafka's compiled classes of record batches: what the producer's builders write, what the consumer reads.

The classes show neither where a batch begins nor the epoch of its leader. Of a set of messages they show
neither the timestamp nor the offsets inside, so that old sets are not decoded here.
"""

from __future__ import annotations

import struct
from typing import Any

import wireproof_records as sets
import wireproof_testee as kit
from aiokafka.errors import CorruptRecordException
from aiokafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder
from aiokafka.record.legacy_records import LegacyRecordBatchBuilder
from aiokafka.record.memory_records import MemoryRecords

LIMITS = {
    **sets.LIMITS,
    "leader-epoch": "the leader epoch of a batch is not shown",
    "old-sets": "of a set of messages neither the timestamp nor the offsets inside are shown",
}
NO_LIMIT = (1 << 31) - 1


class RecordSets(sets.RecordSets):
    """What `PartitionRecords` of the fetcher reads, and what the producer's accumulator writes."""

    def batches(self, data: bytes) -> tuple[list[dict[str, Any]], bytes]:
        records = MemoryRecords(data)
        batches, start = [], 0
        while records.has_next():
            batch = records.next_batch()
            if not batch.validate_crc():
                raise CorruptRecordException("Invalid CRC")
            if not isinstance(batch, DefaultRecordBatch):
                raise kit.Unsupported("old-sets", "messages of magic 0 or 1")
            size, epoch = struct.unpack_from(">ii", data, start + 8)
            if epoch != -1:
                raise kit.Unsupported("leader-epoch", f"it is {epoch}")
            start += 12 + size
            batches.append(sets.batch_to_json(batch, epoch))
        return batches, data[start:]

    def builder(self, *head: Any) -> Any:
        return DefaultRecordBatchBuilder(*head, NO_LIMIT)

    def old_builder(self, magic: int, compression: int) -> Any:
        return LegacyRecordBatchBuilder(magic, compression, NO_LIMIT)
