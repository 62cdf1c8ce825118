"""Recipes about what the controller asks of brokers where a ZooKeeper keeps the metadata (before 4.0).

A broker believes whoever names the controller's epoch, and does what it is told. So each is told about a
topic of its own, and nothing that is not so.
"""

from typing import Final

from kafkawire.values import StructValue
from wireproof.capture.workloads.listener_session import ListenerSession, Topic
from wireproof.capture.workloads.recipes.fixtures import FOR_OTHERS, fresh_topic

__all__ = ["REPLICAS"]

_STALE_CONTROLLER_EPOCH: Final = 11
_CONTROLLERS: Final = 20
"""So many epochs are tried: each controller that was elected has one."""
_INCREMENTAL: Final = 1
_ANY_EPOCH: Final = -1
"""Of a broker; it takes it for its own (KIP-380)."""


def leader_and_isr(scene: ListenerSession, version: int) -> None:
    found = fresh_topic(scene, "led")
    host, port = _address(scene)
    state = {**_state(scene, found, leader_epoch=1), "isNew": False}
    body = {
        **_from_controller(scene),
        "type": _INCREMENTAL,
        "ungroupedPartitionStates": [state],
        "topicStates": [{"topicName": found.name, "topicId": found.id, "partitionStates": [state]}],
        "liveLeaders": [{"brokerId": scene.node, "hostName": host, "port": port}],
    }
    scene.ask("LeaderAndIsrRequest", version, body, "a later epoch")
    scene.ask("LeaderAndIsrRequest", version, {**body, "brokerEpoch": 1}, "old epoch of the broker")


def stop_replica(scene: ListenerSession, version: int) -> None:
    found = fresh_topic(scene, "stopped")
    for delete in (False, True):
        partition = {"partitionIndex": 0, "leaderEpoch": 1, "deletePartition": delete}
        body = {
            **_from_controller(scene),
            "deletePartitions": delete,
            "ungroupedPartitions": [{"topicName": found.name, "partitionIndex": 0}],
            "topics": [{"name": found.name, "partitionIndexes": [0]}],
            "topicStates": [{"topicName": found.name, "partitionStates": [partition]}],
        }
        scene.ask("StopReplicaRequest", version, body, "and delete" if delete else "and keep")


def update_metadata(scene: ListenerSession, version: int) -> None:
    """The broker then knows but what it was told, until the next topic is made: the controller tells all."""
    found = fresh_topic(scene, "told")
    host, port = _address(scene)
    names = ("CLIENT", "SASL", "INTERNAL") if version >= 3 else (scene.listener.value,)
    ends = [{"host": host, "port": port, "listener": name, "securityProtocol": 0} for name in names]
    broker = {"id": scene.node, "v0Host": host, "v0Port": port, "endpoints": ends, "rack": None}
    state = _state(scene, found, leader_epoch=0)
    body = {
        **_from_controller(scene),
        "type": _INCREMENTAL,
        "ungroupedPartitionStates": [state],
        "topicStates": [{"topicName": found.name, "topicId": found.id, "partitionStates": [state]}],
        "liveBrokers": [broker],
    }
    scene.ask("UpdateMetadataRequest", version, body, "as it is")
    fresh_topic(scene, "told")


def controlled_shutdown(scene: ListenerSession, version: int) -> None:
    body = {"brokerId": 98, "brokerEpoch": 1}
    scene.ask("ControlledShutdownRequest", version, body, "unknown broker")


def _state(scene: ListenerSession, found: Topic, leader_epoch: int) -> StructValue:
    """The first partition of a topic, which is here and nowhere else."""
    return {
        "topicName": found.name,
        "partitionIndex": 0,
        "controllerEpoch": _controller_epoch(scene),
        "leader": scene.node,
        "leaderEpoch": leader_epoch,
        "isr": [scene.node],
        "zkVersion": 0,
        "partitionEpoch": 0,  # its name since 3.2
        "replicas": [scene.node],
    }


def _from_controller(scene: ListenerSession) -> StructValue:
    return {
        "controllerId": scene.node,
        "isKRaftController": False,
        "controllerEpoch": _controller_epoch(scene),
        "brokerEpoch": _ANY_EPOCH,
    }


def _controller_epoch(scene: ListenerSession) -> int:
    """The epoch of the controller that is: the first that the broker does not call old."""
    if "controller epoch" not in scene.kept:
        scene.kept["controller epoch"] = next(
            (epoch for epoch in range(1, _CONTROLLERS) if not _is_old(scene, epoch)), _CONTROLLERS
        )
    epoch: int = scene.kept["controller epoch"]
    return epoch


def _is_old(scene: ListenerSession, epoch: int) -> bool:
    body = {"controllerId": scene.node, "controllerEpoch": epoch, "brokerEpoch": _ANY_EPOCH}
    answer = scene.tell("StopReplicaRequest", body, FOR_OTHERS)
    return answer.get("errorCode") == _STALE_CONTROLLER_EPOCH


def _address(scene: ListenerSession) -> tuple[str, int]:
    """Where this broker says that it is."""
    answer = scene.tell("MetadataRequest", {"topics": [], "allowAutoTopicCreation": False}, FOR_OTHERS)
    for each in answer.get("brokers", ()):
        if each["nodeId"] == scene.node:
            return each["host"], each["port"]
    return "127.0.0.1", 1


REPLICAS = {
    "LeaderAndIsrRequest": leader_and_isr,
    "StopReplicaRequest": stop_replica,
    "UpdateMetadataRequest": update_metadata,
    "ControlledShutdownRequest": controlled_shutdown,
}
