"""Segment files -> chunks: every file in splits that are read side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.types import LongType, StringType, StructField, StructType

from wireproof.pipeline.job_plan import SegmentFile
from wireproof.pipeline.runtime.arrow_rows import Row, rows_of, writing
from wireproof.pipeline.tables.stages.chunk_schema import CHUNK_SCHEMA, DAMAGED, SPLIT_BYTES
from wireproof.traffic.wire import SegmentDamage, SegmentPart, read_segment

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["read_chunks"]


@dataclass(frozen=True, slots=True)
class _Split:
    """A part of a segment file; see `read_segment`."""

    path: str
    name: str
    release: str
    listener: str
    start: int
    end: int | None


_SPLITS: Final = StructType(
    [
        *(StructField(name, StringType(), False) for name in ("path", "name", "release", "listener")),
        StructField("start", LongType(), False),
        StructField("end", LongType(), True),
    ]
)


def _splits_of(file: SegmentFile, split_bytes: int) -> Iterator[_Split]:
    """Consecutive parts of the file."""
    size = Path(file.path).stat().st_size
    for start in range(0, max(1, size), split_bytes):
        end = start + split_bytes
        yield _Split(file.path, file.name, file.release, file.listener, start, end if end < size else None)


def read_chunks(
    spark: "SparkSession", files: Sequence[SegmentFile], split_bytes: int = SPLIT_BYTES
) -> "DataFrame":
    """The entries of segment files: `CHUNKS`. A split is a task; its memory is that of a batch.

    Raises:
        OSError: a file cannot be opened here; in a task the job fails with it.
    """
    splits = [split for file in files for split in _splits_of(file, split_bytes)]
    rows = spark.createDataFrame([astuple(each) for each in splits], _SPLITS)
    made = rows.repartitionByRange(len(splits), "name", "start")
    return made.mapInArrow(writing(_read, CHUNK_SCHEMA, "payload"), CHUNK_SCHEMA)


def _read(batches: Iterator[Any]) -> Iterator[Row]:
    for values in rows_of(batches, [each.name for each in fields(_Split)]):
        yield from _read_split(_Split(*values))


def _read_split(split: _Split) -> Iterator[Row]:
    with Path(split.path).open("rb") as file:
        for part in read_segment(file, split.start, split.end):
            yield (split.name, part.offset, split.release, split.listener, *_row_of(part))


def _row_of(part: SegmentPart) -> Row:
    if isinstance(part, SegmentDamage):
        return 0, 0, DAMAGED, 0, str(part).encode()
    return part.time_ns, part.connection, int(part.kind), int(part.direction), part.payload
