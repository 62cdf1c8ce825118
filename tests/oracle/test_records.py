"""Record sets: our codec against Kafka's readers and builders, both ways, on every release."""

import struct
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings

from kafka_classes import RELEASES, accepted, kafka, refused
from kafkawire.errors import DecodeError
from kafkawire.records import (
    Batch,
    Compression,
    Message,
    MessageSet,
    Record,
    RecordBatch,
    RecordSet,
    decode_records,
    encode_records,
    to_canonical,
)
from kafkawire.records._libraries import crc32c
from wireproof.model import RecordCase
from wireproof.model.oracle import OracleReply
from wireproof.strategies import record_cases, record_sets

LAW = settings(
    max_examples=20,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)

pytestmark = pytest.mark.parametrize("version", RELEASES)


@cache
def cases() -> tuple[RecordCase, ...]:
    return tuple(record_cases())


def line_of(version: str) -> tuple[int, int]:
    major, minor, *_ = version.split(".")
    return int(major), int(minor)


def is_plain(records: RecordSet) -> bool:
    """Whether nothing in it is compressed."""
    return all(codec_of(batch) is Compression.NONE for batch in records.batches)


def codec_of(batch: Batch) -> Compression:
    return Compression.NONE if isinstance(batch, Message) else batch.compression


def agrees(records: RecordSet, reply: OracleReply) -> bool:
    """Whether Kafka's bytes for a set are ours, or where compressed hold what ours hold."""
    written = accepted(reply).written + records.tail
    if is_plain(records):
        return written == encode_records(records)
    return decode_records(written) == records


def test_kafka_reads_what_we_write(version: str) -> None:
    """Each case: Kafka takes all of our bytes with their checksums, and sees our value where it knows it."""
    sets = [case.records for case in cases()]
    replies = kafka(version).oracle.read_records([encode_records(each) for each in sets])
    for case, reply in zip(cases(), replies, strict=True):
        known = line_of(version) >= case.since
        assert (accepted(reply).value == to_canonical(case.records)) == known, case.name


def test_kafka_writes_what_we_read(version: str) -> None:
    """Each case that Kafka can make: its bytes are ours, or read as the same value where compressed."""
    for parts in (False, True):
        able = [case for case in cases() if (case.parts if parts else case.builder)]
        able = [case for case in able if line_of(version) >= case.since]
        assert len(able) > 150
        forms = [to_canonical(case.records, written=True) for case in able]
        replies = kafka(version).oracle.write_records(forms, parts=parts)
        for case, reply in zip(able, replies, strict=True):
            assert agrees(case.records, reply), (case.name, parts)
            assert accepted(reply).value == to_canonical(case.records), (case.name, parts)


def test_any_set(version: str) -> None:
    """Sets with any numbers in their fields, both ways."""

    @LAW
    @given(record_sets(line=line_of(version)))
    def both_ways(records: RecordSet) -> None:
        oracle = kafka(version).oracle
        assert accepted(oracle.read_records([encode_records(records)])[0]).value == to_canonical(records)
        assert agrees(records, oracle.write_records([to_canonical(records, written=True)], parts=True)[0])

    both_ways()


def test_unused_bits(version: str) -> None:
    """Bits without a meaning change nothing of what Kafka reads."""

    @LAW
    @given(record_sets(magics=[2], unused_bits=True, line=line_of(version)))
    def read(records: RecordSet) -> None:
        reply = kafka(version).oracle.read_records([encode_records(records)])[0]
        assert accepted(reply).value == to_canonical(records)

    read()


def test_log_append_time_inside_a_set(version: str) -> None:
    """Kafka's builder writes the append time into each message of a compressed set; we read it."""
    messages = tuple(Message(n, 5000, b"k", b"v", attributes=8) for n in range(3))
    wanted = MessageSet(Compression.GZIP, messages, 2, 5000, attributes=8)
    form = to_canonical(RecordSet((wanted,)), written=True)
    reply = accepted(kafka(version).oracle.write_records([form])[0])
    (found,) = decode_records(reply.written).batches
    assert isinstance(found, MessageSet)
    assert (found.timestamp, found.log_append_time) == (5000, True)
    assert [found.timestamp_of(each) for each in found.messages] == [5000] * 3
    assert reply.value == to_canonical(RecordSet((found,)))


def test_both_refuse_what_is_wrong(version: str) -> None:
    """A bit flipped under a checksum, magic 3, codec 5, wrong counts and sizes: neither side takes it."""
    whole = encode_records((RecordBatch.of([Record(0, 0, b"k", b"v")]),))
    old = encode_records((Message(0, 1000, b"k", b"v"),))
    wrong = {
        "value": _put(whole, -2, 0x77),
        "crc": _put(whole, 17, whole[17] ^ 1),
        "magic": _put(whole, 16, 3),
        "negative magic": _put(whole, 16, 0xFF),
        "size 13": _put(whole, 11, 13),
        "size 14 of magic 2": _put(whole, 11, 14),
        "negative size": _put(whole, 8, 0x80),
        "codec 5": _sealed(_put(whole, 22, 5)),
        "a record too many": _sealed(_put(whole, 60, 2)),
        "a record longer than it is": _sealed(_put(whole, 61, whole[61] + 2)),
        "legacy value": _put(old, -1, 0x77),
        "legacy magic": _put(old, 16, 0),
    }
    for name, data in wrong.items():
        refused(kafka(version).oracle.read_records([data])[0])
        with pytest.raises(DecodeError):
            decode_records(data)
        assert name


def test_truncation_at_every_byte(version: str) -> None:
    """Cut anywhere, Kafka and we find the same whole batches and the same tail."""
    first = RecordBatch.of([Record(0, 0, b"k", b"v")])
    data = encode_records((first, Message(1, 5, b"k", b"v"), first))
    cuts = [data[:end] for end in range(len(data) + 1)]
    replies = kafka(version).oracle.read_records(cuts)
    for cut, reply in zip(cuts, replies, strict=True):
        assert accepted(reply).value == to_canonical(decode_records(cut)), len(cut)


def _sealed(data: bytes) -> bytes:
    """A batch with its checksum made right again."""
    return data[:17] + struct.pack(">I", crc32c()(data[21:])) + data[21:]


def _put(data: bytes, at: int, value: int) -> bytes:
    changed = bytearray(data)
    changed[at] = value
    return bytes(changed)
