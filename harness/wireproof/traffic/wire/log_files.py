"""Log files of brokers: a partition keeps its record batches on disk, one after the other.

So are the snapshots of the metadata log. A file may end in the middle of a batch, where its broker crashed,
or in zeros, where room was made for more: all that stands before is whole.
"""

import struct
from collections.abc import Iterator
from typing import Final

_HEAD: Final = struct.Struct(">qi")
"""Of a batch of any magic: offset, and the bytes that follow."""
_LEAST_BYTES: Final = 14
"""Of what follows: no batch and no message of any magic is shorter."""


def log_batches(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield each whole batch with the offset of its first byte."""
    start = 0
    while start + _HEAD.size <= len(data):
        _, size = _HEAD.unpack_from(data, start)
        end = start + _HEAD.size + size
        if size < _LEAST_BYTES or end > len(data):
            return
        yield start, data[start:end]
        start = end


def parse_topic(folder: str) -> str:
    """Return the topic of a partition's folder: ``__consumer_offsets`` of ``__consumer_offsets-0``."""
    return folder.rpartition("-")[0]
