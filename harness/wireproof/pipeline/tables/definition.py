"""The definition of a table: name, schema and maker; and the columns that several tables have.

Times are nanoseconds since 1970. A frame is identified by file, connection, direction and offset, where its
size begins in the stream of its direction.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as f
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from kafkawire.schema import MessageKind

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

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


def column(name: str, type_: DataType, comment: str, *, null: bool = False) -> StructField:
    """A column with its description, which Spark keeps and the report shows."""
    return StructField(name, type_, null, {"comment": comment})


TEXT, INT, LONG, BYTES, FLAG = StringType(), IntegerType(), LongType(), BinaryType(), BooleanType()

LOCATION: Final = (
    column("file", TEXT, "name of the segment file or packet capture"),
    column("connection", LONG, "number of the connection in the file, from 1"),
    column("direction", INT, "0 to the broker, 1 to the client"),
    column("offset", LONG, "first byte, in the stream of the direction"),
)
LOCATION_NAMES: Final = tuple(each.name for each in LOCATION)

CELL: Final = (
    column("release", TEXT, "of the broker: its schemas name the frame"),
    column("module", TEXT, "of the release that has the message"),
    column("message", TEXT, "Kafka's name of it"),
    column("version", INT, "of the message"),
)
CELL_NAMES: Final = (*(each.name for each in CELL), "provenance")
"""Cell and provenance: entries are chosen for each pair of them."""

FRAMED: Final = (str(MessageKind.REQUEST), str(MessageKind.RESPONSE))
"""The kinds of messages that are frames; messages of other kinds are inside those."""

INNER: Final = column("inner", INT, "which message in the frame, from 1; 0 for the frame itself")
PROVENANCE: Final = column(
    "provenance", TEXT, "captured, or broker-accepted: wireproof made it, and a broker accepted it"
)
LISTENER: Final = column("listener", TEXT, "of the broker")
CLIENT: Final = column("client", TEXT, "name and version that the client sent; empty where it sent none")
TIME: Final = column("time_ns", LONG, "when the frame's exchange was complete")
DATA: Final = column("data", BYTES, "the frame, its size included")
FINGERPRINT: Final = column(
    "fingerprint", BYTES, "equal for frames of the cell that have the same value classes and errors"
)
SIZE: Final = column("size_bytes", LONG, "of the frame, its size included")
REASON: Final = column("reason", TEXT, "why it was held up; the same for the same cause")


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
