"""Record sets of Fetch: the same records in another form."""

import gzip
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from kafkawire.records import (
    Batch,
    Compression,
    ControlType,
    EndTransactionMarker,
    Header,
    Message,
    MessageSet,
    Record,
    RecordBatch,
    compress,
    control_key,
    decode_records,
    decompress,
    encode_records,
)
from tests.support.capture.broker_answers import answers
from wireproof.traffic.capture.variations.answer import BrokerAnswer, Family, Variation
from wireproof.traffic.capture.variations.variation_table import CATALOGUE, find_variation

RECORDS = [each for each in CATALOGUE if each.family is Family.RECORDS]
FETCH = next(
    each
    for each, _ in answers("FetchResponse")
    if each.version == 12 and each.body["responses"] and not each.body["errorCode"]
)


def marker(offset: int, producer: int, kind: ControlType = ControlType.COMMIT) -> RecordBatch:
    record = Record(0, 0, control_key(kind), EndTransactionMarker(3).to_bytes())
    return RecordBatch.of(
        (record,),
        base_offset=offset,
        producer_id=producer,
        producer_epoch=0,
        control=True,
        transactional=True,
    )


def log() -> list[RecordBatch]:
    """Return batches with plain, transactional and control records, of two producers."""
    rows = [(None, b"one", ()), (b"k", None, ()), (b"", b"x" * 300, ())]
    plain = tuple(Record(at, at, key, value, headers) for at, (key, value, headers) in enumerate(rows))
    headed = (Record(0, 0, b"key", b"value", (Header("name", b"v"), Header("name", None))),)
    return [
        RecordBatch.of(plain, base_offset=10, base_timestamp=5_000),
        RecordBatch.of(plain, base_offset=13, base_timestamp=5_010, compression=Compression.GZIP),
        RecordBatch.of(
            headed, base_offset=16, base_timestamp=5_020, producer_id=7, producer_epoch=0, transactional=True
        ),
        marker(17, 7),
        RecordBatch.of(plain[:2], base_offset=18, base_timestamp=5_030),
        marker(20, 8, ControlType.ABORT),
    ]


def fetched(batches: list[RecordBatch], **fields: Any) -> BrokerAnswer:
    partition = {
        **FETCH.body["responses"][0]["partitions"][0],
        "abortedTransactions": None,
        "records": encode_records(tuple(batches)),
        **fields,
    }
    topic = {**FETCH.body["responses"][0], "partitions": [partition]}
    return FETCH.with_body(responses=[topic])


def varied(variation: Variation, answer: BrokerAnswer, seed: int = 0) -> tuple[list[Batch], bytes]:
    """Return the batches and the tail of the varied answer."""
    assert variation.change is not None
    changed = variation.change(answer, Random(seed))
    assert changed is not None
    held = decode_records(changed.body["responses"][0]["partitions"][0]["records"])
    return list(held.batches), held.tail


def seen(batches: list[Any]) -> list[tuple[Any, ...]]:
    """Return offset, key, value and headers of each record that a consumer sees."""
    found: list[tuple[Any, ...]] = []
    for batch in batches:
        if isinstance(batch, Message):
            found.append((batch.offset, batch.key, batch.value, ()))
        elif isinstance(batch, MessageSet):
            base = batch.offset - batch.messages[-1].offset if batch.magic == 1 else 0
            found += [(base + each.offset, each.key, each.value, ()) for each in batch.messages]
        elif not batch.control:
            found += [(batch.offset_of(each), each.key, each.value, each.headers) for each in batch.records]
    return found


@pytest.mark.parametrize("variation", RECORDS, ids=lambda each: each.id)
def test_the_records_are_the_same(variation: Variation) -> None:
    """A consumer sees the same offsets, keys, values and headers, with every seed."""
    for seed in range(5):
        batches, _ = varied(variation, fetched(log()), seed)
        assert seen(batches) == seen(log())


@pytest.mark.parametrize("variation", RECORDS, ids=lambda each: each.id)
def test_the_bytes_are_others(variation: Variation) -> None:
    """Each variation applies to this log."""
    assert variation.change is not None
    changed = variation.change(fetched(log()), Random(0))
    assert changed is not None
    assert changed.encode() != fetched(log()).encode()


def named(name: str) -> Variation:
    found = find_variation(name)
    assert found is not None
    return found


def test_the_forms_of_batches() -> None:
    """Codec, cuts, timestamps and magic are those that the sentence names."""
    zstd, _ = varied(named("records-zstd"), fetched(log()))
    assert {each.compression for each in zstd if isinstance(each, RecordBatch) and not each.control} == {
        Compression.ZSTD
    }
    single, _ = varied(named("records-split"), fetched(log()))
    assert [len(each.records) for each in single if isinstance(each, RecordBatch)] == [1] * 11
    merged, _ = varied(named("records-merged"), fetched(log()))
    assert [len(each.records) for each in merged if isinstance(each, RecordBatch)] == [6, 1, 1, 2, 1]
    late, _ = varied(named("records-deltas"), fetched(log()))
    first = late[0]
    assert isinstance(first, RecordBatch)
    assert all(each.timestamp_delta < 0 for each in first.records)
    assert [first.timestamp_of(each) for each in first.records] == [5_000, 5_001, 5_002]
    old, _ = varied(named("records-magic-1-lz4"), fetched(log()))
    assert [each.magic for each in old] == [1, 1, 2, 2, 1, 2]
    assert isinstance(old[0], MessageSet)
    assert (old[0].offset, [each.offset for each in old[0].messages]) == (12, [0, 1, 2])


@pytest.mark.parametrize("name", ["longer", "split", "deltas", "append-time", "snappy"])
def test_snappy_of_one_block_stays_in_one(name: str) -> None:
    """A variation of another thing shows no fault of snappy's blocks; the other batch has them as before."""
    first, second = (replace(log()[at], compression=Compression.SNAPPY) for at in (0, 4))
    if name == "snappy":
        second = replace(second, compression=Compression.GZIP)
    plain = encode_records([first], compress=lambda *words: compress(*words)[20:])
    change = named(f"records-{name}").change
    assert change is not None
    changed = change(fetched([], records=plain + encode_records([second])), Random(0))
    assert changed is not None
    blocks: list[bool] = []

    def note(codec: Compression, data: bytes, magic: int, limit: int) -> bytes:
        blocks.append(data.startswith(b"\x82SNAPPY"))
        return decompress(codec, data, magic, limit)

    records = changed.body["responses"][0]["partitions"][0]["records"]
    decode_records(records, decompress=note)
    ones, others = (3, 2) if name == "split" else (1, 1)
    assert blocks == [False] * ones + [True] * others
    assert records != plain + encode_records([second])


@pytest.mark.parametrize("name", ["magic-1", "empty", "gaps", "split"])
def test_a_batch_that_stays_keeps_its_bytes(name: str) -> None:
    """A variation that no batch of an answer can have does not apply to it, whatever we would compress."""
    headed = replace(log()[2], compression=Compression.GZIP)
    stored = encode_records([headed], compress=lambda codec, data, magic: gzip.compress(data, 1))
    change = named(f"records-{name}").change
    assert change is not None
    answer = fetched([], records=stored)
    changed = change(answer, Random(0))
    assert changed is not None
    assert (changed.encode() == answer.encode()) is (name != "split")


def test_the_time_of_the_log_is_that_of_no_record() -> None:
    """A client that takes the producer's times shows it."""
    appended, _ = varied(named("records-append-time"), fetched(log()))
    pairs = [
        (batch.timestamp_of(record), batch.written_timestamp_of(record))
        for batch in appended
        if isinstance(batch, RecordBatch) and batch.log_append_time
        for record in batch.records
    ]
    assert pairs
    assert all(time > written for time, written in pairs)


def test_zstd_is_not_in_old_answers() -> None:
    """Before version 10 a broker converts it (KIP-110)."""
    old = next(each for each, _ in answers("FetchResponse") if each.version == 9)
    topic = {**fetched(log()).body["responses"][0]}
    zstd = named("records-zstd").change
    assert zstd is not None
    changed = zstd(old.with_body(responses=[topic]), Random(0))
    assert changed is not None
    assert changed.body["responses"][0]["partitions"][0]["records"] == topic["partitions"][0]["records"]


@pytest.mark.parametrize(("name", "least", "most"), [("cut", 12, 100), ("short", 1, 11)])
def test_a_tail_is_part_of_the_next_batch(name: str, least: int, most: int) -> None:
    """It begins with the next offset, and is never whole."""
    lengths = set()
    for seed in range(30):
        batches, tail = varied(named(f"records-{name}-tail"), fetched(log()), seed)
        assert len(batches) == len(log())
        assert (21).to_bytes(8, "big").startswith(tail[:8])
        lengths.add(len(tail))
    assert min(lengths) >= least
    assert max(lengths) <= most, lengths
    assert len(lengths) > 5


def test_sets_with_a_tail_are_not_varied_again() -> None:
    """So the variations that add one are the last of the catalogue."""
    assert [each.id for each in RECORDS][-2:] == ["records-cut-tail", "records-short-tail"]


def test_markers_can_be_empty_or_gone() -> None:
    """The last batch stays, because a consumer would not get past its offset; so does an abort."""
    empty, _ = varied(named("records-empty"), fetched(log()))
    assert [len(each.records) for each in empty if isinstance(each, RecordBatch)] == [3, 3, 1, 0, 2, 0]
    gone, _ = varied(named("records-gaps"), fetched(log()))
    assert len(gone) == len(log()) - 1
    longer, _ = varied(named("records-longer"), fetched(log()))
    assert [each.last_offset_delta for each in longer if isinstance(each, RecordBatch)] == [2, 2, 1, 1, 0]
    began, _ = varied(named("records-holes"), fetched(log()))
    holes = [each for each in began if isinstance(each, RecordBatch)]
    assert [each.records[0].offset_delta for each in holes] == [0, 0, 0, 1, 0]
    assert [each.last_offset_delta for each in holes] == [2, 2, 0, 2, 0]
    aborted = [{"producerId": producer, "firstOffset": 16} for producer in (7, 9)]
    batches = [*log()[:4], marker(18, 9, ControlType.ABORT), *log()[5:]]
    kept, _ = varied(named("records-gaps"), fetched(batches, abortedTransactions=aborted))
    assert len(kept) == len(batches) - 1
