"""Record sets as values: `decode_records` returns them and `encode_records` takes them.

They hold the fields of the wire (deltas, relative inner offsets, unused attribute bits), so that encoding a
decoded set gives the same bytes if nothing is compressed. The methods return what a consumer
sees: absolute offsets, and timestamps after log-append time.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from operator import attrgetter
from typing import Any, Final, NamedTuple, Self, TypeAlias

_LONGS: Final = 1 << 64
_TIMESTAMP_DELTA: Final = attrgetter("timestamp_delta")


class Compression(IntEnum):
    """The codec of a batch: bits 0-2 of its attributes (Kafka: `CompressionType`)."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


class Header(NamedTuple):
    """A header of a record. Keys may repeat; their order is kept."""

    key: str
    value: bytes | None = None


class Record(NamedTuple):
    """A record of a batch of magic 2.

    Attributes:
        offset_delta: int32, to be added to the batch's `base_offset`.
        timestamp_delta: int64 in ms, to be added to `base_timestamp`; may be negative.
        attributes: one signed byte that Kafka writes as 0 and ignores.
    """

    offset_delta: int = 0
    timestamp_delta: int = 0
    key: bytes | None = None
    value: bytes | None = None
    headers: tuple[Header, ...] = ()
    attributes: int = 0


class Message(NamedTuple):
    """A message of magic 0 or 1, not compressed.

    Attributes:
        offset: absolute; inside a compressed set of magic 1, relative to the first message of the set.
        timestamp: ms; -1 for magic 0, which has none.
        attributes: the whole signed byte: bit 3 is log-append time (magic 1), bits 0-2 are 0.
    """

    offset: int = 0
    timestamp: int = -1
    key: bytes | None = None
    value: bytes | None = None
    magic: int = 1
    attributes: int = 0

    @property
    def log_append_time(self) -> bool:
        return self.magic == 1 and bool(self.attributes & 8)


@dataclass(frozen=True, slots=True)
class MessageSet:
    """A compressed set of messages: a message of magic 0 or 1 whose value holds others.

    Attributes:
        offset: the offset of the last message inside.
        timestamp: ms; the largest one inside, or the log-append time of all; -1 for magic 0.
        attributes: the other bits of the attribute byte: bit 3 is log-append time (magic 1).
        key: the key of the wrapper; Kafka writes null and ignores it.
    """

    compression: Compression
    messages: tuple[Message, ...]
    offset: int = 0
    timestamp: int = -1
    magic: int = 1
    attributes: int = 0
    key: bytes | None = None

    @property
    def log_append_time(self) -> bool:
        return self.magic == 1 and bool(self.attributes & 8)

    def offset_of(self, message: Message) -> int:
        """The absolute offset of a message inside (Kafka: `DeepRecordsIterator`)."""
        if self.magic == 0 or not self.messages:
            return message.offset
        return _wrapped(self.offset - self.messages[-1].offset + message.offset)

    def timestamp_of(self, message: Message) -> int:
        """The timestamp of a message inside as a consumer sees it, in ms."""
        return self.timestamp if self.log_append_time else message.timestamp


@dataclass(frozen=True, slots=True)
class RecordBatch:
    """A batch of magic 2.

    Attributes:
        last_offset_delta: the delta of the batch's last offset; compaction may have removed its record.
        base_timestamp: ms; with `delete_horizon` it is the delete horizon.
        max_timestamp: ms; with `log_append_time` it is the time of every record.
        producer_id: -1 (with epoch and sequence -1) for a producer that is not idempotent.
        reserved: the bits of the attributes above bit 6, shifted down: 0 to 511; Kafka ignores them.
    """

    records: tuple[Record, ...] = ()
    base_offset: int = 0
    partition_leader_epoch: int = -1
    compression: Compression = Compression.NONE
    log_append_time: bool = False
    transactional: bool = False
    control: bool = False
    delete_horizon: bool = False
    last_offset_delta: int = 0
    base_timestamp: int = -1
    max_timestamp: int = -1
    producer_id: int = -1
    producer_epoch: int = -1
    base_sequence: int = -1
    reserved: int = 0

    @property
    def magic(self) -> int:
        return 2

    @classmethod
    def of(cls, records: Iterable[Record], **fields: Any) -> Self:
        """A batch whose last offset and largest timestamp are computed from its records.

        Args:
            fields: the other fields; `max_timestamp` and `last_offset_delta` replace the computed values.
        """
        held = tuple(records)
        if held:
            base = fields.setdefault("base_timestamp", 0)
            fields.setdefault("last_offset_delta", held[-1].offset_delta)
            fields.setdefault("max_timestamp", base + max(map(_TIMESTAMP_DELTA, held)))
        return cls(held, **fields)

    def offset_of(self, record: Record) -> int:
        """The absolute offset; it wraps like a Java long."""
        return _wrapped(self.base_offset + record.offset_delta)

    def timestamp_of(self, record: Record) -> int:
        """The timestamp as a consumer sees it, in ms; it wraps like a Java long."""
        return self.max_timestamp if self.log_append_time else self.written_timestamp_of(record)

    def written_timestamp_of(self, record: Record) -> int:
        """The timestamp before log-append time overrides it, in ms."""
        return _wrapped(self.base_timestamp + record.timestamp_delta)


Batch: TypeAlias = RecordBatch | MessageSet | Message
"""One item of a records field: a batch of magic 2, a compressed legacy set, or one legacy message."""


@dataclass(frozen=True, slots=True)
class RecordSet:
    """The content of a records field.

    Attributes:
        batches: in order; magics may be mixed.
        tail: bytes of a last batch that is cut off, as brokers send in a Fetch response; else empty.
    """

    batches: tuple[Batch, ...] = ()
    tail: bytes = b""


def _wrapped(value: int) -> int:
    """Wrap a number as Java's long arithmetic does."""
    value %= _LONGS
    return value - _LONGS if value >> 63 else value
