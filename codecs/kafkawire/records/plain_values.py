"""Record sets as plain values (`kafkawire.values`) of the layout `record_set_layout`, and back.

The plain value has all data of the typed value, under the names that errors and reports use. An absent key
means the default, as in messages.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from kafkawire.errors import EncodeError, Fault
from kafkawire.records.model import (
    Batch,
    Compression,
    Header,
    Message,
    MessageSet,
    Record,
    RecordBatch,
    RecordSet,
)


def highest_magic(records: RecordSet) -> int:
    """The version of `record_set_spec` that can hold the set; 2 if the set has no batch."""
    return max((batch.magic for batch in records.batches), default=2)


def to_value(records: RecordSet) -> dict[str, Any]:
    """Return the plain value, with the contents of the set unchecked."""
    return {"batches": [_batch(batch) for batch in records.batches], "tail": records.tail}


def _batch(batch: Batch) -> dict[str, Any]:
    match batch:
        case RecordBatch():
            return _record_batch(batch)
        case MessageSet():
            return {
                "magic": batch.magic,
                "compression": int(batch.compression),
                "offset": batch.offset,
                "timestamp": batch.timestamp,
                "attributes": batch.attributes,
                "key": batch.key,
                "messages": [_message(message) for message in batch.messages],
            }
        case Message():
            return {"magic": batch.magic, "compression": 0, **_message(batch)}


def _message(message: Message) -> dict[str, Any]:
    return {
        "offset": message.offset,
        "timestamp": message.timestamp,
        "attributes": message.attributes,
        "key": message.key,
        "value": message.value,
    }


_ATTRIBUTES: Final = {
    "baseOffset": "base_offset",
    "partitionLeaderEpoch": "partition_leader_epoch",
    "logAppendTime": "log_append_time",
    "transactional": "transactional",
    "control": "control",
    "deleteHorizon": "delete_horizon",
    "reserved": "reserved",
    "lastOffsetDelta": "last_offset_delta",
    "baseTimestamp": "base_timestamp",
    "maxTimestamp": "max_timestamp",
    "producerId": "producer_id",
    "producerEpoch": "producer_epoch",
    "baseSequence": "base_sequence",
}
"""The keys of a batch of magic 2 whose values are attributes of a `RecordBatch`."""


def _record_batch(batch: RecordBatch) -> dict[str, Any]:
    return {
        "magic": 2,
        "compression": int(batch.compression),
        **{key: getattr(batch, attribute) for key, attribute in _ATTRIBUTES.items()},
        "records": [
            {
                "attributes": attributes,
                "timestampDelta": timestamp_delta,
                "offsetDelta": offset_delta,
                "key": key,
                "value": value,
                "headers": [{"key": name, "value": held} for name, held in headers] if headers else [],
            }
            for offset_delta, timestamp_delta, key, value, headers, attributes in batch.records
        ],
    }


def from_value(value: Mapping[str, Any]) -> RecordSet:
    """Return the set of a plain value.

    Raises:
        EncodeError: CODEC for a compression that does not exist.
    """
    batches = tuple(_batch_of(batch) for batch in value.get("batches", ()))
    return RecordSet(batches, value.get("tail", b""))


def _batch_of(value: Mapping[str, Any]) -> Batch:
    if value.get("magic") == 2:
        return _record_batch_of(value)
    codec = _compression(value)
    if codec is Compression.NONE:
        return _message_of(value, value.get("magic", 0))
    return MessageSet(
        codec,
        tuple(_message_of(each, value.get("magic", 0)) for each in value.get("messages", ())),
        value.get("offset", 0),
        value.get("timestamp", -1),
        value.get("magic", 0),
        value.get("attributes", 0),
        value.get("key"),
    )


def _compression(value: Mapping[str, Any]) -> Compression:
    number = value.get("compression", 0)
    try:
        return Compression(number)
    except ValueError:
        raise EncodeError(Fault.CODEC, "compression", f"codec {number}") from None


def _message_of(value: Mapping[str, Any], magic: int) -> Message:
    return Message(
        value.get("offset", 0),
        value.get("timestamp", -1),
        value.get("key"),
        value.get("value"),
        magic,
        value.get("attributes", 0),
    )


def _record_batch_of(value: Mapping[str, Any]) -> RecordBatch:
    given = {attribute: value[key] for key, attribute in _ATTRIBUTES.items() if key in value}
    return RecordBatch(_records(value.get("records", ())), compression=_compression(value), **given)


def _records(values: Iterable[Mapping[str, Any]]) -> tuple[Record, ...]:
    return tuple(
        [
            Record(
                each.get("offsetDelta", 0),
                each.get("timestampDelta", 0),
                each.get("key"),
                each.get("value"),
                _headers(headers) if (headers := each.get("headers")) else (),
                each.get("attributes", 0),
            )
            for each in values
        ]
    )


def _headers(values: Iterable[Mapping[str, Any]]) -> tuple[Header, ...]:
    return tuple(Header(each.get("key", ""), each.get("value")) for each in values)
