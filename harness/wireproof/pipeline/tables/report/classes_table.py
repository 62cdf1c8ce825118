"""The value classes that the frames of each cell cover, and those that they miss, from fingerprints."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from wireproof.pipeline.runtime.arrow_rows import Row, rows_of, spread, table_of, writing
from wireproof.pipeline.runtime.release_cache import fingerprinter_of
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table
from wireproof.pipeline.tables.stages.candidates_table import CANDIDATES
from wireproof.pipeline.tables.stages.fingerprints_table import FINGERPRINTS
from wireproof.traffic.fingerprint.fingerprinter import Fingerprint

_FINGERPRINTS: Final = (*c.CELL_NAMES, "fingerprint", "frames")
_SCHEMA: Final = StructType(
    [
        *c.CELL,
        c.PROVENANCE,
        c.column("field", c.TEXT, "its path; those of the header begin with header."),
        c.column("class", c.TEXT, "such as null, length-0 or max"),
        c.column("reachable", c.FLAG, "whether it can be met; where not, and it was, our reason is wrong"),
        c.column("frames", c.LONG, "that met it; 0: none yet"),
    ]
)
_NONE: Final = -1
"""A pseudo bit that every cell has, so that a cell whose frames cover no class has rows, too."""
_PARTS: Final = StructType(
    [
        *(FINGERPRINTS.schema[name] for name in c.CELL_NAMES),
        StructField("bit", IntegerType(), False),
        StructField("frames", LongType(), False),
    ]
)


def met_by(fingerprints: DataFrame, candidates: DataFrame) -> DataFrame:
    """The fingerprints of frames and of the messages inside frames, with their numbers."""
    inside = candidates.where(f.col("reason").isNull() & (f.col("inner") > 0))
    counted = inside.groupBy(*c.CELL_NAMES, "fingerprint").agg(
        f.count("*").alias("frames"), f.sum(f.length("data")).alias("bytes")
    )
    return fingerprints.select(*_FINGERPRINTS, "bytes").unionAll(counted.select(*_FINGERPRINTS, "bytes"))


def classes_of(met: DataFrame) -> DataFrame:
    """`CLASSES`: the numbers of frames by bit are summed in each partition, and then by cell."""
    parts = met.select(*_FINGERPRINTS).mapInArrow(writing(_by_bit, _PARTS), _PARTS)
    return spread(parts, *c.CELL_NAMES).groupBy(*c.CELL_NAMES).applyInArrow(_by_name, _SCHEMA)


def _by_bit(batches: Iterator[Any]) -> Iterator[Row]:
    cells: dict[tuple[Any, ...], Counter[int]] = {}
    for *cell, fingerprint, frames in rows_of(batches, _FINGERPRINTS):
        numbers = cells.setdefault(tuple(cell), Counter({_NONE: 0}))
        bits = Fingerprint.from_bytes(fingerprint).bits
        while bits:
            lowest = bits & -bits
            numbers[lowest.bit_length() - 1] += frames
            bits ^= lowest
    for key, numbers in cells.items():
        yield from ((*key, bit, frames) for bit, frames in numbers.items())


def _by_name(parts: pa.Table) -> pa.Table:
    """The classes of one cell and provenance that frames covered, or that frames can cover."""
    cell = [parts.column(name)[0].as_py() for name in c.CELL_NAMES]
    frames: Counter[int] = Counter()
    for bit, number in rows_of(parts.to_batches(), ("bit", "frames")):
        frames[bit] += number
    release, _, message, version, _ = cell
    classes = fingerprinter_of(release, message, version).classes
    rows = (
        (*cell, point.path, point.name, reachable, frames[bit])
        for bit, (point, reachable) in enumerate(classes)
        if reachable or frames[bit]
    )
    return table_of(rows, _SCHEMA)


CLASSES: Final = Table(
    "classes",
    "a class of values of a field, of a cell that the capture has",
    _SCHEMA,
    lambda inputs: classes_of(met_by(inputs[FINGERPRINTS], inputs[CANDIDATES])),
)
