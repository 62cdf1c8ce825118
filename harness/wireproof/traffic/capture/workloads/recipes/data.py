"""Recipes of requests about topics and records."""

from kafkawire.records import Compression
from kafkawire.values import StructValue
from wireproof.traffic.capture.workloads.listener_session import ListenerSession, Topic
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


def create_topics(session: ListenerSession, version: int) -> None:
    plain = {"name": session.name("made"), "numPartitions": 1, "replicationFactor": 1}
    placed = {
        "name": session.name("placed"),
        "numPartitions": -1,
        "replicationFactor": -1,
        "assignments": [{"partitionIndex": 0, "brokerIds": [session.brokers[0]]}],
        "configs": [{"name": "cleanup.policy", "value": "compact"}],
    }
    body = {"topics": [plain, placed], "timeoutMs": 10_000, "validateOnly": False}
    answer = session.ask("CreateTopicsRequest", version, body, "plain and placed") or {}
    await_topics(session, *(each["name"] for each in answer.get("topics", []) if not each["errorCode"]))
    session.ask("CreateTopicsRequest", version, body, "they exist")
    trial = {**plain, "name": session.name("trial")}
    session.ask(
        "CreateTopicsRequest",
        version,
        {"topics": [trial], "timeoutMs": 10_000, "validateOnly": True},
        "trial",
    )
    wrong = {**plain, "name": "no/such/name", "replicationFactor": 99}
    session.ask("CreateTopicsRequest", version, {"topics": [wrong], "timeoutMs": 10_000}, "wrong")


def metadata(session: ListenerSession, version: int) -> None:
    topic(session)
    body: StructValue = {"topics": None if version >= 1 else [], "allowAutoTopicCreation": False}
    session.ask("MetadataRequest", version, body, "all topics")
    named = [{"name": found.name, "topicId": NO_ID} for found in (topic(session), _UNKNOWN)]
    body = {"topics": named[:1], "allowAutoTopicCreation": False, "includeTopicAuthorizedOperations": True}
    session.ask("MetadataRequest", version, {**body, "includeClusterAuthorizedOperations": True}, "one topic")
    session.ask(
        "MetadataRequest", version, {"topics": named, "allowAutoTopicCreation": False}, "unknown topic"
    )
    if version >= 12:
        body = {"topics": [{"name": None, "topicId": topic(session).id}], "allowAutoTopicCreation": False}
        session.ask("MetadataRequest", version, body, "by id")


def produce(session: ListenerSession, version: int) -> None:
    found = topic(session)
    for compression in Compression:
        if compression is not Compression.ZSTD or version >= _ZSTD_SINCE:
            body = produce_body(found, records(version, compression))
            session.ask("ProduceRequest", version, body, compression.name.lower())
    if version >= 3 and "InitProducerIdRequest" in session.supported:
        by = producer(session)
        session.ask("ProduceRequest", version, produce_body(found, records(version, by=by)), "idempotent")
        late = records(version, by=by, sequence=99)
        session.ask("ProduceRequest", version, produce_body(found, late), "sequence out of order")
    session.ask("ProduceRequest", version, produce_body(_UNKNOWN, records(version)), "unknown topic")


def fetch(session: ListenerSession, version: int) -> None:
    found = stocked_topic(session)
    _fetch(session, version, found, 0, "records")
    _fetch(session, version, found, 9_999, "out of range")
    _fetch(session, version, _UNKNOWN, 0, "unknown topic")
    if version >= 7:
        answer = _fetch(session, version, found, 0, "new session", sessionEpoch=0)
        session_id = answer.get("sessionId", 0)
        _fetch(session, version, found, 3, "session", sessionId=session_id, sessionEpoch=1)
        _fetch(session, version, found, 3, "wrong epoch of a session", sessionId=session_id, sessionEpoch=9)
    if version >= 9:
        _fetch(session, version, found, 0, "wrong leader epoch", epoch=99)


def _fetch(
    session: ListenerSession,
    version: int,
    found: Topic,
    offset: int,
    case: str,
    *,
    epoch: int = -1,
    **fetch_session: int,
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
    return session.ask("FetchRequest", version, body, case) or {}


def list_offsets(session: ListenerSession, version: int) -> None:
    found = stocked_topic(session)
    for timestamp in (-1, -2, *([-3] if version >= 7 else []), 1_700_000_000_001):
        partition = {"partitionIndex": 0, "timestamp": timestamp}
        body = {
            "replicaId": -1,
            "topics": [{"name": found.name, "partitions": [partition]}],
            "timeoutMs": 1000,
        }
        session.ask("ListOffsetsRequest", version, body, f"timestamp {timestamp}")
    body = {"replicaId": -1, "topics": [{"name": "no-such-topic", "partitions": [{"partitionIndex": 0}]}]}
    session.ask("ListOffsetsRequest", version, body, "unknown topic")


def offset_for_leader_epoch(session: ListenerSession, version: int) -> None:
    for name in (stocked_topic(session).name, "no-such-topic"):
        partition = {"partition": 0, "currentLeaderEpoch": -1, "leaderEpoch": 0}
        body = {"replicaId": -2, "topics": [{"topic": name, "partitions": [partition]}]}
        session.ask("OffsetForLeaderEpochRequest", version, body, name.rpartition("-")[0] or name)


def delete_records(session: ListenerSession, version: int) -> None:
    for name in (stocked_topic(session).name, "no-such-topic"):
        partitions = [{"partitionIndex": 0, "offset": 1}, {"partitionIndex": 7, "offset": 1}][: version + 1]
        body = {"topics": [{"name": name, "partitions": partitions}], "timeoutMs": 1000}
        session.ask("DeleteRecordsRequest", version, body, f"of {name.partition('-')[0]}")
    good = {"name": stocked_topic(session).name, "partitions": [{"partitionIndex": 0, "offset": 1}]}
    session.ask("DeleteRecordsRequest", version, {"topics": [good], "timeoutMs": 1000}, "one partition")


def create_partitions(session: ListenerSession, version: int) -> None:
    found = fresh_topic(session, "growing", 1)
    for name, count, placed in ((found.name, 3, None), (found.name, 1, None), ("no-such-topic", 2, None)):
        body = {"topics": [{"name": name, "count": count, "assignments": placed}], "timeoutMs": 10_000}
        session.ask("CreatePartitionsRequest", version, body, f"{count} of {name.partition('-')[0]}")
    placed_one = {"name": found.name, "count": 4, "assignments": [{"brokerIds": [session.brokers[0]]}]}
    session.ask("CreatePartitionsRequest", version, {"topics": [placed_one], "timeoutMs": 10_000}, "placed")


def delete_topics(session: ListenerSession, version: int) -> None:
    found, by_id = fresh_topic(session, "doomed"), fresh_topic(session, "doomed")
    body = {
        "topicNames": [found.name],
        "topics": [{"name": found.name, "topicId": NO_ID}],
        "timeoutMs": 10_000,
    }
    session.ask("DeleteTopicsRequest", version, body, "by name")
    session.ask("DeleteTopicsRequest", version, body, "gone")
    if version >= 6:
        body = {"topics": [{"name": None, "topicId": by_id.id}], "timeoutMs": 10_000}
        session.ask("DeleteTopicsRequest", version, body, "by id")


def describe_topic_partitions(session: ListenerSession, version: int) -> None:
    found = topic(session)
    for limit, cursor in ((2000, None), (1, None), (1, {"topicName": found.name, "partitionIndex": 1})):
        body = {"topics": [{"name": found.name}], "responsePartitionLimit": limit, "cursor": cursor}
        session.ask(
            "DescribeTopicPartitionsRequest", version, body, f"limit {limit}{', cursor' if cursor else ''}"
        )
    body = {"topics": [{"name": "no-such-topic"}], "responsePartitionLimit": 10}
    session.ask("DescribeTopicPartitionsRequest", version, body, "unknown topic")


def describe_producers(session: ListenerSession, version: int) -> None:
    found = topic(session)
    by = producer(session)
    version_of_produce = session.newest("ProduceRequest")
    data = records(version_of_produce, by=by)
    session.ask_until_settled(
        "ProduceRequest", version_of_produce, produce_body(found, data), "for other recipes"
    )
    for name in (found.name, "no-such-topic"):
        body = {"topics": [{"name": name, "partitionIndexes": [0]}]}
        session.ask("DescribeProducersRequest", version, body, f"of {name.partition('-')[0]}")


def describe_log_dirs(session: ListenerSession, version: int) -> None:
    session.ask("DescribeLogDirsRequest", version, {"topics": None}, "all")
    body = {"topics": [{"topic": stocked_topic(session).name, "partitions": [0], "partitionIndex": [0]}]}
    session.ask("DescribeLogDirsRequest", version, body, "one partition")


def alter_replica_log_dirs(session: ListenerSession, version: int) -> None:
    found = topic(session)
    answer = session.ask_newest("DescribeLogDirsRequest", {"topics": None}, "for other recipes")
    for folder in [each["logDir"] for each in answer.get("results", [])] + ["/no/such/folder"]:
        body = {"dirs": [{"path": folder, "topics": [{"name": found.name, "partitions": [0]}]}]}
        session.ask(
            "AlterReplicaLogDirsRequest", version, body, "move" if folder != "/no/such/folder" else "wrong"
        )


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
