"""Frames -> looks: each read by Kafka's classes and by our codec, and what the two came to.

Bytes and values are compared by their digests, as an expression on columns. Columns that no worker needs go
through Python as they are, and a frame's bytes go there once and do not come back.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from wireproof.corpus import Looker, Provenance
from wireproof.pipeline.runtime.crash_isolation import Apart
from wireproof.pipeline.runtime.kafka_classes import OK, UNKNOWN_CELL, KafkaClasses
from wireproof.pipeline.runtime.release_cache import looker_of, naming_of
from wireproof.pipeline.runtime.worker_memory import begin_partition
from wireproof.pipeline.tables.schemas import LOOKS
from wireproof.redaction import QuarantinedData
from wireproof.wire import FrameType, StreamDirection

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["AGREE", "ENDED", "TOO_LARGE", "look_at", "name_of"]

AGREE: Final = "agree"
"""The verdict on a frame of which Kafka's classes and our codec say the same, and both write it as it was."""

TOO_LARGE: Final = "a worker has too little memory to hold what our codec reads"
"""The fault of a frame whose values take more than a worker may: some ten million, in one of 100 MiB."""

ENDED: Final = "our codec ended the process that it ran in"
"""The fault of a frame of which it, or a library in C below it, crashed."""

_API_VERSIONS: Final = "ApiVersionsResponse"
_OURS: Final = ("fault", "frame_sha256", "value_sha256", "shown", "telling", "errors", "holds", "advertised")
"""The columns that are made here, in the order of `_Look`."""
_READ: Final = StructType([each for each in LOOKS.schema.fields if each.name != "verdict"])
_CELL: Final = ("release", "direction", "api_key", "version")


def look_at(frames: "DataFrame", kafka: KafkaClasses, key: bytes, *, isolated: bool = False) -> "DataFrame":
    """`LOOKS` of all frames that have a name.

    Args:
        key: of the capture's redaction.
        isolated: our codec runs in processes beside the workers, so that a frame of which it crashes is one
            with a fault (`ENDED`).
    """
    cell = [f.col(name) for name in ("release", "module", "message", "version", "header_version", "data")]
    made = f.col("ours") & (f.col("direction") == int(StreamDirection.TO_BROKER))
    provenance = f.when(made, Provenance.BROKER_ACCEPTED.value).otherwise(Provenance.CAPTURED.value)
    through = [each.name for each in _READ.fields if each.name not in (*_OURS, "provenance", "kafka")]
    asked = frames.where(f.col("reason").isNull()).select(
        *through, provenance.alias("provenance"), kafka.reframe(*cell).alias("kafka"), "data"
    )
    looks = asked.mapInArrow(_looking(key, isolated=isolated), _READ)
    return looks.withColumn("verdict", _verdict()).select(*LOOKS.schema.names)


def _verdict() -> "Column":
    """What two readings of a frame come to, from the gravest on."""
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
        version: of the message.
    """
    naming = naming_of(release)
    to_broker = direction == StreamDirection.TO_BROKER
    named = naming.request(api_key, version) if to_broker else naming.response(api_key, version)
    assert isinstance(named, FrameType)
    return named


_Cell = tuple[str, int, int, int]
_Asked = tuple[_Cell, bytes]
_Look = tuple[str | None, bytes, bytes | None, bytes | None, bool, list[str] | None, bool, list[Any] | None]


class _Eye:
    """Looks at the frames of one cell."""

    __slots__ = ("_cell", "_tells_versions")

    def __init__(self, looker: Looker, named: FrameType) -> None:
        self._cell = looker.cell(named)
        self._tells_versions = named.message == _API_VERSIONS

    def look(self, data: bytes) -> _Look:
        try:
            return self._looked(data)
        except MemoryError:
            pass  # the error holds the calls, which hold the values: they go with it
        return _faulty(TOO_LARGE, data)

    def _looked(self, data: bytes) -> _Look:
        found = self._cell.look(data)
        if isinstance(found, QuarantinedData):
            return _faulty(found.reason, data)
        value = sha256(self._cell.value(found)).digest()
        shown = found.shown
        told = found.body["apiKeys"] if self._tells_versions else None
        errors = list(shown.errors)
        return None, sha256(data).digest(), value, shown.to_bytes(), shown.telling, errors, found.holds, told


def _faulty(fault: str, data: bytes) -> _Look:
    return fault, sha256(data).digest(), None, None, False, None, False, None


def _ended(asked: _Asked) -> _Look:
    return _faulty(ENDED, asked[1])


def _looks(key: bytes, frames: Sequence[_Asked]) -> list[_Look]:
    eyes: dict[_Cell, _Eye] = {}  # made quickly: what costs time is kept by `looker_of`
    looks: list[_Look] = []
    for cell, data in frames:
        eye = eyes.get(cell)
        if eye is None:
            eye = eyes[cell] = _Eye(looker_of(cell[0], key), name_of(*cell))
        looks.append(eye.look(data))
    return looks


def _looking(key: bytes, *, isolated: bool) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    look = partial(_looks, key)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        begin_partition()
        schema = to_arrow_schema(_READ)
        looks = Apart(look, _ended) if isolated else look
        yield from (_looked(batch, schema, looks) for batch in batches)

    return run


def _looked(
    batch: pa.RecordBatch, schema: pa.Schema, look: Callable[[Sequence[_Asked]], Sequence[_Look]]
) -> pa.RecordBatch:
    cells = zip(*(batch.column(name).to_pylist() for name in _CELL), strict=True)
    looks = look(list(zip(cells, batch.column("data").to_pylist(), strict=True)))
    made = dict(zip(_OURS, zip(*looks, strict=True), strict=True)) if looks else {}
    arrays = [
        pa.array(made.get(field.name, ()), type=field.type)
        if field.name in _OURS
        else batch.column(field.name)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
