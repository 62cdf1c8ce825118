"""Chosen candidates -> `entries`: with their bytes."""

from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions as f
from pyspark.sql.types import MapType, StructType

from wireproof.pipeline.runtime.release_cache import header_of, layout_of
from wireproof.pipeline.tables.definition import (
    BYTES,
    CLIENT,
    INT,
    LISTENER,
    LOCATION_NAMES,
    TEXT,
    TIME,
    Table,
    TableInputs,
    column,
)
from wireproof.pipeline.tables.stages.candidates_table import CANDIDATES
from wireproof.pipeline.tables.stages.chosen_table import CHOSEN
from wireproof.traffic.corpus import Candidate, FrameLocation, FrameOrigin, Provenance
from wireproof.traffic.fingerprint import Fingerprint

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_INNER_LOCATION: Final = (*LOCATION_NAMES, "inner")
_SCHEMA: Final = StructType(
    [
        *CHOSEN.schema.fields,
        LISTENER,
        CLIENT,
        TIME,
        column("data", BYTES, "size, header and body; of a message out of a log the body"),
        column("head_bytes", INT, "how many bytes stand before the body"),
        column("replaced", MapType(TEXT, INT, False), "values that were, by path of their field"),
    ]
)


def entries_of(chosen: "DataFrame", candidates: "DataFrame") -> "DataFrame":
    """`ENTRIES`: what was chosen, with its bytes."""
    columns = ("listener", "client", "time_ns", "data", "head_bytes", "replaced")
    data = candidates.where(f.col("reason").isNull()).select(*_INNER_LOCATION, *columns)
    return chosen.join(data, list(_INNER_LOCATION)).select(*_SCHEMA.names)


def candidate_of(row: Any) -> Candidate:
    """The candidate of a row of `ENTRIES`."""
    layout = layout_of(row.release, row.message, row.version)
    place = FrameLocation(row.file, row.connection, row.direction, row.offset, row.inner)
    origin = FrameOrigin(Provenance(row.provenance), place, row.listener, row.client, row.time_ns)
    header = header_of(row.release, layout)
    return Candidate(
        row.module, layout, header, origin, bytes(row.data), row.head_bytes, row.replaced, Fingerprint(0)
    )


def _make(inputs: TableInputs) -> "DataFrame":
    return entries_of(inputs[CHOSEN], inputs[CANDIDATES])


ENTRIES: Final = Table("entries", "an entry of the corpus, with its bytes", _SCHEMA, _make)
