"""`coverage`: every message and version of the releases, with the frames and classes that the capture has."""

from collections.abc import Iterator, Sequence
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from kafkawire.schema import MessageKind
from wireproof.pipeline.runtime.arrow_rows import Row, table_of
from wireproof.pipeline.runtime.release_cache import fingerprinter_of, schemas_of
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table, TableInputs, in_order, union
from wireproof.pipeline.tables.report.classes_table import CLASSES, met_by
from wireproof.pipeline.tables.stages.candidates_table import CANDIDATES
from wireproof.pipeline.tables.stages.chosen_table import CHOSEN
from wireproof.pipeline.tables.stages.fingerprints_table import FINGERPRINTS
from wireproof.pipeline.tables.stages.readings_table import READINGS

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
    readings: DataFrame, met: DataFrame, classes: DataFrame, chosen: DataFrame, releases: Sequence[str]
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
    seen = union(facts).groupBy(*c.CELL_NAMES).agg(*sums)
    every = readings.sparkSession.createDataFrame(table_of(cells_of(releases), _CELLS))
    whole = every.join(seen, list(c.CELL_NAMES[:-1]), "left").fillna(0, list(_FACTS))
    framed = f.col("kind").isin(*c.FRAMED)
    cells = whole.select(
        *c.CELL_NAMES[:-1],
        "kind",
        "provenance",
        f.when(framed, f.col("read")).otherwise(f.col("met")).alias("frames"),
        f.when(framed, f.col("read_bytes")).otherwise(f.col("met_bytes")).alias("bytes"),
        "fingerprints",
        f.col("classes_met").cast("int").alias("classes_met"),
        "classes",
        "entries",
    )
    return in_order(cells, *c.CELL_NAMES)


def cells_of(releases: Sequence[str]) -> Iterator[Row]:
    """Every message and version of releases, and how many classes its frames can meet: rows of `_CELLS`."""
    for release in releases:
        for module, spec in schemas_of(release):
            if spec.kind is not MessageKind.HEADER:
                for version in spec.valid_versions:
                    classes = fingerprinter_of(release, spec.name, version).classes
                    count = sum(reachable for _, reachable in classes)
                    yield release, module, spec.name, version, str(spec.kind), count


def _facts(table: DataFrame, **facts: Column) -> DataFrame:
    """Return the rows of a table with its numbers about cells; other numbers are 0."""
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
