"""Batches to the bytes of a records field."""

import struct
from typing import Final
from zlib import crc32

from kafkawire.errors import EncodeError, Fault
from kafkawire.records._libraries import crc32c
from kafkawire.records._record_writing import encode_record_block
from kafkawire.records._value_checks import bytes_or_null, flag, number
from kafkawire.records.compression import Compress, compress
from kafkawire.records.model import Batch, Compression, Message, MessageSet, RecordBatch, RecordSet
from kafkawire.wire.buffers import describe

HIGHEST_SIZE: Final = (1 << 31) - 1

_V2_PREFIX: Final = struct.Struct(">qiibI")
_V2_REST: Final = struct.Struct(">hiqqqhii")
_PREFIX: Final = struct.Struct(">qiI")
_SIZE: Final = struct.Struct(">i")
_NULL: Final = _SIZE.pack(-1)
_SIZE_AFTER: Final = 9
"""The part of the first struct that a magic 2 batch's size includes: epoch, magic, checksum."""


_NUMBERS: Final = (
    ("base_offset", 64, "baseOffset"),
    ("partition_leader_epoch", 32, "partitionLeaderEpoch"),
    ("last_offset_delta", 32, "lastOffsetDelta"),
    ("base_timestamp", 64, "baseTimestamp"),
    ("max_timestamp", 64, "maxTimestamp"),
    ("producer_id", 64, "producerId"),
    ("producer_epoch", 16, "producerEpoch"),
    ("base_sequence", 32, "baseSequence"),
)
"""Attribute, bits and Kafka's name of the numbers of a batch, in the order of the wire."""


def encode_records(
    records: RecordSet | tuple[Batch, ...] | list[Batch], *, compress: Compress = compress
) -> bytes:
    """The bytes of a records field: all batches, then the tail of a `RecordSet`.

    Counts, sizes and checksums are computed; everything else is written as given. Compressed bytes are valid,
    but may differ from the bytes that Kafka's libraries would make.

    Args:
        compress: a function to use instead of Kafka's framings of compressed data.

    Raises:
        EncodeError: CODEC, COUNT, MAGIC, NULL, RANGE, TOO_LONG, TYPE, UTF8.
        MissingLibraryError: a checksum or a compression needs a package that is not installed.
    """
    batches: object = records.batches if type(records) is RecordSet else records
    if type(batches) is not tuple and type(batches) is not list:
        raise EncodeError(Fault.TYPE, "batches", f"want a tuple of batches, not {describe(batches)}")
    out: list[bytes] = []
    for index, batch in enumerate(batches):
        try:
            out.append(_batch(batch, compress))
        except EncodeError as error:
            raise error.within(f"batches[{index}]") from None
    if type(records) is RecordSet:
        tail = bytes_or_null(records.tail, "tail")
        if tail is None:
            raise EncodeError(Fault.NULL, "tail", "null")
        out.append(tail)
    return b"".join(out)


def _batch(batch: object, compress: Compress) -> bytes:
    if type(batch) is RecordBatch:
        return _record_batch(batch, compress)
    if type(batch) is Message:
        return _message(batch, Compression.NONE)
    if type(batch) is MessageSet:
        return _message_set(batch, compress)
    raise EncodeError(Fault.TYPE, "", f"want a RecordBatch, Message or MessageSet, not {describe(batch)}")


def _record_batch(batch: RecordBatch, compress: Compress) -> bytes:
    codec = _codec(batch.compression)
    body = encode_record_block(batch.records)
    attributes = _attributes(batch, codec)
    if codec is not Compression.NONE:
        body = compress(codec, body, 2)
    base, epoch, *others = [number(getattr(batch, name), bits, field) for name, bits, field in _NUMBERS]
    rest = _V2_REST.pack(attributes, *others, len(batch.records)) + body
    size = _checked_size(_SIZE_AFTER + len(rest))
    return _V2_PREFIX.pack(base, size, epoch, 2, crc32c()(rest)) + rest


def _attributes(batch: RecordBatch, codec: Compression) -> int:
    """All 16 bits, as a signed number."""
    reserved = number(batch.reserved, 16, "reserved")
    if not 0 <= reserved <= 0x1FF:
        raise EncodeError(Fault.RANGE, "reserved", f"{reserved} is not a number of 9 bits")
    bits = codec | reserved << 7
    bits |= flag(batch.log_append_time, "logAppendTime") << 3
    bits |= flag(batch.transactional, "transactional") << 4
    bits |= flag(batch.control, "control") << 5
    bits |= flag(batch.delete_horizon, "deleteHorizon") << 6
    return bits - (1 << 16) if bits >> 15 else bits


def _codec(codec: object) -> Compression:
    if type(codec) is Compression:
        return codec
    raise EncodeError(Fault.CODEC, "compression", f"want a Compression, not {describe(codec)}")


def _message_set(batch: MessageSet, compress: Compress) -> bytes:
    codec = _codec(batch.compression)
    if codec in (Compression.NONE, Compression.ZSTD):
        raise EncodeError(Fault.CODEC, "compression", f"{codec.name} in a compressed set of messages")
    magic = _legacy_magic(batch.magic)
    messages: object = batch.messages
    if type(messages) is not tuple and type(messages) is not list:
        raise EncodeError(Fault.TYPE, "messages", f"want a tuple of Message, not {describe(messages)}")
    if not messages:
        raise EncodeError(Fault.COUNT, "messages", "a compressed set without messages, which no reader takes")
    content = b"".join(_inner(index, message, magic) for index, message in enumerate(messages))
    value = compress(codec, content, magic)
    wrapper = Message(batch.offset, batch.timestamp, batch.key, value, magic, batch.attributes)
    return _message(wrapper, codec)


def _inner(index: int, message: object, magic: int) -> bytes:
    try:
        if type(message) is not Message:
            raise EncodeError(Fault.TYPE, "", f"want a Message, not {describe(message)}")
        if _legacy_magic(message.magic) != magic:
            raise EncodeError(Fault.MAGIC, "magic", f"magic {message.magic} inside magic {magic}")
        return _message(message, Compression.NONE)
    except EncodeError as error:
        raise error.within(f"messages[{index}]") from None


def _legacy_magic(magic: object) -> int:
    if type(magic) is not int or magic not in (0, 1):
        raise EncodeError(Fault.MAGIC, "magic", f"{describe(magic)} where 0 or 1 may be")
    return magic


def _message(message: Message, codec: Compression) -> bytes:
    magic = _legacy_magic(message.magic)
    attributes = number(message.attributes, 8, "attributes")
    if attributes & 7:
        raise EncodeError(Fault.CODEC, "attributes", f"{attributes} says that the message is compressed")
    offset = number(message.offset, 64, "offset")
    timestamp = number(message.timestamp, 64, "timestamp")
    if magic == 0 and timestamp != -1:
        raise EncodeError(Fault.NOT_IN_VERSION, "timestamp", f"{timestamp} in magic 0, which has none")
    stamp = struct.pack(">q", timestamp) if magic else b""
    blocks = _block(message.key, "key") + _block(message.value, "value")
    rest = bytes([magic, (attributes | codec) & 0xFF]) + stamp + blocks
    return _PREFIX.pack(offset, _checked_size(4 + len(rest)), crc32(rest)) + rest


def _block(data: object, name: str) -> bytes:
    held = bytes_or_null(data, name)
    if held is None:
        return _NULL
    if len(held) > HIGHEST_SIZE:
        raise EncodeError(Fault.TOO_LONG, name, f"{len(held)} bytes")
    return _SIZE.pack(len(held)) + held


def _checked_size(size: int) -> int:
    if size > HIGHEST_SIZE:
        raise EncodeError(Fault.TOO_LONG, "", f"a batch of {size} bytes")
    return size
