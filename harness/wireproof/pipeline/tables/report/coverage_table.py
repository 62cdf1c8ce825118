"""`classes` and `coverage`: every message and version of the releases, with what the capture has of it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any, Final

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from kafkawire.schema import MessageKind, resolve
from wireproof.pipeline.runtime.arrow_rows import Row, batches_of, rows_of, spread, writing
from wireproof.pipeline.runtime.release_cache import header_of, layout_of, schemas_of
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table, TableInputs
from wireproof.pipeline.tables.stages.candidates_table import CANDIDATES, CHOSEN
from wireproof.pipeline.tables.stages.readings_table import FINGERPRINTS, READINGS
from wireproof.traffic.fingerprint.fingerprinter import Fingerprint, Fingerprinter

_FINGERPRINTS: Final = (*c.CELL_NAMES, "fingerprint", "frames")
_CLASSES_SCHEMA: Final = StructType(
    [
        *c.CELL,
        c.PROVENANCE,
        c.column("field", c.TEXT, "its path; those of the header begin with header."),
        c.column("class", c.TEXT, "such as null, length-0 or max"),
        c.column("reachable", c.FLAG, "whether it can be met; where not, and it was, our reason is wrong"),
        c.column("frames", c.LONG, "that met it; 0: none yet"),
    ]
)
_NONE: Final = -1
"""In the place of a bit: that the cell is there, so that one whose frames met nothing has its classes too."""
_PARTS: Final = StructType(
    [
        *(FINGERPRINTS.schema[name] for name in c.CELL_NAMES),
        StructField("bit", IntegerType(), False),
        StructField("frames", LongType(), False),
    ]
)


def met_by(fingerprints: DataFrame, candidates: DataFrame) -> DataFrame:
    """The fingerprints of frames and of the messages inside frames, with their numbers."""
    inside = candidates.where(f.col("reason").isNull() & (f.col("inner") > 0))
    counted = inside.groupBy(*c.CELL_NAMES, "fingerprint").agg(
        f.count("*").alias("frames"), f.sum(f.length("data")).alias("bytes")
    )
    return fingerprints.select(*_FINGERPRINTS, "bytes").unionAll(counted.select(*_FINGERPRINTS, "bytes"))


def classes_of(met: DataFrame) -> DataFrame:
    """`CLASSES`: numbers by bit are summed up in each partition, and then by cell."""
    parts = met.select(*_FINGERPRINTS).mapInArrow(writing(_by_bit, _PARTS), _PARTS)
    return spread(parts, *c.CELL_NAMES).groupBy(*c.CELL_NAMES).applyInArrow(_by_name, _CLASSES_SCHEMA)


def _by_bit(batches: Iterator[Any]) -> Iterator[Row]:
    cells: dict[tuple[Any, ...], Counter[int]] = {}
    for *cell, fingerprint, frames in rows_of(batches, _FINGERPRINTS):
        numbers = cells.setdefault(tuple(cell), Counter({_NONE: 0}))
        bits = Fingerprint.from_bytes(fingerprint).bits
        while bits:
            lowest = bits & -bits
            numbers[lowest.bit_length() - 1] += frames
            bits ^= lowest
    for key, numbers in cells.items():
        yield from ((*key, bit, frames) for bit, frames in numbers.items())


def _by_name(parts: pa.Table) -> pa.Table:
    """The classes of one cell and provenance: those that were met, and those that can be."""
    cell = [parts.column(name)[0].as_py() for name in c.CELL_NAMES]
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
    schema = to_arrow_schema(_CLASSES_SCHEMA)
    columns = zip(*rows, strict=True) if rows else ((),) * len(schema)
    arrays = [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


CLASSES: Final = Table(
    "classes",
    "a class of values of a field, of a cell that the capture has",
    _CLASSES_SCHEMA,
    lambda inputs: classes_of(met_by(inputs[FINGERPRINTS], inputs[CANDIDATES])),
)


_FACTS: Final = ("read", "read_bytes", "met", "met_bytes", "fingerprints", "classes_met", "entries")
_SCHEMA: Final = StructType(
    [
        *c.CELL,
        c.column("kind", c.TEXT, "request, response, or of messages inside others' frames"),
        c.column("provenance", c.TEXT, "captured or broker-accepted; null where none was met", null=True),
        c.column("frames", c.LONG, "of it; of messages inside others' frames, the frames around them"),
        c.column("bytes", c.LONG, "of all of them; of messages inside others after redaction"),
        c.column("fingerprints", c.LONG, "how many of them show different things"),
        c.column("classes_met", c.INT, "value classes that frames below --largest met and agree upon"),
        c.column("classes", c.INT, "value classes that frames can meet, of body and header"),
        c.column("entries", c.LONG, "of the corpus"),
    ]
)
_CELLS: Final = StructType(
    [_SCHEMA[name] for name in ("release", "module", "message", "version", "kind", "classes")]
)


def coverage_of(
    readings: DataFrame,
    met: DataFrame,
    classes: DataFrame,
    chosen: DataFrame,
    releases: Sequence[str],
) -> DataFrame:
    """`COVERAGE`: every message and version of the releases.

    Args:
        met: see `classes.met_by`.
    """
    one = f.lit(1)
    found = (f.col("reachable") & (f.col("frames") > 0)).cast("int")
    facts = (
        _facts(readings, read=one, read_bytes=f.col("size_bytes")),
        _facts(met, met=f.col("frames"), met_bytes=f.col("bytes"), fingerprints=one),
        _facts(classes, classes_met=found),
        _facts(chosen, entries=one),
    )
    sums = [f.sum(name).alias(name) for name in _FACTS]
    seen = reduce(lambda one, other: one.unionAll(other), facts).groupBy(*c.CELL_NAMES).agg(*sums)
    every = readings.sparkSession.createDataFrame(
        pa.Table.from_batches(batches_of(cells_of(releases), _CELLS))
    )
    whole = every.join(seen, list(c.CELL_NAMES[:-1]), "left").fillna(0, list(_FACTS))
    framed = f.col("kind").isin(*c.FRAMED)
    return whole.select(
        *c.CELL_NAMES[:-1],
        "kind",
        "provenance",
        f.when(framed, f.col("read")).otherwise(f.col("met")).alias("frames"),
        f.when(framed, f.col("read_bytes")).otherwise(f.col("met_bytes")).alias("bytes"),
        "fingerprints",
        f.col("classes_met").cast("int").alias("classes_met"),
        "classes",
        "entries",
    ).orderBy(*c.CELL_NAMES)


def cells_of(releases: Sequence[str]) -> Iterator[Row]:
    """Every message and version of releases, and how many classes its frames can meet: rows of `_CELLS`."""
    for release in releases:
        for module, spec in schemas_of(release):
            if spec.kind is not MessageKind.HEADER:
                for version in spec.valid_versions:
                    layout = resolve(spec, version)
                    classes = Fingerprinter(header_of(release, layout), layout).classes
                    count = sum(reachable for _, reachable in classes)
                    yield release, module, spec.name, version, str(spec.kind), count


def _facts(table: DataFrame, **facts: Column) -> DataFrame:
    """Numbers that a table has to say of cells, row by row."""
    columns = [facts.get(name, f.lit(0)).cast("bigint").alias(name) for name in _FACTS]
    return table.select(*c.CELL_NAMES, *columns)


def _make(inputs: TableInputs) -> DataFrame:
    met = met_by(inputs[FINGERPRINTS], inputs[CANDIDATES])
    return coverage_of(inputs[READINGS], met, inputs[CLASSES], inputs[CHOSEN], sorted(inputs.plan.heads))


COVERAGE: Final = Table(
    "coverage",
    "a message at a version that a release has, in the capture or not; with two provenances two rows",
    _SCHEMA,
    _make,
)
