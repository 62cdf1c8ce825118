"""kafka-python's classes of record batches: what the producer's builders write, what the consumer reads.

The builders leave to the broker what brokers set; base offset and leader epoch stand before the checksum and
are filled in here as a broker does. All else that a builder cannot be told is a limit.
"""

from __future__ import annotations

import struct
from typing import Any

import wireproof_testee as kit
from kafka.errors import CorruptRecordError
from kafka.record.default_records import DefaultRecordBatchBuilder
from kafka.record.legacy_records import LegacyRecordBatch, LegacyRecordBatchBuilder
from kafka.record.memory_records import MemoryRecords

LIMITS = {
    "broker": "what brokers alone write: control batches, log-append time, delete horizons, unused bits",
    "builder": "a batch whose header does not follow from its records, or that holds none",
    "tail": "a batch that is cut off is read past, and never written",
    "no-gain": "compression is left out where it does not make the batch smaller",
    "append-time": "a record's own timestamp in a batch of log-append time",
}
NO_LIMIT = 1 << 31


class RecordSets(kit.Message):
    """Record sets; the codec's object of a set is the list of its batches and the bytes behind them."""

    # Bytes to batches, as the fetcher does it.

    def read(self, data: bytes) -> tuple[Any, int]:
        records = MemoryRecords(data)
        batches = []
        while records.has_next():
            batch = records.next_batch()
            if not batch.validate_crc():
                raise CorruptRecordError("Record batch failed CRC check")
            batches.append(_legacy(batch) if isinstance(batch, LegacyRecordBatch) else _batch(batch))
        return (batches, data[records.valid_bytes() :]), len(data)

    def to_value(self, thing: Any) -> dict[str, Any]:
        batches, tail = thing
        return {"batches": batches, "tail": tail.hex()}

    # Batches to bytes, as the producer does it.

    def from_value(self, value: dict[str, Any]) -> Any:
        if value.get("tail"):
            raise kit.Unsupported("tail", "bytes of a batch that is cut off")
        return value.get("batches", []), b""

    def write(self, thing: Any) -> bytes:
        return b"".join(_written(batch) if batch["magic"] == 2 else _old_written(batch) for batch in thing[0])


def _batch(batch: Any) -> dict[str, Any]:
    attributes = batch.attributes
    if batch.timestamp_type:
        raise kit.Unsupported("append-time", "the library gives each record the time of the batch")
    return {
        "magic": 2,
        "compression": batch.compression_type,
        "baseOffset": str(batch.base_offset),
        "partitionLeaderEpoch": batch.leader_epoch,
        "transactional": batch.is_transactional,
        "control": batch.is_control_batch,
        "deleteHorizon": bool(attributes & 0x40),
        "reserved": (attributes & 0xFFFF) >> 7,
        "lastOffsetDelta": batch.last_offset_delta,
        "baseTimestamp": str(batch.first_timestamp),
        "maxTimestamp": str(batch.max_timestamp),
        "producerId": str(batch.producer_id),
        "producerEpoch": batch.producer_epoch,
        "baseSequence": batch.base_sequence,
        "records": [_record(batch, record) for record in batch],
    }


def _record(batch: Any, record: Any) -> dict[str, Any]:
    return {
        "timestampDelta": str(record.timestamp - batch.first_timestamp),
        "offsetDelta": record.offset - batch.base_offset,
        "key": _hex(record.key),
        "value": _hex(record.value),
        "headers": [{"key": key, "value": _hex(value)} for key, value in record.headers],
    }


def _legacy(batch: Any) -> dict[str, Any]:
    if not batch.compression_type:
        (record,) = batch
        return {"magic": batch.magic, "compression": 0, **_message(record, record.offset)}
    if batch.timestamp_type:
        raise kit.Unsupported("append-time", "the library gives each message the time of the set")
    records = list(batch)
    offsets = [header[0] for header, _ in batch._read_all_headers()]  # those that iteration makes absolute
    return {
        "magic": batch.magic,
        "compression": batch.compression_type,
        "offset": str(batch.base_offset),
        "timestamp": _time(batch._timestamp),
        "messages": [_message(record, offset) for record, offset in zip(records, offsets)],
    }


def _message(record: Any, offset: int) -> dict[str, Any]:
    if not record.validate_crc():
        raise CorruptRecordError("Record failed CRC check")
    return {
        "offset": str(offset),
        "timestamp": _time(record.timestamp),
        "attributes": 8 if record.timestamp_type else 0,
        "key": _hex(record.key),
        "value": _hex(record.value),
    }


def _written(batch: dict[str, Any]) -> bytes:
    records = batch.get("records", [])
    _able(batch, records)
    base = int(batch.get("baseTimestamp", -1))
    compression = batch.get("compression", 0)
    builder = DefaultRecordBatchBuilder(
        2,
        compression,
        batch.get("transactional", False),
        int(batch.get("producerId", -1)),
        batch.get("producerEpoch", -1),
        batch.get("baseSequence", -1),
        NO_LIMIT,
    )
    for record in records:
        headers = [(each.get("key", ""), _bytes(each.get("value"))) for each in record.get("headers", [])]
        time = base + int(record.get("timestampDelta", 0))
        key, value = _bytes(record.get("key")), _bytes(record.get("value"))
        builder.append(record.get("offsetDelta", 0), time, key, value, headers)
    built = builder.build()
    if compression and not built[22] & 7:
        raise kit.Unsupported("no-gain", "the batch would not be smaller")
    struct.pack_into(">q", built, 0, int(batch.get("baseOffset", 0)))
    struct.pack_into(">i", built, 12, batch.get("partitionLeaderEpoch", -1))
    return bytes(built)


def _able(batch: dict[str, Any], records: list[dict[str, Any]]) -> None:
    """Whether the builder can be told all that the batch holds."""
    if any(batch.get(name) for name in ("control", "logAppendTime", "deleteHorizon", "reserved")):
        raise kit.Unsupported("broker", "attributes that no producer sets")
    if any(record.get("attributes") for record in records):
        raise kit.Unsupported("broker", "attributes of a record")
    times = [int(record.get("timestampDelta", 0)) for record in records]
    most = int(batch.get("maxTimestamp", -1)) - int(batch.get("baseTimestamp", -1))
    last = batch.get("lastOffsetDelta", 0)
    if not records or times[0] or most != max(times) or last != records[-1].get("offsetDelta", 0):
        raise kit.Unsupported("builder", "a header that does not follow from the records")


def _old_written(batch: dict[str, Any]) -> bytes:
    magic, compression = batch["magic"], batch.get("compression", 0)
    messages = batch.get("messages", []) if compression else [batch]
    if not messages:
        raise kit.Unsupported("builder", "a set of no messages")
    if batch.get("attributes") or any(message.get("attributes") for message in messages):
        raise kit.Unsupported("broker", "attributes that no producer sets")
    if compression and batch.get("key") is not None:
        raise kit.Unsupported("broker", "the key of a compressed set")
    builder = LegacyRecordBatchBuilder(magic, compression, NO_LIMIT)
    for message in messages:
        key, value = _bytes(message.get("key")), _bytes(message.get("value"))
        builder.append(int(message.get("offset", 0)), int(message.get("timestamp", -1)), key, value)
    built = builder.build()
    if compression:
        struct.pack_into(">q", built, 0, int(batch.get("offset", 0)))
    return bytes(built)


def _time(time: Any) -> str:
    return str(-1 if time is None else time)


def _hex(data: Any) -> str | None:
    return None if data is None else data.hex()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else bytes.fromhex(text)
