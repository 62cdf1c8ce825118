"""Captured files -> `chunks`: the bytes as they were forwarded."""

from functools import reduce
from typing import TYPE_CHECKING, Final

from wireproof.pipeline.tables.definition import Table, TableInputs
from wireproof.pipeline.tables.stages.chunk_schema import CHUNK_SCHEMA
from wireproof.pipeline.tables.stages.packet_chunks import read_packet_chunks
from wireproof.pipeline.tables.stages.segment_chunks import read_chunks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["CHUNKS"]


def _make(inputs: TableInputs) -> "DataFrame":
    plan, kinds = inputs.plan, []
    if plan.segments:
        kinds.append(read_chunks(inputs.spark, plan.segments))
    if plan.packets:
        kinds.append(read_packet_chunks(inputs.spark, plan.packets))
    return reduce(lambda one, other: one.unionAll(other), kinds)


CHUNKS: Final = Table(
    "chunks",
    "an entry of a segment file: bytes as they were forwarded, or an event of a connection",
    CHUNK_SCHEMA,
    _make,
)
