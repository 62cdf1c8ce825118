"""`clients`: how each client used each API."""

from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import ArrayType, StructType

from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table, in_order, sum_where
from wireproof.pipeline.tables.stages.readings_table import READINGS
from wireproof.traffic.wire.segment_format import StreamDirection

_NO_ERROR: Final = "/0"
"""The end of an error code that means success."""
_SCHEMA: Final = StructType(
    [
        c.CLIENT,
        c.LISTENER,
        c.column("release", c.TEXT, "of the broker"),
        c.column("api", c.TEXT, "the message's name without Request or Response"),
        c.column("version", c.INT, "of request and answer; ApiVersions of one the broker lacks: 0"),
        c.column("requests", c.LONG, "frames"),
        c.column("request_bytes", c.LONG, "of them"),
        c.column("answers", c.LONG, "frames"),
        c.column("answer_bytes", c.LONG, "of them"),
        c.column("error_answers", c.LONG, "answers with an error code other than 0"),
        c.column("errors", ArrayType(c.TEXT, False), "these codes, PATH/CODE, each once"),
    ]
)


def clients_of(readings: DataFrame) -> DataFrame:
    """`CLIENTS`: group answers with the same error codes first, in one pass, then merge the few groups."""
    codes = f.filter("errors", lambda code: ~code.endswith(_NO_ERROR))
    asks = f.col("direction") == int(StreamDirection.TO_BROKER)
    failed = f.when(~asks & (f.size(codes) > 0), codes).alias("codes")
    who = ("client", "listener", "release", "message", "version", "direction")
    uses = readings.groupBy(*who, failed).agg(
        f.count("*").alias("frames"), f.sum("size_bytes").alias("bytes")
    )
    codes = f.array_sort(f.array_distinct(f.flatten(f.collect_set("codes"))))
    api = f.regexp_replace("message", "(Request|Response)$", "").alias("api")
    used = (
        uses.groupBy("client", "listener", "release", api, "version")
        .agg(
            sum_where(asks, "frames").alias("requests"),
            sum_where(asks, "bytes").alias("request_bytes"),
            sum_where(~asks, "frames").alias("answers"),
            sum_where(~asks, "bytes").alias("answer_bytes"),
            sum_where(f.col("codes").isNotNull(), "frames").alias("error_answers"),
            codes.alias("errors"),
        )
        .select(*_SCHEMA.names)
    )
    return in_order(used, "client", "api", "version", "listener", "release")


CLIENTS: Final = Table(
    "clients",
    "a client's requests of one API and version at one listener, and the answers to them",
    _SCHEMA,
    lambda inputs: clients_of(inputs[READINGS]),
)
