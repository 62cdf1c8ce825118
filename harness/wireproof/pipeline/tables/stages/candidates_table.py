"""Readings -> `candidates`: the example of each fingerprint and the messages inside frames, redacted."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import MapType, StructType

from wireproof.pipeline.runtime.arrow_rows import Row, rows_of, writing
from wireproof.pipeline.runtime.kafka_classes import OK, KafkaClasses
from wireproof.pipeline.runtime.release_cache import frame_reader_of
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table, TableInputs, fetch
from wireproof.pipeline.tables.stages.fingerprints_table import FINGERPRINTS
from wireproof.pipeline.tables.stages.frames_table import FRAMES
from wireproof.pipeline.tables.stages.readings_table import AGREE, READINGS, name_of
from wireproof.traffic.corpus.candidates import FrameLocation, FrameOrigin
from wireproof.traffic.corpus.collection import too_large
from wireproof.traffic.corpus.corpus_entry import Provenance
from wireproof.traffic.redaction.frame_redactor import QuarantinedData

_ABOUT: Final = ("release", "api_key", "version", "provenance", "listener", "client", "time_ns")
_ASKED: Final = (*c.LOCATION_NAMES, *_ABOUT, "data", "itself")
_SCHEMA: Final = StructType(
    [
        *c.LOCATION,
        c.INNER,
        *c.CELL,
        c.PROVENANCE,
        c.LISTENER,
        c.CLIENT,
        c.TIME,
        c.column("header_version", c.INT, "of the header; of a message out of a log null", null=True),
        c.column("data", c.BYTES, "size, header and body; of a message out of a log the body", null=True),
        c.column("head_bytes", c.INT, "how many bytes stand before the body", null=True),
        c.column(
            "replaced", MapType(c.TEXT, c.INT, False), "values that were, by path of their field", null=True
        ),
        c.column("fingerprint", c.BYTES, "after redaction", null=True),
        c.column("reason", c.TEXT, "why it could not be redacted", null=True),
    ]
)


def wanted(readings: DataFrame, fingerprints: DataFrame) -> DataFrame:
    """Select the places of frames to redact.

    A frame is selected if it represents frames with the same fingerprint (`itself`), or may contain messages.
    """
    captured = f.col("provenance") == Provenance.CAPTURED.value
    holding = readings.where((f.col("verdict") == AGREE) & f.col("has_inner_messages") & captured)
    both = fingerprints.select(*c.LOCATION_NAMES, f.lit(True).alias("itself")).unionAll(
        holding.select(*c.LOCATION_NAMES, f.lit(False).alias("itself"))
    )
    return both.groupBy(*c.LOCATION_NAMES).agg(f.max("itself").alias("itself"))


def redact(
    wanted: DataFrame,
    readings: DataFrame,
    frames: DataFrame,
    kafka: KafkaClasses,
    key: bytes,
    largest_bytes: int,
    most_rows: int | None = None,
) -> DataFrame:
    """`CANDIDATES`: the wanted frames and the messages in them, redacted and read by Kafka's classes."""
    asked = fetch(wanted, (readings, _ABOUT), (frames, ["data"]), most_rows=most_rows).select(*_ASKED)
    made = asked.mapInArrow(writing(_redacting(key, largest_bytes), _SCHEMA, "data"), _SCHEMA)
    return _read_by_kafka(made, kafka)


def _redacting(key: bytes, largest_bytes: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[Row]]:
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[Row]:
        for row in rows_of(batches, _ASKED):
            yield from _redacted(row, key, largest_bytes)

    return run


def _redacted(row: tuple[Any, ...], key: bytes, largest_bytes: int) -> Iterator[Row]:
    *place, release, api_key, version, provenance, listener, client, time_ns, data, itself = row
    named = name_of(release, place[2], api_key, version)
    origin = FrameOrigin(Provenance(provenance), FrameLocation(*place), listener, client, time_ns)
    found = frame_reader_of(release, key).redacted(named, data, origin)
    about = provenance, listener, client, time_ns
    if isinstance(found, QuarantinedData):
        if itself:
            cell = release, named.module, named.message, named.version
            yield (*place, 0, *cell, *about, *(None,) * 5, found.reason)
        return
    for each in found[0 if itself else 1 :]:
        large = len(each.data) > largest_bytes
        yield (
            *place,
            each.origin.place.inner,
            release,
            each.module,
            each.layout.name,
            each.layout.version,
            *about,
            None if each.header is None else each.header.version,
            each.data,
            each.head_bytes,
            list(each.replaced.items()),
            each.fingerprint.to_bytes(),
            too_large(largest_bytes) if large else None,
        )


def _read_by_kafka(candidates: DataFrame, kafka: KafkaClasses) -> DataFrame:
    """Let Kafka's classes read the redacted messages: they must write the same bytes again."""
    answer = kafka.reframe(*map(f.col, c.QUESTION))
    same = (f.col("kafka.status") == OK) & (f.hex("kafka.written_sha256") == f.upper(f.sha2("data", 256)))
    words = f.concat(f.lit("Kafka's classes do not write it again as it is: "), f.col("kafka.status"))
    reason = f.when(f.col("reason").isNull() & ~same, words).otherwise(f.col("reason"))
    return candidates.withColumn("kafka", answer).withColumn("reason", reason).select(*_SCHEMA.names)


def _make(inputs: TableInputs) -> DataFrame:
    readings, plan = inputs[READINGS], inputs.plan
    chosen = wanted(readings, inputs[FINGERPRINTS])
    most_rows = inputs.rows.get(READINGS.name)
    return redact(chosen, readings, inputs[FRAMES], inputs.kafka, plan.key, plan.largest_bytes, most_rows)


CANDIDATES: Final = Table(
    "candidates", "a redacted message; with a reason, one that could not be redacted", _SCHEMA, _make
)
