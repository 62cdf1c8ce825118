"""The counts of all stages, which must add up: nothing may get lost between two tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as f

from wireproof.pipeline.tables.definition import FRAMED
from wireproof.pipeline.tables.stages.chunk_schema import DAMAGED
from wireproof.pipeline.tables.stages.readings_table import AGREE
from wireproof.traffic.wire import LOST_IN_CAPTURE, EntryKind

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_DATA: Final = int(EntryKind.DATA)


@dataclass(frozen=True, slots=True)
class RowCounts:
    """The row counts and sums of a job's tables.

    Attributes:
        chunks: entries of the segment files.
        chunk_bytes: bytes that went over the wire.
        damaged: damaged parts of the files, each of which lost at least one entry.
        frame_bytes: bytes in rows of `frames`, with those that are not frames.
        frames, named_bytes: rows of frames with a name, and their bytes.
        unnamed: rows without a name.
        lost_bytes: bytes that cannot be read because bytes before them are missing.
        readings, agreed, faults: all frames that were read; those on which both codecs agree; those that ours
            does not read.
        large: agreed, and too large for the corpus.
        divergences: rows of the table.
        fingerprints, fingerprint_frames: rows, and the frames that have them.
        candidates, unredacted: messages that may become entries, and those that may not.
        chosen, entries: those in the corpus, by place, and with their bytes.
        covered, sized_bytes: the frames of all cells, and the bytes of all their fields.
    """

    chunks: int
    chunk_bytes: int
    damaged: int
    frames: int
    unnamed: int
    frame_bytes: int
    named_bytes: int
    lost_bytes: int
    readings: int
    agreed: int
    faults: int
    large: int
    divergences: int
    fingerprints: int
    fingerprint_frames: int
    candidates: int
    unredacted: int
    chosen: int
    entries: int
    covered: int
    sized_bytes: int


def count(tables: Mapping[str, "DataFrame"], largest_bytes: int) -> RowCounts:
    """The counts of a job whose tables are whole."""
    one, named, agree = f.count("*"), f.col("reason").isNull(), f.col("verdict") == AGREE
    large = agree & (f.col("size_bytes") > largest_bytes)
    framed = f.col("kind").isin(*FRAMED)
    sums: Mapping[str, Sequence[Column]] = {
        "chunks": [
            one,
            _sum_where(f.col("kind") == _DATA, f.length("payload")),
            f.count_if(f.col("kind") == DAMAGED),
        ],
        "frames": [
            f.count_if(named),
            f.count_if(~named),
            f.sum("size_bytes"),
            _sum_where(named, f.col("size_bytes")),
            _sum_where(f.col("reason").isin(*LOST_IN_CAPTURE), f.col("size_bytes")),
        ],
        "readings": [one, f.count_if(agree), f.count_if(f.col("fault").isNotNull()), f.count_if(large)],
        "divergences": [one],
        "fingerprints": [one, f.sum("frames")],
        "candidates": [f.count_if(named), f.count_if(~named)],
        "chosen": [one],
        "entries": [one],
        "coverage": [_sum_where(framed, f.col("frames"))],
        "sizes": [f.sum("bytes")],
    }
    # One job for all of them: a job costs more than the counts of a small table.
    each = (_summed(tables[name], name, columns) for name, columns in sums.items())
    rows = reduce(lambda above, below: above.unionAll(below), each)
    found: dict[str, list[int]] = dict(rows.coalesce(1).toLocalIterator())
    numbers = [number for name in sums for number in found[name]]
    return RowCounts(**dict(zip(RowCounts.__slots__, numbers, strict=True)))


def imbalances(counts: RowCounts) -> Iterator[str]:
    """Each sum that does not add up, as a sentence."""
    a = counts
    for left, right, words in (
        (a.chunk_bytes, a.frame_bytes, "bytes in chunks, {} in frames and beside them"),
        (a.frames, a.readings, "frames with a name, {} read"),
        (a.readings - a.agreed, a.divergences, "frames on which there is no agreement, {} divergences"),
        (a.agreed - a.large, a.fingerprint_frames, "frames agreed upon, {} with fingerprints"),
        (a.chosen, a.entries, "messages chosen, {} entries"),
        (a.readings, a.covered, "frames read, {} in the coverage"),
        (a.named_bytes, a.sized_bytes, "bytes in frames with a name, {} in the sizes of their fields"),
    ):
        if left != right:
            yield f"{left:,} {words.format(f'{right:,}')}"


def _sum_where(condition: "Column", what: "Column") -> "Column":
    return f.sum(f.when(condition, what).otherwise(0))


def _summed(table: "DataFrame", name: str, sums: "Sequence[Column]") -> "DataFrame":
    """One row: the name, and its numbers; those of an empty table are 0."""
    numbers = [f.coalesce(each.cast("bigint"), f.lit(0).cast("bigint")) for each in sums]
    return table.agg(f.array(*numbers).alias("numbers")).select(f.lit(name), "numbers")
