"""Refused record sets, with the fault and its place."""

import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from zlib import crc32

import google_crc32c
import pytest

from kafkawire.errors import DecodeError, EncodeError, Fault
from kafkawire.records import (
    Compression,
    Header,
    Message,
    MessageSet,
    Record,
    RecordBatch,
    RecordSet,
    decode_records,
    encode_records,
)
from kafkawire.records.decoding import OBJECT_BYTES

PLAIN = Record(0, 0, b"k", b"v", (Header("h", b"x"),))
BATCH = RecordBatch.of([PLAIN])
WHOLE = encode_records([BATCH])
OLD = encode_records([Message(0, 1000, b"k", b"v")])
RECORD = WHOLE[61:]


def with_body(body: bytes, count: int = 1, attributes: int = 0) -> bytes:
    """Return a batch with this body, and with the right size and checksum."""
    head = bytearray(WHOLE[:61])
    struct.pack_into(">i", head, 8, 49 + len(body))
    struct.pack_into(">h", head, 21, attributes)
    struct.pack_into(">i", head, 57, count)
    data = bytes(head) + body
    return data[:17] + google_crc32c.value(data[21:]).to_bytes(4, "big") + data[21:]


def legacy(body: bytes, magic: int = 1, attributes: int = 0) -> bytes:
    """Return a message with everything after its attributes, and with the right size and checksum."""
    rest = bytes([magic, attributes]) + body
    return struct.pack(">qiI", 0, 4 + len(rest), crc32(rest)) + rest


def put(data: bytes, at: int, *values: int) -> bytes:
    return data[:at] + bytes(values) + data[at + len(values) :]


STAMP = bytes(8)
NULLS = b"\xff\xff\xff\xff\xff\xff\xff\xff"

WRONG: dict[str, tuple[bytes, Fault, str, int]] = {
    "crc": (put(WHOLE, 17, WHOLE[17] ^ 1), Fault.CRC, "batches[0].crc", 17),
    "flipped": (put(WHOLE, 64, WHOLE[64] ^ 1), Fault.CRC, "batches[0].crc", 17),
    "magic": (put(WHOLE, 16, 3), Fault.MAGIC, "batches[0].magic", 16),
    "magic-negative": (put(WHOLE, 16, 255), Fault.MAGIC, "batches[0].magic", 16),
    "size-13": (put(WHOLE, 8, 0, 0, 0, 13), Fault.LENGTH, "batches[0].size", 8),
    "size-48": (put(WHOLE, 8, 0, 0, 0, 48), Fault.LENGTH, "batches[0].size", 8),
    "size-negative": (put(WHOLE, 8, 0xFF), Fault.LENGTH, "batches[0].size", 8),
    "codec-5": (with_body(RECORD, attributes=5), Fault.CODEC, "batches[0].attributes", 22),
    "codec-7": (with_body(RECORD, attributes=7), Fault.CODEC, "batches[0].attributes", 22),
    "count-less": (with_body(RECORD + RECORD, 1), Fault.COUNT, "batches[0].records", 61 + len(RECORD)),
    "count-more": (with_body(RECORD, 2), Fault.COUNT, "batches[0].records", 61 + len(RECORD)),
    "count-0": (with_body(RECORD, 0), Fault.COUNT, "batches[0].records", 61),
    "count-negative": (with_body(RECORD, -1), Fault.LENGTH, "batches[0].count", 57),
    "count-huge": (with_body(b"", (1 << 31) - 1), Fault.COUNT, "batches[0].records", 61),
    "record-negative": (with_body(b"\x01"), Fault.LENGTH, "batches[0].records[0]", 61),
    "record-empty": (with_body(b"\x00"), Fault.TRUNCATED, "batches[0].records[0].attributes", 62),
    "record-cut": (with_body(RECORD[:-1]), Fault.TRUNCATED, "batches[0].records[0]", 61),
    "record-long": (
        with_body(put(RECORD, 0, RECORD[0] + 2) + b"\0"), Fault.RECORD_SIZE, "batches[0].records[0]", 61,
    ),
    "record-length-overlong": (
        with_body(b"\x80\x80\x80\x80\x80\x00"), Fault.VARINT, "batches[0].records[0]", 61,
    ),
    "key-huge": (
        with_body(put(RECORD, 4, 0x7E)), Fault.TRUNCATED, "batches[0].records[0].key", 65,
    ),
    "key-minus-2": (with_body(put(RECORD, 4, 3)), Fault.LENGTH, "batches[0].records[0].key", 65),
    "value-minus-2": (with_body(put(RECORD, 6, 3)), Fault.LENGTH, "batches[0].records[0].value", 67),
    "headers-negative": (with_body(put(RECORD, 8, 1)), Fault.LENGTH, "batches[0].records[0].headers", 69),
    "headers-many": (with_body(put(RECORD, 8, 0x7E)), Fault.TRUNCATED, "batches[0].records[0].headers", 69),
    "header-key-null": (
        with_body(put(RECORD, 9, 1)), Fault.NULL, "batches[0].records[0].headers[0].key", 70,
    ),
    "header-key-utf8": (
        with_body(put(RECORD, 10, 0xFF)), Fault.UTF8, "batches[0].records[0].headers[0].key", 70,
    ),
    "legacy-crc": (put(OLD, -1 + len(OLD), 1), Fault.CRC, "batches[0].crc", 12),
    "legacy-short": (legacy(STAMP + bytes(4)), Fault.LENGTH, "batches[0].size", 8),
    "legacy-key": (legacy(STAMP + b"\xff\xff\xff\xfe" + bytes(4)), Fault.LENGTH, "batches[0].key", 26),
    "legacy-key-huge": (legacy(STAMP + b"\x7f" + bytes(7)), Fault.TRUNCATED, "batches[0].key", 26),
    "legacy-value-cut": (
        legacy(STAMP + b"\0\0\0\1" + bytes(4)), Fault.TRUNCATED, "batches[0].value", 31,
    ),
    "legacy-tail": (legacy(STAMP + NULLS + b"x"), Fault.RECORD_SIZE, "batches[0]", 0),
    "legacy-codec": (legacy(STAMP + NULLS, attributes=6), Fault.CODEC, "batches[0].attributes", 17),
    "legacy-zstd": (legacy(STAMP + NULLS, attributes=4), Fault.CODEC, "batches[0].attributes", 17),
    "set-null": (legacy(STAMP + NULLS, attributes=1), Fault.NULL, "batches[0].value", 26),
    "second": (OLD + put(WHOLE, 16, 9), Fault.MAGIC, "batches[1].magic", 16 + len(OLD)),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_invalid_bytes_are_refused(name: str) -> None:
    """The error has the fault, the path and the byte."""
    data, fault, path, offset = WRONG[name]
    with pytest.raises(DecodeError) as caught:
        decode_records(data)
    assert (caught.value.fault, caught.value.path, caught.value.offset) == (fault, path, offset)


def wrapped(content: bytes, magic: int = 1) -> bytes:
    """Return a compressed set with this content."""
    value = compressed(content)
    return legacy((STAMP if magic else b"") + NULLS[:4] + struct.pack(">i", len(value)) + value, magic, 1)


def compressed(content: bytes) -> bytes:
    from kafkawire.records.compression import compress

    return compress(Compression.GZIP, content, 2)


INNER = {
    "empty": (wrapped(b""), Fault.COUNT, "batches[0].messages"),
    "cut": (wrapped(OLD[:-1]), Fault.TRUNCATED, "batches[0].messages[0]"),
    "other-magic": (wrapped(OLD, 0), Fault.MAGIC, "batches[0].messages[0].magic"),
    "magic-2": (wrapped(OLD + WHOLE), Fault.MAGIC, "batches[0].messages[1].magic"),
    "nested": (wrapped(wrapped(OLD)), Fault.CODEC, "batches[0].messages[0].attributes"),
    "crc": (wrapped(put(OLD, 20, 1)), Fault.CRC, "batches[0].messages[0].crc"),
    "records": (with_body(compressed(RECORD), 2, 1), Fault.COUNT, "batches[0].records"),
    "no-gzip": (with_body(RECORD, 1, 1), Fault.COMPRESSION, "batches[0].records"),
    "no-snappy": (with_body(b"\xff", 1, 2), Fault.COMPRESSION, "batches[0].records"),
    "no-lz4": (with_body(RECORD, 1, 3), Fault.COMPRESSION, "batches[0].records"),
    "no-zstd": (with_body(RECORD, 1, 4), Fault.COMPRESSION, "batches[0].records"),
}


@pytest.mark.parametrize("name", INNER)
def test_invalid_compressed_data_are_refused(name: str) -> None:
    """A fault inside has the offset of the compressed data."""
    data, fault, path = INNER[name]
    with pytest.raises(DecodeError) as caught:
        decode_records(data)
    assert (caught.value.fault, caught.value.path) == (fault, path)
    assert caught.value.offset == (61 if data[16] == 2 else 26 if data[16] == 1 else 18)


@pytest.mark.parametrize("codec", list(Compression)[1:])
def test_the_limit_applies_to_all_batches_together(codec: Compression) -> None:
    """Content of exactly the limit is accepted; one more byte is a bomb, in the second batch too."""
    one = RecordBatch.of([Record(0, 0, None, bytes(100_000))], compression=codec)
    held = len(encode_records([replace(one, compression=Compression.NONE)])) - 61 + OBJECT_BYTES
    data = encode_records([one, one])
    assert decode_records(data, max_decompressed=2 * held).batches == (one, one)
    for limit, path in ((2 * held - 1, "batches[1].records"), (held - 1, "batches[0].records")):
        with pytest.raises(DecodeError) as caught:
            decode_records(data, max_decompressed=limit)
        assert (caught.value.fault, caught.value.path) == (Fault.BOMB, path)


Change = Callable[[], Any]

UNWRITABLE: dict[str, tuple[Any, Fault, str]] = {
    "no-list": ("abc", Fault.TYPE, "batches"),
    "no-batch": ([b"abc"], Fault.TYPE, "batches[0]"),
    "tail-null": (RecordSet((), None), Fault.NULL, "tail"),  # type: ignore[arg-type]
    "tail": (RecordSet((), 5), Fault.TYPE, "tail"),  # type: ignore[arg-type]
    "records": ([replace(BATCH, records=5)], Fault.TYPE, "batches[0].records"),  # type: ignore[arg-type]
    "record": ([replace(BATCH, records=((0, 0),))], Fault.TYPE, "batches[0].records[0]"),  # type: ignore[arg-type]
    "offset": ([RecordBatch((PLAIN, Record(1 << 31)))], Fault.RANGE, "batches[0].records[1].offsetDelta"),
    "offset-type": ([RecordBatch((Record("1"),))], Fault.TYPE, "batches[0].records[0].offsetDelta"),  # type: ignore[arg-type]
    "timestamp": ([RecordBatch((Record(0, 1 << 63),))], Fault.RANGE, "batches[0].records[0].timestampDelta"),
    "key": ([RecordBatch((Record(0, 0, "k"),))], Fault.TYPE, "batches[0].records[0].key"),  # type: ignore[arg-type]
    "value": ([RecordBatch((Record(0, 0, b"k", 5),))], Fault.TYPE, "batches[0].records[0].value"),  # type: ignore[arg-type]
    "attributes": ([RecordBatch((Record(attributes=128),))], Fault.RANGE, "batches[0].records[0].attributes"),
    "headers": ([RecordBatch((Record(headers=5),))], Fault.TYPE, "batches[0].records[0].headers"),  # type: ignore[arg-type]
    "header": ([RecordBatch((Record(headers=(5,)),))], Fault.TYPE, "batches[0].records[0].headers[0]"),  # type: ignore[arg-type]
    "header-key": (
        [RecordBatch((Record(headers=(Header(None),)),))], Fault.NULL,  # type: ignore[arg-type]
        "batches[0].records[0].headers[0].key",
    ),
    "header-key-type": (
        [RecordBatch((Record(headers=(Header(b"h"),)),))], Fault.TYPE,  # type: ignore[arg-type]
        "batches[0].records[0].headers[0].key",
    ),
    "header-key-text": (
        [RecordBatch((Record(headers=(Header("\ud800"),)),))], Fault.UTF8,
        "batches[0].records[0].headers[0].key",
    ),
    "header-value": (
        [RecordBatch((Record(headers=(Header("h", "v"),)),))], Fault.TYPE,  # type: ignore[arg-type]
        "batches[0].records[0].headers[0].value",
    ),
    "compression": ([replace(BATCH, compression=1)], Fault.CODEC, "batches[0].compression"),  # type: ignore[arg-type]
    "flag": ([replace(BATCH, control=1)], Fault.TYPE, "batches[0].control"),  # type: ignore[arg-type]
    "reserved": ([replace(BATCH, reserved=512)], Fault.RANGE, "batches[0].reserved"),
    "base-offset": ([replace(BATCH, base_offset=1 << 63)], Fault.RANGE, "batches[0].baseOffset"),
    "leader-epoch": (
        [replace(BATCH, partition_leader_epoch=None)], Fault.TYPE, "batches[0].partitionLeaderEpoch",  # type: ignore[arg-type]
    ),
    "epoch": ([replace(BATCH, producer_epoch=32768)], Fault.RANGE, "batches[0].producerEpoch"),
    "message-magic": ([Message(magic=2)], Fault.MAGIC, "batches[0].magic"),
    "message-timestamp": ([Message(timestamp=5, magic=0)], Fault.NOT_IN_VERSION, "batches[0].timestamp"),
    "message-codec": ([Message(attributes=1)], Fault.CODEC, "batches[0].attributes"),
    "message-key": ([Message(key="k")], Fault.TYPE, "batches[0].key"),  # type: ignore[arg-type]
    "set-codec": ([MessageSet(Compression.ZSTD, (Message(),))], Fault.CODEC, "batches[0].compression"),
    "set-none": ([MessageSet(Compression.NONE, (Message(),))], Fault.CODEC, "batches[0].compression"),
    "set-empty": ([MessageSet(Compression.GZIP, ())], Fault.COUNT, "batches[0].messages"),
    "set-messages": ([MessageSet(Compression.GZIP, 5)], Fault.TYPE, "batches[0].messages"),  # type: ignore[arg-type]
    "set-message": ([MessageSet(Compression.GZIP, (5,))], Fault.TYPE, "batches[0].messages[0]"),  # type: ignore[arg-type]
    "set-magic": (
        [MessageSet(Compression.GZIP, (Message(magic=0),))], Fault.MAGIC, "batches[0].messages[0].magic",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNWRITABLE)
def test_invalid_values_are_refused(name: str) -> None:
    """The error has the fault and the path."""
    value, fault, path = UNWRITABLE[name]
    with pytest.raises(EncodeError) as caught:
        encode_records(value)
    assert (caught.value.fault, caught.value.path) == (fault, path)


def test_bytes_likes_and_lists_are_accepted() -> None:
    """Similar types are written like plain bytes and tuples."""
    loose = Record(True, 0, bytearray(b"k"), memoryview(b"v"), [Header("h", b"x")])  # type: ignore[arg-type]
    firm = Record(1, 0, b"k", b"v", (Header("h", b"x"),))
    assert encode_records([RecordBatch([loose])]) == encode_records([RecordBatch((firm,))])  # type: ignore[arg-type]
