"""Record sets: a decoded set is the encoded one, any bytes are a value or a refusal, both readers agree."""

import struct
from typing import Any
from zlib import crc32

import google_crc32c
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kafkawire.errors import CodecError, DecodeError, EncodeError, Fault
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
from kafkawire.records._record_loop import UNBOUNDED, decode_record_block
from kafkawire.records._record_reading import read_record
from kafkawire.records._record_writing import encode_record_block
from tests.support.schemas.random_layouts import mutated
from wireproof.proof.strategies.records.record_cases import record_cases
from wireproof.strategies import record_sets

LAW = settings(
    max_examples=100,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


def outcome(call: Any, *arguments: Any) -> tuple[Any, ...]:
    try:
        return ("value", call(*arguments))
    except CodecError as error:
        return (type(error), error.fault, error.path, error.offset)


@LAW
@given(record_sets(unused_bits=True))
def test_what_goes_in_comes_out(records: RecordSet) -> None:
    """Value to bytes to the same value, and to the same bytes."""
    data = encode_records(records)
    assert decode_records(data) == records
    assert encode_records(decode_records(data)) == data


def test_every_case_comes_out() -> None:
    """The same for each named case; names are unique."""
    cases = list(record_cases())
    assert len({case.name for case in cases}) == len(cases) > 400
    for case in cases:
        assert decode_records(encode_records(case.records)) == case.records, case.name


@LAW
@given(st.data())
def test_changed_bytes(data: st.DataObject) -> None:
    """Bytes with something wrong are a value that can be written again, or a DecodeError."""
    changed = data.draw(mutated(encode_records(data.draw(record_sets()))))
    found = outcome(decode_records, changed)
    assert found[0] in ("value", DecodeError)
    if found[0] == "value":
        assert decode_records(encode_records(found[1])) == found[1]


@LAW
@given(st.data())
def test_changed_bytes_under_a_right_checksum(data: st.DataObject) -> None:
    """The same where the checksum does not give the change away."""
    batch = data.draw(record_sets(max_batches=1).filter(lambda records: records.batches))
    changed = rehashed(data.draw(mutated(encode_records(RecordSet(batch.batches)))))
    found = outcome(decode_records, changed)
    assert found[0] in ("value", DecodeError)
    if found[0] == "value":
        assert decode_records(encode_records(found[1])) == found[1]


@LAW
@given(st.binary(max_size=80))
def test_any_bytes(data: bytes) -> None:
    """Whatever the bytes, a value or a DecodeError, in both readings."""
    assert outcome(decode_records, data)[0] in ("value", DecodeError)
    assert outcome(lambda held: decode_records(held, strict=True), data)[0] in ("value", DecodeError)


def read_records(data: bytes, pos: int, stop: int, count: int) -> tuple[Record, ...]:
    """The block read record by record, without the loop."""
    data, records = data[:stop], []
    for index in range(count):
        if pos == stop:
            raise DecodeError(Fault.COUNT, "records", "fewer", pos)
        try:
            record, pos = read_record(data, pos, UNBOUNDED)
        except DecodeError as error:
            raise error.within(f"records[{index}]") from None
        records.append(record)
    if pos != stop:
        raise DecodeError(Fault.COUNT, "records", "more", pos)
    return tuple(records)


@LAW
@given(st.data())
def test_the_loop_and_its_twin(data: st.DataObject) -> None:
    """Blocks of records, whole and changed, anywhere in a buffer: the same records or the same refusal."""
    (batch,) = data.draw(
        record_sets(magics=[2], unused_bits=True).filter(lambda each: len(each.batches) == 1)
    ).batches
    assert isinstance(batch, RecordBatch)
    block = data.draw(mutated(encode_record_block(batch.records)))
    count = data.draw(st.sampled_from([len(batch.records), len(batch.records) + 1, 0]))
    before, behind = data.draw(st.binary(max_size=3)), data.draw(st.binary(max_size=12))
    buffer, start = before + block + behind, len(before)
    stop = start + len(block)
    expected = outcome(read_records, buffer, start, stop, count)
    assert outcome(lambda: decode_record_block(buffer, start, stop, count)[0]) == expected
    assert expected[0] in ("value", DecodeError)


def test_a_block_cut_at_every_byte() -> None:
    """No prefix of a block of records is taken for the whole, whatever the bytes after the cut."""
    records = (
        Record(0, 0, b"k", b"v", (Header("h", b"x"), Header("\u20ac", None))),
        Record(70, 9000, bytes(70), bytes(9000), (), -1),
        Record(1 << 20, -(1 << 40), None, None),
    )
    block = encode_record_block(records)
    assert decode_record_block(block, 0, len(block), 3) == (records, UNBOUNDED - 5)
    for end in range(len(block)):
        for buffer in (block[:end], block):
            with pytest.raises(DecodeError):
                decode_record_block(buffer, 0, end, 3)


class Hostile:
    """An object whose own code fails."""

    def __index__(self) -> int:
        raise KeyError("index")

    def __len__(self) -> int:
        raise KeyError("length")

    def __bool__(self) -> bool:
        raise KeyError("truth")


ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=3), st.binary(max_size=3), st.floats(),
    st.lists(st.integers(), max_size=2), st.builds(Hostile), st.just(Record()), st.just(Message()),
    st.builds(Header, st.text(max_size=2), st.none()), st.sampled_from(Compression),
)  # fmt: skip


@LAW
@given(st.data())
def test_any_object(data: st.DataObject) -> None:
    """Any Python object in any place: bytes, or an EncodeError."""

    def some(kind: Any) -> Any:
        names = kind._fields if hasattr(kind, "_fields") else list(kind.__dataclass_fields__)
        fields = data.draw(st.dictionaries(st.sampled_from(names), ANYTHING, max_size=2))
        if kind is MessageSet:
            fields = {"compression": Compression.GZIP, "messages": (Message(),), **fields}
        return kind(**fields) if kind is not Header else Header(**{"key": "h", **fields})

    record = some(Record)
    if data.draw(st.booleans()):
        record = record._replace(headers=(some(Header),))
    batch = data.draw(
        st.sampled_from([RecordBatch((record,)), some(RecordBatch), some(Message), some(MessageSet)])
    )
    found = outcome(encode_records, [batch])
    assert found[0] in ("value", EncodeError)
    if found[0] == "value":
        assert isinstance(decode_records(found[1], strict=True), RecordSet)


def rehashed(data: bytes) -> bytes:
    """The same with the checksum of its first batch made right, where it has one."""
    if len(data) < 21:
        return data
    end = min(len(data), 12 + max(0, struct.unpack_from(">i", data, 8)[0]))
    if data[16] == 2:
        return data[:17] + google_crc32c.value(data[21:end]).to_bytes(4, "big") + data[21:]
    return data[:12] + crc32(data[16:end]).to_bytes(4, "big") + data[16:]
