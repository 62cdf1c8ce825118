"""Looks -> the corpus: of frames that show the same one stands for all, redacted; of these the few that show
all there is.

The rules are those of `wireproof.corpus`, which depend on no order: what comes out is what one machine
writes.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import to_arrow_schema

from wireproof.corpus import (
    SMALL_BYTES,
    Candidate,
    Offer,
    Place,
    Provenance,
    Whence,
    choose,
    too_large,
)
from wireproof.fingerprint import Fingerprint, Fingerprinter
from wireproof.pipeline.runtime.arrow_rows import Row, rows_of, spread, writing
from wireproof.pipeline.runtime.kafka_classes import OK, KafkaClasses
from wireproof.pipeline.runtime.release_cache import header_of, layout_of, looker_of
from wireproof.pipeline.tables.row_lookup import fetch
from wireproof.pipeline.tables.schemas import CANDIDATES, CHOSEN, ENTRIES, PLACE_NAMES, SHOWN
from wireproof.pipeline.tables.stages.readings_table import AGREE, name_of
from wireproof.redaction import QuarantinedData

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["candidate_of", "choose_entries", "entries_of", "redact", "shown_by", "wanted"]

_CELL: Final = ("release", "module", "message", "version", "provenance")
_INNER_PLACE: Final = (*PLACE_NAMES, "inner")
_ABOUT: Final = ("release", "api_key", "version", "provenance", "listener", "client", "time_ns")
_ASKED: Final = (*PLACE_NAMES, *_ABOUT, "data", "itself")
_CHOICES: Final = (*_INNER_PLACE, "shown", "size_bytes")


def shown_by(looks: "DataFrame", largest_bytes: int) -> "DataFrame":
    """`SHOWN`: what the frames of each cell show, and which of those that show it stands for all."""
    sound = looks.where((f.col("verdict") == AGREE) & (f.col("size_bytes") <= largest_bytes))
    best = f.min(_rank(f.col("size_bytes"), PLACE_NAMES)).alias("best")
    frames, size = f.count("*").alias("frames"), f.sum("size_bytes").alias("bytes")
    # The least of structs is found by sorting: by a number first, which nearly always decides.
    alike = f.xxhash64("message", "version", "shown").alias("alike")
    grouped = sound.groupBy(alike, *_CELL, "shown").agg(frames, size, best)
    return grouped.select("*", "best.*").select(*SHOWN.schema.names)


def wanted(looks: "DataFrame", shown: "DataFrame") -> "DataFrame":
    """The places of frames that are to be redacted.

    They stand for those that show the same (`itself`), or messages may stand in them.
    """
    captured = f.col("provenance") == Provenance.CAPTURED.value
    holding = looks.where((f.col("verdict") == AGREE) & f.col("holds") & captured)
    both = shown.select(*PLACE_NAMES, f.lit(True).alias("itself")).unionAll(
        holding.select(*PLACE_NAMES, f.lit(False).alias("itself"))
    )
    return both.groupBy(*PLACE_NAMES).agg(f.max("itself").alias("itself"))


def redact(
    wanted: "DataFrame",
    looks: "DataFrame",
    frames: "DataFrame",
    kafka: KafkaClasses,
    key: bytes,
    largest_bytes: int,
) -> "DataFrame":
    """`CANDIDATES`: the frames that are wanted and the messages in them, redacted and read by Kafka."""
    asked = fetch(wanted, (looks, _ABOUT), (frames, ["data"])).select(*_ASKED)
    made = asked.mapInArrow(
        writing(_redacting(key, largest_bytes), CANDIDATES.schema, "data"), CANDIDATES.schema
    )
    return _read_by_kafka(made, kafka)


def choose_entries(candidates: "DataFrame") -> "DataFrame":
    """`CHOSEN`: of each cell and provenance the few that show all that any of its candidates does.

    A cell is one task, which holds what each candidate shows, and no bytes of them.
    """
    size = f.length("data").cast("bigint").alias("size_bytes")
    sound = candidates.where(f.col("reason").isNull()).select(*_CELL, *_INNER_PLACE, "shown", size)
    best = f.min(_rank(f.col("size_bytes"), _INNER_PLACE, "size_bytes")).alias("best")
    unlike = sound.groupBy(*_CELL, "shown").agg(best)
    offered = unlike.select(*_CELL, "shown", *(f"best.{name}" for name in (*_INNER_PLACE, "size_bytes")))
    return spread(offered, *_CELL).groupBy(*_CELL).applyInArrow(_choose, CHOSEN.schema)


def entries_of(chosen: "DataFrame", candidates: "DataFrame") -> "DataFrame":
    """`ENTRIES`: what was chosen, with its bytes."""
    columns = ("listener", "client", "time_ns", "data", "head_bytes", "replaced")
    data = candidates.where(f.col("reason").isNull()).select(*_INNER_PLACE, *columns)
    return chosen.join(data, list(_INNER_PLACE)).select(*ENTRIES.schema.names)


def candidate_of(row: Any) -> Candidate:
    """The candidate of a row of `ENTRIES`."""
    layout = layout_of(row.release, row.message, row.version)
    place = Place(row.file, row.connection, row.direction, row.offset, row.inner)
    whence = Whence(Provenance(row.provenance), place, row.listener, row.client, row.time_ns)
    header = header_of(row.release, layout)
    return Candidate(
        row.module, layout, header, whence, bytes(row.data), row.head_bytes, row.replaced, Fingerprint(0)
    )


def _rank(size: "Column", place: tuple[str, ...], *others: str) -> "Column":
    """`corpus.rank_of`, which a minimum compares field by field."""
    least = f.greatest(size - 1, f.lit(SMALL_BYTES - 1).cast("bigint"))
    return f.struct(f.length(f.bin(least)).alias("size_class"), *place, *others)


def _redacting(key: bytes, largest_bytes: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[Row]]:
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[Row]:
        for row in rows_of(batches, _ASKED):
            yield from _redacted(row, key, largest_bytes)

    return run


def _redacted(row: tuple[Any, ...], key: bytes, largest_bytes: int) -> Iterator[Row]:
    *place, release, api_key, version, provenance, listener, client, time_ns, data, itself = row
    named = name_of(release, place[2], api_key, version)
    whence = Whence(Provenance(provenance), Place(*place), listener, client, time_ns)
    found = looker_of(release, key).redacted(named, data, whence)
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
            each.whence.place.inner,
            release,
            each.module,
            each.layout.name,
            each.layout.version,
            *about,
            None if each.header is None else each.header.version,
            each.data,
            each.head_bytes,
            list(each.replaced.items()),
            each.shown.to_bytes(),
            too_large(largest_bytes) if large else None,
        )


def _read_by_kafka(candidates: "DataFrame", kafka: KafkaClasses) -> "DataFrame":
    """Kafka's classes must read what was redacted, and write it again as it is."""
    cell = [f.col(name) for name in ("release", "module", "message", "version", "header_version", "data")]
    answer = kafka.reframe(*cell)
    same = (f.col("kafka.status") == OK) & (f.hex("kafka.written_sha256") == f.upper(f.sha2("data", 256)))
    words = f.concat(f.lit("Kafka's classes do not write it again as it is: "), f.col("kafka.status"))
    reason = f.when(f.col("reason").isNull() & ~same, words).otherwise(f.col("reason"))
    return (
        candidates.withColumn("kafka", answer).withColumn("reason", reason).select(*CANDIDATES.schema.names)
    )


def _choose(cell: pa.Table) -> pa.Table:
    """The choice of one cell and provenance."""
    first = cell.slice(0, 1).to_pylist()[0]
    key = [first[name] for name in _CELL]
    rows = sorted(rows_of(cell.to_batches(), _CHOICES), key=lambda row: row[:5])
    offers = [Offer(Fingerprint.from_bytes(row[5]), row[6]) for row in rows]
    layout = layout_of(first["release"], first["message"], first["version"])
    choices = choose(Fingerprinter(header_of(first["release"], layout), layout), offers)
    chosen = [(*key, *rows[each.index][:5], each.name, number) for number, each in enumerate(choices)]
    columns = [list(column) for column in zip(*chosen, strict=True)]
    schema = to_arrow_schema(CHOSEN.schema)
    arrays = [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
