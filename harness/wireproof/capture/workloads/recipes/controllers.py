"""Recipes about what controllers are asked by brokers and by each other."""

from typing import Final
from uuid import UUID

from kafkawire.values import StructValue
from wireproof.capture.workloads.listener_session import ListenerSession
from wireproof.capture.workloads.recipes.admin import DIRECTORY
from wireproof.capture.workloads.recipes.data import create_partitions, create_topics, delete_topics
from wireproof.capture.workloads.recipes.fixtures import FOR_OTHERS, NO_ID, fresh_topic

__all__ = ["CONTROLLERS"]

_METADATA_ID: Final = UUID(int=1)
"""The id of the topic `__cluster_metadata` (Kafka: `Uuid.METADATA_TOPIC_ID`)."""
_KRAFT_SINCE: Final = 12
"""Older versions of Fetch tell no cluster and no epoch of the last record: controllers cannot answer them."""
_STRANGER: Final = 95
_INCARNATION: Final = UUID("3456789a-bcde-4f01-8234-56789abcdef0")
_DIRECTORIES: Final = (DIRECTORY, UUID("23456789-abcd-4ef0-8123-456789abcdef"))


def fetch(scene: ListenerSession, version: int) -> None:
    """As an observer reads the metadata log: from its beginning, and beyond its end."""
    if version < _KRAFT_SINCE:
        return
    for offset in (0, 1_000_000):
        partition = {
            "partition": 0,
            "currentLeaderEpoch": _quorum(scene)["leaderEpoch"],
            "fetchOffset": offset,
            "lastFetchedEpoch": 0 if offset == 0 else _quorum(scene)["leaderEpoch"],
            "logStartOffset": 0,
            "partitionMaxBytes": 1_000_000,
        }
        topics = [{"topic": scene.metadata_topic, "topicId": _METADATA_ID, "partitions": [partition]}]
        body = {
            "clusterId": scene.cluster_id,
            "replicaId": _STRANGER,
            "replicaState": {"replicaId": _STRANGER, "replicaEpoch": -1},
            "maxWaitMs": 100,
            "maxBytes": 1_000_000,
            "topics": topics,
        }
        answer = scene.ask("FetchRequest", version, body, f"from {offset}") or {}
        _keep_snapshot(scene, answer)
    scene.ask("FetchRequest", version, {**body, "clusterId": "another-cluster"}, "another cluster")


def _keep_snapshot(scene: ListenerSession, answer: StructValue) -> None:
    """Remember the snapshot that a leader names to who begins at the beginning (KIP-630)."""
    for topic in answer.get("responses", ()):
        for partition in topic.get("partitions", ()):  # releases that name them otherwise tell no snapshot
            snapshot = partition.get("snapshotId", {})
            if snapshot.get("endOffset", -1) > 0:
                scene.kept["snapshot"] = snapshot


def fetch_snapshot(scene: ListenerSession, version: int) -> None:
    unknown = {"endOffset": 1_000_000, "epoch": 0}
    for snapshot in (scene.kept.get("snapshot", {"endOffset": 1, "epoch": 0}), unknown):
        partition = {
            "partition": 0,
            "currentLeaderEpoch": _quorum(scene)["leaderEpoch"],
            "snapshotId": {"endOffset": snapshot["endOffset"], "epoch": snapshot["epoch"]},
        }
        body = {
            "clusterId": scene.cluster_id,
            "replicaId": _STRANGER,
            "maxBytes": 1_000_000,
            "topics": [{"name": scene.metadata_topic, "partitions": [partition]}],
        }
        scene.ask(
            "FetchSnapshotRequest",
            version,
            body,
            "unknown snapshot" if snapshot is unknown else "known snapshot",
        )


def vote(scene: ListenerSession, version: int) -> None:
    quorum = _quorum(scene)
    for epoch in (0, quorum["leaderEpoch"]):
        partition = {
            "partitionIndex": 0,
            **dict.fromkeys(("replicaEpoch", "candidateEpoch"), epoch),  # now, and before 3.9
            **dict.fromkeys(("replicaId", "candidateId"), quorum["leaderId"]),
            "lastOffsetEpoch": 0,
            "lastOffset": 1,
        }
        _of_quorum(scene, "VoteRequest", version, partition, f"in epoch {epoch - quorum['leaderEpoch']:+}")


def begin_quorum_epoch(scene: ListenerSession, version: int) -> None:
    quorum = _quorum(scene)
    for epoch in (0, quorum["leaderEpoch"]):
        partition = {"partitionIndex": 0, "leaderId": quorum["leaderId"], "leaderEpoch": epoch}
        case = f"of epoch {epoch - quorum['leaderEpoch']:+}"
        _of_quorum(scene, "BeginQuorumEpochRequest", version, partition, case)


def end_quorum_epoch(scene: ListenerSession, version: int) -> None:
    partition = {"partitionIndex": 0, "leaderId": _quorum(scene)["leaderId"], "leaderEpoch": 0}
    partition["preferredSuccessors"] = [scene.node]
    partition["preferredCandidates"] = [{"candidateId": scene.node, "candidateDirectoryId": NO_ID}]
    _of_quorum(scene, "EndQuorumEpochRequest", version, partition, "of an old epoch")


def _of_quorum(scene: ListenerSession, request: str, version: int, partition: StructValue, case: str) -> None:
    """A request about the metadata log, of this cluster and of another."""
    body: StructValue = {
        "clusterId": scene.cluster_id,
        **({} if request == "EndQuorumEpochRequest" else {"voterId": scene.node}),
        "topics": [{"topicName": scene.metadata_topic, "partitions": [partition]}],
    }
    scene.ask(request, version, body, case)
    scene.ask(request, version, {**body, "clusterId": "another-cluster"}, "another cluster")


def _quorum(scene: ListenerSession) -> StructValue:
    """The leader of the metadata log and its epoch, as the cluster tells them now."""
    body = {"topics": [{"topicName": scene.metadata_topic, "partitions": [{"partitionIndex": 0}]}]}
    answer = scene.tell("DescribeQuorumRequest", body, FOR_OTHERS)
    for one in answer.get("topics", ()):
        partition: StructValue = one["partitions"][0]
        return partition
    return {"leaderId": scene.node, "leaderEpoch": 1}


def broker_registration(scene: ListenerSession, version: int) -> None:
    answer = scene.ask("BrokerRegistrationRequest", version, _registration(scene), "new broker") or {}
    scene.kept["epoch of a broker"] = answer.get("brokerEpoch", -1)
    other = {**_registration(scene), "clusterId": "another-cluster"}
    scene.ask("BrokerRegistrationRequest", version, other, "another cluster")


def _registration(scene: ListenerSession) -> StructValue:
    listener = {"name": "INTERNAL", "host": "127.0.0.1", "port": 19_097, "securityProtocol": 0}
    return {
        "brokerId": _STRANGER,
        "clusterId": scene.cluster_id,
        "incarnationId": _INCARNATION,
        "listeners": [listener, {**listener, "name": "CLIENT", "port": 19_096}],
        "features": scene.features,
        "rack": "a rack",
        "logDirs": list(_DIRECTORIES),
    }


def broker_heartbeat(scene: ListenerSession, version: int) -> None:
    body = {
        "brokerId": _STRANGER,
        "brokerEpoch": _broker_epoch(scene),
        "currentMetadataOffset": 1_000_000,
        "wantFence": True,
        "wantShutDown": False,
    }
    scene.ask("BrokerHeartbeatRequest", version, body, "fenced broker")
    scene.ask("BrokerHeartbeatRequest", version, {**body, "brokerEpoch": 1}, "old epoch")


def allocate_producer_ids(scene: ListenerSession, version: int) -> None:
    body = {"brokerId": _STRANGER, "brokerEpoch": _broker_epoch(scene)}
    scene.ask("AllocateProducerIdsRequest", version, body, "known broker")
    scene.ask("AllocateProducerIdsRequest", version, {**body, "brokerEpoch": 1}, "old epoch")


def assign_replicas_to_dirs(scene: ListenerSession, version: int) -> None:
    found = fresh_topic(scene, "assigned")
    topics = [{"topicId": found.id, "partitions": [{"partitionIndex": 0}]}]
    body = {
        "brokerId": _STRANGER,
        "brokerEpoch": _broker_epoch(scene),
        "directories": [{"id": _DIRECTORIES[0], "topics": topics}],
    }
    scene.ask("AssignReplicasToDirsRequest", version, body, "of another broker")
    own = {**body, "directories": [{"id": _DIRECTORIES[0], "topics": []}]}
    scene.ask("AssignReplicasToDirsRequest", version, own, "no topics")


def alter_partition(scene: ListenerSession, version: int) -> None:
    found = fresh_topic(scene, "altered")
    epoch = _broker_epoch(scene)
    partition = {
        "partitionIndex": 0,
        "leaderEpoch": 0,
        "newIsr": [_STRANGER],
        "newIsrWithEpochs": [{"brokerId": _STRANGER, "brokerEpoch": epoch}],
        "partitionEpoch": 0,
    }
    topics = [{"topicName": found.name, "topicId": found.id, "partitions": [partition]}]
    body = {"brokerId": _STRANGER, "brokerEpoch": epoch, "topics": topics}
    scene.ask("AlterPartitionRequest", version, body, "by who does not lead it")
    scene.ask("AlterPartitionRequest", version, {**body, "brokerEpoch": 1}, "old epoch")
    scene.ask("AlterPartitionRequest", version, {**body, "topics": []}, "no topics")


def unregister_broker(scene: ListenerSession, version: int) -> None:
    scene.tell("BrokerRegistrationRequest", _registration(scene), FOR_OTHERS)
    for broker in (_STRANGER, 98):
        scene.ask("UnregisterBrokerRequest", version, {"brokerId": broker}, f"broker {broker}")


def _broker_epoch(scene: ListenerSession) -> int:
    """The epoch of a broker that only recipes know of."""
    answer = scene.tell("BrokerRegistrationRequest", _registration(scene), FOR_OTHERS)
    epoch: int = answer.get("brokerEpoch", -1)
    return epoch


def controller_registration(scene: ListenerSession, version: int) -> None:
    listener = {"name": "CONTROLLER", "host": "127.0.0.1", "port": 19_095, "securityProtocol": 0}
    for number in (94, -1):
        body = {
            "controllerId": number,
            "incarnationId": _INCARNATION,
            "zkMigrationReady": False,
            "listeners": [listener],
            "features": scene.features,
        }
        scene.ask("ControllerRegistrationRequest", version, body, f"controller {number}")


def update_raft_voter(scene: ListenerSession, version: int) -> None:
    body = {
        "clusterId": scene.cluster_id,
        "currentLeaderEpoch": _quorum(scene)["leaderEpoch"],
        "voterId": 94,
        "voterDirectoryId": DIRECTORY,
        "listeners": [{"name": "CONTROLLER", "host": "127.0.0.1", "port": 19_094}],
        "kRaftVersionFeature": {"minSupportedVersion": 0, "maxSupportedVersion": 1},
    }
    scene.ask("UpdateRaftVoterRequest", version, body, "unknown voter")
    scene.ask("UpdateRaftVoterRequest", version, {**body, "clusterId": "another-cluster"}, "another cluster")


def envelope(scene: ListenerSession, version: int) -> None:
    for principal in (_PRINCIPAL, b"\x00\x07"):
        body = {
            "requestData": scene.frame_of("CreateTopicsRequest", {"topics": [], "timeoutMs": 1000}),
            "requestPrincipal": principal,
            "clientHostAddress": bytes([127, 0, 0, 1]),
        }
        scene.ask(
            "EnvelopeRequest", version, body, "a request" if principal is _PRINCIPAL else "no principal"
        )


_PRINCIPAL: Final = bytes.fromhex("0000") + b"\x05User" + b"\x0aANONYMOUS" + bytes.fromhex("0000")
"""DefaultPrincipalData 0: User:ANONYMOUS, without a token."""

CONTROLLERS = {
    "CreateTopicsRequest": create_topics,
    "CreatePartitionsRequest": create_partitions,
    "DeleteTopicsRequest": delete_topics,
    "BrokerRegistrationRequest": broker_registration,
    "BrokerHeartbeatRequest": broker_heartbeat,
    "AllocateProducerIdsRequest": allocate_producer_ids,
    "AssignReplicasToDirsRequest": assign_replicas_to_dirs,
    "AlterPartitionRequest": alter_partition,
    "ControllerRegistrationRequest": controller_registration,
    "UnregisterBrokerRequest": unregister_broker,
    "EnvelopeRequest": envelope,
    "FetchRequest": fetch,
    "VoteRequest": vote,
    "BeginQuorumEpochRequest": begin_quorum_epoch,
    "EndQuorumEpochRequest": end_quorum_epoch,
    "UpdateRaftVoterRequest": update_raft_voter,
    "FetchSnapshotRequest": fetch_snapshot,
}
