"""Record sets as Hypothesis strategies."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from hypothesis import strategies as st

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
)
from wireproof.model.case_source import RecordLimit
from wireproof.proof.strategies.records.record_cases import (
    CONTROL_SINCE,
    DELETE_HORIZON_SINCE,
    INT32,
    INT64,
    LEGACY_CODECS,
    VARINT_EDGES,
    message_set,
)

_CALENDAR_END: Final = 253_402_300_800_000
"""The first millisecond of the year 10000."""
_APPEND_TIME: Final = 8
"""The bit for log append time in a message's attributes."""
_PADDING: Final = bytes(1000)
"""Bytes that every compression shortens by much."""


def within(records: RecordSet, limits: Collection[RecordLimit]) -> RecordSet:
    """The set with all properties removed that the limits exclude; nothing else is changed.

    A set within the limits stays equal, except for `RecordLimit.COMPRESSION_GAIN`: compressed batches are
    always padded, because libraries compress differently.
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
    """Return the batch with padding in the last record, so that compression shortens it."""
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
    """The batch as a builder makes it from records with absolute offsets and times."""
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
        base_offset=min(batch.base_offset, INT64 - 1 - offsets[-1]),
        base_timestamp=base,
        max_timestamp=base + max(times),
        last_offset_delta=offsets[-1],
    )


def _offsets(deltas: Sequence[int], limits: Collection[RecordLimit]) -> Iterator[int]:
    """Yield an increasing delta for each record, taken from the given deltas if possible."""
    if RecordLimit.CONSECUTIVE_OFFSETS in limits:
        yield from range(len(deltas))
        return
    rising = sorted(map(_positive, deltas))
    if RecordLimit.FIRST_OFFSET in limits:
        rising[0] = 0
    least = 0
    for index, delta in enumerate(rising):
        room = len(rising) - 1 - index
        least = min(max(delta, least), INT32 - 1 - room)
        yield least
        least += 1


def _time(base: int, delta: int, limits: Collection[RecordLimit]) -> int:
    """The nearest timestamp delta that the limits allow."""
    if RecordLimit.RISING_TIMES in limits:
        delta = _positive(delta)
    in_years = RecordLimit.CALENDAR_TIMES in limits
    lowest, highest = (0, _CALENDAR_END - 1) if in_years else (-INT64, INT64 - 1)
    return min(max(base + delta, lowest), highest) - base


def _positive(number: int) -> int:
    """The number, or the positive one with the same distance from the edges of its type."""
    return number if number >= 0 else ~number


NEWEST = (99, 0)
"""A line that knows everything."""

BEYOND = 16
"""One in this many sets is drawn without limits: a codec often reads more than it writes."""

_INT16 = 1 << 15

_EDGES = sorted({sign * edge for edge in VARINT_EDGES for sign in (1, -1)})


def drawn_record_sets(
    *,
    magics: Sequence[int] = (2, 1, 0),
    codecs: Sequence[Compression] = tuple(Compression),
    unused_bits: bool = False,
    max_batches: int = 3,
    line: tuple[int, int] = NEWEST,
    limits: Collection[RecordLimit] = (),
) -> st.SearchStrategy[RecordSet]:
    """Record sets that shrink to the empty set.

    Batches of magic 2 have any numbers that Kafka's writers of headers and records accept; legacy sets have
    the form that Kafka's builder gives them.

    Args:
        magics, codecs: the magics and compressions to draw from.
        unused_bits: whether bits that Kafka ignores, and never writes, may be set.
        line: the line of Kafka that must know the drawn delete horizons and control types.
        limits: the properties that all sets except one in `BEYOND` leave out.
    """
    old = [codec for codec in codecs if codec in LEGACY_CODECS]
    kinds = {2: _record_batches(unused_bits, line, codecs), 1: _legacy(1, old), 0: _legacy(0, old)}
    batches = st.one_of([kinds[magic] for magic in magics])
    tails = st.one_of(st.just(b""), st.binary(max_size=11))  # too few bytes for a size
    sets = st.builds(RecordSet, st.lists(batches, max_size=max_batches).map(tuple), tails)
    return _limited(sets, frozenset(limits)) if limits else sets


def _limited(
    sets: st.SearchStrategy[RecordSet], limits: frozenset[RecordLimit]
) -> st.SearchStrategy[RecordSet]:
    fit: Callable[[RecordSet, int], RecordSet] = lambda drawn, lot: (  # noqa: E731
        drawn if lot == BEYOND - 1 else within(drawn, limits)
    )
    return st.builds(fit, sets, st.integers(0, BEYOND - 1))


# Hypothesis validates each strategy that it has not yet drawn from: these are made once.


@cache
def _numbers(limit: int, least: int | None = None) -> st.SearchStrategy[int]:
    lowest = -limit if least is None else least
    edges = [edge for edge in (*_EDGES, -limit, limit - 1, INT32, -INT32 - 1) if lowest <= edge < limit]
    edges.sort(key=lambda edge: (abs(edge), edge < 0))
    return st.one_of(st.sampled_from(edges), st.integers(lowest, limit - 1))


@cache
def _data() -> st.SearchStrategy[bytes | None]:
    """Return a strategy for null, short data, and data whose length is around the edges of a varint."""
    repeated: Callable[[int, bytes], bytes] = lambda size, unit: (unit * size)[:size]  # noqa: E731
    long = st.builds(repeated, st.sampled_from(VARINT_EDGES), st.binary(min_size=1, max_size=5))
    return st.one_of(st.none(), st.binary(max_size=20), long)


@cache
def _records(unused_bits: bool, keys: st.SearchStrategy[bytes | None]) -> st.SearchStrategy[list[Record]]:
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    headers = st.lists(st.builds(Header, text, _data()), max_size=3).map(tuple)
    attributes = st.integers(-128, 127) if unused_bits else st.just(0)
    record = st.builds(Record, _numbers(INT32), _numbers(INT64), keys, _data(), headers, attributes)
    return st.lists(record, max_size=4)


@cache
def _control_keys(line: tuple[int, int]) -> st.SearchStrategy[bytes | None]:
    known = [kind for kind in ControlType if CONTROL_SINCE.get(kind, line) <= line]
    return st.builds(control_key, st.sampled_from(known), st.sampled_from([0, 1, _INT16 - 1]))


@st.composite
def _record_batches(
    draw: st.DrawFn, unused_bits: bool, line: tuple[int, int], codecs: Sequence[Compression]
) -> RecordBatch:
    control = draw(st.booleans())
    records = _records(unused_bits, _control_keys(line) if control else _data())
    return RecordBatch(
        records=tuple(draw(records)),
        base_offset=draw(_numbers(INT64)),
        partition_leader_epoch=draw(_numbers(INT32)),
        compression=draw(st.sampled_from(codecs)),
        log_append_time=draw(st.booleans()),
        transactional=draw(st.booleans()),
        control=control,
        delete_horizon=line >= DELETE_HORIZON_SINCE and draw(st.booleans()),
        last_offset_delta=draw(_numbers(INT32)),
        base_timestamp=draw(_numbers(INT64, least=-1)),
        max_timestamp=draw(_numbers(INT64)),
        producer_id=draw(_numbers(INT64)),
        producer_epoch=draw(_numbers(_INT16)),
        base_sequence=draw(_numbers(INT32)),
        reserved=draw(st.integers(0, 0x1FF)) if unused_bits else 0,
    )


@st.composite
def _legacy(draw: st.DrawFn, magic: int, codecs: Sequence[Compression]) -> Batch:
    """One message, or a compressed set of several messages."""
    codec = draw(st.sampled_from(codecs))
    stamps = _numbers(INT64, least=-1) if magic else st.just(-1)
    if codec is Compression.NONE:
        append_time = 8 if magic and draw(st.booleans()) else 0
        return Message(
            draw(_numbers(INT64, 0)), draw(stamps), draw(_data()), draw(_data()), magic, append_time
        )
    offset = draw(st.integers(0, 1 << 40))
    messages: list[Message] = []
    for gap in draw(st.lists(st.sampled_from((1, 2, 64, 1 << 20)), min_size=1, max_size=4)):
        messages.append(Message(offset, draw(stamps), draw(_data()), draw(_data()), magic))
        offset += gap
    return message_set(codec, messages)
