"""Record sets for codecs that make a batch as a producer does: a builder is given one record after another.

An adapter gives the codec's builders, and says how the codec reads a set::

    import wireproof_records as sets

    class RecordSets(sets.RecordSets):
        def builder(self, *head): ...  # the codec's builder for a batch of magic 2, which has no record yet
        def old_builder(self, magic, compression): ...  # likewise of magic 0 and 1
        def batches(self, data): ...  # bytes -> (batches as canonical JSON, bytes behind the last one)

    kit.Testee(..., limits={**LIMITS, **sets.LIMITS})

Base offset and leader epoch stand before the checksum and are filled in here, as a broker does. All else that
a builder cannot be told is a limit.
"""

from __future__ import annotations

import struct
from typing import Any

import wireproof_testee as kit

__all__ = ["LIMITS", "RecordSets", "batch_to_json", "bytes_from_hex", "hex_of"]

LIMITS = {
    "broker": "what brokers alone write: control batches, log-append time, delete horizons, unused bits",
    "builder": "a batch whose header does not follow from its records, or that holds none",
    "tail": "a batch that is cut off is read past, and never written",
    "no-gain": "compression is left out where it does not make the batch smaller",
    "append-time": "a record's own timestamp where a batch of log-append time shows its own",
}
_ATTRIBUTES_AT = 22
"""The low byte of a batch's attributes (int16)."""


class RecordSets(kit.Message):
    """Record sets; the codec's object of a set is the list of its batches and the bytes behind them."""

    def builder(
        self,
        magic: int,
        compression: int,
        transactional: bool,
        producer_id: int,
        producer_epoch: int,
        base_sequence: int,
        /,
    ) -> Any:
        """What has `append(offset, timestamp, key, value, headers)` and `build()`, for a batch of magic 2."""
        raise kit.AdapterError(f"{type(self).__name__} has no builder: define it, or claim no version 2")

    def old_builder(self, magic: int, compression: int, /) -> Any:
        """What has `append(offset, timestamp, key, value)` and `build()`, for messages of magic 0 or 1."""
        raise kit.AdapterError(f"{type(self).__name__} has no old_builder: define it, or claim 2 only")

    def batches(self, data: bytes, /) -> tuple[list[dict[str, Any]], bytes]:
        """The batches in a set as canonical JSON, and what stands behind the last whole one."""
        raise kit.AdapterError(f"{type(self).__name__} has no batches: define it, or do not claim to decode")

    def read(self, data: bytes, /) -> tuple[Any, int]:
        return self.batches(data), len(data)

    def to_value(self, thing: Any, /) -> dict[str, Any]:
        batches, tail = thing
        return {"batches": batches, "tail": tail.hex()}

    def from_value(self, value: dict[str, Any], /) -> Any:
        if value.get("tail"):
            raise kit.Unsupported("tail", "bytes of a batch that is cut off")
        return value.get("batches", []), b""

    def write(self, thing: Any, /) -> bytes:
        return b"".join(
            self._written(batch) if batch["magic"] == 2 else self._old_written(batch) for batch in thing[0]
        )

    def _written(self, batch: dict[str, Any]) -> bytes:
        records = batch.get("records", [])
        _able(batch, records)
        builder = self.builder(
            2,
            batch.get("compression", 0),
            batch.get("transactional", False),
            int(batch.get("producerId", -1)),
            batch.get("producerEpoch", -1),
            batch.get("baseSequence", -1),
        )
        base = int(batch.get("baseTimestamp", -1))
        for record in records:
            headers = [
                (each.get("key", ""), bytes_from_hex(each.get("value"))) for each in record.get("headers", [])
            ]
            time = base + int(record.get("timestampDelta", 0))
            key, value = bytes_from_hex(record.get("key")), bytes_from_hex(record.get("value"))
            builder.append(record.get("offsetDelta", 0), time, key, value, headers)
        built = bytearray(builder.build())
        if batch.get("compression", 0) and not built[_ATTRIBUTES_AT] & 7:
            raise kit.Unsupported("no-gain", "the batch would not be smaller")
        struct.pack_into(">q", built, 0, int(batch.get("baseOffset", 0)))
        struct.pack_into(">i", built, 12, batch.get("partitionLeaderEpoch", -1))
        return bytes(built)

    def _old_written(self, batch: dict[str, Any]) -> bytes:
        compression = batch.get("compression", 0)
        messages = batch.get("messages", []) if compression else [batch]
        if not messages:
            raise kit.Unsupported("builder", "a set of no messages")
        if batch.get("attributes") or any(message.get("attributes") for message in messages):
            raise kit.Unsupported("broker", "attributes that no producer sets")
        if compression and batch.get("key") is not None:
            raise kit.Unsupported("broker", "the key of a compressed set")
        builder = self.old_builder(batch["magic"], compression)
        for message in messages:
            key, value = bytes_from_hex(message.get("key")), bytes_from_hex(message.get("value"))
            builder.append(int(message.get("offset", 0)), int(message.get("timestamp", -1)), key, value)
        built = bytearray(builder.build())
        if compression:
            struct.pack_into(">q", built, 0, int(batch.get("offset", 0)))
        return bytes(built)


def _able(batch: dict[str, Any], records: list[dict[str, Any]]) -> None:
    """Whether a builder can be told all that the batch holds."""
    if any(batch.get(name) for name in ("control", "logAppendTime", "deleteHorizon", "reserved")):
        raise kit.Unsupported("broker", "attributes that no producer sets")
    if any(record.get("attributes") for record in records):
        raise kit.Unsupported("broker", "attributes of a record")
    times = [int(record.get("timestampDelta", 0)) for record in records]
    most = int(batch.get("maxTimestamp", -1)) - int(batch.get("baseTimestamp", -1))
    last = batch.get("lastOffsetDelta", 0)
    if not records or times[0] or most != max(times) or last != records[-1].get("offsetDelta", 0):
        raise kit.Unsupported("builder", "a header that does not follow from the records")


def batch_to_json(batch: Any, leader_epoch: int) -> dict[str, Any]:
    """A batch of magic 2 that has kafka-python's attributes, and records with absolute offsets and times.

    Raises:
        Unsupported: it is of log-append time, so that its records show another time than they hold.
    """
    if batch.timestamp_type:
        raise kit.Unsupported("append-time", "each record has the time of the batch")
    attributes = batch.attributes
    return {
        "magic": batch.magic,
        "compression": batch.compression_type,
        "baseOffset": str(batch.base_offset),
        "partitionLeaderEpoch": leader_epoch,
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
        "records": [
            {
                "timestampDelta": str(_int64(record.timestamp - batch.first_timestamp)),
                "offsetDelta": _int64(record.offset - batch.base_offset),
                "key": hex_of(record.key),
                "value": hex_of(record.value),
                "headers": [{"key": key, "value": hex_of(value)} for key, value in record.headers],
            }
            for record in batch
        ],
    }


def _int64(number: int) -> int:
    """A difference as Kafka's sums of int64 wrap: what is past the end begins again below."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def hex_of(data: Any) -> str | None:
    """Bytes, which may be missing, as canonical JSON has them."""
    return None if data is None else bytes(data).hex()


def bytes_from_hex(text: str | None) -> bytes | None:
    """The reverse of `hex_of`."""
    return None if text is None else bytes.fromhex(text)
