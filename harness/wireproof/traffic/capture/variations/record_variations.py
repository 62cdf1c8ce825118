"""Record sets of Fetch: other compressions, batches, timestamps and magics for the same records."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any, Final, TypeAlias

from kafkawire.errors import CodecError
from kafkawire.records import (
    Batch,
    Compression,
    ControlType,
    Message,
    MessageSet,
    Record,
    RecordBatch,
    control_type,
    encode_records,
)
from kafkawire.values import StructValue
from wireproof.traffic.capture.variations.answer import FETCH, BrokerAnswer, Change, Family, Variation
from wireproof.traffic.capture.variations.stored_records import StoredRecords

_GUIDE: Final = "protocol guide, Record Batch"
_APPENDED_MS: Final = 2_000
_PARTIAL: Final = "protocol guide, Fetch"
_ZSTD_SINCE: Final = 10
"""The first version of Fetch whose answers may have zstd (KIP-110)."""


@dataclass(frozen=True, slots=True)
class _FetchedSet:
    """The batches of a partition.

    Attributes:
        aborted: the producers of aborted transactions in the set.
        version: the version of the Fetch answer.
    """

    batches: Sequence[Batch]
    aborted: frozenset[int]
    version: int
    random: Random


_SetChange: TypeAlias = Callable[[_FetchedSet], Iterable[Batch | bytes] | None]
"""Returns the new batches, and bytes after them; None for no change."""


def _sets(change: _SetChange) -> Change:
    """Return a change of each record set of a Fetch answer."""

    def vary(answer: BrokerAnswer, random: Random) -> BrokerAnswer | None:
        if answer.api_key != FETCH:
            return None
        topics = [
            {**topic, "partitions": [_varied(each, change, answer, random) for each in topic["partitions"]]}
            for topic in answer.body["responses"]
        ]
        return answer.with_body(responses=topics)

    return vary


def _varied(partition: StructValue, change: _SetChange, answer: BrokerAnswer, random: Random) -> StructValue:
    if not partition["records"]:
        return partition
    try:
        held = StoredRecords(partition["records"])
    except CodecError:
        return partition  # the broker's records stay as they are
    if held.tail or not held.batches:
        return partition
    aborted = frozenset(each["producerId"] for each in partition["abortedTransactions"] or ())
    new = change(_FetchedSet(held.batches, aborted, answer.version, random))
    if new is None:
        return partition
    return {**partition, "records": b"".join(map(held.encode, new))}


def _is_data(batch: Batch) -> bool:
    return isinstance(batch, RecordBatch) and not batch.control and bool(batch.records)


def _each_batch(change: Callable[[RecordBatch], Iterable[Batch]], held: _FetchedSet) -> Iterator[Batch]:
    """Yield the batches, those with data in their new form."""
    for batch in held.batches:
        if isinstance(batch, RecordBatch) and _is_data(batch):
            yield from change(batch)
        else:
            yield batch


def _compressed(codec: Compression, held: _FetchedSet) -> Iterable[Batch] | None:
    if codec is Compression.ZSTD and held.version < _ZSTD_SINCE:
        return None
    return _each_batch(lambda batch: [replace(batch, compression=codec)], held)


def _split(batch: RecordBatch) -> Iterator[RecordBatch]:
    """Yield a batch for each record; together they have the same offsets."""
    starts = [0, *(each.offset_delta for each in batch.records[1:]), batch.last_offset_delta + 1]
    for record, (start, end) in zip(batch.records, pairwise(starts), strict=True):
        yield replace(
            batch,
            records=(record._replace(offset_delta=record.offset_delta - start),),
            base_offset=batch.base_offset + start,
            last_offset_delta=end - 1 - start,
            max_timestamp=batch.timestamp_of(record),
            base_sequence=batch.base_sequence + start if batch.base_sequence >= 0 else -1,
        )


def _merged(held: _FetchedSet) -> Iterator[Batch]:
    """Yield batches in which adjacent batches are merged if they differ only in their records."""
    last: RecordBatch | None = None
    for batch in held.batches:
        if not (isinstance(batch, RecordBatch) and _is_data(batch)):
            yield from filter(None, [last])
            yield batch
            last = None
        elif last is not None and _traits(last) == _traits(batch):
            last = _joined(last, batch)
        else:
            yield from filter(None, [last])
            last = batch
    yield from filter(None, [last])


def _traits(batch: RecordBatch) -> tuple[Any, ...]:
    kept = batch.producer_id, batch.producer_epoch, batch.transactional, batch.log_append_time
    return (*kept, batch.partition_leader_epoch, batch.delete_horizon)


def _joined(one: RecordBatch, other: RecordBatch) -> RecordBatch:
    offset, time = other.base_offset - one.base_offset, other.base_timestamp - one.base_timestamp
    moved = (
        each._replace(offset_delta=each.offset_delta + offset, timestamp_delta=each.timestamp_delta + time)
        for each in other.records
    )
    return replace(
        one,
        records=(*one.records, *moved),
        last_offset_delta=offset + other.last_offset_delta,
        max_timestamp=max(one.max_timestamp, other.max_timestamp),
    )


def _negative_deltas(batch: RecordBatch) -> list[Batch]:
    moved = 1_000 + max(each.timestamp_delta for each in batch.records)
    records = tuple(each._replace(timestamp_delta=each.timestamp_delta - moved) for each in batch.records)
    return [replace(batch, records=records, base_timestamp=batch.base_timestamp + moved)]


def _append_time(batch: RecordBatch) -> list[Batch]:
    """Return the batch as if it was appended two seconds after the last record was made."""
    return [replace(batch, log_append_time=True, max_timestamp=batch.max_timestamp + _APPENDED_MS)]


def _cut_tail(first: int, end: int, held: _FetchedSet) -> Iterable[Batch | bytes] | None:
    """Return the batches, followed by the first bytes of another: at least `first`, fewer than `end`."""
    last = held.batches[-1]
    if not isinstance(last, RecordBatch):
        return None
    following = RecordBatch.of(
        (Record(0, 0, b"cut", b"the broker cut this batch"),),
        base_offset=last.base_offset + last.last_offset_delta + 1,
        base_timestamp=max(0, last.max_timestamp),
    )
    data = encode_records([following])
    return [*held.batches, data[: held.random.randrange(first, min(end, len(data)))]]


def _old(magic: int, codec: Compression, batch: RecordBatch) -> list[Batch]:
    """Return messages of magic 0 or 1, if these can hold the records."""
    if batch.transactional or any(each.headers for each in batch.records):
        return [batch]
    append = batch.log_append_time and magic == 1
    messages = [
        Message(
            batch.offset_of(each),
            batch.timestamp_of(each) if magic else -1,
            each.key,
            each.value,
            magic,
            8 if append else 0,
        )
        for each in batch.records
    ]
    if codec is Compression.NONE:
        return list(messages)
    first, last = messages[0].offset, messages[-1].offset
    inner = tuple(each._replace(offset=each.offset - first if magic else each.offset) for each in messages)
    time = max(each.timestamp for each in messages)
    return [MessageSet(codec, inner, last, time, magic, 8 if append else 0)]


def _is_marker(batch: Batch, held: _FetchedSet) -> bool:
    """Return True for a control batch that does not end an aborted transaction of this set."""
    if not isinstance(batch, RecordBatch) or not batch.control or not batch.records:
        return False
    return batch.producer_id not in held.aborted or control_type(batch.records[0].key) is ControlType.COMMIT


def _emptied(held: _FetchedSet) -> Iterator[Batch]:
    for batch in held.batches:
        if isinstance(batch, RecordBatch) and _is_marker(batch, held):
            batch = replace(batch, records=())
        yield batch


def _gaps(held: _FetchedSet) -> Iterator[Batch]:
    for batch, following in pairwise([*held.batches, None]):
        if batch is not None and (following is None or not _is_marker(batch, held)):
            yield batch


def _longer(held: _FetchedSet) -> Iterator[Batch]:
    """Yield the batches without markers; each ends before the next, as if its last records were gone."""
    for batch, following in pairwise([*_gaps(held), None]):
        if isinstance(batch, RecordBatch) and isinstance(following, RecordBatch) and _is_data(batch):
            delta = following.base_offset - batch.base_offset - 1
            yield replace(batch, last_offset_delta=delta)
        elif batch is not None:
            yield batch


def _holes(held: _FetchedSet) -> Iterator[Batch]:
    """Yield the batches; a data batch after a marker replaces it, and begins with the marker's offset."""
    marker: RecordBatch | None = None
    for batch in held.batches:
        if isinstance(batch, RecordBatch) and _is_marker(batch, held):
            yield from filter(None, [marker])
            marker = batch
            continue
        if marker is not None and isinstance(batch, RecordBatch) and _is_data(batch):
            yield _begun_at(marker.base_offset, batch)
        else:
            yield from filter(None, [marker])
            yield batch
        marker = None
    yield from filter(None, [marker])


def _begun_at(offset: int, batch: RecordBatch) -> RecordBatch:
    """Return the batch as if records before its first one, from an offset on, were gone."""
    delta = batch.base_offset - offset
    records = tuple(each._replace(offset_delta=each.offset_delta + delta) for each in batch.records)
    last = batch.last_offset_delta + delta
    return replace(batch, base_offset=offset, records=records, last_offset_delta=last)


_CLEANER: Final = "Kafka: LogCleaner"
_ROWS: Final[tuple[tuple[str, str, str, _SetChange, str], ...]] = (
    *(
        (
            f"records-{codec.name.lower() if codec else 'uncompressed'}",
            f"Batches are compressed with {codec.name.lower()}." if codec else "Batches are not compressed.",
            f"{_GUIDE}: attributes; KIP-110 for zstd; Kafka: compression.type of a topic",
            partial(_compressed, codec),
            "compression",
        )
        for codec in Compression
    ),
    (
        "records-split",
        "Each record has a batch of its own.",
        f"{_GUIDE}: the producer chooses",
        partial(_each_batch, _split),
        "cut",
    ),
    (
        "records-merged",
        "Batches of the same producer that are side by side are one.",
        f"{_GUIDE}: the producer chooses",
        _merged,
        "cut",
    ),
    (
        "records-deltas",
        "The first timestamp of a batch is above all others, so that the deltas are negative.",
        f"{_GUIDE}: timestampDelta is a signed varlong",
        partial(_each_batch, _negative_deltas),
        "time",
    ),
    (
        "records-append-time",
        "Batches have log-append time, 2 s after their last record: it is the timestamp of all records.",
        "KIP-32; Kafka: message.timestamp.type",
        partial(_each_batch, _append_time),
        "time",
    ),
    (
        "records-empty",
        "Control batches are empty batches.",
        f"{_CLEANER} keeps the header of a batch without records: DefaultRecordBatch.writeEmptyHeader",
        _emptied,
        "offsets",
    ),
    (
        "records-gaps",
        "Control batches that others follow are gone, so that offsets have gaps.",
        f"{_CLEANER} removes markers; KIP-98",
        _gaps,
        "offsets",
    ),
    (
        "records-longer",
        "A batch covers offsets after its last record, up to the next batch.",
        f"{_CLEANER} keeps the last offset of a batch whose last records it removes",
        _longer,
        "offsets",
    ),
    (
        "records-holes",
        "A batch after a control batch begins at that one's offset, before its first record.",
        f"{_CLEANER} keeps the first offset of a batch whose first records it removes",
        _holes,
        "offsets",
    ),
    *(
        (
            f"records-magic-{magic}{'' if codec is Compression.NONE else f'-{codec.name.lower()}'}",
            f"Batches without headers and transactions have magic {magic}"
            f"{'' if codec is Compression.NONE else f', compressed with {codec.name.lower()}'}.",
            "KIP-724: logs of older brokers can still be read; KIP-32",
            partial(_each_batch, partial(_old, magic, codec)),
            "compression",
        )
        for magic, codec in (
            (0, Compression.NONE),
            (1, Compression.NONE),
            (0, Compression.GZIP),
            (1, Compression.GZIP),
            (1, Compression.SNAPPY),
            (1, Compression.LZ4),
        )
    ),
    (
        "records-cut-tail",
        "After the last batch comes the begin of another, cut after its size.",
        f"{_PARTIAL}: a partial batch at the end; Kafka: fetch.max.bytes",
        partial(_cut_tail, 12, 1 << 20),
        "tail",
    ),
    (
        "records-short-tail",
        "After the last batch come up to 11 bytes of another, fewer than hold its size.",
        f"{_PARTIAL}: a partial batch at the end; Kafka: fetch.max.bytes",
        partial(_cut_tail, 1, 12),
        "tail",
    ),
)
"""The rows. Variations that add a tail are last, because a set with a tail is not varied again."""

RECORD_VARIATIONS: Final = tuple(
    Variation(name, Family.RECORDS, sentence, source, _sets(change), slot=slot)
    for name, sentence, source, change, slot in _ROWS
)
