"""Recipes of requests about classic groups, consumer groups (KIP-848) and committed offsets."""

from collections.abc import Mapping
from functools import partial
from typing import Final

from kafkawire.values import StructValue
from wireproof.traffic.capture.workloads.listener_session import (
    FOR_OTHERS,
    ListenerSession,
    Recipe,
    SweptRequest,
)
from wireproof.traffic.capture.workloads.recipes.fixtures import (
    NO_ID,
    UNKNOWN_GROUP,
    both_names,
    describe_group,
    join,
    member,
    new_group,
    once,
    stocked_topic,
    sync_body,
    topic,
)

NO_GENERATION = {"generationIdOrMemberEpoch": -1, "generationId": -1}
"""The fields of a commit without a membership; the field's name before 3.5 and since."""
_CONSUMER: Final = "AAAAAAAAAAAAAAAAAAAAAQ"


def find_coordinator(session: ListenerSession, request: SweptRequest) -> None:
    for kind, key in ((0, "a-group"), (1, "a-transaction")):
        body = {"key": key, "keyType": kind, "coordinatorKeys": [key, "another"]}
        request.ask_until_settled(body, f"of kind {kind}")
    if request.version >= 6:
        found = topic(session)
        body = {"keyType": 2, "coordinatorKeys": [f"a-group:{found.id}:0"]}
        request.ask_until_settled(body, "of a share group")
    request.ask({"key": "", "keyType": 9, "coordinatorKeys": [""]}, "wrong")


def join_group(session: ListenerSession, request: SweptRequest) -> None:
    join(session, request.version, new_group(session, "joined"), "join")
    wrong = {"groupId": new_group(session, "joined"), "sessionTimeoutMs": 1, "protocolType": "consumer"}
    request.ask(wrong, "wrong session timeout")


def sync_group(session: ListenerSession, request: SweptRequest) -> None:
    found = member(session, "synced")
    request.ask(sync_body(found), "leader")
    request.ask({**sync_body(found), "memberId": "unknown"}, "unknown member")


def heartbeat(session: ListenerSession, request: SweptRequest) -> None:
    found = member(session, "beating")
    body = {"groupId": found.group, "generationId": found.generation, "memberId": found.id}
    request.ask(body, "member")
    request.ask({**body, "generationId": 99}, "wrong generation")


def leave_group(session: ListenerSession, request: SweptRequest) -> None:
    found = member(session, "left")
    leaver = {"memberId": found.id, "reason": "a recipe"}
    body = {"groupId": found.group, "memberId": found.id, "members": [leaver]}
    request.ask(body, "member")
    request.ask({**body, "members": [leaver, {"memberId": "unknown"}]}, "left before")


def offset_commit(session: ListenerSession, request: SweptRequest) -> None:
    group, found = new_group(session, "committed"), stocked_topic(session)
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
    request.ask_until_settled(body, "without members")
    request.ask({**body, "memberId": "unknown"}, "unknown member")
    unknown = {"name": "no-such-topic", "topicId": NO_ID, "partitions": [partition]}
    request.ask({**body, "topics": [unknown]}, "unknown topic")


def offset_fetch(session: ListenerSession, request: SweptRequest) -> None:
    group, found = _committed(session), stocked_topic(session)
    by_name = [{"name": found.name, "partitionIndexes": [0, 1]}]
    wanted = [{**both_names(found), "partitionIndexes": [0, 1]}]
    body = {"groupId": group, "topics": by_name, "groups": [{"groupId": group, "topics": wanted}]}
    request.ask_until_settled(body, "two partitions")
    if request.version >= 2:
        every = {"groupId": group, "topics": None, "groups": [{"groupId": group, "topics": None}]}
        request.ask(every, "all topics")
    if request.version >= 9:
        stranger = {"groupId": group, "memberId": "unknown", "memberEpoch": 7, "topics": wanted}
        request.ask({"groups": [stranger]}, "unknown member")


def offset_delete(session: ListenerSession, request: SweptRequest) -> None:
    for name in (stocked_topic(session).name, "no-such-topic"):
        body = {
            "groupId": _committed(session),
            "topics": [{"name": name, "partitions": [{"partitionIndex": 0}]}],
        }
        request.ask(body, f"of {name.partition('-')[0]}")
    session.fixtures.pop("group with offsets")


def describe_groups(session: ListenerSession, request: SweptRequest) -> None:
    found = member(session, "described")
    body = {"groups": [found.group], "includeAuthorizedOperations": True}
    request.ask_until_settled(body, "one member")
    request.ask({"groups": [found.group, UNKNOWN_GROUP]}, "unknown group")


def list_groups(session: ListenerSession, request: SweptRequest) -> None:
    member(session, "listed")
    request.ask_until_settled({}, "all")
    if request.version >= 4:
        body = {"statesFilter": ["Stable"], "typesFilter": ["classic", "consumer"]}
        request.ask(body, "filtered")


def delete_groups(session: ListenerSession, request: SweptRequest) -> None:
    group, busy = _committed(session), member(session, "busy").group
    session.fixtures.pop("group with offsets")
    request.ask_until_settled({"groupsNames": [group]}, "empty group")
    request.ask({"groupsNames": [busy, UNKNOWN_GROUP]}, "busy and unknown")


def consumer_group_heartbeat(session: ListenerSession, request: SweptRequest) -> None:
    body = _consumer(session, request.version)
    joined = request.ask_until_settled(body, "join") or {}
    member_id, epoch = joined.get("memberId") or _CONSUMER, joined.get("memberEpoch", 0)
    owned = [{"topicId": stocked_topic(session).id, "partitions": [0, 1]}]
    body = {"groupId": body["groupId"], "memberId": member_id, "memberEpoch": epoch}
    request.ask({**body, "topicPartitions": owned}, "owns what it got")
    request.ask({**body, "memberEpoch": 99}, "wrong epoch")
    session.fixtures["consumer group"] = body["groupId"]


def _consumer_group(session: ListenerSession) -> str:
    """Return a group of the new protocol (KIP-848) with one member."""

    def join() -> str:
        body = _consumer(session, session.newest("ConsumerGroupHeartbeatRequest"))
        session.prepare("ConsumerGroupHeartbeatRequest", body)
        name: str = body["groupId"]
        return name

    return once(session, "consumer group", join)


def _consumer(session: ListenerSession, version: int) -> StructValue:
    """Return the request by which the only member joins a new group; since version 1 it has an own id."""
    return {
        "groupId": new_group(session, "consumers"),
        "memberId": _CONSUMER if version >= 1 else "",
        "memberEpoch": 0,
        "rebalanceTimeoutMs": 30_000,
        "subscribedTopicNames": [stocked_topic(session).name],
        "serverAssignor": "uniform",
        "topicPartitions": [],
    }


def _committed(session: ListenerSession) -> str:
    """Return a group without members that has committed an offset of the stocked topic."""

    def commit() -> str:
        group = new_group(session, "offsets")
        partition = {"partitionIndex": 0, "committedOffset": 2, "committedMetadata": "a note"}
        topics = [{**both_names(stocked_topic(session)), "partitions": [partition]}]
        newest = session.newest("OffsetCommitRequest")
        # Version 0 commits to ZooKeeper; OffsetFetch 0 reads from there.
        for version in sorted({newest, session.supported["OffsetCommitRequest"].lowest}):
            body = {"groupId": group, **NO_GENERATION, "topics": topics}
            session.ask_until_settled("OffsetCommitRequest", version, body, FOR_OTHERS)
        return group

    return once(session, "group with offsets", commit)


GROUPS: Final[Mapping[str, Recipe]] = {
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
    "ConsumerGroupDescribeRequest": partial(describe_group, _consumer_group),
}
