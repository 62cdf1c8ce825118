"""Chunks -> `frames`: one task reads a connection from beginning to end (`wire.ConnectionDecoder`).

A connection cannot be split, because only the bytes before a frame show where the frame begins. So this stage
only reads the stream. The expensive work follows in tasks of equal size, which a huge connection cannot
delay.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from wireproof.base.grouping import grouped
from wireproof.pipeline.runtime.arrow_rows import Row, rows_of, writing
from wireproof.pipeline.runtime.release_cache import naming_of
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table
from wireproof.pipeline.tables.stages.chunks_table import CHUNKS, DAMAGED
from wireproof.traffic.wire.connection_decoder import (
    ConnectionDecoder,
    DecodedPart,
    IdentifiedFrame,
    SkippedBytes,
)
from wireproof.traffic.wire.segment_format import EntryKind, SegmentDamage, SegmentEntry, SegmentPart
from wireproof.traffic.wire.segment_reader import with_holes

_COLUMNS: Final = CHUNKS.schema.names
_CONNECTION: Final = itemgetter(*map(_COLUMNS.index, ("file", "connection", "release", "listener")))
_SCHEMA: Final = StructType(
    [
        *c.LOCATION,
        c.LISTENER,
        c.column("release", c.TEXT, "of the broker"),
        c.column("module", c.TEXT, "of the release that has the message", null=True),
        c.column("message", c.TEXT, "Kafka's name of it", null=True),
        c.column("version", c.INT, "of the message", null=True),
        c.column("header_version", c.INT, "of the header before it", null=True),
        c.column("api_key", c.INT, "of the request that it is or answers", null=True),
        c.column("request_version", c.INT, "of that request", null=True),
        c.column("correlation_id", c.INT, "of the exchange", null=True),
        c.column("paired_offset", c.LONG, "offset of the other frame of the exchange", null=True),
        c.column("from_wireproof", c.FLAG, "whether its client is wireproof's own sweep"),
        c.CLIENT,
        c.TIME,
        c.SIZE,
        c.column("data", c.BYTES, "the frame, its size included; of other bytes nothing", null=True),
        c.column("reason", c.TEXT, "why these bytes are not a named frame", null=True),
    ]
)


def read_frames(chunks: DataFrame) -> DataFrame:
    """The frames of all connections, and the bytes that are not frames: `FRAMES`."""
    damaged = chunks.where(f.col("kind") == DAMAGED).select("file", "position", "payload")
    damage = grouped(
        (file, SegmentDamage(position, position, bytes(words).decode()))
        for file, position, words in sorted(damaged.collect())
    )
    about = chunks.where((f.col("kind") != DAMAGED) & (f.col("connection") != 0))
    whole = about.repartition("file", "connection").sortWithinPartitions("file", "connection", "position")
    return whole.mapInArrow(writing(_reading(damage), _SCHEMA, "data"), _SCHEMA)


class _Reader:
    """One connection of a partition."""

    def __init__(self, file: str, connection: int, release: str, listener: str) -> None:
        self._where = file, connection
        self._about = listener, release
        self._talk: ConnectionDecoder | None = None

    def feed(self, entry: SegmentEntry) -> Sequence[Row]:
        """The rows that an entry completes."""
        if entry.kind is EntryKind.OPEN:
            known = bool(entry.facts.get("knownStart", True))
            self._talk = ConnectionDecoder(naming_of(self._about[1]), known_start=known)
        if self._talk is None:
            return ()
        rows = [self._row(met) for met in self._talk.feed(entry)]
        if entry.kind is EntryKind.CLOSE:
            rows += self.close()
        return rows

    def close(self) -> Iterator[Row]:
        """Rows after its last entry."""
        if self._talk is not None:
            yield from map(self._row, self._talk.close())
            self._talk = None

    def _row(self, met: DecodedPart) -> Row:
        if isinstance(met, SkippedBytes):
            api_key, version = met.answered or (None, None)
            return (
                *self._where, int(met.direction), met.offset, *self._about, None, None, None, None, api_key,
                version, None, None, False, "", met.time_ns, met.count, met.data or None, met.reason,
            )  # fmt: skip
        return self._seen(met)

    def _seen(self, seen: IdentifiedFrame) -> Row:
        layout = seen.named.layout
        return (
            *self._where,
            int(seen.direction),
            seen.frame.offset,
            *self._about,
            seen.named.module,
            layout.name,
            layout.version,
            layout.header_version,
            seen.api_key,
            seen.version,
            seen.correlation_id,
            seen.paired_offset,
            seen.from_wireproof,
            seen.client,
            seen.time_ns,
            len(seen.frame.data),
            seen.frame.data,
            None,
        )


def _reading(damage: Mapping[str, list[SegmentDamage]]) -> Callable[[Iterator[Any]], Iterator[Row]]:
    """Return the reader of a partition: whole connections, with the damaged parts of their files in place."""

    def run(batches: Iterator[Any]) -> Iterator[Row]:
        for (file, *about), rows in groupby(rows_of(batches, _COLUMNS), _CONNECTION):
            reader = _Reader(file, *about)
            parts: Iterable[SegmentPart] = map(_entry, rows)
            if file in damage:
                parts = with_holes(merge(parts, damage[file], key=lambda part: part.offset))
            for part in parts:
                if isinstance(part, SegmentEntry):
                    yield from reader.feed(part)
            yield from reader.close()

    return run


def _entry(row: Row) -> SegmentEntry:
    _, position, _, _, time_ns, connection, kind, direction, payload = row
    return SegmentEntry.of(position, time_ns, connection, kind, direction, payload)


FRAMES: Final = Table(
    "frames",
    "a frame and its message type; or, with a reason, bytes that are not a frame",
    _SCHEMA,
    lambda inputs: read_frames(inputs[CHUNKS]),
)
