"""The size of a record set, without encoding it if nothing is compressed."""

from kafkawire.records.encoding import encode_records
from kafkawire.records.model import Compression, Message, Record, RecordBatch, RecordSet
from kafkawire.wire.varints import size_varint, size_varlong

_V2_OVERHEAD = 61
_LEGACY_OVERHEAD = {0: 26, 1: 34}
"""The size of a message without key and value, including its offset and size."""


def size_of_records(records: RecordSet) -> int:
    """The length of the bytes that `encode_records` returns.

    A compressed batch has to be compressed for this, which costs as much as encoding it.

    Raises:
        EncodeError: as `encode_records`, except for numbers that are out of their range.
    """
    try:
        return _size(records)
    except (AttributeError, TypeError, UnicodeEncodeError):
        return len(encode_records(records))  # raises the exact error


def _size(records: RecordSet) -> int:
    total = len(records.tail)
    for index, batch in enumerate(records.batches):
        match batch:
            case RecordBatch(compression=Compression.NONE):
                total += _V2_OVERHEAD + sum(_record(record) for record in batch.records)
            case Message() if type(batch.magic) is int and batch.magic in _LEGACY_OVERHEAD:
                total += _LEGACY_OVERHEAD[batch.magic] + len(batch.key or b"") + len(batch.value or b"")
            case _:
                total += len(encode_records(records.batches[index : index + 1]))
    return total


def _record(record: Record) -> int:
    body = (
        1
        + size_varlong(record.timestamp_delta)
        + size_varint(record.offset_delta)
        + _block(record.key)
        + _block(record.value)
        + size_varint(len(record.headers))
    )
    for header in record.headers:
        body += _block(header.key.encode()) + _block(header.value)
    return size_varint(body) + body


def _block(data: bytes | None) -> int:
    return 1 if data is None else size_varint(len(data)) + len(data)
