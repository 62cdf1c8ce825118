"""Recipes about groups: classic ones, consumer groups of KIP-848, and the offsets that they commit."""

from wireproof.capture.workloads.listener_session import ListenerSession
from wireproof.capture.workloads.recipes.fixtures import (
    FOR_OTHERS,
    NO_ID,
    both_names,
    join,
    member,
    stocked_topic,
    sync_body,
    topic,
)

__all__ = ["GROUPS"]

_NOBODY = "no-such-group"
NO_GENERATION = {"generationIdOrMemberEpoch": -1, "generationId": -1}
"""Of who commits without being a member; the name before 3.5 and since."""


def find_coordinator(scene: ListenerSession, version: int) -> None:
    for kind, key in ((0, "a-group"), (1, "a-transaction")):
        body = {"key": key, "keyType": kind, "coordinatorKeys": [key, "another"]}
        scene.insist("FindCoordinatorRequest", version, body, f"of kind {kind}")
    if version >= 6:
        found = topic(scene)
        body = {"keyType": 2, "coordinatorKeys": [f"a-group:{found.id}:0"]}
        scene.insist("FindCoordinatorRequest", version, body, "of a share group")
    scene.ask("FindCoordinatorRequest", version, {"key": "", "keyType": 9, "coordinatorKeys": [""]}, "wrong")


def join_group(scene: ListenerSession, version: int) -> None:
    join(scene, version, scene.name("joined"), "join")
    wrong = {"groupId": scene.name("joined"), "sessionTimeoutMs": 1, "protocolType": "consumer"}
    scene.ask("JoinGroupRequest", version, wrong, "wrong session timeout")


def sync_group(scene: ListenerSession, version: int) -> None:
    found = member(scene, "synced")
    scene.ask("SyncGroupRequest", version, sync_body(found), "leader")
    scene.ask("SyncGroupRequest", version, {**sync_body(found), "memberId": "nobody"}, "unknown member")


def heartbeat(scene: ListenerSession, version: int) -> None:
    found = member(scene, "beating")
    body = {"groupId": found.group, "generationId": found.generation, "memberId": found.id}
    scene.ask("HeartbeatRequest", version, body, "member")
    scene.ask("HeartbeatRequest", version, {**body, "generationId": 99}, "wrong generation")


def leave_group(scene: ListenerSession, version: int) -> None:
    found = member(scene, "left")
    leaver = {"memberId": found.id, "reason": "a recipe"}
    body = {"groupId": found.group, "memberId": found.id, "members": [leaver]}
    scene.ask("LeaveGroupRequest", version, body, "member")
    scene.ask(
        "LeaveGroupRequest", version, {**body, "members": [leaver, {"memberId": "nobody"}]}, "left before"
    )


def offset_commit(scene: ListenerSession, version: int) -> None:
    group, found = scene.name("committed"), stocked_topic(scene)
    partition = {
        "partitionIndex": 0,
        "committedOffset": 3,
        "committedLeaderEpoch": 0,
        "committedMetadata": "a note",
    }
    body = {
        "groupId": group,
        **NO_GENERATION,
        "memberId": "",
        "retentionTimeMs": -1,
        "topics": [{**both_names(found), "partitions": [partition]}],
    }
    scene.insist("OffsetCommitRequest", version, body, "without members")
    scene.ask("OffsetCommitRequest", version, {**body, "memberId": "nobody"}, "unknown member")
    unknown = {"name": "no-such-topic", "topicId": NO_ID, "partitions": [partition]}
    scene.ask("OffsetCommitRequest", version, {**body, "topics": [unknown]}, "unknown topic")


def offset_fetch(scene: ListenerSession, version: int) -> None:
    group, found = _committed(scene), stocked_topic(scene)
    by_name = [{"name": found.name, "partitionIndexes": [0, 1]}]
    wanted = [{**both_names(found), "partitionIndexes": [0, 1]}]
    body = {"groupId": group, "topics": by_name, "groups": [{"groupId": group, "topics": wanted}]}
    scene.insist("OffsetFetchRequest", version, body, "two partitions")
    if version >= 2:
        every = {"groupId": group, "topics": None, "groups": [{"groupId": group, "topics": None}]}
        scene.ask("OffsetFetchRequest", version, every, "all topics")
    if version >= 9:
        stranger = {"groupId": group, "memberId": "nobody", "memberEpoch": 7, "topics": wanted}
        scene.ask("OffsetFetchRequest", version, {"groups": [stranger]}, "unknown member")


def offset_delete(scene: ListenerSession, version: int) -> None:
    for name in (stocked_topic(scene).name, "no-such-topic"):
        body = {
            "groupId": _committed(scene),
            "topics": [{"name": name, "partitions": [{"partitionIndex": 0}]}],
        }
        scene.ask("OffsetDeleteRequest", version, body, f"of {name.partition('-')[0]}")
    scene.kept.pop("group with offsets")


def describe_groups(scene: ListenerSession, version: int) -> None:
    found = member(scene, "described")
    body = {"groups": [found.group], "includeAuthorizedOperations": True}
    scene.insist("DescribeGroupsRequest", version, body, "one member")
    scene.ask("DescribeGroupsRequest", version, {"groups": [found.group, _NOBODY]}, "unknown group")


def list_groups(scene: ListenerSession, version: int) -> None:
    member(scene, "listed")
    scene.insist("ListGroupsRequest", version, {}, "all")
    if version >= 4:
        body = {"statesFilter": ["Stable"], "typesFilter": ["classic", "consumer"]}
        scene.ask("ListGroupsRequest", version, body, "filtered")


def delete_groups(scene: ListenerSession, version: int) -> None:
    group, busy = _committed(scene), member(scene, "busy").group
    scene.kept.pop("group with offsets")
    scene.insist("DeleteGroupsRequest", version, {"groupsNames": [group]}, "empty group")
    scene.ask("DeleteGroupsRequest", version, {"groupsNames": [busy, _NOBODY]}, "busy and unknown")


def consumer_group_heartbeat(scene: ListenerSession, version: int) -> None:
    found, member_id = stocked_topic(scene), "AAAAAAAAAAAAAAAAAAAAAQ"
    body = {
        "groupId": scene.name("consumers"),
        "memberId": member_id if version >= 1 else "",
        "memberEpoch": 0,
        "rebalanceTimeoutMs": 30_000,
        "subscribedTopicNames": [found.name],
        "serverAssignor": "uniform",
        "topicPartitions": [],
    }
    joined = scene.insist("ConsumerGroupHeartbeatRequest", version, body, "join") or {}
    member_id, epoch = joined.get("memberId") or member_id, joined.get("memberEpoch", 0)
    owned = [{"topicId": found.id, "partitions": [0, 1]}]
    body = {"groupId": body["groupId"], "memberId": member_id, "memberEpoch": epoch}
    scene.ask(
        "ConsumerGroupHeartbeatRequest", version, {**body, "topicPartitions": owned}, "owns what it got"
    )
    scene.ask("ConsumerGroupHeartbeatRequest", version, {**body, "memberEpoch": 99}, "wrong epoch")
    scene.kept["consumer group"] = body["groupId"]


def consumer_group_describe(scene: ListenerSession, version: int) -> None:
    body = {"groupIds": [scene.kept["consumer group"]], "includeAuthorizedOperations": True}
    scene.insist("ConsumerGroupDescribeRequest", version, body, "one member")
    scene.ask("ConsumerGroupDescribeRequest", version, {"groupIds": [_NOBODY]}, "unknown group")


def _committed(scene: ListenerSession) -> str:
    """A group without members that has an offset of the stocked topic."""
    key = "group with offsets"
    if key not in scene.kept:
        scene.kept[key] = scene.name("offsets")
        partition = {"partitionIndex": 0, "committedOffset": 2, "committedMetadata": "a note"}
        body = {
            "groupId": scene.kept[key],
            **NO_GENERATION,
            "topics": [{**both_names(stocked_topic(scene)), "partitions": [partition]}],
        }
        newest = scene.newest("OffsetCommitRequest")
        # Version 0 commits to a ZooKeeper, where OffsetFetch 0 looks.
        for version in sorted({newest, scene.takes["OffsetCommitRequest"].lowest}):
            scene.insist("OffsetCommitRequest", version, body, FOR_OTHERS)
    group: str = scene.kept[key]
    return group


GROUPS = {
    "FindCoordinatorRequest": find_coordinator,
    "JoinGroupRequest": join_group,
    "SyncGroupRequest": sync_group,
    "HeartbeatRequest": heartbeat,
    "LeaveGroupRequest": leave_group,
    "DescribeGroupsRequest": describe_groups,
    "ListGroupsRequest": list_groups,
    "OffsetCommitRequest": offset_commit,
    "OffsetFetchRequest": offset_fetch,
    "OffsetDeleteRequest": offset_delete,
    "DeleteGroupsRequest": delete_groups,
    "ConsumerGroupHeartbeatRequest": consumer_group_heartbeat,
    "ConsumerGroupDescribeRequest": consumer_group_describe,
}
