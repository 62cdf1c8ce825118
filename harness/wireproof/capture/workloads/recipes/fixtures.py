"""What many recipes stand on: topics, records, producers, transactions, members of groups."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar
from uuid import UUID

from kafkawire.records import (
    Compression,
    Header,
    Message,
    MessageSet,
    Record,
    RecordBatch,
    RecordSet,
    encode_records,
)
from kafkawire.values import StructValue
from wireproof.capture.workloads.listener_session import ListenerSession, Topic

__all__ = [
    "FOR_OTHERS",
    "NO_ID",
    "Member",
    "Producer",
    "both_names",
    "fresh_topic",
    "join",
    "member",
    "partitions_of_one",
    "produce_body",
    "producer",
    "records",
    "stocked_topic",
    "sync_body",
    "topic",
    "transaction",
]

NO_ID: Final = UUID(int=0)
FOR_OTHERS: Final = "for other recipes"
_NOW_MS: Final = 1_700_000_000_000
_TIMEOUT_MS: Final = 10_000
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Producer:
    """A producer that the cluster gave an id."""

    transactional_id: str | None
    id: int
    epoch: int


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a classic group, which leads it."""

    group: str
    id: str
    generation: int


def topic(scene: ListenerSession) -> Topic:
    """The topic that recipes share: two partitions, nothing in it by itself."""
    return _once(scene, "topic", partial(fresh_topic, scene, "topic"))


def fresh_topic(scene: ListenerSession, what: str, partitions: int = 2) -> Topic:
    """A topic of one's own, with a leader."""
    name = scene.name(what)
    wanted = {"name": name, "numPartitions": partitions, "replicationFactor": 1}
    body = {"topics": [wanted], "timeoutMs": _TIMEOUT_MS, "validateOnly": False}
    answer = scene.tell("CreateTopicsRequest", body, FOR_OTHERS)
    made = (answer.get("topics") or [{}])[0]
    if "MetadataRequest" in scene.takes:
        asked = {"topics": [{"name": name, "topicId": NO_ID}], "allowAutoTopicCreation": False}
        scene.insist("MetadataRequest", scene.newest("MetadataRequest"), asked, FOR_OTHERS)
    return Topic(name, made.get("topicId", NO_ID))


def stocked_topic(scene: ListenerSession) -> Topic:
    """A topic with records in its first partition."""

    def stock() -> Topic:
        found = fresh_topic(scene, "stock")
        version = scene.newest("ProduceRequest")
        for compression in (Compression.NONE, Compression.GZIP):
            data = records(version, compression, count=5)
            scene.insist("ProduceRequest", version, produce_body(found, data), FOR_OTHERS)
        return found

    return _once(scene, "stocked topic", stock)


def both_names(found: Topic, key: str = "name") -> StructValue:
    """A topic by its name and by its id: a version takes what it knows."""
    return {key: found.name, "topicId": found.id}


def produce_body(
    found: Topic, data: bytes, transactional_id: str | None = None, *, partition: int = 0
) -> StructValue:
    """A Produce to a partition that waits for all replicas."""
    written = {"index": partition, "records": data}
    return {
        "transactionalId": transactional_id,
        "acks": -1,
        "timeoutMs": _TIMEOUT_MS,
        "topicData": [{**both_names(found), "partitionData": [written]}],
    }


def records(
    produce_version: int,
    compression: Compression = Compression.NONE,
    *,
    count: int = 3,
    by: Producer | None = None,
    sequence: int = 0,
    transactional: bool = False,
) -> bytes:
    """Records in the format that goes with a version of Produce (KIP-98: 3 and newer have batches)."""
    if produce_version < 3:
        return _old_records(0 if produce_version < 2 else 1, compression, count)
    batch = RecordBatch(
        base_timestamp=_NOW_MS,
        max_timestamp=_NOW_MS + count - 1,
        last_offset_delta=count - 1,
        compression=compression,
        producer_id=by.id if by else -1,
        producer_epoch=by.epoch if by else -1,
        base_sequence=sequence if by else -1,
        transactional=transactional,
        records=tuple(
            Record(n, n, f"key {n}".encode(), b"value " * 8, (Header("place", b"here"), Header("none", None)))
            for n in range(count)
        ),
    )
    return encode_records(RecordSet((batch,)))


def _old_records(magic: int, compression: Compression, count: int) -> bytes:
    stamp = _NOW_MS if magic == 1 else -1
    messages = tuple(Message(n, stamp, b"key", b"value " * 8, magic) for n in range(count))
    if compression is Compression.NONE:
        return encode_records(RecordSet(messages))
    return encode_records(RecordSet((MessageSet(compression, messages, count - 1, stamp, magic),)))


def producer(scene: ListenerSession, transactional_id: str | None = None) -> Producer:
    """A producer with an id of the cluster's."""
    body = {"transactionalId": transactional_id, "transactionTimeoutMs": 60_000, "producerId": -1}
    version = scene.newest("InitProducerIdRequest", at_most=5)
    answer = scene.insist("InitProducerIdRequest", version, {**body, "producerEpoch": -1}, FOR_OTHERS) or {}
    return Producer(transactional_id, answer.get("producerId", -1), answer.get("producerEpoch", -1))


def transaction(scene: ListenerSession, found: Topic) -> Producer:
    """A transaction under way, with records in the first partition of a topic."""
    made = producer(scene, scene.name("transaction"))
    body = partitions_of_one(made, [{"name": found.name, "partitions": [0]}])
    scene.insist("AddPartitionsToTxnRequest", scene.newest("AddPartitionsToTxnRequest", 3), body, FOR_OTHERS)
    version = scene.newest("ProduceRequest", 11)
    data = records(version, by=made, transactional=True)
    scene.insist("ProduceRequest", version, produce_body(found, data, made.transactional_id), FOR_OTHERS)
    return made


def partitions_of_one(by: Producer, topics: list[StructValue]) -> StructValue:
    """An AddPartitionsToTxn of one transaction up to version 3, under the names before 3.5 and since."""
    one = {"transactionalId": by.transactional_id, "producerId": by.id, "producerEpoch": by.epoch}
    since = {f"v3AndBelow{name[0].upper()}{name[1:]}": value for name, value in one.items()}
    return {**one, "topics": topics, **since, "v3AndBelowTopics": topics}


def member(scene: ListenerSession, what: str) -> Member:
    """The only member of a group of its own, with what was assigned to it."""
    group = scene.name(what)
    version = scene.newest("JoinGroupRequest")
    joined = join(scene, version, group, FOR_OTHERS)
    found = Member(group, joined.get("memberId", ""), joined.get("generationId", -1))
    scene.insist("SyncGroupRequest", scene.newest("SyncGroupRequest"), sync_body(found), FOR_OTHERS)
    return found


def join(scene: ListenerSession, version: int, group: str, case: str) -> StructValue:
    """Join a group; newer brokers give an id first, to be asked with again (KIP-394)."""
    body = {
        "groupId": group,
        "sessionTimeoutMs": 30_000,
        "rebalanceTimeoutMs": 30_000,
        "memberId": "",
        "protocolType": "consumer",
        "protocols": [{"name": "range", "metadata": SUBSCRIPTION}],
        "reason": "a recipe",
    }
    answer = scene.insist("JoinGroupRequest", version, body, case) or {}
    if answer.get("errorCode") == _MEMBER_ID_REQUIRED:
        body["memberId"] = answer["memberId"]
        answer = scene.insist("JoinGroupRequest", version, body, case) or {}
    return answer


def sync_body(found: Member) -> StructValue:
    """What a leader sends who assigns a partition to itself."""
    return {
        "groupId": found.group,
        "generationId": found.generation,
        "memberId": found.id,
        "protocolType": "consumer",
        "protocolName": "range",
        "assignments": [{"memberId": found.id, "assignment": ASSIGNMENT}],
    }


_MEMBER_ID_REQUIRED: Final = 79
SUBSCRIPTION: Final = bytes.fromhex("0001 00000001 0005") + b"topic" + bytes.fromhex("ffffffff 00000000")
"""ConsumerProtocolSubscription 1: the topic ``topic``, no user data, nothing owned."""
ASSIGNMENT: Final = SUBSCRIPTION[:13] + bytes.fromhex("00000001 00000000 ffffffff")
"""ConsumerProtocolAssignment 1: partition 0 of ``topic``, no user data."""


def _once(scene: ListenerSession, key: str, make: Callable[[], _T]) -> _T:
    if key not in scene.kept:
        scene.kept[key] = make()
    found: _T = scene.kept[key]
    return found
