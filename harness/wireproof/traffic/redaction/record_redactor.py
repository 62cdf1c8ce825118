"""Redaction of record sets: keys, values and headers, with new sizes and checksums."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from kafkawire.errors import CodecError
from kafkawire.records import (
    Batch,
    Compression,
    ControlType,
    Header,
    Message,
    MessageSet,
    Record,
    RecordBatch,
    RecordSet,
    control_type,
    decode_records,
    encode_records,
)
from wireproof.traffic.redaction.pseudonymizer import Pseudonymizer

_TAIL_BYTES: Final = 17
"""Kept bytes of a cut batch: offset, size, epoch and magic."""
_MARKERS: Final = frozenset({ControlType.ABORT, ControlType.COMMIT})


class NotRedactableError(ValueError):
    """A record set that cannot be redacted. The message quotes none of its bytes."""


RecordRewriter: TypeAlias = Callable[[Record, bool], tuple[bytes | None, bytes | None] | None]
"""(record, is a control record) -> redacted key and value; None where their type is unknown."""


def _unknown_record(record: Record, control: bool) -> None:
    """Treat every record as unknown."""


def redact_records(data: bytes, redactor: Pseudonymizer, rewrite: RecordRewriter = _unknown_record) -> bytes:
    """Return a record set with other keys, values and headers; compressed batches may change their length.

    Raises NotRedactableError if it cannot be decoded, or our codec does not write it back unchanged.
    """
    try:
        held = decode_records(data)
        again = encode_records(held)
        if again != data and (is_uncompressed(held) or decode_records(again) != held):
            raise NotRedactableError("its records are not written again as they were")
        redaction = _Records(redactor, rewrite)
        batches = tuple(map(redaction.batch, held.batches))
        return encode_records(RecordSet(batches, redaction.tail(held.tail)))
    except CodecError as error:
        raise NotRedactableError(f"its records: {describe_fault(error)}") from error


def describe_fault(error: CodecError) -> str:
    """Return fault, path and offset of an error without its message, which may quote the frame."""
    return f"{error.fault}, {error.path}, byte {error.offset}"


@dataclass(frozen=True, slots=True)
class _Records:
    redactor: Pseudonymizer
    rewrite: RecordRewriter

    def batch(self, batch: Batch) -> Batch:
        match batch:
            case RecordBatch(control=True):
                return replace(batch, records=tuple(map(self._control, batch.records)))
            case RecordBatch():
                return replace(batch, records=tuple(map(self._record, batch.records)))
            case MessageSet():
                messages = tuple(map(self._message, batch.messages))
                return replace(batch, messages=messages, key=self._bytes(batch.key))
            case Message():
                return self._message(batch)

    def tail(self, tail: bytes) -> bytes:
        return tail[:_TAIL_BYTES] + self.redactor.data(tail[_TAIL_BYTES:])

    def _record(self, record: Record) -> Record:
        headers = tuple(
            Header(self.redactor.text(each.key), self._bytes(each.value)) for each in record.headers
        )
        known = self.rewrite(record, False)
        key, value = known or (self._bytes(record.key), self._bytes(record.value))
        return record._replace(key=key, value=value, headers=headers)

    def _control(self, record: Record) -> Record:
        """Redact a control record. Its key has no names; a transaction marker's value is an epoch."""
        if control_type(record.key) in _MARKERS:
            return record
        known = self.rewrite(record, True)
        return record._replace(value=known[1] if known else self._bytes(record.value))

    def _message(self, message: Message) -> Message:
        return message._replace(key=self._bytes(message.key), value=self._bytes(message.value))

    def _bytes(self, data: bytes | None) -> bytes | None:
        return None if data is None else self.redactor.data(data)


def is_uncompressed(held: RecordSet) -> bool:
    """Check that nothing is compressed, so that the bytes are determined by the values."""
    return all(
        isinstance(each, Message) or (isinstance(each, RecordBatch) and each.compression is Compression.NONE)
        for each in held.batches
    )
