"""The classes that record sets cover."""

from typing import Any

import pytest

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
    control_key,
    to_value,
)
from wireproof.model.coverage.record_set_model import record_coverage_model


def met(magic: int, *batches: Batch, tail: bytes = b"") -> set[str]:
    of = record_coverage_model(magic)
    return set(of.names(of.look(to_value(RecordSet(batches, tail)))))


def of_batch(*records: Record, **fields: Any) -> set[str]:
    """Return the classes of a batch of magic 2 without the prefix of their paths."""
    found = met(2, RecordBatch.of(records, **fields))
    return {name.removeprefix("batches[none].") for name in found if name.startswith("batches[none]")}


@pytest.mark.parametrize("magic", [0, 1, 2])
def test_classes_are_unique(magic: int) -> None:
    """No two classes of a coverage model have the same name."""
    of = record_coverage_model(magic)
    assert len(set(of.points)) == len(of.points)


@pytest.mark.parametrize("codec", Compression)
def test_classes_are_those_of_one_compression(codec: Compression) -> None:
    """A batch covers no classes of other compressions."""
    found = met(2, RecordBatch.of([Record(0, 0, b"k")], compression=codec))
    assert f"batches[{codec.name.lower()}].records[].key/length-1" in found
    assert {name.split("[")[1].split("]")[0] for name in found if "[" in name} == {codec.name.lower()}


@pytest.mark.parametrize(
    ("record", "name"),
    [
        (Record(0, 64), "timestampDelta/64"),
        (Record(0, 2**31), "timestampDelta/over-int32"),
        (Record(0, -(2**63)), "timestampDelta/min"),
        (Record(8191), "offsetDelta/8191"),
        (Record(attributes=-128), "attributes/min"),
        (Record(key=None), "key/null"),
        (Record(value=b""), "value/length-0"),
        (Record(value=bytes(range(256)) * 256), "value/every-byte"),
        (Record(value=bytes(range(256)) * 256), "value/long"),
        (Record(headers=(Header("h"), Header("h"))), "headers/repeated-key"),
        (Record(headers=(Header("é\0"),)), "headers[].key/2-byte"),
        (Record(headers=(Header("é\0x"),)), "headers[].key/nul"),
        (Record(headers=(Header("\ufeffx"),)), "headers[].key/byte-order-mark-first"),
        (Record(headers=(Header("x\0"),)), "headers[].key/nul-last"),
        (Record(headers=(Header("h", None),)), "headers[].value/null"),
    ],
)
def test_classes_of_a_record(record: Record, name: str) -> None:
    """A record has classes for its varints, key, value and headers."""
    name = f"records[].{name}"
    assert name in of_batch(record)
    assert name not in of_batch(Record(3, 3, b"some", b"some", (Header("some", b"some"),), 3))


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"transactional": True}, "transactional/true"),
        ({"delete_horizon": True}, "deleteHorizon/true"),
        ({"reserved": 0x1FF}, "reserved/all"),
        ({"producer_id": 2**63 - 1}, "producerId/max"),
        ({"base_offset": 2**31}, "baseOffset/over-int32"),
        ({"last_offset_delta": 9}, "lastOffsetDelta/beyond-records"),
        ({"base_sequence": 2**31 - 3}, "baseSequence/wraps"),
        ({"base_sequence": -2, "transactional": True}, "transactional/true-with-negative-sequence"),
    ],
)
def test_classes_of_a_batch(fields: dict[str, Any], name: str) -> None:
    """A batch has classes for its flags and numbers."""
    assert name in of_batch(Record(5), **fields)
    assert name not in of_batch(Record(5), base_timestamp=7, base_sequence=7)


def test_control_types() -> None:
    """Only control batches have these classes, also for unknown types and newer keys."""
    for kind in ControlType:
        name = f"control/{kind.name.lower().replace('_', '-')}"
        assert name in of_batch(Record(key=control_key(kind)), control=True)
        assert name not in of_batch(Record(key=control_key(kind)))
    assert "control/unknown-type" in of_batch(Record(key=control_key(99)), control=True)
    assert "control/newer-key" in of_batch(Record(key=control_key(2, version=1)), control=True)
    assert "control/abort" not in of_batch(Record(key=None), control=True)


def test_classes_of_a_whole_set() -> None:
    """A set has classes for the number, magics and compressions of its batches."""
    old, new = Message(magic=0), RecordBatch(compression=Compression.GZIP)
    assert {"batches/count-0", "tail/none"} == met(2)
    assert {"batches/several", "batches/magics-rising", "batches/several-compressions"} <= met(2, old, new)
    assert "batches/magics-falling" in met(2, new, old)
    assert "batches/count-1" in met(2, new)
    assert "batches/empty-in-a-row" in met(2, new, new)
    assert "batches/empty-in-a-row" not in met(2, new, RecordBatch.of([Record()]), new)


@pytest.mark.parametrize(
    ("size", "name"), [(11, "no-size"), (12, "no-magic"), (16, "no-magic"), (17, "cut-off")]
)
def test_classes_of_a_tail(size: int, name: str) -> None:
    """A cut batch has classes by the parts that can still be read."""
    assert f"tail/{name}" in met(2, RecordBatch(), tail=bytes(size))
    assert "tail/alone" in met(2, tail=bytes(size))
    assert "tail/alone" not in met(2, RecordBatch(), tail=bytes(size))


def test_classes_of_legacy_sets() -> None:
    """Legacy sets have classes for the outer message and for the inner messages."""
    inner = (Message(0, -1, b"k", None), Message(5, 0, attributes=-16))
    found = met(
        1, MessageSet(Compression.LZ4, inner, offset=2**31, timestamp=2**63 - 1, attributes=8, key=b"w")
    )
    names = """offset/over-int32 timestamp/max attributes/append-time key/present
        messages/gaps messages[].timestamp/0 messages[].attributes/unused-bits
        messages[].key/length-1 messages[].value/null"""
    assert {f"batches[lz4].{name}" for name in names.split()} <= found
    assert "batches[none].attributes/unused-bits" in met(0, Message(magic=0, attributes=-16))
    assert "batches[none].key/null" not in met(1, Message(magic=0))
