"""A record set as the broker holds it: batches that a variation does not change keep their bytes."""

from collections.abc import Iterator
from typing import Final

from kafkawire.records import (
    Batch,
    Compression,
    RecordBatch,
    compress,
    decode_records,
    decompress,
    encode_records,
)

_SNAPPY_HEADER: Final = b"\x82SNAPPY\x00"
_PREFIX: Final = 12
"""Offset and size come before what the size counts."""


class StoredRecords:
    """The batches of a partition.

    Attributes:
        batches: in order.
        tail: bytes of a batch that is cut off; mostly empty.
    """

    def __init__(self, records: bytes) -> None:
        """Decode a record set.

        Raises:
            CodecError: Kafka does not read it.
        """
        self._marks: list[bool] = []
        held = decode_records(records, decompress=self._decompressed)
        self.batches, self.tail = held.batches, held.tail
        self._bytes = dict(zip(map(id, held.batches), _pieces(records), strict=False))
        self._one_block = set(self._marked_offsets())

    def encode(self, part: Batch | bytes) -> bytes:
        """Return the bytes of a batch: as stored if unchanged. Snappy of one block remains one block."""
        if isinstance(part, bytes):
            return part
        stored = self._bytes.get(id(part))
        if stored is not None:
            return stored
        kept = isinstance(part, RecordBatch) and any(
            part.offset_of(each) in self._one_block for each in part.records
        )
        return encode_records([part], compress=_as_one_block if kept else compress)

    def _decompressed(self, codec: Compression, data: bytes, magic: int, limit: int) -> bytes:
        """Note whether a batch has one block of snappy without a header, as C and Go clients write it."""
        self._marks.append(codec is Compression.SNAPPY and not data.startswith(_SNAPPY_HEADER))
        return decompress(codec, data, magic, limit)

    def _marked_offsets(self) -> Iterator[int]:
        """Yield the offsets of the records in marked batches; each compressed batch has a mark."""
        compressed = (each for each in self.batches if getattr(each, "compression", Compression.NONE))
        for batch, marked in zip(compressed, self._marks, strict=True):
            if isinstance(batch, RecordBatch) and marked:
                yield from map(batch.offset_of, batch.records)


def _pieces(records: bytes) -> Iterator[bytes]:
    """Yield the bytes of each batch."""
    at = 0
    while at + _PREFIX <= len(records):
        end = at + _PREFIX + int.from_bytes(records[at + 8 : at + _PREFIX], "big")
        yield records[at:end]
        at = end


def _as_one_block(codec: Compression, data: bytes, magic: int) -> bytes:
    """Compress; the snappy of at most 32 KiB gets no header."""
    made = compress(codec, data, magic)
    size = int.from_bytes(made[16:20], "big")
    return made[20:] if codec is Compression.SNAPPY and size == len(made) - 20 else made
