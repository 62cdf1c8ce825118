"""Bytes of a records field to its batches.

The decoder accepts the same bytes as Kafka's `MemoryRecords.batches` with `ensureValid`, including unused
attribute bits, non-minimal varints and any producer fields. But it refuses what the formats do not allow:
bytes after a message's value, records that do not fill their batch, invalid UTF-8 in a header's key.
"""

import struct
from typing import Final
from zlib import crc32

from kafkawire.errors import DecodeError, Fault
from kafkawire.records._libraries import crc32c
from kafkawire.records._record_loop import decode_record_block
from kafkawire.records.compression import CompressionRefusal, Decompress, decompress
from kafkawire.records.model import Batch, Compression, Message, MessageSet, RecordBatch, RecordSet
from kafkawire.wire.buffers import Buffer, as_bytes

OBJECT_BYTES: Final = 160
"""The bytes that the budget charges for each record, header or legacy message: about the memory of the object
in CPython."""

MAX_DECOMPRESSED: Final = 64 << 20
"""The default limit, in bytes, on the decompressed content of all batches of one field. Each record, header
and legacy message counts `OBJECT_BYTES` in addition to its own bytes."""

PREFIX: Final = 12
"""The size of base offset (int64) and size (int32), with which every magic begins."""
TO_MAGIC: Final = 17
V2_OVERHEAD: Final = 61
LEAST_SIZE: Final = 14
"""The least size of any magic: a message of magic 0 without key and value."""
HIGHEST_SIZE: Final = (1 << 31) - 1 - PREFIX
"""The largest size: with its prefix, the batch then has the maximum length of an array of bytes."""
HIGHEST_MAGIC: Final = 2
LEGACY_BODY: Final = {0: PREFIX + 6, 1: PREFIX + 14}
"""The offset of the key in a legacy message."""

_V2: Final = struct.Struct(">qiibIhiqqqhii")
_SIZE: Final = struct.Struct(">i")
_LEGACY: Final = struct.Struct(">qiIbb")
_LONG: Final = struct.Struct(">q")


def decode_records(
    data: Buffer,
    *,
    strict: bool = False,
    max_decompressed: int = MAX_DECOMPRESSED,
    decompress: Decompress = decompress,
) -> RecordSet:
    """All batches of a records field.

    Args:
        strict: refuse a last batch that is cut off (TRUNCATED); else its bytes are `RecordSet.tail`, as for a
            consumer that reads a Fetch response.
        max_decompressed: the limit on the content of all compressed batches, in bytes. Each record, header
            and legacy message in them counts 160 bytes in addition to its own, about the size of the object.
            Otherwise some kilobytes of compressed data could become gigabytes of objects.
        decompress: a function to use instead of Kafka's decompression.

    Raises:
        DecodeError: CODEC, COMPRESSION, BOMB, COUNT, CRC, LENGTH, MAGIC, NULL, RECORD_SIZE, TRUNCATED, UTF8,
            VARINT. A fault inside compressed data has the offset of the compressed data.
        MissingLibraryError: a checksum or a compression needs a package that is not installed.
    """
    held = as_bytes(data)
    budget = _Budget(max_decompressed, decompress)
    batches: list[Batch] = []
    pos, stop = 0, len(held)
    while pos < stop:
        try:
            end = _batch_end(held, pos)
            if end is None:
                break
            batches.append(_batch(held, pos, end, budget))
        except DecodeError as error:
            raise error.within(f"batches[{len(batches)}]") from None
        pos = end
    if strict and pos < stop:
        raise DecodeError(
            Fault.TRUNCATED, f"batches[{len(batches)}]", f"{stop - pos} bytes of a batch cut off", pos
        )
    return RecordSet(tuple(batches), held[pos:])


class _Budget:
    """The rest of the limit on compressed batches: bytes, and objects at `OBJECT_BYTES` each."""

    def __init__(self, left: int, decompress: Decompress) -> None:
        self.left = left
        self._decompress = decompress

    @property
    def objects(self) -> int:
        """The number of records, headers and messages that may still be made."""
        return self.left // OBJECT_BYTES

    def made(self, objects: int) -> None:
        """Count objects that were made."""
        self.left -= objects * OBJECT_BYTES

    def decompress(self, codec: Compression, data: bytes, magic: int, field: str, offset: int) -> bytes:
        try:
            content = self._decompress(codec, data, magic, self.left)
        except CompressionRefusal as refusal:
            raise DecodeError(
                refusal.fault, field, f"{codec.name.lower()}: {refusal.detail}", offset
            ) from None
        self.left -= len(content)
        return content


def _batch_end(data: bytes, pos: int) -> int | None:
    """Return the end of the batch; None if the batch is cut off (Kafka:
    `ByteBufferLogInputStream.nextBatchSize`).
    """
    left = len(data) - pos
    if left < PREFIX:
        return None
    (size,) = _SIZE.unpack_from(data, pos + 8)
    if size < LEAST_SIZE:
        raise DecodeError(Fault.LENGTH, "size", f"{size}, where the least is {LEAST_SIZE}", pos + 8)
    if size > HIGHEST_SIZE:
        raise DecodeError(Fault.LENGTH, "size", f"{size}, where no field has room for it", pos + 8)
    if left < TO_MAGIC:
        return None
    if data[pos + 16] > HIGHEST_MAGIC:
        raise DecodeError(Fault.MAGIC, "magic", f"magic {data[pos + 16]}", pos + 16)
    end: int = pos + PREFIX + size
    return end if end <= len(data) else None


def _batch(data: bytes, pos: int, end: int, budget: _Budget) -> Batch:
    if data[pos + 16] == HIGHEST_MAGIC:
        return _record_batch(data, pos, end, budget)
    message, codec = _legacy_message(data, pos, end)
    if codec is Compression.NONE:
        return message
    return _message_set(message, codec, pos, budget)


def _record_batch(data: bytes, pos: int, end: int, budget: _Budget) -> RecordBatch:
    if end - pos < V2_OVERHEAD:
        detail = f"{end - pos - PREFIX}, where the least is {V2_OVERHEAD - PREFIX}"
        raise DecodeError(Fault.LENGTH, "size", detail, pos + 8)
    (
        base_offset, _, leader_epoch, _, crc, attributes, last_offset_delta, base_timestamp, max_timestamp,
        producer_id, producer_epoch, base_sequence, count,
    ) = _V2.unpack_from(data, pos)  # fmt: skip
    if (computed := crc32c()(data[pos + 21 : end])) != crc:
        raise DecodeError(Fault.CRC, "crc", f"stored {crc:08x}, computed {computed:08x}", pos + 17)
    codec = _codec(attributes, pos + 22)
    if count < 0:
        raise DecodeError(Fault.LENGTH, "count", f"{count} records", pos + 57)
    body = pos + V2_OVERHEAD
    if codec is Compression.NONE:
        records, _ = decode_record_block(data, body, end, count)
    else:
        content = budget.decompress(codec, data[body:end], 2, "records", body)
        room = budget.objects
        try:
            records, left = decode_record_block(content, 0, len(content), count, room)
        except DecodeError as error:
            raise _inside(error, body) from None
        budget.made(room - left)
    return RecordBatch(
        records, base_offset, leader_epoch, codec,
        bool(attributes & 8), bool(attributes & 16), bool(attributes & 32), bool(attributes & 64),
        last_offset_delta, base_timestamp, max_timestamp, producer_id, producer_epoch, base_sequence,
        attributes >> 7 & 0x1FF,
    )  # fmt: skip


def _codec(attributes: int, offset: int) -> Compression:
    try:
        return _CODECS[attributes & 7]
    except IndexError:
        raise DecodeError(Fault.CODEC, "attributes", f"codec {attributes & 7}", offset) from None


_CODECS: Final = tuple(Compression)


def _inside(error: DecodeError, offset: int) -> DecodeError:
    """Return the error of decompressed data with the place of the compressed data."""
    detail = f"{error.detail} (byte {error.offset} of the decompressed data)"
    return DecodeError(error.fault, error.path, detail, offset)


def _message_set(wrapper: Message, codec: Compression, pos: int, budget: _Budget) -> MessageSet:
    body = pos + LEGACY_BODY[wrapper.magic]
    if codec is Compression.ZSTD:
        raise DecodeError(Fault.CODEC, "attributes", f"zstd in magic {wrapper.magic}", pos + 17)
    if wrapper.value is None:
        raise DecodeError(Fault.NULL, "value", "a compressed set without content", body)
    content = budget.decompress(codec, wrapper.value, wrapper.magic, "value", body)
    try:
        messages = _inner_messages(content, wrapper.magic, budget.objects)
    except DecodeError as error:
        raise _inside(error, body) from None
    budget.made(len(messages))
    if not messages:
        raise DecodeError(Fault.COUNT, "messages", "a compressed set without messages", body)
    return MessageSet(
        codec,
        messages,
        wrapper.offset,
        wrapper.timestamp,
        wrapper.magic,
        wrapper.attributes & ~7,
        wrapper.key,
    )


def _inner_messages(data: bytes, magic: int, room: int) -> tuple[Message, ...]:
    messages: list[Message] = []
    pos = 0
    while pos < len(data):
        if len(messages) >= room:
            raise DecodeError(
                Fault.BOMB, "messages", f"more than the {room} messages that there is room for", pos
            )
        try:
            end = _batch_end(data, pos)
            if end is None:
                raise DecodeError(Fault.TRUNCATED, "", f"{len(data) - pos} bytes of a message cut off", pos)
            if data[pos + 16] != magic:
                detail = f"magic {data[pos + 16]} inside magic {magic}"
                raise DecodeError(Fault.MAGIC, "magic", detail, pos + 16)
            message, codec = _legacy_message(data, pos, end)
            if codec is not Compression.NONE:
                raise DecodeError(Fault.CODEC, "attributes", "a compressed message in another", pos + 17)
        except DecodeError as error:
            raise error.within(f"messages[{len(messages)}]") from None
        messages.append(message)
        pos = end
    return tuple(messages)


def _legacy_message(data: bytes, pos: int, end: int) -> tuple[Message, Compression]:
    """A message of magic 0 or 1; the value of a compressed one is the compressed set."""
    offset, size, crc, magic, attributes = _LEGACY.unpack_from(data, pos)
    at = pos + LEGACY_BODY[magic]
    if at + 8 > end:
        least = LEGACY_BODY[magic] + 8 - PREFIX
        raise DecodeError(Fault.LENGTH, "size", f"{size}, where the least is {least}", pos + 8)
    if (computed := crc32(data[pos + 16 : end])) != crc:
        raise DecodeError(Fault.CRC, "crc", f"stored {crc:08x}, computed {computed:08x}", pos + 12)
    codec = _codec(attributes, pos + 17)
    timestamp: int = _LONG.unpack_from(data, pos + 18)[0] if magic else -1
    key, at = _block(data, at, end, "key")
    value, at = _block(data, at, end, "value")
    if at != end:
        raise DecodeError(Fault.RECORD_SIZE, "", f"{end - at} bytes after the value", pos)
    return Message(offset, timestamp, key, value, magic, attributes), codec


def _block(data: bytes, pos: int, end: int, name: str) -> tuple[bytes | None, int]:
    """A key or value after its int32 length; -1 is null (Kafka reads any negative length as null)."""
    start = pos + 4
    if start > end:
        raise DecodeError(Fault.TRUNCATED, name, f"4 bytes wanted, {end - pos} are left", pos)
    (length,) = _SIZE.unpack_from(data, pos)
    if length < 0:
        if length == -1:
            return None, start
        raise DecodeError(Fault.LENGTH, name, f"a length of {length}", pos)
    if length > end - start:
        raise DecodeError(Fault.TRUNCATED, name, f"{length} bytes wanted, {end - start} are left", pos)
    return data[start : start + length], start + length
