"""Record sets for codecs that build a batch as a producer does: by appending one record after another.

An adapter provides the codec's builders and the function that reads a set::

    import wireproof_records as sets

    class RecordSets(sets.RecordSets):
        def builder(self, *head): ...  # the codec's builder for an empty batch of magic 2
        def old_builder(self, magic, compression): ...  # the same for magic 0 and 1
        def compressed(self, compression, data): ...  # compresses bytes with the codec
        def batches(self, data): ...  # bytes -> (batches as canonical JSON, bytes after the last one)

    kit.Testee(..., limits={**LIMITS, **sets.LIMITS}, record_limits=sets.RECORD_LIMITS)

A broker sets the base offset and the leader epoch, which the checksum does not cover. This module sets them
as a broker does, but only if the builder wrote its placeholder: any other value stays and is reported as a
difference. Everything else that a builder does not accept is a limit.
"""

from __future__ import annotations

import struct
from typing import Any

import wireproof_testee as kit

__all__ = ["LIMITS", "RECORD_LIMITS", "RecordSets", "batch_to_json", "bytes_from_hex", "hex_of", "int64"]

LIMITS = {
    "broker": "what brokers alone write: control batches, log-append time, delete horizons, unused bits",
    "builder": "a batch whose header does not follow from its records, or that holds none",
    "tail": "a batch that is cut off is read past, and never written",
    "no-gain": "compression is left out where it does not make the batch smaller",
    "append-time": "a record's own timestamp where a batch of log-append time shows its own",
}
RECORD_LIMITS = (
    "control",
    "append-time",
    "delete-horizon",
    "unused-bits",
    "derived-header",
    "tail",
    "compression-gain",
)
"""The limits of random record sets, in the protocol's words."""
_HEADER = 61
"""The number of bytes of a batch of magic 2 before its records."""


class RecordSets(kit.Message):
    """Record sets. The object of a set is the list of its batches and the bytes after them.

    Attributes:
        leader_epoch: the placeholder that the builder writes for the leader epoch.
    """

    leader_epoch = -1

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
        """Return a builder: `append(offset, timestamp, key, value, headers)` and `build()`, for magic 2."""
        raise kit.AdapterError(f"{type(self).__name__} has no builder: define it, or do not claim version 2")

    def old_builder(self, magic: int, compression: int, /) -> Any:
        """Return a builder: `append(offset, timestamp, key, value)` and `build()`, for magic 0 or 1."""
        raise kit.AdapterError(f"{type(self).__name__} has no old_builder: define it, or claim 2 only")

    def compressed(self, compression: int, data: bytes, /) -> bytes:
        """Compress bytes with the codec's own compression: the limit `no-gain` needs it."""
        raise kit.AdapterError(f"{type(self).__name__} has no compressed: define it, or claim no compression")

    def batches(self, data: bytes, /) -> tuple[list[dict[str, Any]], bytes]:
        """Return the batches in a set as canonical JSON, and the bytes after the last whole one."""
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
        _check_buildable(batch, batch.get("records", []))
        compression = batch.get("compression", 0)
        built = self._built(batch, compression)
        if compression and self._gains_nothing(batch, compression, built):
            raise kit.Unsupported("no-gain", "the batch would not be smaller")
        _as_a_broker(">q", built, 0, 0, int(batch.get("baseOffset", 0)))
        _as_a_broker(">i", built, 12, self.leader_epoch, batch.get("partitionLeaderEpoch", -1))
        return bytes(built)

    def _built(self, batch: dict[str, Any], compression: int) -> bytearray:
        builder = self.builder(
            2,
            compression,
            batch.get("transactional", False),
            int(batch.get("producerId", -1)),
            batch.get("producerEpoch", -1),
            batch.get("baseSequence", -1),
        )
        base = int(batch.get("baseTimestamp", -1))
        for record in batch.get("records", []):
            headers = [
                (each.get("key", ""), bytes_from_hex(each.get("value"))) for each in record.get("headers", [])
            ]
            time = base + int(record.get("timestampDelta", 0))
            key, value = bytes_from_hex(record.get("key")), bytes_from_hex(record.get("value"))
            builder.append(record.get("offsetDelta", 0), time, key, value, headers)
        return bytearray(builder.build())

    def _gains_nothing(self, batch: dict[str, Any], compression: int, built: bytearray) -> bool:
        """Return whether the builder wrote the plain batch, and compression would not make it smaller."""
        plain = self._built(batch, 0)
        records = bytes(plain[_HEADER:])
        return built == plain and len(self.compressed(compression, records)) >= len(records)

    def _old_written(self, batch: dict[str, Any]) -> bytes:
        compression = batch.get("compression", 0)
        messages = batch.get("messages", []) if compression else [batch]
        if not messages:
            raise kit.Unsupported("builder", "a set without messages")
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
            _as_a_broker(">q", built, 0, 0, int(batch.get("offset", 0)))
        return bytes(built)


def _as_a_broker(form: str, built: bytearray, at: int, placeholder: int, wanted: int) -> None:
    """Set a field as a broker does, if the builder wrote its placeholder there."""
    if len(built) >= at + struct.calcsize(form) and struct.unpack_from(form, built, at)[0] == placeholder:
        struct.pack_into(form, built, at, wanted)


def _check_buildable(batch: dict[str, Any], records: list[dict[str, Any]]) -> None:
    """Raise `Unsupported` for a batch that a builder cannot make."""
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
    """Convert a batch of magic 2 with kafka-python's attributes, and records with absolute offsets and times.

    Raises:
        Unsupported: the batch is of log-append time, and its records have the time of the batch.
    """
    records = list(batch)
    if batch.timestamp_type and records and all(each.timestamp == batch.max_timestamp for each in records):
        raise kit.Unsupported("append-time", "each record has the time of the batch")
    attributes = batch.attributes
    return {
        "magic": batch.magic,
        "compression": batch.compression_type,
        "baseOffset": str(batch.base_offset),
        "partitionLeaderEpoch": leader_epoch,
        "logAppendTime": bool(batch.timestamp_type),
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
        "records": [_record_to_json(batch, record) for record in records],
    }


def _record_to_json(batch: Any, record: Any) -> dict[str, Any]:
    return {
        "timestampDelta": str(int64(record.timestamp - batch.first_timestamp)),
        "offsetDelta": int64(record.offset - batch.base_offset),
        "key": hex_of(record.key),
        "value": hex_of(record.value),
        "headers": [{"key": key, "value": hex_of(value)} for key, value in record.headers],
    }


def int64(number: int) -> int:
    """Wrap a number to an int64, as Kafka's sums of int64 do."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def hex_of(data: Any) -> str | None:
    """Convert bytes, or None, to canonical JSON."""
    return None if data is None else bytes(data).hex()


def bytes_from_hex(text: str | None) -> bytes | None:
    """Convert the result of `hex_of` to bytes, or None."""
    return None if text is None else bytes.fromhex(text)
