"""Record sets that combine: kinds of batches in a row, numbers at their limits with each attribute."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any, Final

from kafkawire.records import Compression, ControlType, EndTransactionMarker, Record, RecordBatch, control_key

__all__ = ["LIMITS", "batches_at_limits", "batches_in_a_row"]

_BASE: Final = 1_700_000_000_000

LIMITS: Final[Mapping[str, int]] = {
    "base_offset": 64,
    "partition_leader_epoch": 32,
    "last_offset_delta": 32,
    "base_timestamp": 64,
    "max_timestamp": 64,
    "producer_id": 64,
    "producer_epoch": 16,
    "base_sequence": 32,
}
"""The bits of each number in the header of a batch of magic 2."""

_MARKER: Final = Record(0, 0, control_key(ControlType.COMMIT), EndTransactionMarker(7).to_bytes())
_PLAIN: Final = RecordBatch.of([Record(0, 0, b"k", b"v")], base_timestamp=_BASE)

_WITH: Final[Mapping[str, Mapping[str, Any]]] = {
    "append-time": {"log_append_time": True},
    "transactional": {"transactional": True},
    "control": {"control": True, "records": (_MARKER,)},
    "delete-horizon": {"delete_horizon": True},
}

_KINDS: Final[Mapping[str, RecordBatch]] = {
    "plain": _PLAIN,
    "empty": RecordBatch((), last_offset_delta=4, base_timestamp=_BASE, max_timestamp=_BASE),
    "control": replace(
        _PLAIN, records=(_MARKER,), control=True, transactional=True, producer_id=1, producer_epoch=2
    ),
    "compacted": RecordBatch.of([Record(3, 0, b"k")], base_timestamp=_BASE, last_offset_delta=9),
}


def batches_at_limits(codec: Compression) -> Iterator[tuple[str, RecordBatch]]:
    """Yield each number at its least and its greatest value, together with each attribute.

    Codecs read the header before they know the compression: three of the four repeat only a negative
    sequence, which some codecs take for the sign of a batch without a producer.
    """
    whole = codec in (Compression.NONE, Compression.GZIP)
    for (word, fields), (name, bits) in product(_WITH.items(), LIMITS.items()):
        for end, number in (("min", -(1 << bits - 1)), ("max", (1 << bits - 1) - 1)):
            if whole or (name, end) == ("base_sequence", "min"):
                batch = replace(_PLAIN, **{**fields, name: number, "compression": codec})
                yield f"{word}-{name.replace('_', '-')}-{end}", batch


def batches_in_a_row() -> Iterator[tuple[str, tuple[RecordBatch, ...]]]:
    """Yield each kind of batch before each kind, and all pairs in one set."""
    pairs = list(product(_KINDS, repeat=2))
    for names in (*pairs, [name for pair in pairs for name in pair]):
        title = "-then-".join(names) if len(names) == 2 else "all-kinds-in-a-row"
        yield title, tuple(_in_a_row([_KINDS[name] for name in names]))


def _in_a_row(batches: list[RecordBatch]) -> Iterator[RecordBatch]:
    """Yield the batches with offsets that go on."""
    start = 0
    for batch in batches:
        yield replace(batch, base_offset=start)
        start += batch.last_offset_delta + 1
