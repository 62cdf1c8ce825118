"""Readings -> `fingerprints`: frames of a cell with equal fingerprints are one row, with one example."""

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table
from wireproof.pipeline.tables.stages.readings_table import AGREE, READINGS
from wireproof.traffic.corpus.candidates import SMALL_BYTES

_SCHEMA: Final = StructType(
    [
        *c.CELL,
        c.PROVENANCE,
        c.FINGERPRINT,
        c.column("frames", c.LONG, "how many show it"),
        c.column("bytes", c.LONG, "of all of them"),
        *c.LOCATION,
    ]
)


def fingerprints_of(readings: DataFrame, largest_bytes: int) -> DataFrame:
    """`FINGERPRINTS`: the agreed frames of each cell by fingerprint, with one example of each."""
    sound = readings.where((f.col("verdict") == AGREE) & (f.col("size_bytes") <= largest_bytes))
    best = f.min(location_rank(f.col("size_bytes"), c.LOCATION_NAMES)).alias("best")
    frames, size = f.count("*").alias("frames"), f.sum("size_bytes").alias("bytes")
    # Spark sorts to find the least struct: a number comes first, because it nearly always decides.
    alike = f.xxhash64("message", "version", "fingerprint").alias("alike")
    grouped = sound.groupBy(alike, *c.CELL_NAMES, "fingerprint").agg(frames, size, best)
    return grouped.select("*", "best.*").select(*_SCHEMA.names)


def location_rank(size: Column, place: tuple[str, ...], *others: str) -> Column:
    """`corpus.rank_of` as a struct, whose fields a minimum compares in order."""
    least = f.greatest(size - 1, f.lit(SMALL_BYTES - 1).cast("bigint"))
    return f.struct(f.length(f.bin(least)).alias("size_class"), *place, *others)


FINGERPRINTS: Final = Table(
    "fingerprints",
    "frames of a cell with the same fingerprint, and the location of their example",
    _SCHEMA,
    lambda inputs: fingerprints_of(inputs[READINGS], inputs.plan.largest_bytes),
)
