"""What people ask of the tables. Each answer is a table itself; all can be asked in plain SQL too."""

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Final

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import functions as f

from wireproof.pipeline.runtime.arrow_rows import batches_of
from wireproof.pipeline.tables.report.classes_table import CELL, CELLS, FRAMED, cells_of
from wireproof.pipeline.tables.schemas import CLIENTS, DISAGREEMENTS
from wireproof.wire import StreamDirection

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["causes", "clients_of", "coverage_of", "disagreements_of"]

_FACTS: Final = ("looked", "looked_bytes", "met", "met_bytes", "fingerprints", "classes_met", "entries")
_TOLD: Final = 10
_NO_ERROR: Final = "/0"
"""How an error code ends that says that there was none."""


def coverage_of(
    looks: "DataFrame", met: "DataFrame", classes: "DataFrame", chosen: "DataFrame", releases: Sequence[str]
) -> "DataFrame":
    """`COVERAGE`: every message and version of the releases.

    Args:
        met: see `classes.met_by`.
    """
    one = f.lit(1)
    found = (f.col("reachable") & (f.col("frames") > 0)).cast("int")
    facts = (
        _facts(looks, looked=one, looked_bytes=f.col("size_bytes")),
        _facts(met, met=f.col("frames"), met_bytes=f.col("bytes"), fingerprints=one),
        _facts(classes, classes_met=found),
        _facts(chosen, entries=one),
    )
    sums = [f.sum(name).alias(name) for name in _FACTS]
    seen = reduce(lambda one, other: one.unionAll(other), facts).groupBy(*CELL).agg(*sums)
    every = looks.sparkSession.createDataFrame(pa.Table.from_batches(batches_of(cells_of(releases), CELLS)))
    whole = every.join(seen, list(CELL[:-1]), "left").fillna(0, list(_FACTS))
    framed = f.col("kind").isin(*FRAMED)
    return whole.select(
        *CELL[:-1],
        "kind",
        "provenance",
        f.when(framed, f.col("looked")).otherwise(f.col("met")).alias("frames"),
        f.when(framed, f.col("looked_bytes")).otherwise(f.col("met_bytes")).alias("bytes"),
        "fingerprints",
        f.col("classes_met").cast("int").alias("classes_met"),
        "classes",
        "entries",
    ).orderBy(*CELL)


def _facts(table: "DataFrame", **facts: "Column") -> "DataFrame":
    """Numbers that a table has to say of cells, row by row."""
    columns = [facts.get(name, f.lit(0)).cast("bigint").alias(name) for name in _FACTS]
    return table.select(*CELL, *columns)


def clients_of(looks: "DataFrame") -> "DataFrame":
    """`CLIENTS`: answers of the same codes first, which is one pass; sets of codes of what that leaves."""
    codes = f.filter("errors", lambda code: ~code.endswith(_NO_ERROR))
    asks = f.col("direction") == int(StreamDirection.TO_BROKER)
    failed = f.when(~asks & (f.size(codes) > 0), codes).alias("codes")
    who = ("client", "listener", "release", "message", "version", "direction")
    uses = looks.groupBy(*who, failed).agg(f.count("*").alias("frames"), f.sum("size_bytes").alias("bytes"))
    told = f.array_sort(f.array_distinct(f.flatten(f.collect_set("codes"))))
    api = f.regexp_replace("message", "(Request|Response)$", "").alias("api")
    return (
        uses.groupBy("client", "listener", "release", api, "version")
        .agg(
            _sum_where(asks, "frames").alias("requests"),
            _sum_where(asks, "bytes").alias("request_bytes"),
            _sum_where(~asks, "frames").alias("answers"),
            _sum_where(~asks, "bytes").alias("answer_bytes"),
            _sum_where(f.col("codes").isNotNull(), "frames").alias("error_answers"),
            told.alias("errors"),
        )
        .select(*CLIENTS.schema.names)
        .orderBy("client", "api", "version", "listener", "release")
    )


def disagreements_of(divergences: "DataFrame") -> "DataFrame":
    """`DISAGREEMENTS`: the message, its versions, the verdict and the field; one of them in words."""
    return (
        divergences.groupBy("release", "message", "verdict", "path")
        .agg(
            f.count("*").alias("frames"),
            f.sort_array(f.collect_set("version")).alias("versions"),
            f.sort_array(f.collect_set("client")).alias("clients"),
            f.min("summary").alias("example"),
        )
        .select(*DISAGREEMENTS.schema.names)
        .orderBy(f.desc("frames"), "release", "message", "verdict", "path")
    )


def causes(disagreements: "DataFrame") -> Iterator[str]:
    """The most frequent ones, in words."""
    for row in disagreements.orderBy(f.desc("frames")).limit(_TOLD).toLocalIterator():
        where = f" at {row.path}" if row.path else ""
        versions = ", ".join(map(str, row.versions))
        yield f"{row.message} {versions}{where}: {row.verdict}; {row.frames:,} frames; {row.example}"


def _sum_where(condition: "Column", what: str) -> "Column":
    return f.sum(f.when(condition, f.col(what)).otherwise(0))
