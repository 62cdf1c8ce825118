"""Which classes of values the frames of each cell met, of those that there are: fingerprints told by name."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from kafkawire.schema import MessageKind, resolve
from wireproof.fingerprint import Fingerprint, Fingerprinter
from wireproof.pipeline.runtime.arrow_rows import Row, rows_of, spread, writing
from wireproof.pipeline.runtime.release_cache import header_of, layout_of, schemas_of
from wireproof.pipeline.tables.schemas import CLASSES, COVERAGE, SHOWN

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["CELL", "CELLS", "FRAMED", "cells_of", "classes_of", "met_by"]

FRAMED: Final = (str(MessageKind.REQUEST), str(MessageKind.RESPONSE))
"""The kinds of messages that are frames; others stand inside theirs."""

CELL: Final = ("release", "module", "message", "version", "provenance")
_SHOWN: Final = (*CELL, "shown", "frames")
_NONE: Final = -1
"""In the place of a bit: that the cell is there, so that one whose frames met nothing has its classes too."""
_PARTS: Final = StructType(
    [
        *(SHOWN.schema[name] for name in CELL),
        StructField("bit", IntegerType(), False),
        StructField("frames", LongType(), False),
    ]
)


CELLS: Final = StructType(
    [COVERAGE.schema[name] for name in ("release", "module", "message", "version", "kind", "classes")]
)


def cells_of(releases: Sequence[str]) -> Iterator[Row]:
    """Every message and version of releases, and how many classes its frames can meet: rows of `CELLS`."""
    for release in releases:
        for module, spec in schemas_of(release):
            if spec.kind is not MessageKind.HEADER:
                for version in spec.valid_versions:
                    layout = resolve(spec, version)
                    classes = Fingerprinter(header_of(release, layout), layout).classes
                    count = sum(reachable for _, reachable in classes)
                    yield release, module, spec.name, version, str(spec.kind), count


def met_by(shown: "DataFrame", candidates: "DataFrame") -> "DataFrame":
    """What was met: fingerprints of frames, and of the messages that stand in frames, with their numbers."""
    inside = candidates.where(f.col("reason").isNull() & (f.col("inner") > 0))
    counted = inside.groupBy(*CELL, "shown").agg(
        f.count("*").alias("frames"), f.sum(f.length("data")).alias("bytes")
    )
    return shown.select(*_SHOWN, "bytes").unionAll(counted.select(*_SHOWN, "bytes"))


def classes_of(met: "DataFrame") -> "DataFrame":
    """`CLASSES`: numbers by bit are summed up in each partition, and then by cell."""
    parts = met.select(*_SHOWN).mapInArrow(writing(_by_bit, _PARTS), _PARTS)
    return spread(parts, *CELL).groupBy(*CELL).applyInArrow(_by_name, CLASSES.schema)


def _by_bit(batches: Iterator[Any]) -> Iterator[Row]:
    cells: dict[tuple[Any, ...], Counter[int]] = {}
    for *cell, shown, frames in rows_of(batches, _SHOWN):
        numbers = cells.setdefault(tuple(cell), Counter({_NONE: 0}))
        bits = Fingerprint.from_bytes(shown).bits
        while bits:
            lowest = bits & -bits
            numbers[lowest.bit_length() - 1] += frames
            bits ^= lowest
    for key, numbers in cells.items():
        yield from ((*key, bit, frames) for bit, frames in numbers.items())


def _by_name(parts: pa.Table) -> pa.Table:
    """The classes of one cell and provenance: those that were met, and those that can be."""
    cell = [parts.column(name)[0].as_py() for name in CELL]
    frames: Counter[int] = Counter()
    for bit, number in rows_of(parts.to_batches(), ("bit", "frames")):
        frames[bit] += number
    release, _, message, version, _ = cell
    layout = layout_of(release, message, version)
    classes = Fingerprinter(header_of(release, layout), layout).classes
    rows = [
        (*cell, point.path, point.name, reachable, frames[bit])
        for bit, (point, reachable) in enumerate(classes)
        if reachable or frames[bit]
    ]
    schema = to_arrow_schema(CLASSES.schema)
    columns = zip(*rows, strict=True) if rows else ((),) * len(schema)
    arrays = [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)
