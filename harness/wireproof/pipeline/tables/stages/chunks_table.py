"""Captured files -> `chunks`: the bytes as they were forwarded.

The rows are the entries that segment files would have (`frames.Connections`). The position of the first
packet of a connection identifies the connection.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import StructField, StructType

from wireproof.pipeline.job_plan import PacketFile, SegmentFile
from wireproof.pipeline.runtime.arrow_rows import Row, rows_of, writing
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table, TableInputs, union
from wireproof.traffic.wire.packets.packet_file import (
    CaptureInterface,
    PacketSplit,
    TruncatedPacketFileError,
    split_packet_file,
)
from wireproof.traffic.wire.packets.reassembly import ConnectionReassembler
from wireproof.traffic.wire.packets.tcp_segments import Endpoint, TcpSegment, read_packets
from wireproof.traffic.wire.segment_format import EntryKind, SegmentDamage, SegmentEntry, SegmentPart
from wireproof.traffic.wire.segment_reader import read_segment

SPLIT_BYTES: Final = 32 << 20
"""The number of bytes of a file that one task reads."""

DAMAGED: Final = -1
"""The value of the column `kind` for a damaged part of the file."""

CHUNK_SCHEMA: Final = StructType(
    [
        c.column("file", c.TEXT, "name of the segment file or packet capture"),
        c.column("position", c.LONG, "of the entry in the file"),
        c.column("release", c.TEXT, "of the broker"),
        c.LISTENER,
        c.column("time_ns", c.LONG, "when it was written"),
        c.column("connection", c.LONG, "from 1; 0 for what is about the file"),
        c.column("kind", c.INT, "EntryKind; -1 for a damaged part of the file"),
        c.column("direction", c.INT, "0 to the broker, 1 to the client"),
        c.column("payload", c.BYTES, "of the entry; of damage its words"),
    ]
)


IMPORTED: Final = "IMPORTED"
"""The name of the listener of imported frames: packets do not contain the real name."""

_ENTRIES_BITS: Final = 20
"""The number of low bits that order the entries of one packet, which may release thousands of later ones."""


def _schema(**columns: Any) -> StructType:
    return StructType([StructField(name, type_, True) for name, type_ in columns.items()])


_SPLITS: Final = _schema(number=c.INT, start=c.LONG, end=c.LONG, order=c.TEXT, interfaces=c.TEXT)
_SEGMENTS: Final = _schema(
    number=c.INT,
    position=c.LONG,
    time_ns=c.LONG,
    source=c.TEXT,
    source_port=c.INT,
    target=c.TEXT,
    target_port=c.INT,
    sequence=c.LONG,
    data=c.BYTES,
    syn=c.FLAG,
    fin=c.FLAG,
    reset=c.FLAG,
    lost=c.LONG,
    acknowledged=c.LONG,
    cut=c.TEXT,
)


def read_packet_chunks(
    spark: SparkSession, files: Sequence[PacketFile], split_bytes: int = SPLIT_BYTES
) -> DataFrame:
    """The entries of connections in packet captures: `CHUNKS`.

    First, one task for each file steps from packet header to packet header, to find places to cut the file.
    """
    numbers = spark.createDataFrame([(number,) for number in range(len(files))], _schema(number=c.INT))
    spread = numbers.repartitionByRange(len(files), "number")
    splits = spread.mapInArrow(writing(_splitting(files, split_bytes), _SPLITS), _SPLITS)
    size = sum(Path(file.path).stat().st_size for file in files)
    parts = splits.repartition(max(1, size // split_bytes), "number", "start")
    segments = parts.mapInArrow(writing(_reading(files), _SEGMENTS, "data"), _SEGMENTS)
    one, other = (
        f.struct(f.col(name).alias("address"), f.col(f"{name}_port").alias("port"))
        for name in ("source", "target")
    )
    ends = segments.withColumn("low", f.least(one, other)).withColumn("high", f.greatest(one, other))
    pair = ("number", "low", "high")
    whole = ends.repartition(*pair).sortWithinPartitions(*pair, "position")
    return whole.mapInArrow(writing(_joining(files), CHUNK_SCHEMA, "payload"), CHUNK_SCHEMA)


def _splitting(files: Sequence[PacketFile], split_bytes: int) -> Callable[[Iterator[Any]], Iterator[Row]]:
    def run(batches: Iterator[Any]) -> Iterator[Row]:
        for (number,) in rows_of(batches, ["number"]):
            with Path(files[number].path).open("rb") as file:
                for split in split_packet_file(file, split_bytes):
                    known = json.dumps(
                        [(each.link, each.snap, each.units_per_s) for each in split.interfaces]
                    )
                    yield number, split.start, split.end, split.order, known

    return run


def _reading(files: Sequence[PacketFile]) -> Callable[[Iterator[Any]], Iterator[Row]]:
    def run(batches: Iterator[Any]) -> Iterator[Row]:
        for number, start, end, order, interfaces in rows_of(batches, _SPLITS.names):
            known = tuple(CaptureInterface(*each) for each in json.loads(interfaces))
            yield from _read(files[number], number, PacketSplit(start, end, order, known))

    return run


def _read(packets: PacketFile, number: int, split: PacketSplit) -> Iterator[Row]:
    with Path(packets.path).open("rb") as file:
        try:
            for each in read_packets(file, split=split):
                if packets.is_broker(each.source) or packets.is_broker(each.target):
                    yield (
                        number, each.position, each.time_ns, each.source.address, each.source.port,
                        each.target.address, each.target.port, each.sequence, each.data, each.syn, each.fin,
                        each.reset, each.lost, each.acknowledged, None,
                    )  # fmt: skip
        except TruncatedPacketFileError as error:
            yield (number, error.offset, 0, "", 0, "", 0, 0, b"", False, False, False, 0, None, str(error))


def _joining(files: Sequence[PacketFile]) -> Callable[[Iterator[Any]], Iterator[Row]]:
    def run(batches: Iterator[Any]) -> Iterator[Row]:
        pair, joined = None, None
        for row in rows_of(batches, [*_SEGMENTS.names, "low", "high"]):
            number, position, time_ns, source, source_port, target, target_port, *rest, cut, low, high = row
            if cut is not None:
                about = files[number]
                yield about.name, position, about.release, IMPORTED, 0, 0, DAMAGED, 0, cut.encode()
                continue
            if (number, low, high) != pair:
                if joined is not None:
                    yield from joined.close()
                pair, joined = (number, low, high), _Pair(files[number])
            assert joined is not None
            ends = Endpoint(source, source_port), Endpoint(target, target_port)
            segment: Row = (time_ns, *ends, *rest, position)
            yield from joined.feed(TcpSegment(*segment))
        if joined is not None:
            yield from joined.close()

    return run


class _Pair:
    """The connections between two endpoints, one after the other."""

    def __init__(self, file: PacketFile) -> None:
        self._file = file
        self._connections = ConnectionReassembler(file.is_broker)
        self._position = 0
        self._opened: dict[int, int] = {}

    def feed(self, segment: TcpSegment) -> Iterator[Row]:
        self._position = segment.position
        yield from self._rows(self._connections.feed(segment))

    def close(self) -> Iterator[Row]:
        self._position += 1
        yield from self._rows(self._connections.close())

    def _rows(self, entries: Iterator[SegmentEntry]) -> Iterator[Row]:
        for place, entry in enumerate(entries):
            if entry.kind is EntryKind.OPEN:
                self._opened[entry.connection] = self._position
            yield (
                self._file.name,
                self._position << _ENTRIES_BITS | place,
                self._file.release,
                IMPORTED,
                entry.time_ns,
                self._opened[entry.connection],
                int(entry.kind),
                int(entry.direction),
                entry.payload,
            )


_SEGMENT_SPLITS: Final = _schema(
    **dict.fromkeys((field.name for field in fields(SegmentFile)), c.TEXT), start=c.LONG, end=c.LONG
)


def _splits_of(file: SegmentFile) -> Iterator[Row]:
    """Consecutive parts of the file; see `read_segment`."""
    size = Path(file.path).stat().st_size
    for start in range(0, max(1, size), SPLIT_BYTES):
        end = start + SPLIT_BYTES
        yield *astuple(file), start, end if end < size else None


def read_chunks(spark: SparkSession, files: Sequence[SegmentFile]) -> DataFrame:
    """The entries of segment files: `CHUNKS`. A split is a task; its memory is that of a batch.

    Raises:
        OSError: a file cannot be opened here; in a task the job fails with it.
    """
    splits = [split for file in files for split in _splits_of(file)]
    rows = spark.createDataFrame(splits, _SEGMENT_SPLITS)
    made = rows.repartitionByRange(len(splits), "name", "start")
    return made.mapInArrow(writing(_read_segments, CHUNK_SCHEMA, "payload"), CHUNK_SCHEMA)


def _read_segments(batches: Iterator[Any]) -> Iterator[Row]:
    for path, name, release, listener, start, end in rows_of(batches, _SEGMENT_SPLITS.names):
        with Path(path).open("rb") as file:
            for part in read_segment(file, start, end):
                yield (name, part.offset, release, listener, *_row_of(part))


def _row_of(part: SegmentPart) -> Row:
    if isinstance(part, SegmentDamage):
        return 0, 0, DAMAGED, 0, str(part).encode()
    return part.time_ns, part.connection, int(part.kind), int(part.direction), part.payload


def _make(inputs: TableInputs) -> DataFrame:
    plan, kinds = inputs.plan, []
    if plan.segments:
        kinds.append(read_chunks(inputs.spark, plan.segments))
    if plan.packets:
        kinds.append(read_packet_chunks(inputs.spark, plan.packets))
    return union(kinds)


CHUNKS: Final = Table(
    "chunks",
    "an entry of a segment file: bytes as they were forwarded, or an event of a connection",
    CHUNK_SCHEMA,
    _make,
)
