"""Recipes about share groups (KIP-932), their state, and streams groups (KIP-1071)."""

from typing import Final

from kafkawire.values import StructValue
from wireproof.capture.workloads.listener_session import ListenerSession
from wireproof.capture.workloads.recipes.fixtures import FOR_OTHERS, stocked_topic

__all__ = ["SHARES"]

_MEMBER: Final = "AAAAAAAAAAAAAAAAAAAAAg"
_STREAMS_MEMBER: Final = "AAAAAAAAAAAAAAAAAAAAAw"
_NOBODY: Final = "no-such-group"


def share_group_heartbeat(scene: ListenerSession, version: int) -> None:
    group = scene.name("sharers")
    body = {"groupId": group, "memberId": _MEMBER, "subscribedTopicNames": [stocked_topic(scene).name]}
    joined = scene.insist("ShareGroupHeartbeatRequest", version, {**body, "memberEpoch": 0}, "join") or {}
    body["memberEpoch"] = joined.get("memberEpoch", 0)
    scene.ask("ShareGroupHeartbeatRequest", version, body, "stay")
    scene.ask("ShareGroupHeartbeatRequest", version, {**body, "memberEpoch": 99}, "wrong epoch")
    scene.kept["share group"] = group


def share_group_describe(scene: ListenerSession, version: int) -> None:
    body = {"groupIds": [scene.kept["share group"]], "includeAuthorizedOperations": True}
    scene.insist("ShareGroupDescribeRequest", version, body, "one member")
    scene.ask("ShareGroupDescribeRequest", version, {"groupIds": [_NOBODY]}, "unknown group")


def alter_share_group_offsets(scene: ListenerSession, version: int) -> None:
    group = _empty_share_group(scene)
    scene.insist("AlterShareGroupOffsetsRequest", version, _offsets_from_start(scene, group), "empty group")
    busy = _offsets_from_start(scene, scene.kept["share group"])
    scene.insist("AlterShareGroupOffsetsRequest", version, busy, "busy group")


def describe_share_group_offsets(scene: ListenerSession, version: int) -> None:
    group = _empty_share_group(scene)
    body = _offsets_from_start(scene, group)
    scene.insist(
        "AlterShareGroupOffsetsRequest", scene.newest("AlterShareGroupOffsetsRequest"), body, FOR_OTHERS
    )
    wanted = [{"topicName": stocked_topic(scene).name, "partitions": [0]}]
    for name, case in ((group, "one partition"), (_NOBODY, "unknown group")):
        body = {"groups": [{"groupId": name, "topics": wanted}]}
        scene.insist("DescribeShareGroupOffsetsRequest", version, body, case)


def delete_share_group_offsets(scene: ListenerSession, version: int) -> None:
    group = _empty_share_group(scene)
    body = _offsets_from_start(scene, group)
    scene.insist(
        "AlterShareGroupOffsetsRequest", scene.newest("AlterShareGroupOffsetsRequest"), body, FOR_OTHERS
    )
    for name, case in ((group, "one topic"), (_NOBODY, "unknown group")):
        body = {"groupId": name, "topics": [{"topicName": stocked_topic(scene).name}]}
        scene.insist("DeleteShareGroupOffsetsRequest", version, body, case)


def share_fetch(scene: ListenerSession, version: int) -> None:
    body = _share_fetch(scene, epoch=0)
    scene.insist("ShareFetchRequest", version, body, "new session")
    acknowledged = {"firstOffset": 0, "lastOffset": 1, "acknowledgeTypes": [1]}
    _share_until_records(scene, version)
    scene.ask(
        "ShareFetchRequest", version, _share_fetch(scene, epoch=99, batches=[acknowledged]), "wrong epoch"
    )
    scene.ask("ShareFetchRequest", version, _share_fetch(scene, epoch=-1), "end of the session")


def share_acknowledge(scene: ListenerSession, version: int) -> None:
    newest = scene.newest("ShareFetchRequest")
    scene.insist("ShareFetchRequest", newest, _share_fetch(scene, epoch=0), FOR_OTHERS)
    epoch = _share_until_records(scene, newest)
    batches = [{"firstOffset": 0, "lastOffset": 0, "acknowledgeTypes": [1]}]
    body = _share_acknowledge(scene, epoch, batches)
    scene.ask("ShareAcknowledgeRequest", version, body, "accept")
    scene.ask("ShareAcknowledgeRequest", version, _share_acknowledge(scene, 99, batches), "wrong epoch")
    scene.ask("ShareAcknowledgeRequest", version, _share_acknowledge(scene, -1, []), "end of the session")


def _share_until_records(scene: ListenerSession, version: int) -> int:
    """Fetch until records come, as a member does; the next epoch of the session."""
    for epoch in range(1, 20):
        answer = scene.ask("ShareFetchRequest", version, _share_fetch(scene, epoch=epoch), "session") or {}
        if any(part.get("records") for one in answer.get("responses", ()) for part in one["partitions"]):
            break
    return epoch + 1


def _share_fetch(
    scene: ListenerSession, *, epoch: int, batches: list[StructValue] | None = None
) -> StructValue:
    partition = {"partitionIndex": 0, "partitionMaxBytes": 100_000, "acknowledgementBatches": batches or []}
    topics = [{"topicId": stocked_topic(scene).id, "partitions": [partition]}]
    return {
        "groupId": scene.kept["share group"],
        "memberId": _MEMBER,
        "shareSessionEpoch": epoch,
        "maxWaitMs": 200,
        "minBytes": 1,
        "maxBytes": 1_000_000,
        "maxRecords": 2,
        "batchSize": 2,
        "topics": topics if epoch >= 0 else [],
    }


def _share_acknowledge(scene: ListenerSession, epoch: int, batches: list[StructValue]) -> StructValue:
    partition = {"partitionIndex": 0, "acknowledgementBatches": batches}
    topics = [{"topicId": stocked_topic(scene).id, "partitions": [partition]}]
    return {
        "groupId": scene.kept["share group"],
        "memberId": _MEMBER,
        "shareSessionEpoch": epoch,
        "topics": topics if epoch >= 0 else [],
    }


def _empty_share_group(scene: ListenerSession) -> str:
    """A share group whose only member has left."""
    group = scene.name("left-sharers")
    body: StructValue = {
        "groupId": group,
        "memberId": _MEMBER,
        "subscribedTopicNames": [stocked_topic(scene).name],
    }
    version = scene.newest("ShareGroupHeartbeatRequest")
    scene.insist("ShareGroupHeartbeatRequest", version, {**body, "memberEpoch": 0}, FOR_OTHERS)
    body = {"groupId": group, "memberId": _MEMBER, "memberEpoch": -1}
    scene.insist("ShareGroupHeartbeatRequest", version, body, FOR_OTHERS)
    return group


def _offsets_from_start(scene: ListenerSession, group: str) -> StructValue:
    partitions = [{"partitionIndex": 0, "startOffset": 0}]
    return {"groupId": group, "topics": [{"topicName": stocked_topic(scene).name, "partitions": partitions}]}


def initialize_share_group_state(scene: ListenerSession, version: int) -> None:
    partition = {"partition": 1, "stateEpoch": 1, "startOffset": 0}
    scene.insist("InitializeShareGroupStateRequest", version, _state(scene, partition), "new")
    scene.ask(
        "InitializeShareGroupStateRequest",
        version,
        _state(scene, {**partition, "stateEpoch": 0}),
        "old epoch",
    )


def write_share_group_state(scene: ListenerSession, version: int) -> None:
    batch = {"firstOffset": 0, "lastOffset": 4, "deliveryState": 2, "deliveryCount": 1}
    partition = {"partition": 1, "stateEpoch": 1, "leaderEpoch": 0, "startOffset": 0, "stateBatches": [batch]}
    scene.insist("WriteShareGroupStateRequest", version, _state(scene, partition), "a batch")
    scene.ask(
        "WriteShareGroupStateRequest", version, _state(scene, {**partition, "stateEpoch": 0}), "old epoch"
    )


def read_share_group_state(scene: ListenerSession, version: int) -> None:
    for epoch in (0, 9, 1):
        partition = {"partition": 1, "leaderEpoch": epoch}
        scene.insist("ReadShareGroupStateRequest", version, _state(scene, partition), f"leader epoch {epoch}")


def read_share_group_state_summary(scene: ListenerSession, version: int) -> None:
    for epoch in (9, 1):
        partition = {"partition": 1, "leaderEpoch": epoch}
        body = _state(scene, partition)
        scene.insist("ReadShareGroupStateSummaryRequest", version, body, f"leader epoch {epoch}")


def delete_share_group_state(scene: ListenerSession, version: int) -> None:
    scene.insist("DeleteShareGroupStateRequest", version, _state(scene, {"partition": 1}), "one partition")


def _state(scene: ListenerSession, partition: StructValue) -> StructValue:
    """The state of a partition in a group that only recipes know of."""
    topics = [{"topicId": stocked_topic(scene).id, "partitions": [partition]}]
    return {"groupId": f"state-{scene.node}-{scene.listener.lower()}", "topics": topics}


def streams_group_heartbeat(scene: ListenerSession, version: int) -> None:
    group, source = scene.name("streams"), stocked_topic(scene).name
    topology = {"epoch": 1, "subtopologies": [{"subtopologyId": "0", "sourceTopics": [source]}]}
    body = {
        "groupId": group,
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
    joined = scene.insist("StreamsGroupHeartbeatRequest", version, body, "join") or {}
    epoch = joined.get("memberEpoch", 0)
    tasks = [{"subtopologyId": "0", "partitions": [0, 1]}]
    stay = {"groupId": group, "memberId": _STREAMS_MEMBER, "memberEpoch": epoch, "activeTasks": tasks}
    scene.ask(
        "StreamsGroupHeartbeatRequest", version, {**stay, "standbyTasks": [], "warmupTasks": []}, "stay"
    )
    scene.ask("StreamsGroupHeartbeatRequest", version, {**stay, "memberEpoch": 99}, "wrong epoch")
    scene.kept["streams group"] = group


def streams_group_describe(scene: ListenerSession, version: int) -> None:
    body = {"groupIds": [scene.kept["streams group"]], "includeAuthorizedOperations": True}
    scene.insist("StreamsGroupDescribeRequest", version, body, "one member")
    scene.ask("StreamsGroupDescribeRequest", version, {"groupIds": [_NOBODY]}, "unknown group")


SHARES = {
    "ShareGroupHeartbeatRequest": share_group_heartbeat,
    "ShareGroupDescribeRequest": share_group_describe,
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
    "StreamsGroupDescribeRequest": streams_group_describe,
}
