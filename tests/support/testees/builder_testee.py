"""A testee of the Python kit that only has a builder of batches, which is given one record after another."""

from types import SimpleNamespace
from typing import Any

from kafkawire.records import (
    Compression,
    Header,
    Message,
    MessageSet,
    Record,
    RecordBatch,
    decode_records,
    encode_records,
)
from kafkawire.records.compression import compress
from wireproof.proof.testees.session.in_process_testees import load_kit

kit = load_kit()
import wireproof_records as sets  # noqa: E402 - the kit's, which load_kit brings

__all__ = ["Builder", "ForgetfulSets", "OwnSets", "Shown", "forgetful", "kit", "right", "sets"]

Args = tuple[Any, ...]


class Builder:
    """Takes records as aiokafka's builders do, and writes them with our own codec."""

    def __init__(self, *head: Any) -> None:
        self.head, self.taken = head, list[Args]()

    def append(self, *record: Any) -> None:
        self.taken.append(record)

    def build(self) -> bytes:
        return encode_records((self.new(*self.head),) if self.head[0] == 2 else self.old(*self.head))

    def new(self, _magic: int, codec: int, transactional: bool, *producer: int) -> RecordBatch:
        base = self.taken[0][1]
        records = tuple(
            Record(offset, time - base, key, value, tuple(Header(*each) for each in headers))
            for offset, time, key, value, headers in self.taken
        )
        producer_id, producer_epoch, base_sequence = producer
        return RecordBatch(
            records,
            compression=Compression(codec),
            transactional=transactional,
            last_offset_delta=self.taken[-1][0],
            base_timestamp=base,
            max_timestamp=max(each[1] for each in self.taken),
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            base_sequence=base_sequence,
        )

    def old(self, magic: int, codec: int) -> tuple[Any, ...]:
        messages = [Message(offset, time, key, value, magic) for offset, time, key, value in self.taken]
        if codec == 0:
            return tuple(messages)
        last = max(message.timestamp for message in messages)
        return (MessageSet(Compression(codec), tuple(messages), magic=magic, timestamp=last),)


class OwnSets(sets.RecordSets):
    """Batches of magic 2 as kafka-python shows them."""

    def builder(self, *head: Any) -> Any:
        return Builder(*head)

    old_builder = builder

    def compressed(self, compression: int, data: bytes) -> bytes:
        return compress(Compression(compression), data, 2)

    def batches(self, data: bytes) -> tuple[list[dict[str, Any]], bytes]:
        records = decode_records(data)
        shown = (Shown(batch) for batch in records.batches)
        return [sets.batch_to_json(batch, batch.partition_leader_epoch) for batch in shown], records.tail


class Shown:
    """A batch by kafka-python's names, with absolute offsets and times that wrap as Kafka's."""

    def __init__(self, batch: Any) -> None:
        self.batch = batch
        self.magic, self.compression_type = 2, int(batch.compression)
        self.attributes = self.compression_type | batch.delete_horizon << 6 | batch.reserved << 7
        self.timestamp_type = int(batch.log_append_time)
        self.is_transactional, self.is_control_batch = batch.transactional, batch.control
        self.first_timestamp = batch.base_timestamp

    def __getattr__(self, name: str) -> Any:
        return getattr(self.batch, name)

    def __iter__(self) -> Any:
        for record in self.batch.records:
            yield SimpleNamespace(
                offset=wrapped(self.batch.base_offset + record.offset_delta),
                timestamp=wrapped(self.batch.base_timestamp + record.timestamp_delta),
                key=record.key,
                value=record.value,
                headers=[(header.key, header.value) for header in record.headers],
            )


def wrapped(number: int) -> int:
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


class Forgetful(Builder):
    """Loses the headers of the third record, which no named set has."""

    def append(self, *record: Any) -> None:
        super().append(*(record if len(self.taken) != 2 else (*record[:-1], [])))


class ForgetfulSets(OwnSets):
    def builder(self, *head: Any) -> Any:
        return Forgetful(*head)


def right() -> Any:
    """The testee."""
    return _testee(OwnSets)


def forgetful() -> Any:
    """The same with a bug."""
    return _testee(ForgetfulSets)


def _testee(port: type[OwnSets]) -> Any:
    return kit.Testee(
        name="builder",
        version="0",
        claims={"RecordBatch": kit.claim(("encode", "decode"), "2")},
        at=lambda message, version: port(),
        compressions=[codec.name.lower() for codec in Compression],
        limits=sets.LIMITS,
        record_limits=sets.RECORD_LIMITS,
    )
