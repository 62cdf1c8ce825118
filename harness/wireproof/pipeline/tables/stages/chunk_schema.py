"""The schema of `chunks`, which segment files and packet captures share."""

from typing import Final

from pyspark.sql.types import StructType

from wireproof.pipeline.tables.definition import BYTES, INT, LISTENER, LONG, TEXT, column

SPLIT_BYTES: Final = 32 << 20
"""Bytes of a file that one task reads."""

DAMAGED: Final = -1
"""In the column `kind`: a damaged part of the file."""

CHUNK_SCHEMA: Final = StructType(
    [
        column("file", TEXT, "name of the segment file or packet capture"),
        column("position", LONG, "of the entry in the file"),
        column("release", TEXT, "of the broker"),
        LISTENER,
        column("time_ns", LONG, "when it was written"),
        column("connection", LONG, "from 1; 0 for what is about the file"),
        column("kind", INT, "EntryKind; -1 for a damaged part of the file"),
        column("direction", INT, "0 to the broker, 1 to the client"),
        column("payload", BYTES, "of the entry; of damage its words"),
    ]
)
