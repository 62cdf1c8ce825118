"""Readings -> `candidates` -> `chosen` -> `entries`, an example of each fingerprint; and `quarantine`."""

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any, Final

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import MapType, StructType

from wireproof.pipeline.runtime.arrow_rows import Row, rows_of, spread, writing
from wireproof.pipeline.runtime.kafka_classes import OK, KafkaClasses
from wireproof.pipeline.runtime.release_cache import frame_reader_of, header_of, layout_of
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table, TableInputs, fetch
from wireproof.pipeline.tables.stages.chunks_table import CHUNKS, DAMAGED
from wireproof.pipeline.tables.stages.frames_table import FRAMES
from wireproof.pipeline.tables.stages.readings_table import (
    AGREE,
    FINGERPRINTS,
    READINGS,
    location_rank,
    name_of,
)
from wireproof.traffic.corpus.candidates import Candidate, FrameLocation, FrameOrigin, Offer, choose
from wireproof.traffic.corpus.collection import too_large
from wireproof.traffic.corpus.corpus_entry import Provenance
from wireproof.traffic.fingerprint.fingerprinter import Fingerprint, Fingerprinter
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

    A frame represents those with the same fingerprint (`itself`), or may contain messages.
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
) -> DataFrame:
    """`CANDIDATES`: the frames that are wanted and the messages in them, redacted and read by Kafka."""
    asked = fetch(wanted, (readings, _ABOUT), (frames, ["data"])).select(*_ASKED)
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
    """Kafka's classes must read what was redacted, and write it again as it is."""
    cell = [f.col(name) for name in ("release", "module", "message", "version", "header_version", "data")]
    answer = kafka.reframe(*cell)
    same = (f.col("kafka.status") == OK) & (f.hex("kafka.written_sha256") == f.upper(f.sha2("data", 256)))
    words = f.concat(f.lit("Kafka's classes do not write it again as it is: "), f.col("kafka.status"))
    reason = f.when(f.col("reason").isNull() & ~same, words).otherwise(f.col("reason"))
    return candidates.withColumn("kafka", answer).withColumn("reason", reason).select(*_SCHEMA.names)


def _make(inputs: TableInputs) -> DataFrame:
    readings, plan = inputs[READINGS], inputs.plan
    chosen = wanted(readings, inputs[FINGERPRINTS])
    return redact(chosen, readings, inputs[FRAMES], inputs.kafka, plan.key, plan.largest_bytes)


CANDIDATES: Final = Table(
    "candidates", "a redacted message; with a reason, one that could not be redacted", _SCHEMA, _make
)


_INNER_LOCATION: Final = (*c.LOCATION_NAMES, "inner")
_CHOICES: Final = (*_INNER_LOCATION, "fingerprint", "size_bytes")
_CHOSEN_SCHEMA: Final = StructType(
    [
        *c.CELL,
        c.PROVENANCE,
        *c.LOCATION,
        c.INNER,
        c.column("name", c.TEXT, "of the entry: the first thing that it adds"),
        c.column("number", c.INT, "its place among the entries of its cell and provenance"),
    ]
)


def choose_entries(candidates: DataFrame) -> DataFrame:
    """`CHOSEN`: of each cell and provenance the few that show all that any of its candidates does.

    A cell is one task, which holds what each candidate shows, and no bytes of them.
    """
    size = f.length("data").cast("bigint").alias("size_bytes")
    sound = candidates.where(f.col("reason").isNull()).select(
        *c.CELL_NAMES, *_INNER_LOCATION, "fingerprint", size
    )
    best = f.min(location_rank(f.col("size_bytes"), _INNER_LOCATION, "size_bytes")).alias("best")
    unlike = sound.groupBy(*c.CELL_NAMES, "fingerprint").agg(best)
    offered = unlike.select(
        *c.CELL_NAMES, "fingerprint", *(f"best.{name}" for name in (*_INNER_LOCATION, "size_bytes"))
    )
    return spread(offered, *c.CELL_NAMES).groupBy(*c.CELL_NAMES).applyInArrow(_choose, _CHOSEN_SCHEMA)


def _choose(cell: pa.Table) -> pa.Table:
    """The choice of one cell and provenance."""
    first = cell.slice(0, 1).to_pylist()[0]
    key = [first[name] for name in c.CELL_NAMES]
    rows = sorted(rows_of(cell.to_batches(), _CHOICES), key=lambda row: row[:5])
    offers = [Offer(Fingerprint.from_bytes(row[5]), row[6]) for row in rows]
    layout = layout_of(first["release"], first["message"], first["version"])
    choices = choose(Fingerprinter(header_of(first["release"], layout), layout), offers)
    chosen = [(*key, *rows[each.index][:5], each.name, number) for number, each in enumerate(choices)]
    columns = [list(column) for column in zip(*chosen, strict=True)]
    schema = to_arrow_schema(_CHOSEN_SCHEMA)
    arrays = [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


CHOSEN: Final = Table(
    "chosen",
    "an entry of the corpus, by location",
    _CHOSEN_SCHEMA,
    lambda inputs: choose_entries(inputs[CANDIDATES]),
)


_ENTRIES_SCHEMA: Final = StructType(
    [
        *CHOSEN.schema.fields,
        c.LISTENER,
        c.CLIENT,
        c.TIME,
        c.column("data", c.BYTES, "size, header and body; of a message out of a log the body"),
        c.column("head_bytes", c.INT, "how many bytes stand before the body"),
        c.column("replaced", MapType(c.TEXT, c.INT, False), "values that were, by path of their field"),
    ]
)


def entries_of(chosen: DataFrame, candidates: DataFrame) -> DataFrame:
    """`ENTRIES`: what was chosen, with its bytes."""
    columns = ("listener", "client", "time_ns", "data", "head_bytes", "replaced")
    data = candidates.where(f.col("reason").isNull()).select(*_INNER_LOCATION, *columns)
    return chosen.join(data, list(_INNER_LOCATION)).select(*_ENTRIES_SCHEMA.names)


def candidate_of(row: Any) -> Candidate:
    """The candidate of a row of `ENTRIES`."""
    layout = layout_of(row.release, row.message, row.version)
    place = FrameLocation(row.file, row.connection, row.direction, row.offset, row.inner)
    origin = FrameOrigin(Provenance(row.provenance), place, row.listener, row.client, row.time_ns)
    header = header_of(row.release, layout)
    return Candidate(
        row.module, layout, header, origin, bytes(row.data), row.head_bytes, row.replaced, Fingerprint(0)
    )


ENTRIES: Final = Table(
    "entries",
    "an entry of the corpus, with its bytes",
    _ENTRIES_SCHEMA,
    lambda inputs: entries_of(inputs[CHOSEN], inputs[CANDIDATES]),
)


_QUARANTINED: Final = StructType(
    [
        c.column(
            "stage", c.TEXT, "chunks, frames, readings, fingerprints or candidates: where it was held up"
        ),
        *c.LOCATION,
        c.column("release", c.TEXT, "of the broker"),
        c.column("message", c.TEXT, "where it has a name", null=True),
        c.column("version", c.INT, "of the message", null=True),
        c.REASON,
        c.SIZE,
        c.column("data", c.BYTES, "its first 4 KiB", null=True),
    ]
)
_HEAD_BYTES: Final = 4096
_WHAT: Final = ("release", "message", "version", "fault", "size_bytes")


def quarantine_of(
    chunks: DataFrame,
    frames: DataFrame,
    readings: DataFrame,
    candidates: DataFrame,
    largest_bytes: int,
) -> DataFrame:
    """`QUARANTINE`: damaged chunks, unnamed frames, unread, too large and unredacted ones."""
    none = f.lit(None)
    damage = chunks.where(f.col("kind") == DAMAGED).select(
        *_columns("chunks", "file", f.lit(0), f.lit(0), "position", "release"),
        *_about(none, none, f.decode("payload", "utf-8"), f.lit(0), none),
    )
    unnamed = frames.where(f.col("reason").isNotNull()).select(
        *_columns("frames", *c.LOCATION_NAMES, "release"),
        *_about("message", "version", "reason", "size_bytes", "data"),
    )
    unread = readings.where(f.col("fault").isNotNull()).select(*c.LOCATION_NAMES, *_WHAT)
    faults = fetch(unread, (frames, ["data"])).select(
        *_columns("readings", *c.LOCATION_NAMES, "release"),
        *_about("message", "version", "fault", "size_bytes", "data"),
    )
    large = readings.where((f.col("verdict") == AGREE) & (f.col("size_bytes") > largest_bytes)).select(
        *_columns("fingerprints", *c.LOCATION_NAMES, "release"),
        *_about("message", "version", f.lit(too_large(largest_bytes)), "size_bytes", none),
    )
    unredacted = candidates.where(f.col("reason").isNotNull()).select(
        *_columns("candidates", *c.LOCATION_NAMES, "release"),
        *_about("message", "version", "reason", f.coalesce(f.length("data"), f.lit(0)), none),
    )
    return reduce(lambda one, other: one.unionAll(other), (damage, unnamed, faults, large, unredacted))


def _columns(stage: str, *place: Column | str) -> list[Column]:
    names = [*c.LOCATION_NAMES, "release"]
    types = [_QUARANTINED[name].dataType for name in names]
    columns = [
        _as_column(each).cast(type_).alias(name)
        for each, name, type_ in zip(place, names, types, strict=True)
    ]
    return [f.lit(stage).alias("stage"), *columns]


def _about(
    message: Column | str,
    version: Column | str,
    reason: Column | str,
    size: Column | str,
    data: Column | str,
) -> list[Column]:
    head = f.substring(_as_column(data).cast("binary"), 1, _HEAD_BYTES)
    return [
        _as_column(message).cast("string").alias("message"),
        _as_column(version).cast("int").alias("version"),
        _as_column(reason).alias("reason"),
        _as_column(size).cast("bigint").alias("size_bytes"),
        head.alias("data"),
    ]


def _as_column(each: Column | str) -> Column:
    return f.col(each) if isinstance(each, str) else each


def _quarantined(inputs: TableInputs) -> DataFrame:
    tables = inputs[CHUNKS], inputs[FRAMES], inputs[READINGS], inputs[CANDIDATES]
    return quarantine_of(*tables, inputs.plan.largest_bytes)


QUARANTINE: Final = Table("quarantine", "what was held up, with the reason", _QUARANTINED, _quarantined)
