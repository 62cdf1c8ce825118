"""kio's module of record batches, magic 2 without compression: its reader and its writer of new batches.

kio has no sets. Its caller reads one batch after another, and has to detect that the last one is cut off.
"""

from __future__ import annotations

import io
import re
from typing import Any

import wireproof_records as sets
import wireproof_testee as kit
from kio.records.readers import read_batch
from kio.records.schema import NewRecordBatch, Record, RecordBatch, RecordHeader
from kio.records.writers import write_batch
from times import EPOCH, MILLISECOND, datetime_of

LIMITS = {name: sets.LIMITS[name] for name in ("builder", "tail")}
RECORD_LIMITS = ("tail", "derived-header", "first-offset", "calendar-times")
FLAGS = {"logAppendTime": 3, "transactional": 4, "control": 5, "deleteHorizon": 6}
"""The bits of a batch's attributes; kio has them as a number."""
PREFIX = 12
"""Base offset and size of a batch, in bytes."""


class RecordSets(kit.Message):
    """Record sets. The object of a set is the list of its batches and the bytes after them."""

    def read(self, data: bytes) -> tuple[Any, int]:
        batches, offset = [], 0
        while _whole(data, offset):
            batch, size = _read(data, offset)
            batches.append(batch)
            offset += size
        return (batches, data[offset:]), len(data)

    def to_value(self, thing: Any) -> dict[str, Any]:
        batches, tail = thing
        return {"batches": [_batch_to_json(batch) for batch in batches], "tail": tail.hex()}

    def from_value(self, value: dict[str, Any]) -> Any:
        if value.get("tail"):
            raise kit.Unsupported("tail", "bytes of a batch that is cut off")
        return [_new(batch) for batch in value.get("batches", [])], b""

    def write(self, thing: Any) -> bytes:
        buffer = io.BytesIO()
        for batch in thing[0]:
            write_batch(buffer, batch)
        return buffer.getvalue()


def _read(data: bytes, offset: int) -> tuple[RecordBatch, int]:
    try:
        read: tuple[RecordBatch, int] = read_batch(data, offset)
    except ValueError as error:
        if re.fullmatch(r"year -?\d+ is out of range", str(error)):  # the years of a datetime
            raise kit.Unsupported("datetime", str(error)) from error
        raise
    return read


def _whole(data: bytes, offset: int) -> bool:
    size = int.from_bytes(data[offset + 8 : offset + PREFIX], "big", signed=True)
    return offset + PREFIX <= len(data) and offset + PREFIX + size <= len(data)


def _batch_to_json(batch: RecordBatch) -> dict[str, Any]:
    return {
        "magic": batch.magic,
        "compression": batch.attributes & 7,
        "baseOffset": str(batch.base_offset),
        "partitionLeaderEpoch": batch.partition_leader_epoch,
        **{name: bool(batch.attributes >> bit & 1) for name, bit in FLAGS.items()},
        "reserved": (batch.attributes & 0xFFFF) >> 7,
        "lastOffsetDelta": batch.last_offset_delta,
        "baseTimestamp": str(batch.base_timestamp),
        "maxTimestamp": str(batch.max_timestamp),
        "producerId": str(batch.producer_id),
        "producerEpoch": batch.producer_epoch,
        "baseSequence": batch.base_sequence,
        "records": [_record_to_json(batch, record) for record in batch.records],
    }


def _record_to_json(batch: RecordBatch, record: Record) -> dict[str, Any]:
    time = (record.timestamp - EPOCH) // MILLISECOND
    return {
        "attributes": record.attributes,
        "timestampDelta": str(time - batch.base_timestamp),
        "offsetDelta": record.offset - batch.base_offset,
        "key": sets.hex_of(record.key),
        "value": sets.hex_of(record.value),
        "headers": [{"key": _text(each.key), "value": sets.hex_of(each.value)} for each in record.headers],
    }


def _new(batch: dict[str, Any]) -> NewRecordBatch:
    records = batch.get("records", [])
    times = [int(record.get("timestampDelta", 0)) for record in records]
    most = int(batch.get("maxTimestamp", -1)) - int(batch.get("baseTimestamp", -1))
    offsets = [record.get("offsetDelta", 0) for record in records]
    last = batch.get("lastOffsetDelta", 0)
    if not records or times[0] or offsets[0] or most != max(times) or last != offsets[-1]:
        raise kit.Unsupported("builder", "a header that does not follow from the records")
    bits = sum(bool(batch.get(name)) << bit for name, bit in FLAGS.items()) | batch.get("reserved", 0) << 7
    return NewRecordBatch(
        producer_id=int(batch.get("producerId", -1)),
        producer_epoch=batch.get("producerEpoch", -1),
        partition_leader_epoch=batch.get("partitionLeaderEpoch", -1),
        base_sequence=batch.get("baseSequence", -1),
        attributes=(bits ^ 0x8000) - 0x8000,
        records=tuple(_new_record(batch, record) for record in records),
    )


def _new_record(batch: dict[str, Any], record: dict[str, Any]) -> Record:
    time = int(batch.get("baseTimestamp", -1)) + int(record.get("timestampDelta", 0))
    return Record(
        attributes=record.get("attributes", 0),
        timestamp=datetime_of(time),
        offset=int(batch.get("baseOffset", 0)) + record.get("offsetDelta", 0),
        key=sets.bytes_from_hex(record.get("key")),
        value=sets.bytes_from_hex(record.get("value")),
        headers=tuple(
            RecordHeader(key=each.get("key", "").encode(), value=sets.bytes_from_hex(each.get("value")))
            for each in record.get("headers", [])
        ),
    )


def _text(key: bytes | None) -> str | None:
    """Return the text of a header's key, bytes in kio; ill-formed parts become U+FFFD, as in Kafka."""
    return None if key is None else key.decode(errors="replace")
