"""Frames -> `readings`: each frame read by Kafka's classes and by our codec, and the verdict on both.

An expression on columns compares the digests of bytes and values. Columns that no worker needs pass through
Python unchanged. A frame's bytes are sent to Python once, and are not sent back.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, Final

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import ArrayType, StructField, StructType

from wireproof.pipeline.runtime.kafka_classes import ANSWER, OK, UNKNOWN_CELL, KafkaClasses
from wireproof.pipeline.runtime.release_cache import frame_reader_of, naming_of
from wireproof.pipeline.runtime.worker_limits import CrashIsolation, begin_partition
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table
from wireproof.pipeline.tables.stages.frames_table import FRAMES
from wireproof.traffic.corpus.candidates import FrameReader
from wireproof.traffic.corpus.corpus_entry import Provenance
from wireproof.traffic.redaction.frame_redactor import QuarantinedData
from wireproof.traffic.wire.frame_identifier import FrameType
from wireproof.traffic.wire.segment_format import StreamDirection

AGREE: Final = "agree"
"""The verdict on a frame that Kafka's classes and our codec read alike and write back unchanged."""

TOO_LARGE: Final = "a worker has too little memory to hold what our codec reads"
"""The fault of a frame whose values exceed a worker's memory: some ten million values in 100 MiB."""

ENDED: Final = "our codec ended the process that it ran in"
"""The fault of a frame that crashed the process, for example in a C library."""

_API_VERSIONS: Final = "ApiVersionsResponse"
_RANGE: Final = StructType(
    [
        StructField("apiKey", c.INT, False),
        StructField("minVersion", c.INT, False),
        StructField("maxVersion", c.INT, False),
    ]
)

_READING: Final = (
    c.column("fault", c.TEXT, "why our codec's reading is not to be trusted", null=True),
    c.column("frame_sha256", c.BYTES, "of the frame"),
    c.column("value_sha256", c.BYTES, "of the canonical binary of header and body", null=True),
    c.column(
        "fingerprint",
        c.BYTES,
        "equal for frames of the cell with the same value classes and errors",
        null=True,
    ),
    c.column("has_content", c.FLAG, "a response that is neither an error nor empty"),
    c.column("errors", ArrayType(c.TEXT, False), "PATH/CODE of each error code of an answer", null=True),
    c.column("has_inner_messages", c.FLAG, "it contains messages that may become entries"),
    c.column("advertised", ArrayType(_RANGE, False), "the APIs of an ApiVersions response", null=True),
)
"""The columns that are made here, in the order of `_Reading`."""
_MADE: Final = tuple(each.name for each in _READING)

_SCHEMA: Final = StructType(
    [
        *c.LOCATION,
        *c.CELL,
        c.LISTENER,
        c.PROVENANCE,
        c.CLIENT,
        c.TIME,
        c.SIZE,
        c.column("api_key", c.INT, "of the request that it is or answers"),
        *_READING,
        c.column("kafka", ANSWER, "what Kafka's classes made of the same bytes"),
        c.column("verdict", c.TEXT, "agree, or how the two differ"),
    ]
)
_READ: Final = StructType([each for each in _SCHEMA.fields if each.name != "verdict"])
_CELL: Final = ("release", "direction", "api_key", "version")


def read_by_both(frames: DataFrame, kafka: KafkaClasses, key: bytes, *, isolated: bool = False) -> DataFrame:
    """`READINGS`: all frames that have a name.

    Args:
        key: the key of the capture's redaction.
        isolated: whether our codec runs in processes of its own, so that a frame that crashes it gets a row
            with a fault (`ENDED`).
    """
    made = f.col("from_wireproof") & (f.col("direction") == int(StreamDirection.TO_BROKER))
    provenance = f.when(made, Provenance.BROKER_ACCEPTED.value).otherwise(Provenance.CAPTURED.value)
    through = [each.name for each in _READ.fields if each.name not in (*_MADE, "provenance", "kafka")]
    asked = frames.where(f.col("reason").isNull()).select(
        *through,
        provenance.alias("provenance"),
        kafka.reframe(*map(f.col, c.QUESTION)).alias("kafka"),
        "data",
    )
    readings = asked.mapInArrow(_reading(key, isolated=isolated), _READ)
    return readings.withColumn("verdict", _verdict()).select(*_SCHEMA.names)


def _verdict() -> Column:
    """Return the verdict on two readings of a frame; the worst condition is tested first."""
    status, fault = f.col("kafka.status"), f.col("fault")
    rewritten = f.col("kafka.written_sha256") != f.col("frame_sha256")
    return (
        f.when(status == UNKNOWN_CELL, "unknown to Kafka's classes")
        .when((status != OK) & fault.isNotNull(), "read by neither")
        .when(status != OK, "refused by Kafka's classes")
        .when(f.col("kafka.consumed") != f.col("size_bytes"), "not read to its end by Kafka's classes")
        .when(fault.isNotNull() & rewritten, "written otherwise by both")
        .when(fault.isNotNull(), "refused by our codec")
        .when(f.col("kafka.value_sha256") != f.col("value_sha256"), "values differ")
        .when(rewritten, "written otherwise by Kafka's classes")
        .when(f.col("kafka.size") != f.col("size_bytes"), "sized otherwise by Kafka's classes")
        .otherwise(AGREE)
    )


def name_of(release: str, direction: int, api_key: int, version: int) -> FrameType:
    """The name of a frame that has one.

    Args:
        version: the version of the message.
    """
    naming = naming_of(release)
    to_broker = direction == StreamDirection.TO_BROKER
    named = naming.request(api_key, version) if to_broker else naming.response(api_key, version)
    assert isinstance(named, FrameType)
    return named


_Cell = tuple[str, int, int, int]
_Asked = tuple[_Cell, bytes]
_Reading = tuple[
    str | None, bytes, bytes | None, bytes | None, bool, list[str] | None, bool, list[Any] | None
]


class _CellReader:
    """Reads the frames of one cell."""

    __slots__ = ("_advertises", "_cell")

    def __init__(self, reader: FrameReader, named: FrameType) -> None:
        self._cell = reader.cell(named)
        self._advertises = named.message == _API_VERSIONS

    def read(self, data: bytes) -> _Reading:
        try:
            return self._read(data)
        except MemoryError:
            pass  # the error refers to stack frames, and these to the values: leave the handler to free them
        return _faulty(TOO_LARGE, data)

    def _read(self, data: bytes) -> _Reading:
        found = self._cell.read(data)
        if isinstance(found, QuarantinedData):
            return _faulty(found.reason, data)
        value = sha256(self._cell.value(found)).digest()
        fingerprint = found.fingerprint
        return (
            None,
            sha256(data).digest(),
            value,
            fingerprint.to_bytes(),
            fingerprint.has_content,
            list(fingerprint.errors),
            found.has_inner_messages,
            found.body["apiKeys"] if self._advertises else None,
        )


def _faulty(fault: str, data: bytes) -> _Reading:
    return fault, sha256(data).digest(), None, None, False, None, False, None


def _ended(asked: _Asked) -> _Reading:
    return _faulty(ENDED, asked[1])


def _readings(key: bytes, frames: Sequence[_Asked]) -> list[_Reading]:
    readers: dict[_Cell, _CellReader] = {}  # cheap to make: `frame_reader_of` caches what is expensive
    readings: list[_Reading] = []
    for cell, data in frames:
        reader = readers.get(cell)
        if reader is None:
            reader = readers[cell] = _CellReader(frame_reader_of(cell[0], key), name_of(*cell))
        readings.append(reader.read(data))
    return readings


def _reading(key: bytes, *, isolated: bool) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    in_process = partial(_readings, key)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        begin_partition()
        schema = to_arrow_schema(_READ)
        read = CrashIsolation(in_process, _ended) if isolated else in_process
        yield from (_batch_read(batch, schema, read) for batch in batches)

    return run


def _batch_read(
    batch: pa.RecordBatch, schema: pa.Schema, read: Callable[[Sequence[_Asked]], Sequence[_Reading]]
) -> pa.RecordBatch:
    cells = zip(*(batch.column(name).to_pylist() for name in _CELL), strict=True)
    readings = read(list(zip(cells, batch.column("data").to_pylist(), strict=True)))
    made = dict(zip(_MADE, zip(*readings, strict=True), strict=True)) if readings else {}
    arrays = [
        pa.array(made.get(field.name, ()), type=field.type)
        if field.name in _MADE
        else batch.column(field.name)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


READINGS: Final = Table(
    "readings",
    "a named frame as our codec and Kafka's classes read it",
    _SCHEMA,
    lambda inputs: read_by_both(inputs[FRAMES], inputs.kafka, inputs.plan.key),
    make_isolated=lambda inputs: read_by_both(inputs[FRAMES], inputs.kafka, inputs.plan.key, isolated=True),
)
