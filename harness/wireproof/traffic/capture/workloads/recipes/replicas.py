"""Recipes of requests that a controller sends to brokers in a cluster with ZooKeeper (before 4.0).

A broker obeys any request with the controller's epoch. So each recipe has a topic of its own and sends only
facts that are true.
"""

from typing import Final

from kafkawire.values import StructValue
from wireproof.traffic.capture.workloads.listener_session import (
    FOR_OTHERS,
    ListenerSession,
    SweptRequest,
    Topic,
)
from wireproof.traffic.capture.workloads.recipes.fixtures import fresh_topic, once

_STALE_CONTROLLER_EPOCH: Final = 11
_CONTROLLERS: Final = 20
"""The number of epochs to try: each election of a controller adds one."""
_INCREMENTAL: Final = 1
_ANY_EPOCH: Final = -1
"""A broker epoch that every broker accepts as its own (KIP-380)."""


def leader_and_isr(session: ListenerSession, request: SweptRequest) -> None:
    found = fresh_topic(session, "led")
    host, port = _address(session)
    state = {**_state(session, found, leader_epoch=1), "isNew": False}
    body = {
        **_states(session, found, state),
        "liveLeaders": [{"brokerId": session.node, "hostName": host, "port": port}],
    }
    request.ask(body, "a later epoch")
    request.ask({**body, "brokerEpoch": 1}, "old epoch of the broker")


def stop_replica(session: ListenerSession, request: SweptRequest) -> None:
    found = fresh_topic(session, "stopped")
    for delete in (False, True):
        partition = {"partitionIndex": 0, "leaderEpoch": 1, "deletePartition": delete}
        body = {
            **_from_controller(session),
            "deletePartitions": delete,
            "ungroupedPartitions": [{"topicName": found.name, "partitionIndex": 0}],
            "topics": [{"name": found.name, "partitionIndexes": [0]}],
            "topicStates": [{"topicName": found.name, "partitionStates": [partition]}],
        }
        request.ask(body, "and delete" if delete else "and keep")


def update_metadata(session: ListenerSession, request: SweptRequest) -> None:
    """Send metadata of one topic; then create a topic, for which the controller sends all metadata again.

    Until then the broker knows only that one topic.
    """
    found = fresh_topic(session, "announced")
    host, port = _address(session)
    names = ("CLIENT", "SASL", "INTERNAL") if request.version >= 3 else (session.listener.value,)
    ends = [{"host": host, "port": port, "listener": name, "securityProtocol": 0} for name in names]
    broker = {"id": session.node, "v0Host": host, "v0Port": port, "endpoints": ends, "rack": None}
    state = _state(session, found, leader_epoch=0)
    request.ask({**_states(session, found, state), "liveBrokers": [broker]}, "as it is")
    fresh_topic(session, "announced")


def controlled_shutdown(session: ListenerSession, request: SweptRequest) -> None:
    body = {"brokerId": 98, "brokerEpoch": 1}
    request.ask(body, "unknown broker")


def _state(session: ListenerSession, found: Topic, leader_epoch: int) -> StructValue:
    """Return the state of a topic's first partition, whose only replica is this broker."""
    return {
        "topicName": found.name,
        "partitionIndex": 0,
        "controllerEpoch": _controller_epoch(session),
        "leader": session.node,
        "leaderEpoch": leader_epoch,
        "isr": [session.node],
        "zkVersion": 0,
        "partitionEpoch": 0,  # its name since 3.2
        "replicas": [session.node],
    }


def _states(session: ListenerSession, found: Topic, state: StructValue) -> StructValue:
    """Return the fields of a controller's request about one partition."""
    return {
        **_from_controller(session),
        "type": _INCREMENTAL,
        "ungroupedPartitionStates": [state],
        "topicStates": [{"topicName": found.name, "topicId": found.id, "partitionStates": [state]}],
    }


def _from_controller(session: ListenerSession) -> StructValue:
    return {
        "controllerId": session.node,
        "isKRaftController": False,
        "controllerEpoch": _controller_epoch(session),
        "brokerEpoch": _ANY_EPOCH,
    }


def _controller_epoch(session: ListenerSession) -> int:
    """Return the epoch of the current controller: the first that the broker does not reject as stale."""

    def find() -> int:
        epochs = range(1, _CONTROLLERS)
        return next((epoch for epoch in epochs if not _is_old(session, epoch)), _CONTROLLERS)

    return once(session, "controller epoch", find)


def _is_old(session: ListenerSession, epoch: int) -> bool:
    body = {"controllerId": session.node, "controllerEpoch": epoch, "brokerEpoch": _ANY_EPOCH}
    answer = session.ask_newest("StopReplicaRequest", body, FOR_OTHERS)
    return answer.get("errorCode") == _STALE_CONTROLLER_EPOCH


def _address(session: ListenerSession) -> tuple[str, int]:
    """Return the address that this broker advertises."""
    answer = session.ask_newest(
        "MetadataRequest", {"topics": [], "allowAutoTopicCreation": False}, FOR_OTHERS
    )
    for each in answer.get("brokers", ()):
        if each["nodeId"] == session.node:
            return each["host"], each["port"]
    return "127.0.0.1", 1


REPLICAS = {
    "LeaderAndIsrRequest": leader_and_isr,
    "StopReplicaRequest": stop_replica,
    "UpdateMetadataRequest": update_metadata,
    "ControlledShutdownRequest": controlled_shutdown,
}
