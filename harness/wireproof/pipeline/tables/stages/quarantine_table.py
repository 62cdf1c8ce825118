"""What went no further, of all stages, in one table."""

from functools import reduce
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as f

from wireproof.corpus import too_large
from wireproof.pipeline.tables.row_lookup import fetch
from wireproof.pipeline.tables.schemas import PLACE_NAMES, QUARANTINE
from wireproof.pipeline.tables.stages.readings_table import AGREE
from wireproof.pipeline.tables.stages.segment_chunks import DAMAGED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["quarantine_of"]

_HEAD_BYTES: Final = 4096
_ABOUT: Final = ("release", "message", "version", "fault", "size_bytes")


def quarantine_of(
    chunks: "DataFrame",
    frames: "DataFrame",
    looks: "DataFrame",
    candidates: "DataFrame",
    largest_bytes: int,
) -> "DataFrame":
    """`QUARANTINE`."""
    none = f.lit(None)
    damage = chunks.where(f.col("kind") == DAMAGED).select(
        *_columns("chunks", "file", f.lit(0), f.lit(0), "position", "release"),
        *_about(none, none, f.decode("payload", "utf-8"), f.lit(0), none),
    )
    unnamed = frames.where(f.col("reason").isNotNull()).select(
        *_columns("frames", *PLACE_NAMES, "release"),
        *_about("message", "version", "reason", "size_bytes", "data"),
    )
    unread = looks.where(f.col("fault").isNotNull()).select(*PLACE_NAMES, *_ABOUT)
    faults = fetch(unread, (frames, ["data"])).select(
        *_columns("looks", *PLACE_NAMES, "release"),
        *_about("message", "version", "fault", "size_bytes", "data"),
    )
    large = looks.where((f.col("verdict") == AGREE) & (f.col("size_bytes") > largest_bytes)).select(
        *_columns("shown", *PLACE_NAMES, "release"),
        *_about("message", "version", f.lit(too_large(largest_bytes)), "size_bytes", none),
    )
    unredacted = candidates.where(f.col("reason").isNotNull()).select(
        *_columns("candidates", *PLACE_NAMES, "release"),
        *_about("message", "version", "reason", f.coalesce(f.length("data"), f.lit(0)), none),
    )
    return reduce(lambda one, other: one.unionAll(other), (damage, unnamed, faults, large, unredacted))


def _columns(stage: str, *place: "Column | str") -> list["Column"]:
    names = [*PLACE_NAMES, "release"]
    types = [QUARANTINE.schema[name].dataType for name in names]
    columns = [
        _as_column(each).cast(type_).alias(name)
        for each, name, type_ in zip(place, names, types, strict=True)
    ]
    return [f.lit(stage).alias("stage"), *columns]


def _about(
    message: "Column | str",
    version: "Column | str",
    reason: "Column | str",
    size: "Column | str",
    data: "Column | str",
) -> list["Column"]:
    head = f.substring(_as_column(data).cast("binary"), 1, _HEAD_BYTES)
    return [
        _as_column(message).cast("string").alias("message"),
        _as_column(version).cast("int").alias("version"),
        _as_column(reason).alias("reason"),
        _as_column(size).cast("bigint").alias("size_bytes"),
        head.alias("data"),
    ]


def _as_column(each: "Column | str") -> "Column":
    return f.col(each) if isinstance(each, str) else each
