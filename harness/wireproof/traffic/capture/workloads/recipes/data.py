"""Recipes of requests about topics and records."""

from kafkawire.records import Compression
from kafkawire.values import StructValue
from wireproof.traffic.capture.workloads.listener_session import (
    FOR_OTHERS,
    ListenerSession,
    SweptRequest,
    Topic,
)
from wireproof.traffic.capture.workloads.recipes.fixtures import (
    NO_ID,
    await_topics,
    both_names,
    fresh_topic,
    produce_body,
    producer,
    records,
    stocked_topic,
    topic,
)

_ZSTD_SINCE = 7
_UNKNOWN = Topic("no-such-topic", NO_ID)


def create_topics(session: ListenerSession, request: SweptRequest) -> None:
    plain = {"name": session.name("made"), "numPartitions": 1, "replicationFactor": 1}
    placed = {
        "name": session.name("placed"),
        "numPartitions": -1,
        "replicationFactor": -1,
        "assignments": [{"partitionIndex": 0, "brokerIds": [session.brokers[0]]}],
        "configs": [{"name": "cleanup.policy", "value": "compact"}],
    }
    body = {"topics": [plain, placed], "timeoutMs": 10_000, "validateOnly": False}
    answer = request.ask(body, "plain and placed") or {}
    await_topics(session, *(each["name"] for each in answer.get("topics", []) if not each["errorCode"]))
    request.ask(body, "they exist")
    trial = {**plain, "name": session.name("trial")}
    request.ask({"topics": [trial], "timeoutMs": 10_000, "validateOnly": True}, "trial")
    wrong = {**plain, "name": "no/such/name", "replicationFactor": 99}
    request.ask({"topics": [wrong], "timeoutMs": 10_000}, "wrong")


def metadata(session: ListenerSession, request: SweptRequest) -> None:
    topic(session)
    body: StructValue = {"topics": None if request.version >= 1 else [], "allowAutoTopicCreation": False}
    request.ask(body, "all topics")
    named = [{"name": found.name, "topicId": NO_ID} for found in (topic(session), _UNKNOWN)]
    body = {"topics": named[:1], "allowAutoTopicCreation": False, "includeTopicAuthorizedOperations": True}
    request.ask({**body, "includeClusterAuthorizedOperations": True}, "one topic")
    request.ask({"topics": named, "allowAutoTopicCreation": False}, "unknown topic")
    if request.version >= 12:
        body = {"topics": [{"name": None, "topicId": topic(session).id}], "allowAutoTopicCreation": False}
        request.ask(body, "by id")


def produce(session: ListenerSession, request: SweptRequest) -> None:
    found = topic(session)
    for compression in Compression:
        if compression is not Compression.ZSTD or request.version >= _ZSTD_SINCE:
            body = produce_body(found, records(request.version, compression))
            request.ask(body, compression.name.lower())
    if request.version >= 3 and "InitProducerIdRequest" in session.supported:
        by = producer(session)
        request.ask(produce_body(found, records(request.version, by=by)), "idempotent")
        late = records(request.version, by=by, sequence=99)
        request.ask(produce_body(found, late), "sequence out of order")
    request.ask(produce_body(_UNKNOWN, records(request.version)), "unknown topic")


def fetch(session: ListenerSession, request: SweptRequest) -> None:
    found = stocked_topic(session)
    _fetch(request, found, 0, "records")
    _fetch(request, found, 9_999, "out of range")
    _fetch(request, _UNKNOWN, 0, "unknown topic")
    if request.version >= 7:
        answer = _fetch(request, found, 0, "new session", sessionEpoch=0)
        session_id = answer.get("sessionId", 0)
        _fetch(request, found, 3, "session", sessionId=session_id, sessionEpoch=1)
        _fetch(request, found, 3, "wrong epoch of a session", sessionId=session_id, sessionEpoch=9)
    if request.version >= 9:
        _fetch(request, found, 0, "wrong leader epoch", epoch=99)


def _fetch(
    request: SweptRequest, found: Topic, offset: int, case: str, *, epoch: int = -1, **fetch_session: int
) -> dict[str, int]:
    partition = {
        "partition": 0,
        "currentLeaderEpoch": epoch,
        "fetchOffset": offset,
        "partitionMaxBytes": 100_000,
    }
    body = {
        "replicaId": -1,
        "maxWaitMs": 100,
        "minBytes": 1,
        "maxBytes": 1_000_000,
        "isolationLevel": 1,
        "topics": [{**both_names(found, "topic"), "partitions": [partition]}],
        **fetch_session,
    }
    return request.ask(body, case) or {}


def list_offsets(session: ListenerSession, request: SweptRequest) -> None:
    found = stocked_topic(session)
    for timestamp in (-1, -2, *([-3] if request.version >= 7 else []), 1_700_000_000_001):
        partition = {"partitionIndex": 0, "timestamp": timestamp}
        body = {
            "replicaId": -1,
            "topics": [{"name": found.name, "partitions": [partition]}],
            "timeoutMs": 1000,
        }
        request.ask(body, f"timestamp {timestamp}")
    body = {"replicaId": -1, "topics": [{"name": "no-such-topic", "partitions": [{"partitionIndex": 0}]}]}
    request.ask(body, "unknown topic")


def offset_for_leader_epoch(session: ListenerSession, request: SweptRequest) -> None:
    for name in (stocked_topic(session).name, "no-such-topic"):
        partition = {"partition": 0, "currentLeaderEpoch": -1, "leaderEpoch": 0}
        body = {"replicaId": -2, "topics": [{"topic": name, "partitions": [partition]}]}
        request.ask(body, name.rpartition("-")[0] or name)


def delete_records(session: ListenerSession, request: SweptRequest) -> None:
    for name in (stocked_topic(session).name, "no-such-topic"):
        partitions = [{"partitionIndex": index, "offset": 1} for index in (0, 7)[: request.version + 1]]
        body = {"topics": [{"name": name, "partitions": partitions}], "timeoutMs": 1000}
        request.ask(body, f"of {name.partition('-')[0]}")
    good = {"name": stocked_topic(session).name, "partitions": [{"partitionIndex": 0, "offset": 1}]}
    request.ask({"topics": [good], "timeoutMs": 1000}, "one partition")


def create_partitions(session: ListenerSession, request: SweptRequest) -> None:
    found = fresh_topic(session, "growing", 1)
    for name, count, placed in ((found.name, 3, None), (found.name, 1, None), ("no-such-topic", 2, None)):
        body = {"topics": [{"name": name, "count": count, "assignments": placed}], "timeoutMs": 10_000}
        request.ask(body, f"{count} of {name.partition('-')[0]}")
    placed_one = {"name": found.name, "count": 4, "assignments": [{"brokerIds": [session.brokers[0]]}]}
    request.ask({"topics": [placed_one], "timeoutMs": 10_000}, "placed")


def delete_topics(session: ListenerSession, request: SweptRequest) -> None:
    found, by_id = fresh_topic(session, "doomed"), fresh_topic(session, "doomed")
    body = {
        "topicNames": [found.name],
        "topics": [{"name": found.name, "topicId": NO_ID}],
        "timeoutMs": 10_000,
    }
    request.ask(body, "by name")
    request.ask(body, "gone")
    if request.version >= 6:
        body = {"topics": [{"name": None, "topicId": by_id.id}], "timeoutMs": 10_000}
        request.ask(body, "by id")


def describe_topic_partitions(session: ListenerSession, request: SweptRequest) -> None:
    found = topic(session)
    for limit, cursor in ((2000, None), (1, None), (1, {"topicName": found.name, "partitionIndex": 1})):
        body = {"topics": [{"name": found.name}], "responsePartitionLimit": limit, "cursor": cursor}
        request.ask(body, f"limit {limit}{', cursor' if cursor else ''}")
    body = {"topics": [{"name": "no-such-topic"}], "responsePartitionLimit": 10}
    request.ask(body, "unknown topic")


def describe_producers(session: ListenerSession, request: SweptRequest) -> None:
    found = topic(session)
    by = producer(session)
    data = records(session.newest("ProduceRequest"), by=by)
    session.prepare("ProduceRequest", produce_body(found, data))
    for name in (found.name, "no-such-topic"):
        body = {"topics": [{"name": name, "partitionIndexes": [0]}]}
        request.ask(body, f"of {name.partition('-')[0]}")


def describe_log_dirs(session: ListenerSession, request: SweptRequest) -> None:
    request.ask({"topics": None}, "all")
    body = {"topics": [{"topic": stocked_topic(session).name, "partitions": [0], "partitionIndex": [0]}]}
    request.ask(body, "one partition")


def alter_replica_log_dirs(session: ListenerSession, request: SweptRequest) -> None:
    found = topic(session)
    answer = session.ask_newest("DescribeLogDirsRequest", {"topics": None}, FOR_OTHERS)
    for folder in [each["logDir"] for each in answer.get("results", [])] + ["/no/such/folder"]:
        body = {"dirs": [{"path": folder, "topics": [{"name": found.name, "partitions": [0]}]}]}
        request.ask(body, "move" if folder != "/no/such/folder" else "wrong")


DATA = {
    "CreateTopicsRequest": create_topics,
    "MetadataRequest": metadata,
    "ProduceRequest": produce,
    "FetchRequest": fetch,
    "ListOffsetsRequest": list_offsets,
    "OffsetForLeaderEpochRequest": offset_for_leader_epoch,
    "DescribeTopicPartitionsRequest": describe_topic_partitions,
    "DescribeProducersRequest": describe_producers,
    "DescribeLogDirsRequest": describe_log_dirs,
    "AlterReplicaLogDirsRequest": alter_replica_log_dirs,
    "CreatePartitionsRequest": create_partitions,
    "DeleteRecordsRequest": delete_records,
    "DeleteTopicsRequest": delete_topics,
}
