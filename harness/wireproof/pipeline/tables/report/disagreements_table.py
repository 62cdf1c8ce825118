"""`disagreements`: divergences grouped by cause."""

from collections.abc import Iterator
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import ArrayType, StructType

from wireproof.base.text.wording import counted
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table, in_order
from wireproof.pipeline.tables.stages.divergences_table import DIVERGENCES

_MOST_CAUSES: Final = 10
_SCHEMA: Final = StructType(
    [
        c.column("release", c.TEXT, "of the broker"),
        c.column("message", c.TEXT, "Kafka's name of it"),
        c.column("verdict", c.TEXT, "how Kafka's classes and our codec differ"),
        c.column("path", c.TEXT, "the field where they first do; empty where none can be named"),
        c.column("frames", c.LONG, "on which they differ so"),
        c.column("versions", ArrayType(c.INT, False), "of the message, each once"),
        c.column("clients", ArrayType(c.TEXT, False), "whose frames these are, each once"),
        c.column("example", c.TEXT, "one of them in a sentence"),
    ]
)


def disagreements_of(divergences: DataFrame) -> DataFrame:
    """`DISAGREEMENTS`: the message, its versions, the verdict and the field, with one example in words."""
    grouped = (
        divergences.groupBy("release", "message", "verdict", "path")
        .agg(
            f.count("*").alias("frames"),
            f.sort_array(f.collect_set("version")).alias("versions"),
            f.sort_array(f.collect_set("client")).alias("clients"),
            f.min("summary").alias("example"),
        )
        .select(*_SCHEMA.names)
    )
    return in_order(grouped, f.desc("frames"), "release", "message", "verdict", "path")


def causes(disagreements: DataFrame) -> Iterator[str]:
    """The most frequent disagreements, in words."""
    for row in disagreements.orderBy(f.desc("frames")).limit(_MOST_CAUSES).toLocalIterator():
        where = f" at {row.path}" if row.path else ""
        versions = ", ".join(map(str, row.versions))
        yield f"{row.message} {versions}{where}: {row.verdict}; {counted(row.frames, 'frame')}; {row.example}"


DISAGREEMENTS: Final = Table(
    "disagreements", "divergences of one cause", _SCHEMA, lambda inputs: disagreements_of(inputs[DIVERGENCES])
)
