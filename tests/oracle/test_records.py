"""Record sets: our codec against Kafka's readers and builders, in both directions, on every release."""

from functools import cache

import google_crc32c
import pytest
from hypothesis import HealthCheck, given, settings

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
from tests.support.oracles.kafka_classes import RELEASES, accepted, kafka, refused
from wireproof.model.case_source import RecordCase
from wireproof.model.kafka.releases import release_line
from wireproof.model.oracle import OracleReply
from wireproof.proof.strategies.records.hypothesis_records import drawn_record_sets
from wireproof.proof.strategies.records.record_cases import record_cases

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


def is_plain(records: RecordSet) -> bool:
    """Return true if no batch is compressed."""
    return all(codec_of(batch) is Compression.NONE for batch in records.batches)


def codec_of(batch: Batch) -> Compression:
    return Compression.NONE if isinstance(batch, Message) else batch.compression


def agrees(records: RecordSet, reply: OracleReply) -> bool:
    """Return true if Kafka's bytes for a set equal ours, or have the same content where compressed."""
    written = accepted(reply).written + records.tail
    if is_plain(records):
        return written == encode_records(records)
    return decode_records(written) == records


def test_kafka_reads_what_we_write(version: str) -> None:
    """For each case Kafka reads all of our bytes with their checksums, and our value if it knows it."""
    sets = [case.records for case in cases()]
    replies = kafka(version).oracle.read_records([encode_records(each) for each in sets])
    for case, reply in zip(cases(), replies, strict=True):
        known = release_line(version) >= case.since
        assert (accepted(reply).value == to_canonical(case.records)) == known, case.name


def test_kafka_writes_what_we_read(version: str) -> None:
    """For each case that Kafka can make its bytes equal ours, or are read as the same value where
    compressed."""
    for parts in (False, True):
        able = [case for case in cases() if (case.parts if parts else case.builder)]
        able = [case for case in able if release_line(version) >= case.since]
        assert len(able) > 150
        forms = [to_canonical(case.records, written=True) for case in able]
        replies = kafka(version).oracle.write_records(forms, parts=parts)
        for case, reply in zip(able, replies, strict=True):
            assert agrees(case.records, reply), (case.name, parts)
            assert accepted(reply).value == to_canonical(case.records), (case.name, parts)


def test_any_set_agrees(version: str) -> None:
    """Sets with any numbers in their fields agree in both directions."""

    @LAW
    @given(drawn_record_sets(line=release_line(version)))
    def both_ways(records: RecordSet) -> None:
        oracle = kafka(version).oracle
        assert accepted(oracle.read_records([encode_records(records)])[0]).value == to_canonical(records)
        assert agrees(records, oracle.write_records([to_canonical(records, written=True)], parts=True)[0])

    both_ways()


def test_unused_bits_are_ignored(version: str) -> None:
    """Bits without a meaning do not change the value that Kafka reads."""

    @LAW
    @given(drawn_record_sets(magics=[2], unused_bits=True, line=release_line(version)))
    def read(records: RecordSet) -> None:
        reply = kafka(version).oracle.read_records([encode_records(records)])[0]
        assert accepted(reply).value == to_canonical(records)

    read()


def test_log_append_time_inside_a_set_is_read(version: str) -> None:
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


def test_both_refuse_invalid_sets(version: str) -> None:
    """A flipped bit under a checksum, magic 3, codec 5, and wrong counts and sizes are refused by both sides.

    The checksum is right, except where it is the fault.
    """
    whole = encode_records((RecordBatch.of([Record(0, 0, b"k", b"v")]),))
    record = 61  # where the only record begins, with its length
    old = encode_records((Message(0, 1000, b"k", b"v"),))
    wrong = {
        "value": _put(whole, -2, 0x77),
        "crc": _put(whole, 17, whole[17] ^ 1),
        "codec 5": _rehashed(_put(whole, 22, 5)),
        "codec 7": _rehashed(_put(whole, 22, 7)),
        "count 2 of 1": _rehashed(_put(whole, 60, 2)),
        "count -1": _rehashed(_put(whole, 57, 0xFF)),
        "count 2^31 - 1": _rehashed(whole[:57] + b"\x7f\xff\xff\xff" + whole[61:]),
        "count 1 of 2": _rehashed(_put(_two_records(), 60, 1)),
        "record longer than the batch": _rehashed(_put(whole, record, whole[record] + 2)),
        "record shorter than its fields": _rehashed(_put(whole, record, whole[record] - 2)),
        "record of length -1": _rehashed(_put(whole, record, 1)),
        "key of length -2": _rehashed(_put(whole, record + 4, 3)),
        "value longer than the record": _rehashed(_put(whole, record + 6, 8)),
        "header count -1": _rehashed(_put(whole, record + 8, 1)),
        "header count 1 of 0": _rehashed(_put(whole, record + 8, 2)),
        "magic": _put(whole, 16, 3),
        "negative magic": _put(whole, 16, 0xFF),
        "size 13": _put(whole, 11, 13),
        "size 14 of magic 2": _put(whole, 11, 14),
        "negative size": _put(whole, 8, 0x80),
        "legacy value": _put(old, -1, 0x77),
        "legacy magic": _put(old, 16, 0),
    }
    for name, data in wrong.items():
        refused(kafka(version).oracle.read_records([data])[0])
        with pytest.raises(DecodeError):
            decode_records(data)
        assert name


def test_sets_cut_at_every_byte_agree(version: str) -> None:
    """At every cut Kafka and our codec find the same whole batches and the same tail."""
    first = RecordBatch.of([Record(0, 0, b"k", b"v")])
    data = encode_records((first, Message(1, 5, b"k", b"v"), first))
    cuts = [data[:end] for end in range(len(data) + 1)]
    replies = kafka(version).oracle.read_records(cuts)
    for cut, reply in zip(cuts, replies, strict=True):
        assert accepted(reply).value == to_canonical(decode_records(cut)), len(cut)


def _two_records() -> bytes:
    return encode_records((RecordBatch.of([Record(0, 0, b"k", b"v"), Record(1, 0, b"k", b"v")]),))


def _rehashed(data: bytes) -> bytes:
    """Return a batch of magic 2 with the right checksum."""
    return data[:17] + google_crc32c.value(data[21:]).to_bytes(4, "big") + data[21:]


def _put(data: bytes, at: int, value: int) -> bytes:
    changed = bytearray(data)
    changed[at] = value
    return bytes(changed)
