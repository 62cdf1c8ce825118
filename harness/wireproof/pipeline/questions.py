"""What people ask of the tables. Each answer is a table itself; all can be asked in plain SQL too."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as f

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["causes", "disagreements"]

_TOLD: Final = 10


def disagreements(divergences: "DataFrame") -> "DataFrame":
    """Divergences by cause: the message, its versions, the verdict and the field; one of them in words."""
    return (
        divergences.groupBy("release", "message", "verdict", "path")
        .agg(
            f.count("*").alias("frames"),
            f.sort_array(f.collect_set("version")).alias("versions"),
            f.sort_array(f.collect_set("client")).alias("clients"),
            f.min("summary").alias("example"),
        )
        .orderBy(f.desc("frames"), "release", "message", "verdict", "path")
    )


def causes(divergences: "DataFrame") -> Iterator[str]:
    """The most frequent ones, in words."""
    for row in disagreements(divergences).limit(_TOLD).toLocalIterator():
        where = f" at {row.path}" if row.path else ""
        versions = ", ".join(map(str, row.versions))
        yield f"{row.message} {versions}{where}: {row.verdict}; {row.frames:,} frames; {row.example}"
