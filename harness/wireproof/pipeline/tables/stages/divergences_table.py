"""Frames on which Kafka's classes and our codec disagree -> the first difference."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from kafkawire.canonical import canonical
from kafkawire.compiler import fastest_codec
from kafkawire.errors import CodecError
from kafkawire.schema import MessageLayout
from kafkawire.wire import PREFIX_BYTES
from wireproof.model.divergence import Divergence
from wireproof.pipeline.runtime.arrow_rows import Row, rows_of, writing
from wireproof.pipeline.runtime.kafka_classes import KafkaClasses
from wireproof.pipeline.runtime.release_cache import naming_of
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table, fetch
from wireproof.pipeline.tables.stages.frames_table import FRAMES
from wireproof.pipeline.tables.stages.readings_table import AGREE, ENDED, READINGS, name_of
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.divergences import value_difference
from wireproof.proof.checks.values.whole_frame import differing_frames

_SCHEMA: Final = StructType(
    [
        *c.LOCATION,
        *c.CELL,
        c.CLIENT,
        c.column("verdict", c.TEXT, "how the two differ"),
        c.column("path", c.TEXT, "the field where they first do; empty where none can be named"),
        c.column("summary", c.TEXT, "in one sentence"),
        c.DATA,
    ]
)
_SUBJECT: Final = "the frame"
_OURS: Final = "our codec"
_CELL: Final = ("release", "module", "message", "version")
_ASKED: Final = (
    *c.LOCATION_NAMES,
    *_CELL,
    *("client", "verdict", "api_key", "fault", "data", "error", "written", "head", "value"),
)


def divergences_of(
    readings: DataFrame, frames: DataFrame, kafka: KafkaClasses, most_rows: int | None = None
) -> DataFrame:
    """`DIVERGENCES`: each such frame, read again with the complete answer of Kafka's classes."""
    unlike = readings.where(f.col("verdict") != AGREE).select(
        *c.LOCATION_NAMES, *_CELL, "client", "verdict", "api_key", "fault"
    )
    both = fetch(unlike, (frames, ["header_version", "data"]), most_rows=most_rows)
    asked = both.withColumn("kafka", kafka.reframe(*map(f.col, c.QUESTION), whole=True)).select(
        *_ASKED[:-4],
        f.concat_ws(": ", "kafka.error_class", "kafka.error_message").alias("error"),
        f.col("kafka.written").alias("written"),
        f.col("kafka.header").alias("head"),
        f.col("kafka.value").alias("value"),
    )
    return asked.mapInArrow(writing(_locate, _SCHEMA, "data"), _SCHEMA)


def _locate(batches: Iterator[Any]) -> Iterator[Row]:
    for row in rows_of(batches, _ASKED):
        *about, verdict, api_key, fault, data, error, written, head, value = row
        release, version = about[4], about[7]
        layout = name_of(release, about[2], api_key, version).layout
        found = None
        if fault != ENDED:
            with suppress(MemoryError):  # the fault already says so
                found = _where(naming_of(release).header(layout), layout, data, written, head, value)
        words = "; ".join(filter(None, (fault and f"our codec: {fault}", error and f"Kafka: {error}")))
        if found is None:
            yield (*about, verdict, "", words or verdict, data)
        else:
            yield (*about, verdict, found.path, _summary(found, words), data)


def _summary(found: Divergence, words: str) -> str:
    sides = f"{found.codec} in the frame, {found.oracle} by Kafka" if found.codec or found.oracle else ""
    return "; ".join(filter(None, (found.summary, sides, words)))


def _where(
    header: MessageLayout, body: MessageLayout, data: bytes, written: bytes | None, head: bytes, value: bytes
) -> Divergence | None:
    """Return the first difference of bytes, else of values; None if there is only a refusal."""
    if written is None:
        return None
    if written != data:
        head_bytes = PREFIX_BYTES + len(fastest_codec(header).encode(canonical(header).from_binary(head)))
        summary = "Kafka writes other bytes for what it reads in it"
        return differing_frames(header, body, _SUBJECT, summary, data, written, head_bytes)
    try:
        ours, end = fastest_codec(header).decode_from(data, PREFIX_BYTES)
        rest = fastest_codec(body).decode(data[end:])
    except CodecError:
        return None
    for layout, mine, theirs in ((header, ours, head), (body, rest, value)):
        said = canonical(layout).to_binary(mine)
        if said != theirs:
            summary = "our codec and Kafka's classes read different values"
            return value_difference(layout, Check.DECODE, _OURS, summary, said, theirs)
    return None


DIVERGENCES: Final = Table(
    "divergences",
    "a frame that Kafka's classes and our codec read or write differently, or that both write differently",
    _SCHEMA,
    lambda inputs: divergences_of(
        inputs[READINGS], inputs[FRAMES], inputs.kafka, inputs.rows.get(READINGS.name)
    ),
)
