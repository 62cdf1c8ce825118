"""Readings -> `fingerprints`: frames of a cell with equal fingerprints are one row, with one example."""

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from wireproof.pipeline.tables.definition import (
    CELL,
    CELL_NAMES,
    FINGERPRINT,
    LOCATION,
    LOCATION_NAMES,
    LONG,
    PROVENANCE,
    Table,
    TableInputs,
    column,
)
from wireproof.pipeline.tables.stages.readings_table import AGREE, READINGS
from wireproof.traffic.corpus import SMALL_BYTES

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_SCHEMA: Final = StructType(
    [
        *CELL,
        PROVENANCE,
        FINGERPRINT,
        column("frames", LONG, "how many show it"),
        column("bytes", LONG, "of all of them"),
        *LOCATION,
    ]
)


def fingerprints_of(readings: "DataFrame", largest_bytes: int) -> "DataFrame":
    """`FINGERPRINTS`: the agreed frames of each cell by fingerprint, with one example of each."""
    sound = readings.where((f.col("verdict") == AGREE) & (f.col("size_bytes") <= largest_bytes))
    best = f.min(location_rank(f.col("size_bytes"), LOCATION_NAMES)).alias("best")
    frames, size = f.count("*").alias("frames"), f.sum("size_bytes").alias("bytes")
    # The least of structs is found by sorting: by a number first, which nearly always decides.
    alike = f.xxhash64("message", "version", "fingerprint").alias("alike")
    grouped = sound.groupBy(alike, *CELL_NAMES, "fingerprint").agg(frames, size, best)
    return grouped.select("*", "best.*").select(*_SCHEMA.names)


def location_rank(size: "Column", place: tuple[str, ...], *others: str) -> "Column":
    """`corpus.rank_of`, which a minimum compares field by field."""
    least = f.greatest(size - 1, f.lit(SMALL_BYTES - 1).cast("bigint"))
    return f.struct(f.length(f.bin(least)).alias("size_class"), *place, *others)


def _make(inputs: TableInputs) -> "DataFrame":
    return fingerprints_of(inputs[READINGS], inputs.plan.largest_bytes)


FINGERPRINTS: Final = Table(
    "fingerprints",
    "frames of a cell with the same fingerprint, and the location of their example",
    _SCHEMA,
    _make,
)
