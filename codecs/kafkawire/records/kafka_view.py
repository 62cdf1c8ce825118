"""The canonical form of a record set: what Java and Python compare.

All numbers big-endian; a block is an int32 length (-1 null) and bytes. Kafka's side is the Java class
`RecordSets`, which documents the same form.

======= =======================================================================================
set     count of batches (int32), batches, block tail
batch   magic, compression, timestamp type (-1 none, 0 create, 1 append), flags (1 transactional,
        2 control, 4 delete horizon; int8 each), base offset, last offset, base timestamp (-1 below
        magic 2), max timestamp (int64 each), leader epoch (int32), producer id (int64), producer epoch
        (int16), base sequence (int32), delete horizon (int64, -1 none), count (int32), records
record  offset, timestamp (int64 each), sequence (int32), control type (int16; -1 unknown, -2 in a batch
        that is none of control), block key, block value, count of headers (int32), headers
header  block key (UTF-8), block value
======= =======================================================================================

It has only the data that Kafka's readers return. It lacks unused attribute bits, the key of a compressed
legacy set, and deltas under log-append time. Two sets with equal bytes agree in these, too.
"""

import struct
from typing import Final

from kafkawire.records.control import ControlType, control_type
from kafkawire.records.model import Batch, Message, MessageSet, RecordBatch, RecordSet

NO_CONTROL_TYPE: Final = -2
UNKNOWN_CONTROL_TYPE: Final = -1

_BATCH: Final = struct.Struct(">bbbbqqqqiqhiqi")
_RECORD: Final = struct.Struct(">qqih")
_INT: Final = struct.Struct(">i")
_INTS: Final = 1 << 32
_NULL: Final = _INT.pack(-1)


def to_canonical(records: RecordSet, *, written: bool = False) -> bytes:
    """Return the canonical form of a set.

    Args:
        written: use the timestamps that the records were written with, for a builder; else the timestamps
            that a consumer sees, after log-append time has replaced them.

    Raises:
        DecodeError: a record of a control batch has no key with its type.
    """
    batches = b"".join([_batch(batch, written) for batch in records.batches])
    return _INT.pack(len(records.batches)) + batches + _block(records.tail)


def _batch(batch: Batch, written: bool) -> bytes:
    match batch:
        case RecordBatch():
            return _record_batch(batch, written)
        case MessageSet():
            return _message_set(batch, written)
        case Message():
            kind = -1 if batch.magic == 0 else int(batch.log_append_time)
            head = _legacy_head(batch.magic, 0, kind, batch.offset, batch.offset, batch.timestamp, 1)
            return head + _message(batch.offset, batch.timestamp, batch)


def _record_batch(batch: RecordBatch, written: bool) -> bytes:
    flags = batch.transactional | batch.control << 1 | batch.delete_horizon << 2
    parts = [
        _BATCH.pack(
            2, batch.compression, batch.log_append_time, flags, batch.base_offset,
            _long(batch.base_offset + batch.last_offset_delta), batch.base_timestamp, batch.max_timestamp,
            batch.partition_leader_epoch, batch.producer_id, batch.producer_epoch, batch.base_sequence,
            batch.base_timestamp if batch.delete_horizon else -1, len(batch.records),
        )
    ]  # fmt: skip
    stamp = batch.written_timestamp_of if written else batch.timestamp_of
    for record in batch.records:
        sequence = _sequence(batch.base_sequence, record.offset_delta)
        kind = _control(record.key) if batch.control else NO_CONTROL_TYPE
        parts += _RECORD.pack(batch.offset_of(record), stamp(record), sequence, kind), _block(record.key)
        parts += _block(record.value), _INT.pack(len(record.headers))
        for header in record.headers:
            parts += _block(header.key.encode()), _block(header.value)
    return b"".join(parts)


def _control(key: bytes | None) -> int:
    kind = control_type(key)
    return kind if isinstance(kind, ControlType) else UNKNOWN_CONTROL_TYPE


def _sequence(base: int, delta: int) -> int:
    """Kafka's `DefaultRecordBatch.incrementSequence`, in Java's int arithmetic."""
    if base < 0:
        return -1
    highest = _INTS // 2 - 1
    return _int(delta - (highest - base) - 1) if base > _int(highest - delta) else _int(base + delta)


def _message_set(batch: MessageSet, written: bool) -> bytes:
    kind = -1 if batch.magic == 0 else int(batch.log_append_time)
    first = batch.offset_of(batch.messages[0]) if batch.messages else batch.offset
    parts = [
        _legacy_head(
            batch.magic, batch.compression, kind, first, batch.offset, batch.timestamp, len(batch.messages)
        )
    ]
    for message in batch.messages:
        stamp = message.timestamp if written else batch.timestamp_of(message)
        parts.append(_message(batch.offset_of(message), stamp, message))
    return b"".join(parts)


def _legacy_head(
    magic: int, codec: int, timestamp_type: int, first: int, last: int, timestamp: int, count: int
) -> bytes:
    return _BATCH.pack(
        magic, codec, timestamp_type, 0, first, last, -1, timestamp, -1, -1, -1, -1, -1, count
    )  # fmt: skip


def _message(offset: int, timestamp: int, message: Message) -> bytes:
    head = _RECORD.pack(offset, timestamp, -1, NO_CONTROL_TYPE)
    return head + _block(message.key) + _block(message.value) + _INT.pack(0)


def _block(data: bytes | None) -> bytes:
    return _NULL if data is None else _INT.pack(len(data)) + data


def _long(value: int) -> int:
    value %= 1 << 64
    return value - (1 << 64) if value >> 63 else value


def _int(value: int) -> int:
    value %= _INTS
    return value - _INTS if value >> 31 else value
