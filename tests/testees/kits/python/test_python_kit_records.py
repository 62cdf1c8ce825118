"""Record sets of the Python kit, over our own codec as a builder and as batches that are shown."""

import json
from typing import Any

import pytest

from kafkawire.canonical import canonical
from kafkawire.records import (
    Compression,
    Record,
    RecordBatch,
    RecordSet,
    decode_records,
    encode_records,
    from_value,
    record_set_layout,
    to_value,
)
from tests.support.testees.builder_testee import Builder, OwnSets, Shown, kit, sets
from wireproof.model.case_source import RecordCase
from wireproof.proof.strategies.records.record_cases import record_cases


def as_json(records: RecordSet) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(canonical(record_set_layout(2)).to_json(to_value(records)))
    return value


def written(records: RecordSet) -> bytes:
    port = OwnSets()
    return bytes(port.write(port.from_value(as_json(records))))


NEW = [
    case
    for case in record_cases()
    if case.name.startswith("v2/none/") and "append-time" not in case.name and "attributes" not in case.name
]
"""Batches whose records show all that they hold, but for unused attributes."""


def test_what_a_producer_writes_is_written_whole() -> None:
    """Named sets come out as our codec writes them, or are left out by a limit; most are written."""
    reasons: list[str] = []
    for case in record_cases():
        try:
            assert decode_records(written(case.records)) == as_built(case), case.name
        except kit.Unsupported as error:
            reasons.append(error.reason)

    assert set(reasons) == {"broker", "builder", "tail"}
    assert len(reasons) < len(list(record_cases())) / 2
    assert set(reasons) <= set(sets.LIMITS)


def as_built(case: RecordCase) -> RecordSet:
    return decode_records(encode_records(case.records))


class Plain(OwnSets):
    """Its builder writes every batch without compression."""

    def builder(self, magic: int, _codec: int, *rest: Any) -> Any:
        return Builder(magic, 0, *rest)


def packed(value: bytes) -> RecordSet:
    return RecordSet((RecordBatch.of((Record(0, 0, b"k", value),), compression=Compression.GZIP),))


def test_what_is_compressed_for_nothing_is_left_out() -> None:
    """A builder may write the batch plain where compression would not have made it smaller."""
    port = Plain()
    with pytest.raises(kit.Unsupported, match="would not be smaller"):
        port.write(port.from_value(as_json(packed(b"v"))))


def test_a_compression_that_is_forgotten_shows() -> None:
    """A builder that writes the batch plain where compression would have gained is not left out."""
    port = Plain()
    (batch,) = decode_records(port.write(port.from_value(as_json(packed(b"v" * 500))))).batches
    assert isinstance(batch, RecordBatch)
    assert batch.compression is Compression.NONE


def test_what_a_broker_sets_is_set_over_a_placeholder_only() -> None:
    """A builder that writes a base offset and a leader epoch of its own shows them."""

    class Meddler(Builder):
        def build(self) -> bytes:
            return (
                (7).to_bytes(8, "big") + super().build()[8:12] + (9).to_bytes(4, "big") + super().build()[16:]
            )

    class Meddling(OwnSets):
        def builder(self, *head: Any) -> Any:
            return Meddler(*head)

    port, batch = Meddling(), RecordBatch.of((Record(0, 0, b"k", b"v"),))
    (made,) = decode_records(port.write(port.from_value(as_json(RecordSet((batch,)))))).batches
    assert isinstance(made, RecordBatch)
    assert (made.base_offset, made.partition_leader_epoch) == (7, 9)


@pytest.mark.parametrize("case", NEW, ids=lambda case: case.name.rpartition("/")[2])
def test_a_batch_is_converted_as_it_is(case: RecordCase) -> None:
    """Deltas come back out of absolute offsets and times, those too that wrap."""
    port, data = OwnSets(), encode_records(case.records)
    thing, consumed = port.read(data)

    assert consumed == len(data)
    assert from_value(canonical(record_set_layout(2)).from_tree(port.to_value(thing))) == case.records


def test_the_time_of_the_batch_hides_that_of_a_record() -> None:
    """A batch of log-append time shows its own in each record, so it is left out."""
    batch = RecordBatch.of((Record(0, 0, b"k", b"v"),), log_append_time=True)
    with pytest.raises(kit.Unsupported, match="the time of the batch"):
        OwnSets().read(encode_records((batch,)))


def test_a_batch_of_append_time_whose_records_show_another_time() -> None:
    """The limit covers what hides a record's time: a codec that shows another time is not excused by it."""

    class Off(Shown):
        def __iter__(self) -> Any:
            for record in super().__iter__():
                record.timestamp += 1
                yield record

    shown = Off(RecordBatch.of((Record(0, 0, b"k", b"v"),), log_append_time=True))
    (record,) = sets.batch_to_json(shown, -1)["records"]
    assert record["timestampDelta"] == "1"
