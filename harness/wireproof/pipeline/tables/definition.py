"""The definition of a table: name, schema and maker; and the rows of a table at the places of another."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from wireproof.pipeline.tables import columns as c

if TYPE_CHECKING:
    from wireproof.pipeline.job_plan import JobPlan
    from wireproof.pipeline.runtime.kafka_classes import KafkaClasses


@dataclass(frozen=True, slots=True)
class TableInputs:
    """The inputs of the maker of a table.

    Attributes:
        kafka: Kafka's classes of every release of the plan.
        made: the tables made before, by name.
        rows: the number of their rows.
    """

    spark: "SparkSession"
    kafka: "KafkaClasses"
    plan: "JobPlan"
    made: "Mapping[str, DataFrame]" = field(repr=False)
    rows: "Mapping[str, int]" = field(default_factory=dict)

    def __getitem__(self, table: "Table") -> "DataFrame":
        """The rows of a table that precedes this one.

        Raises:
            LookupError: the table comes later in `wireproof.pipeline.tables.TABLES`.
        """
        if table.name not in self.made:
            raise LookupError(
                f"the table {table.name} is not made yet: list it in TABLES before the tables that read it"
            )
        return self.made[table.name]


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a job.

    Attributes:
        name: the name of its folder, and its name in Spark SQL.
        about: a description of one row.
        make: makes the rows from the tables before it.
        make_isolated: makes the same rows in separate processes, for input that crashes a worker; None if the
            table runs no codec.
    """

    name: str
    about: str
    schema: StructType
    make: "Callable[[TableInputs], DataFrame]"
    make_isolated: "Callable[[TableInputs], DataFrame] | None" = None


def in_order(rows: "DataFrame", *columns: Column | str) -> "DataFrame":
    """Few rows, sorted in one task. `orderBy` computes them twice, first to divide them among tasks."""
    return rows.coalesce(1).sortWithinPartitions(*columns)


def union(tables: "Iterable[DataFrame]") -> "DataFrame":
    """The rows of tables with the same columns."""
    return reduce(lambda one, other: one.unionAll(other), tables)


def sum_where(condition: Column, name: str) -> Column:
    """The sum of a column over the rows that satisfy a condition."""
    return f.sum(f.when(condition, f.col(name)).otherwise(0))


FEW_ROWS: Final = 100_000
"""The most rows that are sent to every executor: 30 MiB of places with their questions."""


def fetch(
    wanted: "DataFrame",
    *tables: "tuple[DataFrame, Sequence[str]]",
    most_rows: int | None = None,
    few_rows: int = FEW_ROWS,
) -> "DataFrame":
    """The rows of `wanted` with columns of other tables at the same places.

    A few rows are sent to all executors, so that each table is read once and not moved. More rows may not fit
    into memory, so that both sides are shuffled. Where there may be many, the rows are counted first, because
    Spark knows only the size of a whole table, not of a part.

    Args:
        tables: each table with the wanted columns; a table has each place at most once.
        most_rows: a number that `wanted` does not exceed, if one is known.
    """
    surely = most_rows is not None and most_rows <= few_rows
    few = surely or wanted.limit(few_rows + 1).count() <= few_rows
    for table, columns in tables:
        there = table.select(*c.LOCATION_NAMES, *columns)
        wanted = there.join(f.broadcast(wanted) if few else wanted, list(c.LOCATION_NAMES))
    return wanted
