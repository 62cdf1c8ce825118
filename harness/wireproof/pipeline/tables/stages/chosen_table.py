"""Candidates -> `chosen`: a few candidates that together cover what all candidates of the cell cover."""

from typing import Final

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import StructType

from wireproof.pipeline.runtime.arrow_rows import rows_of, spread, table_of
from wireproof.pipeline.runtime.release_cache import fingerprinter_of
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table
from wireproof.pipeline.tables.stages.candidates_table import CANDIDATES
from wireproof.pipeline.tables.stages.fingerprints_table import location_rank
from wireproof.traffic.corpus.candidates import choose
from wireproof.traffic.fingerprint.fingerprinter import Fingerprint

_CHOICES: Final = (*c.INNER_LOCATION, "fingerprint", "size_bytes")
_SCHEMA: Final = StructType(
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
    """`CHOSEN`: for each cell and provenance, a few candidates that together show what all of them show.

    A cell is one task, which keeps what each candidate shows, but not the candidates' bytes.
    """
    size = f.length("data").cast("bigint").alias("size_bytes")
    sound = candidates.where(f.col("reason").isNull()).select(
        *c.CELL_NAMES, *c.INNER_LOCATION, "fingerprint", size
    )
    best = f.min(location_rank(f.col("size_bytes"), c.INNER_LOCATION, "size_bytes")).alias("best")
    unlike = sound.groupBy(*c.CELL_NAMES, "fingerprint").agg(best)
    offered = unlike.select(
        *c.CELL_NAMES, "fingerprint", *(f"best.{name}" for name in (*c.INNER_LOCATION, "size_bytes"))
    )
    return spread(offered, *c.CELL_NAMES).groupBy(*c.CELL_NAMES).applyInArrow(_choose, _SCHEMA)


def _choose(cell: pa.Table) -> pa.Table:
    """The choice of one cell and provenance."""
    first = cell.slice(0, 1).to_pylist()[0]
    key = [first[name] for name in c.CELL_NAMES]
    rows = sorted(rows_of(cell.to_batches(), _CHOICES), key=lambda row: row[:5])
    offers = [(Fingerprint.from_bytes(row[5]), row[6]) for row in rows]
    prints = fingerprinter_of(first["release"], first["message"], first["version"])
    choices = choose(prints, offers)
    chosen = [(*key, *rows[index][:5], name, number) for number, (index, name) in enumerate(choices)]
    return table_of(chosen, _SCHEMA)


CHOSEN: Final = Table(
    "chosen",
    "an entry of the corpus, by location",
    _SCHEMA,
    lambda inputs: choose_entries(inputs[CANDIDATES]),
)
