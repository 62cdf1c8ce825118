"""Chosen candidates -> `entries`: the candidates with their bytes."""

from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import MapType, StructType

from wireproof.pipeline.runtime.release_cache import header_of, layout_of
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table
from wireproof.pipeline.tables.stages.candidates_table import CANDIDATES
from wireproof.pipeline.tables.stages.chosen_table import CHOSEN
from wireproof.traffic.corpus.candidates import Candidate, FrameLocation, FrameOrigin
from wireproof.traffic.corpus.corpus_entry import Provenance
from wireproof.traffic.fingerprint.fingerprinter import Fingerprint

_SCHEMA: Final = StructType(
    [
        *CHOSEN.schema.fields,
        c.LISTENER,
        c.CLIENT,
        c.TIME,
        c.column("data", c.BYTES, "size, header and body; of a message out of a log the body"),
        c.column("head_bytes", c.INT, "how many bytes stand before the body"),
        c.column("replaced", MapType(c.TEXT, c.INT, False), "values that were, by path of their field"),
    ]
)


def entries_of(chosen: DataFrame, candidates: DataFrame) -> DataFrame:
    """`ENTRIES`: the chosen candidates, with their bytes."""
    columns = ("listener", "client", "time_ns", "data", "head_bytes", "replaced")
    data = candidates.where(f.col("reason").isNull()).select(*c.INNER_LOCATION, *columns)
    return chosen.join(data, list(c.INNER_LOCATION)).select(*_SCHEMA.names)


def candidate_of(row: Any) -> Candidate:
    """The candidate of a row of `ENTRIES`."""
    layout = layout_of(row.release, row.message, row.version)
    place = FrameLocation(row.file, row.connection, row.direction, row.offset, row.inner)
    origin = FrameOrigin(Provenance(row.provenance), place, row.listener, row.client, row.time_ns)
    header = header_of(row.release, layout)
    return Candidate(
        row.module, layout, header, origin, bytes(row.data), row.head_bytes, row.replaced, Fingerprint(0)
    )


ENTRIES: Final = Table(
    "entries",
    "an entry of the corpus, with its bytes",
    _SCHEMA,
    lambda inputs: entries_of(inputs[CHOSEN], inputs[CANDIDATES]),
)
