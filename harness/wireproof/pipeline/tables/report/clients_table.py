"""`clients`: how each client used each API."""

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as f
from pyspark.sql.types import ArrayType, StructType

from wireproof.pipeline.tables.definition import CLIENT, INT, LISTENER, LONG, TEXT, Table, TableInputs, column
from wireproof.pipeline.tables.stages.readings_table import READINGS
from wireproof.traffic.wire import StreamDirection

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_NO_ERROR: Final = "/0"
"""The end of an error code that means success."""
_SCHEMA: Final = StructType(
    [
        CLIENT,
        LISTENER,
        column("release", TEXT, "of the broker"),
        column("api", TEXT, "the message's name without Request or Response"),
        column("version", INT, "of request and answer; ApiVersions of one the broker lacks: 0"),
        column("requests", LONG, "frames"),
        column("request_bytes", LONG, "of them"),
        column("answers", LONG, "frames"),
        column("answer_bytes", LONG, "of them"),
        column("error_answers", LONG, "answers with an error code other than 0"),
        column("errors", ArrayType(TEXT, False), "these codes, PATH/CODE, each once"),
    ]
)


def clients_of(readings: "DataFrame") -> "DataFrame":
    """`CLIENTS`: answers of the same codes first, which is one pass; sets of codes of what that leaves."""
    codes = f.filter("errors", lambda code: ~code.endswith(_NO_ERROR))
    asks = f.col("direction") == int(StreamDirection.TO_BROKER)
    failed = f.when(~asks & (f.size(codes) > 0), codes).alias("codes")
    who = ("client", "listener", "release", "message", "version", "direction")
    uses = readings.groupBy(*who, failed).agg(
        f.count("*").alias("frames"), f.sum("size_bytes").alias("bytes")
    )
    codes = f.array_sort(f.array_distinct(f.flatten(f.collect_set("codes"))))
    api = f.regexp_replace("message", "(Request|Response)$", "").alias("api")
    return (
        uses.groupBy("client", "listener", "release", api, "version")
        .agg(
            _sum_where(asks, "frames").alias("requests"),
            _sum_where(asks, "bytes").alias("request_bytes"),
            _sum_where(~asks, "frames").alias("answers"),
            _sum_where(~asks, "bytes").alias("answer_bytes"),
            _sum_where(f.col("codes").isNotNull(), "frames").alias("error_answers"),
            codes.alias("errors"),
        )
        .select(*_SCHEMA.names)
        .orderBy("client", "api", "version", "listener", "release")
    )


def _sum_where(condition: "Column", what: str) -> "Column":
    return f.sum(f.when(condition, f.col(what)).otherwise(0))


def _make(inputs: TableInputs) -> "DataFrame":
    return clients_of(inputs[READINGS])


CLIENTS: Final = Table(
    "clients",
    "a client's requests of one API and version at one listener, and the answers to them",
    _SCHEMA,
    _make,
)
