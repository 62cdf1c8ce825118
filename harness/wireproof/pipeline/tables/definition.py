"""The definition of a table: name, schema and maker; and the rows of a table at the places of another."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pyspark.sql import DataFrame, SparkSession
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
    """

    spark: "SparkSession"
    kafka: "KafkaClasses"
    plan: "JobPlan"
    made: "Mapping[str, DataFrame]" = field(repr=False)

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
        name: of its folder, and in Spark SQL.
        about: what one row is.
        make: the rows, from the tables before it.
        make_isolated: the same in processes of their own, for input that crashes a worker; None where the
            table runs no codec.
    """

    name: str
    about: str
    schema: StructType
    make: "Callable[[TableInputs], DataFrame]"
    make_isolated: "Callable[[TableInputs], DataFrame] | None" = None


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
        there = table.select(*c.LOCATION_NAMES, *columns)
        wanted = there.join(f.broadcast(wanted) if few else wanted, list(c.LOCATION_NAMES))
    return wanted
