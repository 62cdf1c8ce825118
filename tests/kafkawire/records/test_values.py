"""Record sets as plain values, their sizes, and the names of their bytes."""

from typing import Any

import pytest

from kafkawire.annotate import hexdump
from kafkawire.canonical import canonical
from kafkawire.errors import EncodeError, Fault
from kafkawire.records import (
    COMPRESSED,
    Compression,
    Header,
    Message,
    Record,
    RecordBatch,
    RecordSet,
    annotate_records,
    encode_records,
    from_value,
    highest_magic,
    record_set_layout,
    size_of_records,
    to_canonical,
    to_value,
    view_layout,
)
from wireproof.proof.strategies.records.record_cases import record_cases

CASES = [case.records for case in record_cases()]


def test_nothing_is_lost_in_the_plain_value() -> None:
    """Every named set becomes a plain value, canonical binary and JSON, and is read back from each."""
    for records in CASES:
        form = canonical(record_set_layout(highest_magic(records)))
        value = to_value(records)
        assert from_value(value) == records
        assert from_value(form.from_binary(form.to_binary(value))) == records
        assert from_value(form.from_json(form.to_json(value))) == records


def test_keys_that_a_plain_value_lacks_are_defaults() -> None:
    """As in messages, a batch, a message and a record may omit all keys."""
    assert from_value({}) == RecordSet()
    assert from_value({"batches": [{"magic": 2, "records": [{}]}]}) == RecordSet((RecordBatch((Record(),)),))
    assert from_value({"batches": [{"magic": 1}]}) == RecordSet((Message(),))
    with pytest.raises(EncodeError) as caught:
        from_value({"batches": [{"magic": 2, "compression": 5}]})
    assert caught.value.fault is Fault.CODEC


def test_the_view_is_a_canonical_binary() -> None:
    """The layout of the view reads and writes the output of Kafka's readers."""
    form = canonical(view_layout())
    for records in CASES:
        view = to_canonical(records)
        assert form.to_binary(form.from_binary(view)) == view


def test_the_size_is_the_length() -> None:
    """This holds for every named set, compressed or not; an invalid set is refused as in encoding."""
    for records in CASES:
        assert size_of_records(records) == len(encode_records(records))
    wrongs: tuple[Any, ...] = (Record(key=3), Record(headers=(Header("\ud800"),)), "record")  # type: ignore[arg-type]
    for wrong in wrongs:
        with pytest.raises(EncodeError):
            size_of_records(RecordSet((RecordBatch((wrong,)),)))


def test_every_byte_has_a_name() -> None:
    """The spans of every named set cover its bytes without a gap, each path and role once."""
    for records in CASES:
        data = encode_records(records)
        found = annotate_records(data)
        assert found.stopped is None
        assert b"".join(data[span.start : span.end] for span in found.spans) == data
        assert len({(span.path, span.role) for span in found.spans}) == len(found.spans)


def test_bytes_are_named_by_their_field() -> None:
    """A batch, a compressed set and a cut batch have names; invalid bytes are named as far as possible."""
    batch = RecordBatch.of([Record(0, 0, None, b"v", (Header("h", None),))])
    data = encode_records(RecordSet((batch,), b"tail"))
    rows = [row[2] for row in hexdump(annotate_records(data), data)]
    assert "batches[0].lastOffsetDelta = 0" in rows
    assert "batches[0].records[0].key length -1" in rows
    assert rows[-1] == "tail = b'tail'"
    packed = annotate_records(encode_records((RecordBatch((Record(),), compression=Compression.GZIP),)))
    assert [span.path for span in packed.spans if span.role == COMPRESSED] == ["batches[0].records"]
    wrong = annotate_records(data[:61] + b"\x7f" * (len(data) - 65))
    assert wrong.stopped is not None
    for length in range(len(data)):
        annotate_records(data[:length])
