"""Recipes of requests about share groups (KIP-932), their state, and streams groups (KIP-1071)."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from kafkawire.values import StructValue
from wireproof.traffic.capture.workloads.listener_session import ListenerSession, Recipe, SweptRequest
from wireproof.traffic.capture.workloads.recipes.fixtures import (
    UNKNOWN_GROUP,
    describe_group,
    new_group,
    once,
    stocked_topic,
)

_MEMBER: Final = "AAAAAAAAAAAAAAAAAAAAAg"
_STREAMS_MEMBER: Final = "AAAAAAAAAAAAAAAAAAAAAw"


def share_group_heartbeat(session: ListenerSession, request: SweptRequest) -> None:
    body = _share_member(session, "sharers")
    joined = request.ask_until_settled({**body, "memberEpoch": 0}, "join") or {}
    body["memberEpoch"] = joined.get("memberEpoch", 0)
    request.ask(body, "stay")
    request.ask({**body, "memberEpoch": 99}, "wrong epoch")
    session.fixtures["share group"] = body["groupId"]


def alter_share_group_offsets(session: ListenerSession, request: SweptRequest) -> None:
    group = _empty_share_group(session)
    request.ask_until_settled(_offsets_from_start(session, group), "empty group")
    busy = _offsets_from_start(session, _share_group(session))
    request.ask_until_settled(busy, "busy group")


def describe_share_group_offsets(session: ListenerSession, request: SweptRequest) -> None:
    group = _empty_share_group(session)
    body = _offsets_from_start(session, group)
    session.prepare("AlterShareGroupOffsetsRequest", body)
    wanted = [{"topicName": stocked_topic(session).name, "partitions": [0]}]
    for name, case in ((group, "one partition"), (UNKNOWN_GROUP, "unknown group")):
        body = {"groups": [{"groupId": name, "topics": wanted}]}
        request.ask_until_settled(body, case)


def delete_share_group_offsets(session: ListenerSession, request: SweptRequest) -> None:
    group = _empty_share_group(session)
    body = _offsets_from_start(session, group)
    session.prepare("AlterShareGroupOffsetsRequest", body)
    for name, case in ((group, "one topic"), (UNKNOWN_GROUP, "unknown group")):
        body = {"groupId": name, "topics": [{"topicName": stocked_topic(session).name}]}
        request.ask_until_settled(body, case)


def share_fetch(session: ListenerSession, request: SweptRequest) -> None:
    body = _share_fetch(session, epoch=0)
    request.ask_until_settled(body, "new session")
    acknowledged = {"firstOffset": 0, "lastOffset": 1, "acknowledgeTypes": [1]}
    _share_until_records(session, request.version)
    request.ask(_share_fetch(session, epoch=99, batches=[acknowledged]), "wrong epoch")
    request.ask(_share_fetch(session, epoch=-1), "end of the session")


def share_acknowledge(session: ListenerSession, request: SweptRequest) -> None:
    newest = session.newest("ShareFetchRequest")
    session.prepare("ShareFetchRequest", _share_fetch(session, epoch=0))
    epoch = _share_until_records(session, newest)
    batches = [{"firstOffset": 0, "lastOffset": 0, "acknowledgeTypes": [1]}]
    body = _share_acknowledge(session, epoch, batches)
    request.ask(body, "accept")
    request.ask(_share_acknowledge(session, 99, batches), "wrong epoch")
    request.ask(_share_acknowledge(session, -1, []), "end of the session")


def _share_until_records(session: ListenerSession, version: int) -> int:
    """Fetch until records come, as a member does; return the next epoch of the share session."""
    for epoch in range(1, 20):
        answer = (
            session.ask("ShareFetchRequest", version, _share_fetch(session, epoch=epoch), "session") or {}
        )
        if any(part.get("records") for one in answer.get("responses", ()) for part in one["partitions"]):
            break
    return epoch + 1


def _share_fetch(
    session: ListenerSession, *, epoch: int, batches: list[StructValue] | None = None
) -> StructValue:
    limits = {"maxWaitMs": 200, "minBytes": 1, "maxBytes": 1_000_000, "maxRecords": 2, "batchSize": 2}
    return {**_share_acknowledge(session, epoch, batches or [], {"partitionMaxBytes": 100_000}), **limits}


def _share_acknowledge(
    session: ListenerSession, epoch: int, batches: list[StructValue], limits: Mapping[str, int] | None = None
) -> StructValue:
    """Return a request of the share session; `limits` are those of the partition."""
    partition = {"partitionIndex": 0, **(limits or {}), "acknowledgementBatches": batches}
    topics = [{"topicId": stocked_topic(session).id, "partitions": [partition]}]
    return {
        "groupId": _share_group(session),
        "memberId": _MEMBER,
        "shareSessionEpoch": epoch,
        "topics": topics if epoch >= 0 else [],
    }


def _share_group(session: ListenerSession) -> str:
    """Return a share group with one member."""

    def join() -> str:
        body = _share_member(session, "sharers")
        session.prepare("ShareGroupHeartbeatRequest", {**body, "memberEpoch": 0})
        name: str = body["groupId"]
        return name

    return once(session, "share group", join)


def _empty_share_group(session: ListenerSession) -> str:
    """Return a share group whose only member has left."""
    body = _share_member(session, "left-sharers")
    session.prepare("ShareGroupHeartbeatRequest", {**body, "memberEpoch": 0})
    group: str = body["groupId"]
    body = {"groupId": group, "memberId": _MEMBER, "memberEpoch": -1}
    session.prepare("ShareGroupHeartbeatRequest", body)
    return group


def _share_member(session: ListenerSession, stem: str) -> StructValue:
    """Return the fields by which the member of a new share group subscribes."""
    topics = [stocked_topic(session).name]
    return {"groupId": new_group(session, stem), "memberId": _MEMBER, "subscribedTopicNames": topics}


def _offsets_from_start(session: ListenerSession, group: str) -> StructValue:
    partitions = [{"partitionIndex": 0, "startOffset": 0}]
    return {
        "groupId": group,
        "topics": [{"topicName": stocked_topic(session).name, "partitions": partitions}],
    }


def initialize_share_group_state(session: ListenerSession, request: SweptRequest) -> None:
    partition = {"partition": 1, "stateEpoch": 1, "startOffset": 0}
    request.ask_until_settled(_state(session, partition), "new")
    request.ask(_state(session, {**partition, "stateEpoch": 0}), "old epoch")


def write_share_group_state(session: ListenerSession, request: SweptRequest) -> None:
    batch = {"firstOffset": 0, "lastOffset": 4, "deliveryState": 2, "deliveryCount": 1}
    partition = {"partition": 1, "stateEpoch": 1, "leaderEpoch": 0, "startOffset": 0, "stateBatches": [batch]}
    request.ask_until_settled(_state(session, partition), "a batch")
    request.ask(_state(session, {**partition, "stateEpoch": 0}), "old epoch")


def read_share_group_state(session: ListenerSession, request: SweptRequest) -> None:
    for epoch in (0, 9, 1):
        partition = {"partition": 1, "leaderEpoch": epoch}
        request.ask_until_settled(_state(session, partition), f"leader epoch {epoch}")


def read_share_group_state_summary(session: ListenerSession, request: SweptRequest) -> None:
    for epoch in (9, 1):
        partition = {"partition": 1, "leaderEpoch": epoch}
        body = _state(session, partition)
        request.ask_until_settled(body, f"leader epoch {epoch}")


def delete_share_group_state(session: ListenerSession, request: SweptRequest) -> None:
    request.ask_until_settled(_state(session, {"partition": 1}), "one partition")


def _state(session: ListenerSession, partition: StructValue) -> StructValue:
    """Return the state of a partition in a group that exists only in recipes."""
    topics = [{"topicId": stocked_topic(session).id, "partitions": [partition]}]
    return {"groupId": f"state-{session.node}-{session.listener.lower()}", "topics": topics}


def streams_group_heartbeat(session: ListenerSession, request: SweptRequest) -> None:
    body = _streams_member(session)
    joined = request.ask_until_settled(body, "join") or {}
    epoch = joined.get("memberEpoch", 0)
    tasks = [{"subtopologyId": "0", "partitions": [0, 1]}]
    member = {"groupId": body["groupId"], "memberId": _STREAMS_MEMBER, "activeTasks": tasks}
    request.ask({**member, "memberEpoch": epoch, "standbyTasks": [], "warmupTasks": []}, "stay")
    request.ask({**member, "memberEpoch": 99}, "wrong epoch")
    session.fixtures["streams group"] = body["groupId"]


def _streams_group(session: ListenerSession) -> str:
    """Return a streams group with one member."""

    def join() -> str:
        body = _streams_member(session)
        session.prepare("StreamsGroupHeartbeatRequest", body)
        name: str = body["groupId"]
        return name

    return once(session, "streams group", join)


def _streams_member(session: ListenerSession) -> StructValue:
    """Return the request by which the only member joins a new streams group."""
    topics = [stocked_topic(session).name]
    topology = {"epoch": 1, "subtopologies": [{"subtopologyId": "0", "sourceTopics": topics}]}
    return {
        "groupId": new_group(session, "streams"),
        "memberId": _STREAMS_MEMBER,
        "memberEpoch": 0,
        "rebalanceTimeoutMs": 30_000,
        "topology": topology,
        "activeTasks": [],
        "standbyTasks": [],
        "warmupTasks": [],
        "processId": "a process",
        "userEndpoint": {"host": "127.0.0.1", "port": 19_098},
        "clientTags": [{"key": "zone", "value": "here"}],
    }


SHARES: Final[Mapping[str, Recipe]] = {
    "ShareGroupHeartbeatRequest": share_group_heartbeat,
    "ShareGroupDescribeRequest": partial(describe_group, _share_group),
    "AlterShareGroupOffsetsRequest": alter_share_group_offsets,
    "DescribeShareGroupOffsetsRequest": describe_share_group_offsets,
    "DeleteShareGroupOffsetsRequest": delete_share_group_offsets,
    "ShareFetchRequest": share_fetch,
    "ShareAcknowledgeRequest": share_acknowledge,
    "InitializeShareGroupStateRequest": initialize_share_group_state,
    "WriteShareGroupStateRequest": write_share_group_state,
    "ReadShareGroupStateSummaryRequest": read_share_group_state_summary,
    "ReadShareGroupStateRequest": read_share_group_state,
    "DeleteShareGroupStateRequest": delete_share_group_state,
    "StreamsGroupHeartbeatRequest": streams_group_heartbeat,
    "StreamsGroupDescribeRequest": partial(describe_group, _streams_group),
}
