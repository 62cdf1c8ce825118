"""Columns of large tables for some of their rows, by the rows' places."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as f

from wireproof.pipeline.tables.definition import LOCATION_NAMES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["FEW_ROWS", "fetch"]

FEW_ROWS: Final = 100_000
"""That are sent to every executor: 30 MiB, where a row is a place and what is asked there."""


def fetch(
    wanted: "DataFrame", *tables: "tuple[DataFrame, Sequence[str]]", few_rows: int = FEW_ROWS
) -> "DataFrame":
    """The rows of `wanted` with columns of other tables at the same places.

    Few rows go to where a table lies, which then is read once and not moved. More than that, which may fit
    into no memory, are met by shuffling both. They are counted before, for of a part of a table Spark knows
    the size of the whole alone.

    Args:
        tables: with the columns of each; a place is in each of them once at most.
    """
    few = wanted.limit(few_rows + 1).count() <= few_rows
    for table, columns in tables:
        there = table.select(*LOCATION_NAMES, *columns)
        wanted = there.join(f.broadcast(wanted) if few else wanted, list(LOCATION_NAMES))
    return wanted
