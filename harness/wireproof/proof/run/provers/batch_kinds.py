"""The kind of a batch: what decides which code of a codec reads it."""

from typing import NamedTuple

from kafkawire.records import Batch, Compression, Message, RecordBatch


class BatchKind(NamedTuple):
    """Magic, compression, and what a batch of magic 2 says of itself; the latter is false for older ones."""

    magic: int
    compression: Compression
    control: bool = False
    transactional: bool = False
    idempotent: bool = False
    log_append_time: bool = False
    delete_horizon: bool = False


def batch_kind(batch: Batch) -> BatchKind:
    """The kind of a batch."""
    if isinstance(batch, RecordBatch):
        return BatchKind(
            2,
            batch.compression,
            batch.control,
            batch.transactional,
            batch.producer_id >= 0,
            batch.log_append_time,
            batch.delete_horizon,
        )
    if isinstance(batch, Message):
        return BatchKind(batch.magic, Compression.NONE)
    return BatchKind(batch.magic, batch.compression)
