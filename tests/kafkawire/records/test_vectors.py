"""Bytes that Kafka made, and their values."""

import pytest

from kafkawire.errors import DecodeError, Fault
from kafkawire.records import (
    Compression,
    ControlType,
    EndTransactionMarker,
    Header,
    Message,
    MessageSet,
    Record,
    RecordBatch,
    RecordSet,
    control_key,
    control_type,
    decode_records,
    encode_records,
)

V2 = (
    "000000000000000000000044ffffffff02c7e5b91f00000000000100000000000003e800000000000003e9"
    "ffffffffffffffffffffffffffff0000000216000000026b0276020268010c000202010100"
)
V0 = "0000000000000000000000101fecd70a0000000000016b0000000176"
V1 = "000000000000000000000018e4e321bc010000000000000003e8000000016b0000000176"
COMMIT = (
    "00000000000000000000004200000000021c89f0ce00300000000000000000000003e800000000000003e8"
    "00000000000000010002ffffffff000000012000000008000000010c00000000000700"
)

VALUES: dict[str, RecordBatch | Message] = {
    V2: RecordBatch(
        (Record(0, 0, b"k", b"v", (Header("h", None),)), Record(1, 1)),
        last_offset_delta=1,
        base_timestamp=1000,
        max_timestamp=1001,
    ),
    V0: Message(0, -1, b"k", b"v", 0),
    V1: Message(0, 1000, b"k", b"v", 1),
    COMMIT: RecordBatch(
        (Record(0, 0, control_key(ControlType.COMMIT), EndTransactionMarker(7).to_bytes()),),
        partition_leader_epoch=0,
        transactional=True,
        control=True,
        base_timestamp=1000,
        max_timestamp=1000,
        producer_id=1,
        producer_epoch=2,
    ),
}


@pytest.mark.parametrize("data", VALUES)
def test_kafkas_bytes_have_their_value(data: str) -> None:
    """Kafka's bytes are decoded to the value, and the value is encoded to Kafka's bytes."""
    records = RecordSet((VALUES[data],))
    assert decode_records(bytes.fromhex(data)) == records
    assert encode_records(records).hex() == data


def test_several_batches_of_all_magics_are_read() -> None:
    """The batches of one field are read in order, from any type of buffer."""
    data = bytes.fromhex("".join(VALUES))
    wanted = RecordSet(tuple(VALUES.values()))
    for buffer in (data, bytearray(data), memoryview(data)):
        assert decode_records(buffer) == wanted
    assert encode_records(list(VALUES.values())) == data


def test_a_cut_batch_is_the_tail() -> None:
    """At every cut the whole batches and the rest are returned; strict reading refuses the rest."""
    one, two = bytes.fromhex(V2), bytes.fromhex(V1)
    for end in range(len(one), len(one) + len(two)):
        cut = (one + two)[:end]
        assert decode_records(cut) == RecordSet((VALUES[V2],), cut[len(one) :])
        assert encode_records(decode_records(cut)) == cut
        if end > len(one):
            with pytest.raises(DecodeError) as caught:
                decode_records(cut, strict=True)
            assert (caught.value.fault, caught.value.offset) == (Fault.TRUNCATED, len(one))
            assert caught.value.path == "batches[1]"
    assert decode_records(one, strict=True) == RecordSet((VALUES[V2],))


def test_offsets_and_timestamps_are_those_of_a_consumer() -> None:
    """Deltas are added and wrap; log-append time overrides; magic 1 counts inner offsets from the last."""
    record = Record(5, -3)
    batch = RecordBatch((record,), base_offset=10, base_timestamp=100, max_timestamp=999)
    assert (batch.offset_of(record), batch.timestamp_of(record)) == (15, 97)
    assert RecordBatch(base_offset=(1 << 63) - 1).offset_of(Record(1)) == -(1 << 63)
    late = RecordBatch((record,), base_timestamp=100, max_timestamp=999, log_append_time=True)
    assert (late.timestamp_of(record), late.written_timestamp_of(record)) == (999, 97)
    inner = (Message(0, 50, b"a"), Message(3, 60, b"b"))
    relative = MessageSet(Compression.GZIP, inner, offset=103, timestamp=60)
    assert [relative.offset_of(each) for each in inner] == [100, 103]
    absolute = MessageSet(Compression.GZIP, tuple(each._replace(magic=0) for each in inner), 3, -1, 0)
    assert [absolute.offset_of(each) for each in absolute.messages] == [0, 3]
    appended = MessageSet(Compression.GZIP, inner, 103, 777, attributes=8)
    assert [appended.timestamp_of(each) for each in inner] == [777, 777]


def test_a_batch_of_records_computes_its_header() -> None:
    """`of` computes the last offset and the largest timestamp, unless they are given."""
    records = [Record(0, 0), Record(4, 9), Record(7, 2)]
    batch = RecordBatch.of(records, base_timestamp=1000, producer_id=3)
    assert (batch.last_offset_delta, batch.max_timestamp, batch.producer_id) == (7, 1009, 3)
    assert RecordBatch.of(records, max_timestamp=5).max_timestamp == 5
    assert RecordBatch.of([]) == RecordBatch()


def test_a_control_key_has_its_type() -> None:
    """A key has its type; a newer key is read from its beginning, and an unknown type is a number."""
    for kind in ControlType:
        assert control_type(control_key(kind)) is kind
    assert control_type(control_key(99)) == 99
    assert control_type(control_key(3, version=4) + b"more") is ControlType.SNAPSHOT_HEADER
    assert EndTransactionMarker.from_bytes(bytes.fromhex("000000000007")) == EndTransactionMarker(7)
    assert EndTransactionMarker.from_bytes(bytes.fromhex("000100000008ff")) == EndTransactionMarker(8, 1)


@pytest.mark.parametrize(
    ("key", "fault"), [(None, Fault.NULL), (b"\0\0\0", Fault.TRUNCATED), (b"\xff\xff\0\0", Fault.LENGTH)]
)
def test_invalid_control_keys_have_no_type(key: bytes | None, fault: Fault) -> None:
    """The key is null, too short, or has a negative version; a marker's value likewise."""
    with pytest.raises(DecodeError) as caught:
        control_type(key)
    assert caught.value.fault is fault
    with pytest.raises(DecodeError) as caught:
        EndTransactionMarker.from_bytes(None if key is None else key[:4])
    assert caught.value.fault in (fault, Fault.TRUNCATED)
