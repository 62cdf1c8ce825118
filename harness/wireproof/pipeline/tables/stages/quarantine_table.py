"""`quarantine`: the rows of all stages that go no further, each with its reason."""

from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table, TableInputs, fetch
from wireproof.pipeline.tables.stages.candidates_table import CANDIDATES
from wireproof.pipeline.tables.stages.chunks_table import CHUNKS, DAMAGED
from wireproof.pipeline.tables.stages.frames_table import FRAMES
from wireproof.pipeline.tables.stages.readings_table import AGREE, READINGS
from wireproof.traffic.corpus.collection import too_large

_SCHEMA: Final = StructType(
    [
        c.column(
            "stage", c.TEXT, "chunks, frames, readings, fingerprints or candidates: where it was held up"
        ),
        *c.LOCATION,
        c.column("release", c.TEXT, "of the broker"),
        c.column("message", c.TEXT, "where it has a name", null=True),
        c.column("version", c.INT, "of the message", null=True),
        c.REASON,
        c.SIZE,
        c.column("data", c.BYTES, "its first 4 KiB", null=True),
    ]
)
_HEAD_BYTES: Final = 4096
_ABOUT: Final = ("release", "message", "version", "fault", "size_bytes")


def quarantine_of(
    chunks: DataFrame,
    frames: DataFrame,
    readings: DataFrame,
    candidates: DataFrame,
    largest_bytes: int,
    most_rows: int | None = None,
) -> DataFrame:
    """`QUARANTINE`: damaged chunks, and frames that are unnamed, unread, too large or unredacted."""
    none = f.lit(None)
    damage = chunks.where(f.col("kind") == DAMAGED).select(
        *_columns("chunks", "file", f.lit(0), f.lit(0), "position", "release"),
        *_about(none, none, f.decode("payload", "utf-8"), f.lit(0), none),
    )
    unnamed = frames.where(f.col("reason").isNotNull()).select(
        *_columns("frames", *c.LOCATION_NAMES, "release"),
        *_about("message", "version", "reason", "size_bytes", "data"),
    )
    unread = readings.where(f.col("fault").isNotNull()).select(*c.LOCATION_NAMES, *_ABOUT)
    faults = fetch(unread, (frames, ["data"]), most_rows=most_rows).select(
        *_columns("readings", *c.LOCATION_NAMES, "release"),
        *_about("message", "version", "fault", "size_bytes", "data"),
    )
    large = readings.where((f.col("verdict") == AGREE) & (f.col("size_bytes") > largest_bytes)).select(
        *_columns("fingerprints", *c.LOCATION_NAMES, "release"),
        *_about("message", "version", f.lit(too_large(largest_bytes)), "size_bytes", none),
    )
    unredacted = candidates.where(f.col("reason").isNotNull()).select(
        *_columns("candidates", *c.LOCATION_NAMES, "release"),
        *_about("message", "version", "reason", f.coalesce(f.length("data"), f.lit(0)), none),
    )
    return reduce(lambda one, other: one.unionAll(other), (damage, unnamed, faults, large, unredacted))


def _columns(stage: str, *place: Column | str) -> list[Column]:
    names = [*c.LOCATION_NAMES, "release"]
    types = [_SCHEMA[name].dataType for name in names]
    columns = [
        _as_column(each).cast(type_).alias(name)
        for each, name, type_ in zip(place, names, types, strict=True)
    ]
    return [f.lit(stage).alias("stage"), *columns]


def _about(
    message: Column | str, version: Column | str, reason: Column | str, size: Column | str, data: Column | str
) -> list[Column]:
    head = f.substring(_as_column(data).cast("binary"), 1, _HEAD_BYTES)
    return [
        _as_column(message).cast("string").alias("message"),
        _as_column(version).cast("int").alias("version"),
        _as_column(reason).alias("reason"),
        _as_column(size).cast("bigint").alias("size_bytes"),
        head.alias("data"),
    ]


def _as_column(each: Column | str) -> Column:
    return f.col(each) if isinstance(each, str) else each


def _make(inputs: TableInputs) -> DataFrame:
    tables = inputs[CHUNKS], inputs[FRAMES], inputs[READINGS], inputs[CANDIDATES]
    return quarantine_of(*tables, inputs.plan.largest_bytes, inputs.rows.get(READINGS.name))


QUARANTINE: Final = Table("quarantine", "what was held up, with the reason", _SCHEMA, _make)
