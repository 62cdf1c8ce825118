"""Fixtures of recipes: topics, records, producers, transactions, members of groups."""

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
from wireproof.traffic.capture.workloads.listener_session import (
    FOR_OTHERS,
    ListenerSession,
    SweptRequest,
    Topic,
)

NO_ID: Final = UUID(int=0)
UNKNOWN_GROUP: Final = "no-such-group"
_NOW_MS: Final = 1_700_000_000_000
_TIMEOUT_MS: Final = 10_000
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Producer:
    """A producer with an id from the cluster."""

    transactional_id: str | None
    id: int
    epoch: int

    @property
    def fields(self) -> StructValue:
        """The fields by which requests name it."""
        names = {"transactionalId": self.transactional_id, "producerId": self.id}
        return {**names, "producerEpoch": self.epoch}


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a classic group, and its leader."""

    group: str
    id: str
    generation: int


def topic(session: ListenerSession) -> Topic:
    """Return the topic that recipes share: two partitions, initially empty."""
    return once(session, "topic", partial(fresh_topic, session, "topic"))


def fresh_topic(session: ListenerSession, stem: str, partitions: int = 2) -> Topic:
    """Create a topic and wait for its leaders."""
    name = session.name(stem)
    wanted = {"name": name, "numPartitions": partitions, "replicationFactor": 1}
    body = {"topics": [wanted], "timeoutMs": _TIMEOUT_MS, "validateOnly": False}
    answer = session.ask_newest("CreateTopicsRequest", body, FOR_OTHERS)
    made = (answer.get("topics") or [{}])[0]
    await_topics(session, name)
    return Topic(name, made.get("topicId", NO_ID))


def await_topics(session: ListenerSession, *names: str) -> None:
    """Wait until the broker has published new topics and their leaders."""
    if names and "MetadataRequest" in session.supported:
        named = [{"name": name, "topicId": NO_ID} for name in names]
        asked = {"topics": named, "allowAutoTopicCreation": False}
        session.prepare("MetadataRequest", asked)


def stocked_topic(session: ListenerSession) -> Topic:
    """Return a topic with records in its first partition."""

    def stock() -> Topic:
        found = fresh_topic(session, "stock")
        version = session.newest("ProduceRequest")
        for compression in (Compression.NONE, Compression.GZIP):
            data = records(version, compression, count=5)
            session.prepare("ProduceRequest", produce_body(found, data))
        return found

    return once(session, "stocked topic", stock)


def both_names(found: Topic, key: str = "name") -> StructValue:
    """Return the name and the id of a topic; each version takes the field that it has."""
    return {key: found.name, "topicId": found.id}


def produce_body(
    found: Topic, data: bytes, transactional_id: str | None = None, *, partition: int = 0
) -> StructValue:
    """Return the body of a Produce to a partition that waits for all replicas."""
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
    """Encode records in the format of a Produce version (KIP-98: 3 and newer have batches)."""
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


def producer(session: ListenerSession, transactional_id: str | None = None) -> Producer:
    """Return a producer with a new id."""
    body = {"transactionalId": transactional_id, "transactionTimeoutMs": 60_000, "producerId": -1}
    answer = session.prepare("InitProducerIdRequest", {**body, "producerEpoch": -1}, at_most=5)
    return Producer(transactional_id, answer.get("producerId", -1), answer.get("producerEpoch", -1))


def transaction(session: ListenerSession, found: Topic) -> Producer:
    """Begin a transaction with records in the first partition of a topic."""
    made = producer(session, session.name("transaction"))
    body = partitions_of_one(made, [{"name": found.name, "partitions": [0]}])
    session.prepare("AddPartitionsToTxnRequest", body, at_most=3)
    version = session.newest("ProduceRequest", 11)
    data = records(version, by=made, transactional=True)
    session.prepare("ProduceRequest", produce_body(found, data, made.transactional_id), at_most=11)
    return made


def partitions_of_one(by: Producer, topics: list[StructValue]) -> StructValue:
    """Return the body of an AddPartitionsToTxn 3 or older, with the field names before 3.5 and since."""
    since = {f"v3AndBelow{name[0].upper()}{name[1:]}": value for name, value in by.fields.items()}
    return {**by.fields, "topics": topics, **since, "v3AndBelowTopics": topics}


def new_group(session: ListenerSession, stem: str) -> str:
    """Return the name of a new group. The first request for a coordinator makes the topic of offsets."""

    def find() -> bool:
        if "FindCoordinatorRequest" in session.supported:
            body = {"key": "a-group", "keyType": 0, "coordinatorKeys": ["a-group"]}
            session.prepare("FindCoordinatorRequest", body)
        return True

    once(session, "coordinators", find)
    return session.name(stem)


def member(session: ListenerSession, stem: str) -> Member:
    """Join a new group as its only member, and assign a partition."""
    group = new_group(session, stem)
    version = session.newest("JoinGroupRequest")
    joined = join(session, version, group, FOR_OTHERS)
    found = Member(group, joined.get("memberId", ""), joined.get("generationId", -1))
    session.prepare("SyncGroupRequest", sync_body(found))
    return found


def join(session: ListenerSession, version: int, group: str, case: str) -> StructValue:
    """Join a group; newer brokers first assign a member id that the request has to repeat (KIP-394)."""
    body = {
        "groupId": group,
        "sessionTimeoutMs": 30_000,
        "rebalanceTimeoutMs": 30_000,
        "memberId": "",
        "protocolType": "consumer",
        "protocols": [{"name": "range", "metadata": SUBSCRIPTION}],
        "reason": "a recipe",
    }
    answer = session.ask_until_settled("JoinGroupRequest", version, body, case) or {}
    if answer.get("errorCode") == _MEMBER_ID_REQUIRED:
        body["memberId"] = answer["memberId"]
        answer = session.ask_until_settled("JoinGroupRequest", version, body, case) or {}
    return answer


def describe_group(
    group: Callable[[ListenerSession], str], session: ListenerSession, request: SweptRequest
) -> None:
    """Describe a group with one member, and an unknown one."""
    body = {"groupIds": [group(session)], "includeAuthorizedOperations": True}
    request.ask_until_settled(body, "one member")
    request.ask({"groupIds": [UNKNOWN_GROUP]}, "unknown group")


def sync_body(found: Member) -> StructValue:
    """Return the body of a SyncGroup by a leader that assigns a partition to itself."""
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


def once(session: ListenerSession, key: str, make: Callable[[], _T]) -> _T:
    """Return the fixture with this name; make it if there is none yet."""
    if key not in session.fixtures:
        session.fixtures[key] = make()
    found: _T = session.fixtures[key]
    return found
