"""Record sets made to fit what a codec can hold."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from kafkawire.records import Batch, Compression, Message, MessageSet, Record, RecordBatch, RecordSet
from wireproof.model import RecordLimit

__all__ = ["within"]

_INT32: Final = 1 << 31
_INT64: Final = 1 << 63
_CALENDAR_END: Final = 253_402_300_800_000
"""The first millisecond of the year 10000."""
_APPEND_TIME: Final = 8
"""The bit of a message's attributes."""
_PADDING: Final = bytes(1000)
"""Bytes that every compression makes much shorter."""


def within(records: RecordSet, limits: Collection[RecordLimit]) -> RecordSet:
    """The set with everything changed that the limits leave out, and all else as it is.

    Within the limits already, it comes back equal, but for `RecordLimit.COMPRESSION_GAIN`: compressed batches
    are padded whatever they hold, because libraries compress differently.
    """
    tail = b"" if RecordLimit.TAIL in limits else records.tail
    return RecordSet(tuple(_batch_within(batch, limits) for batch in records.batches), tail)


def _batch_within(batch: Batch, limits: Collection[RecordLimit]) -> Batch:
    match batch:
        case RecordBatch():
            for limit, fit in _FITS:
                if limit in limits:
                    batch = fit(batch)
            return batch if _DERIVING.isdisjoint(limits) else _derived(batch, limits)
        case Message() if RecordLimit.APPEND_TIME in limits:
            return batch._replace(attributes=batch.attributes & ~_APPEND_TIME)
        case MessageSet() if RecordLimit.APPEND_TIME in limits:
            return replace(batch, attributes=batch.attributes & ~_APPEND_TIME)
        case _:
            return batch


def _without_unused_bits(batch: RecordBatch) -> RecordBatch:
    records = tuple(record._replace(attributes=0) for record in batch.records)
    return replace(batch, reserved=0, records=records)


def _with_producer(batch: RecordBatch) -> RecordBatch:
    if batch.producer_id < 0:
        return replace(batch, producer_id=-1, transactional=False)
    epoch, sequence = _positive(batch.producer_epoch), _positive(batch.base_sequence)
    return replace(batch, producer_epoch=epoch, base_sequence=sequence)


def _with_distinct_keys(batch: RecordBatch) -> RecordBatch:
    records = []
    for record in batch.records:
        headers = {header.key: header for header in record.headers}
        records.append(record._replace(headers=tuple(headers.values())))
    return replace(batch, records=tuple(records))


def _padded(batch: RecordBatch) -> RecordBatch:
    """The last record gets bytes, so that compression gains."""
    if batch.compression is Compression.NONE:
        return batch
    batch = _filled(batch)
    *others, last = batch.records
    return replace(batch, records=(*others, last._replace(value=(last.value or b"") + _PADDING)))


def _filled(batch: RecordBatch) -> RecordBatch:
    """Return the batch with at least one record. The record has no key, so that an empty control batch
    becomes a plain one.
    """
    return batch if batch.records else replace(batch, records=(Record(),), control=False)


def _flag(**fields: Any) -> Callable[[RecordBatch], RecordBatch]:
    return lambda batch: replace(batch, **fields)


_FITS: Final[Sequence[tuple[RecordLimit, Callable[[RecordBatch], RecordBatch]]]] = (
    (RecordLimit.CONTROL, _flag(control=False)),
    (RecordLimit.APPEND_TIME, _flag(log_append_time=False)),
    (RecordLimit.DELETE_HORIZON, _flag(delete_horizon=False)),
    (RecordLimit.UNUSED_BITS, _without_unused_bits),
    (RecordLimit.LEADER_EPOCH, _flag(partition_leader_epoch=-1)),
    (RecordLimit.PRODUCER, _with_producer),
    (RecordLimit.HEADER_KEYS, _with_distinct_keys),
    (RecordLimit.COMPRESSION_GAIN, _padded),
)


_DERIVING: Final = frozenset(
    {
        RecordLimit.DERIVED_HEADER,
        RecordLimit.FIRST_OFFSET,
        RecordLimit.CONSECUTIVE_OFFSETS,
        RecordLimit.RISING_TIMES,
        RecordLimit.CALENDAR_TIMES,
    }
)


def _derived(batch: RecordBatch, limits: Collection[RecordLimit]) -> RecordBatch:
    """The batch as a builder makes it of its records, which it is given with absolute offsets and times."""
    batch = _filled(batch)
    held = batch.records
    offsets = list(_offsets([record.offset_delta for record in held], limits))
    base = batch.base_timestamp
    if RecordLimit.CALENDAR_TIMES in limits:
        base %= _CALENDAR_END
    times = [0, *(_time(base, record.timestamp_delta, limits) for record in held[1:])]
    records = [
        record._replace(offset_delta=offset, timestamp_delta=time)
        for record, offset, time in zip(held, offsets, times, strict=True)
    ]
    return replace(
        batch,
        records=tuple(records),
        base_offset=min(batch.base_offset, _INT64 - 1 - offsets[-1]),
        base_timestamp=base,
        max_timestamp=base + max(times),
        last_offset_delta=offsets[-1],
    )


def _offsets(deltas: Sequence[int], limits: Collection[RecordLimit]) -> Iterator[int]:
    """Yield as many rising deltas as there are records, out of the given ones where possible."""
    if RecordLimit.CONSECUTIVE_OFFSETS in limits:
        yield from range(len(deltas))
        return
    rising = sorted(map(_positive, deltas))
    if RecordLimit.FIRST_OFFSET in limits:
        rising[0] = 0
    least = 0
    for index, delta in enumerate(rising):
        room = len(rising) - 1 - index
        least = min(max(delta, least), _INT32 - 1 - room)
        yield least
        least += 1


def _time(base: int, delta: int, limits: Collection[RecordLimit]) -> int:
    """The delta that a record may have."""
    if RecordLimit.RISING_TIMES in limits:
        delta = _positive(delta)
    in_years = RecordLimit.CALENDAR_TIMES in limits
    lowest, highest = (0, _CALENDAR_END - 1) if in_years else (-_INT64, _INT64 - 1)
    return min(max(base + delta, lowest), highest) - base


def _positive(number: int) -> int:
    """The number, or the positive one with the same distance from the edges of its type."""
    return number if number >= 0 else ~number
