"""Random record sets within the limits of a codec: they keep the limits, vary in all else, and find bugs."""

import json
from collections.abc import Callable
from functools import cache
from itertools import pairwise
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
from tests.support.testees.builder_testee import ForgetfulSets, OwnSets, kit, sets
from wireproof.model.case_source import RecordDomain, RecordLimit
from wireproof.model.cell import Cell
from wireproof.proof.strategies.records.hypothesis_records import within
from wireproof.proof.strategies.records.record_cases import record_cases
from wireproof.proof.strategies.records.record_source import RecordSets

CELL = Cell("4.4.0", "records", "RecordBatch", 2)
BUILDER = frozenset(map(RecordLimit, sets.RECORD_LIMITS))
EXAMPLES = 300


@cache
def drawn(limits: frozenset[RecordLimit], seed: int = 3) -> tuple[RecordSet, ...]:
    """All random sets of a domain, drawn once for all tests."""
    found: list[RecordSet] = []

    def judged(value: dict[str, Any]) -> bool:
        found.append(from_value(value))
        return True

    domain = RecordDomain(limits=limits)
    RecordSets().search(
        CELL, domain, judged, examples=EXAMPLES, seed=seed, shrink_s=0, found=lambda value: None
    )
    return tuple(found)


def test_an_empty_control_batch_is_filled_with_a_record_that_it_may_hold() -> None:
    """Control records have keys; a record that is added has none."""
    empty = RecordSet((RecordBatch(records=(), control=True, compression=Compression.GZIP),))
    for limit in (RecordLimit.DERIVED_HEADER, RecordLimit.COMPRESSION_GAIN):
        (batch,) = batches(within(empty, {limit}))
        assert (len(batch.records), batch.control) == (1, False)
        canonical(record_set_layout(2)).to_binary(to_value(RecordSet((batch,))))


def batches(records: RecordSet) -> list[RecordBatch]:
    return [batch for batch in records.batches if isinstance(batch, RecordBatch)]


def follows(batch: RecordBatch) -> bool:
    """Return true if a builder derives the header from the records."""
    offsets = [record.offset_delta for record in batch.records]
    times = [batch.base_timestamp + record.timestamp_delta for record in batch.records]
    return (
        bool(offsets)
        and times[0] == batch.base_timestamp
        and max(times) == batch.max_timestamp
        and offsets[-1] == batch.last_offset_delta
        and all(one < other for one, other in pairwise([-1, *offsets]))
        and all(-(1 << 63) <= number < 1 << 63 for number in (*times, batch.base_offset + offsets[-1]))
    )


def gains(batch: RecordBatch) -> bool:
    return batch.compression is Compression.NONE or len(batch.records[-1].value or b"") >= 1000


def distinct(record: Record) -> bool:
    return len({header.key for header in record.headers}) == len(record.headers)


KEPT: dict[RecordLimit, Callable[[RecordBatch], bool]] = {
    RecordLimit.CONTROL: lambda batch: not batch.control,
    RecordLimit.APPEND_TIME: lambda batch: not batch.log_append_time,
    RecordLimit.DELETE_HORIZON: lambda batch: not batch.delete_horizon,
    RecordLimit.UNUSED_BITS: lambda batch: (
        not batch.reserved and not any(r.attributes for r in batch.records)
    ),
    RecordLimit.LEADER_EPOCH: lambda batch: batch.partition_leader_epoch == -1,
    RecordLimit.PRODUCER: lambda batch: (
        (batch.producer_epoch >= 0 and batch.base_sequence >= 0)
        if batch.producer_id != -1
        else not batch.transactional
    ),
    RecordLimit.DERIVED_HEADER: follows,
    RecordLimit.FIRST_OFFSET: lambda batch: follows(batch) and batch.records[0].offset_delta == 0,
    RecordLimit.CONSECUTIVE_OFFSETS: lambda batch: (
        [record.offset_delta for record in batch.records] == list(range(len(batch.records)))
    ),
    RecordLimit.RISING_TIMES: lambda batch: all(record.timestamp_delta >= 0 for record in batch.records),
    RecordLimit.CALENDAR_TIMES: lambda batch: (
        follows(batch)
        and all(
            0 <= batch.base_timestamp + record.timestamp_delta < 253_402_300_800_000
            for record in batch.records
        )
    ),
    RecordLimit.HEADER_KEYS: lambda batch: all(map(distinct, batch.records)),
    RecordLimit.COMPRESSION_GAIN: gains,
}


def test_every_limit_is_kept_alone_and_with_all_others() -> None:
    """Each limit changes what it must, and leaves a set that keeps it unchanged; without limits nothing
    changes."""
    plain = drawn(frozenset())
    assert {*KEPT, RecordLimit.TAIL} == set(RecordLimit)
    whole = [batch for records in plain for batch in batches(records)]
    assert [limit for limit, kept in KEPT.items() if all(map(kept, whole))] == []
    for limits in (*(frozenset({each}) for each in KEPT), frozenset(RecordLimit)):
        changed = [within(records, limits) for records in plain]
        kept = [batch for records in changed for batch in batches(records)]
        assert [each for each in limits & KEPT.keys() if not all(map(KEPT[each], kept))] == [], limits
        rest = limits - {RecordLimit.COMPRESSION_GAIN}
        assert [within(records, rest) for records in changed] == changed, limits
    assert all(not within(records, {RecordLimit.TAIL}).tail for records in plain)
    assert tuple(within(records, ()) for records in plain) == plain


def test_sets_within_limits_are_as_various_as_others() -> None:
    """Everything outside of the limits is drawn; a codec without limits gets the usual sets.

    At most four seeds are drawn, because Hypothesis draws constants of the modules that it finds.
    """
    found: list[RecordBatch] = []
    for seed in range(3, 7):
        drawn_now = drawn(BUILDER, seed=seed)
        found += [batch for records in drawn_now for batch in batches(records) if follows(batch)]
        if not (lacking := lacks(found)):
            break
    assert not lacking


def lacks(found: list[RecordBatch]) -> list[str]:
    """Return what various batches have, and these have not."""
    records = [record for batch in found for record in batch.records]
    sizes = {
        name: {None if (held := getattr(record, name)) is None else len(held) for record in records}
        for name in ("key", "value")
    }
    has = {
        "each compression": {batch.compression for batch in found} == set(Compression),
        "one to four records": {len(batch.records) for batch in found} == {1, 2, 3, 4},
        "batches of a transaction and others": {batch.transactional for batch in found} == {False, True},
        "a negative epoch": any(batch.producer_epoch < 0 for batch in found),
        "deltas at the ends of varints": {63, 64, 8191, 8192} <= {record.offset_delta for record in records},
        "a far time": min(record.timestamp_delta for record in records) < -(1 << 31),
        "no to three headers": {len(record.headers) for record in records} == {0, 1, 2, 3},
        "keys and values, null and empty": all({None, 0} <= each for each in sizes.values()),
        "long keys and values": all(max(size or 0 for size in each) > 100 for each in sizes.values()),
    }
    return [name for name, is_there in has.items() if not is_there]


@pytest.mark.parametrize(("limits", "least", "most"), [(BUILDER, 0.9, 1), (frozenset(), 0, 0.2)])
def test_a_builder_gets_nearly_all_sets(limits: frozenset[RecordLimit], least: float, most: float) -> None:
    """Of the sets of its domain the kit leaves few out, namely those drawn without regard to limits.

    Only sets with a batch of magic 2 count, because nearly all limits concern these.
    """
    asked = [is_asked(records) for records in drawn(limits) if batches(records)]
    assert least <= sum(asked) / len(asked) <= most


def is_asked(records: RecordSet) -> bool:
    return written(OwnSets(), records) is not None


def written(port: OwnSets, records: RecordSet) -> bytes | None:
    """Return the builder's bytes of a set, or None if the kit leaves it out."""
    try:
        return bytes(port.write(port.from_value(as_kit_value(records))))
    except kit.Unsupported:
        return None


def as_kit_value(records: RecordSet) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(canonical(record_set_layout(2)).to_json(to_value(records)))
    return value


def test_a_bug_in_the_third_record_is_found_only_by_random_sets() -> None:
    """No named set has the bug. It is found within the limits; outside of them the builder gets few sets."""

    def proven(records: RecordSet) -> bool:
        data = written(ForgetfulSets(), records)
        return data is None or decode_records(data) == decode_records(encode_records(records))

    assert all(proven(case.records) for case in record_cases())
    assert not all(map(proven, drawn(BUILDER)))
    assert all(map(proven, drawn(frozenset())))
