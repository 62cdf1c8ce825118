"""`quarantine`: the rows of all stages that go no further, each with its reason."""

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table, TableInputs, fetch, union
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
    place = (*c.LOCATION_NAMES, "release")
    words = f.decode("payload", "utf-8")
    damage = chunks.where(f.col("kind") == DAMAGED).select(
        *_row("chunks", "file", f.lit(0), f.lit(0), "position", "release", none, none, words, f.lit(0), none)
    )
    unnamed = frames.where(f.col("reason").isNotNull()).select(
        *_row("frames", *place, "message", "version", "reason", "size_bytes", "data")
    )
    unread = readings.where(f.col("fault").isNotNull()).select(*c.LOCATION_NAMES, *_ABOUT)
    faults = fetch(unread, (frames, ["data"]), most_rows=most_rows).select(
        *_row("readings", *place, "message", "version", "fault", "size_bytes", "data")
    )
    fault = f.lit(too_large(largest_bytes))
    large = readings.where((f.col("verdict") == AGREE) & (f.col("size_bytes") > largest_bytes)).select(
        *_row("fingerprints", *place, "message", "version", fault, "size_bytes", none)
    )
    size = f.coalesce(f.length("data"), f.lit(0))
    unredacted = candidates.where(f.col("reason").isNotNull()).select(
        *_row("candidates", *place, "message", "version", "reason", size, none)
    )
    return union((damage, unnamed, faults, large, unredacted))


def _row(stage: str, *values: Column | str) -> list[Column]:
    """The columns of the table from those of another one: all but the stage, and the data whole."""
    *others, data = (f.col(each) if isinstance(each, str) else each for each in values)
    columns = (f.lit(stage), *others, f.substring(data.cast("binary"), 1, _HEAD_BYTES))
    pairs = zip(columns, _SCHEMA.fields, strict=True)
    return [column.cast(field.dataType).alias(field.name) for column, field in pairs]


def _make(inputs: TableInputs) -> DataFrame:
    tables = inputs[CHUNKS], inputs[FRAMES], inputs[READINGS], inputs[CANDIDATES]
    return quarantine_of(*tables, inputs.plan.largest_bytes, inputs.rows.get(READINGS.name))


QUARANTINE: Final = Table("quarantine", "what was held up, with the reason", _SCHEMA, _make)
