"""The columns that several tables have.

Times are nanoseconds since 1970. A frame is identified by file, connection, direction and offset, where its
size begins in the stream of its direction.
"""

from typing import Final

from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
)

from kafkawire.schema import MessageKind


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
INNER_LOCATION: Final = (*LOCATION_NAMES, "inner")

CELL: Final = (
    column("release", TEXT, "of the broker: its schemas name the frame"),
    column("module", TEXT, "of the release that has the message"),
    column("message", TEXT, "Kafka's name of it"),
    column("version", INT, "of the message"),
)
CELL_NAMES: Final = (*(each.name for each in CELL), "provenance")
"""Cell and provenance: entries are chosen for each pair of them."""

QUESTION: Final = (*(each.name for each in CELL), "header_version", "data")
"""The columns of a frame that Kafka's classes are asked with."""

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
