"""Frames -> the bytes of each field on the wire and by KIP-625, summed in each partition, then over all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from kafkawire.errors import CodecError
from kafkawire.headers import FrameCodec
from kafkawire.values import StructValue
from kafkawire.wire import PREFIX_BYTES
from wireproof.base.own_process import collector_paused
from wireproof.pipeline.runtime.arrow_rows import Row, rows_of, writing
from wireproof.pipeline.runtime.release_cache import naming_of
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table
from wireproof.pipeline.tables.stages.frames_table import FRAMES
from wireproof.pipeline.tables.stages.readings_table import ENDED, READINGS, name_of
from wireproof.traffic.fingerprint.field_sizes import FieldSize, FieldSizeMeter
from wireproof.traffic.wire.frame_identifier import FrameType

_ASKED: Final = ("release", "direction", "api_key", "version", "readable", "data")
_FIELD: Final = ("release", "module", "message", "version", "part", "field", "type")
_SUMS: Final = ("frames", "values", "bytes", "fixed_bytes", "unsigned_bytes", "signed_bytes")
_SAVING: Final = "; null where KIP-625 does not speak of the type, which it does of int16, int32 and int64"
_SCHEMA: Final = StructType(
    [
        *c.CELL,
        c.column("part", c.TEXT, "size (the 4 bytes before a frame), header, body, or unread: whole frames"),
        c.column(
            "field", c.TEXT, "its path, as in classes; of a tag section _tags; empty for size and unread"
        ),
        c.column("type", c.TEXT, "Kafka's; null for tag sections and unread frames", null=True),
        c.column("frames", c.LONG, "of the cell"),
        c.column("values", c.LONG, "of the field in them, nulls too; of an array elements; of unread frames"),
        c.column("bytes", c.LONG, "with lengths and counts; without the fields inside, which have their own"),
        c.column("fixed_bytes", c.LONG, f"of the numbers alone{_SAVING}", null=True),
        c.column("unsigned_bytes", c.LONG, "the same as upacked: two's complement, 7 bits a byte", null=True),
        c.column("signed_bytes", c.LONG, "the same as packed: zig-zag, 7 bits a byte", null=True),
        c.column("encoding", c.TEXT, "the shortest of the three, by KIP-625's name, as upacked32", null=True),
        c.column("saved_bytes", c.LONG, "by it on this traffic; 0 where fixed is shortest", null=True),
    ]
)
_PARTS: Final = StructType([_SCHEMA[name] for name in (*_FIELD, *_SUMS)])
_HELD_BYTES: Final = 4 << 20
"""The most bytes of frames that are kept decoded, to be measured together."""

_Key: TypeAlias = tuple[str, int, int, int]
_Frame: TypeAlias = tuple[StructValue, StructValue, int]
"""Header, body and bytes."""


def sizes_of(frames: DataFrame, readings: DataFrame | None = None) -> DataFrame:
    """`SIZES` of all frames that have a name.

    Args:
        readings: the readings of these frames, to leave out frames that crash our codec.
    """
    named = frames.where(f.col("reason").isNull())
    if readings is None:
        marked = named.withColumn("readable", f.lit(True))
    else:
        ended = readings.where(f.col("fault") == ENDED).select(
            *c.LOCATION_NAMES, f.lit(False).alias("readable")
        )
        marked = named.join(f.broadcast(ended), list(c.LOCATION_NAMES), "left").fillna({"readable": True})
    named = marked.select(*_ASKED)
    parts = named.mapInArrow(writing(_measure, _PARTS), _PARTS)
    sums = parts.groupBy(*_FIELD).agg(*(f.sum(name).alias(name) for name in _SUMS))
    least = f.least("fixed_bytes", "unsigned_bytes", "signed_bytes")
    whole = sums.withColumn("encoding", _encoding(least))
    return whole.withColumn("saved_bytes", f.col("fixed_bytes") - least).select(*_SCHEMA.names)


def _encoding(least: Column) -> Column:
    """KIP-625's name of the shortest encoding; the fixed encoding if no other is shorter."""
    bits = f.regexp_extract("type", "[0-9]+$", 0)
    return (
        f.when(f.col("fixed_bytes").isNull(), None)
        .when(f.col("fixed_bytes") == least, f.concat(f.lit("fixed"), bits))
        .when(f.col("unsigned_bytes") == least, f.concat(f.lit("upacked"), bits))
        .otherwise(f.concat(f.lit("packed"), bits))
    )


def _measure(batches: Iterator[Any]) -> Iterator[Row]:
    """The sums of one partition.

    The garbage collector is off meanwhile: decoded values have no cycles, and its scans of the kept values
    took a third of the time.
    """
    with collector_paused():
        cells = _measured(batches)
    for (release, *_), cell in cells.items():
        yield from cell.rows(release)


def _measured(batches: Iterator[Any]) -> "dict[_Key, _Cell]":
    cells: dict[_Key, _Cell] = {}
    held = 0
    for *key, readable, data in rows_of(batches, _ASKED):
        release, direction, api_key, version = cell_key = tuple(key)
        cell = cells.get(cell_key)
        if cell is None:
            cell = cells[cell_key] = _Cell.of(release, name_of(release, direction, api_key, version))
        cell.frames += 1
        if readable:
            cell.hold(data)
            held += len(data)
        else:
            cell.refuse(len(data))
        if held >= _HELD_BYTES:
            for each in cells.values():
                each.measure()
            held = 0
    for each in cells.values():
        each.measure()
    return cells


@dataclass(slots=True)
class _Cell:
    """The frames of one cell: the frames to measure next, and the sums of earlier frames.

    Attributes:
        unread, unread_bytes: frames that our codec does not read, or would write differently, or whose values
            take more memory than a worker has.
    """

    named: FrameType
    codec: FrameCodec
    header: FieldSizeMeter
    body: FieldSizeMeter
    held: list[_Frame] = field(default_factory=list)
    sums: tuple[list[FieldSize], list[FieldSize]] | None = None
    frames: int = 0
    unread: int = 0
    unread_bytes: int = 0

    @classmethod
    def of(cls, release: str, named: FrameType) -> "_Cell":
        codec = naming_of(release).codec(named)
        return cls(named, codec, FieldSizeMeter(codec.header.layout), FieldSizeMeter(codec.body.layout))

    def hold(self, data: bytes) -> None:
        """Decode a frame and keep it to be measured, or count it as unread."""
        try:
            self.held.append((*self.codec.decode(data), len(data)))
            return
        except (CodecError, MemoryError):
            pass  # a MemoryError keeps the values that exhaust the memory: leave the handler to free them
        self.refuse(len(data))

    def refuse(self, size: int) -> None:
        """Count a frame that our codec does not read."""
        self.unread += 1
        self.unread_bytes += size

    def measure(self) -> None:
        """Measure the kept frames together. If the sizes do not add up to the frames' bytes, measure each
        alone, and refuse a frame whose writer used longer encodings than necessary."""
        if self.held and not self._add(self.held):
            for each in self.held:
                if not self._add([each]):
                    self.refuse(each[2])
        self.held.clear()

    def rows(self, release: str) -> Iterator[Row]:
        """Yield the sums as rows."""
        cell = release, self.named.module, self.named.message, self.named.version
        nothing = (None,) * 3
        if self.unread:
            yield (*cell, "unread", "", None, self.frames, self.unread, self.unread_bytes, *nothing)
        if self.sums is None:
            return
        read = self.frames - self.unread
        yield (*cell, "size", "", "int32", self.frames, read, PREFIX_BYTES * read, *nothing)
        for part, prefix, fields in zip(("header", "body"), ("header.", ""), self.sums, strict=True):
            for each in fields:
                packed = each.fixed_bytes, each.unsigned_bytes, each.signed_bytes
                about = part, prefix + each.path, each.type or None, self.frames
                yield (*cell, *about, each.values, each.wire_bytes, *packed)

    def _add(self, frames: Sequence[_Frame]) -> bool:
        try:
            header = self.header.measure([each[0] for each in frames])
            body = self.body.measure([each[1] for each in frames])
        except MemoryError:
            return False
        found = sum(each.wire_bytes for each in (*header, *body)) + PREFIX_BYTES * len(frames)
        if found != sum(each[2] for each in frames):
            return False
        if self.sums is None:
            self.sums = header, body
        else:
            for fields, more in zip(self.sums, (header, body), strict=True):
                for sum_, each in zip(fields, more, strict=True):
                    sum_.add(each)
        return True


SIZES: Final = Table(
    "sizes",
    "what a field takes on the wire; all rows of a message and version add up to the bytes of its frames",
    _SCHEMA,
    lambda inputs: sizes_of(inputs[FRAMES]),
    make_isolated=lambda inputs: sizes_of(inputs[FRAMES], inputs[READINGS]),
)
