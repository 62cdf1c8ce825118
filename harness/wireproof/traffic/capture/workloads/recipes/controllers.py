"""Recipes of requests that brokers and controllers send to controllers."""

from typing import Final
from uuid import UUID

from kafkawire.values import StructValue
from wireproof.traffic.capture.workloads.listener_session import FOR_OTHERS, ListenerSession, SweptRequest
from wireproof.traffic.capture.workloads.recipes.admin import DIRECTORY
from wireproof.traffic.capture.workloads.recipes.data import create_partitions, create_topics, delete_topics
from wireproof.traffic.capture.workloads.recipes.fixtures import NO_ID, fresh_topic

_METADATA_ID: Final = UUID(int=1)
"""The id of the topic `__cluster_metadata` (Kafka: `Uuid.METADATA_TOPIC_ID`)."""
_KRAFT_SINCE: Final = 12
"""Older versions of Fetch lack the cluster id and the last fetched epoch: controllers cannot answer them."""
_UNKNOWN_NODE: Final = 95
_INCARNATION: Final = UUID("3456789a-bcde-4f01-8234-56789abcdef0")
_DIRECTORIES: Final = (DIRECTORY, UUID("23456789-abcd-4ef0-8123-456789abcdef"))


def fetch(session: ListenerSession, request: SweptRequest) -> None:
    """Read the metadata log as an observer does: from its beginning, and after its end."""
    if request.version < _KRAFT_SINCE:
        return
    for offset in (0, 1_000_000):
        partition = {
            "partition": 0,
            "currentLeaderEpoch": _quorum(session)["leaderEpoch"],
            "fetchOffset": offset,
            "lastFetchedEpoch": 0 if offset == 0 else _quorum(session)["leaderEpoch"],
            "logStartOffset": 0,
            "partitionMaxBytes": 1_000_000,
        }
        topics = [{"topic": session.metadata_topic, "topicId": _METADATA_ID, "partitions": [partition]}]
        body = {
            "clusterId": session.cluster_id,
            "replicaId": _UNKNOWN_NODE,
            "replicaState": {"replicaId": _UNKNOWN_NODE, "replicaEpoch": -1},
            "maxWaitMs": 100,
            "maxBytes": 1_000_000,
            "topics": topics,
        }
        answer = request.ask(body, f"from {offset}") or {}
        _keep_snapshot(session, answer)
    request.ask({**body, "clusterId": "another-cluster"}, "another cluster")


def _keep_snapshot(session: ListenerSession, answer: StructValue) -> None:
    """Keep the snapshot that a leader names to an observer that begins at offset 0 (KIP-630)."""
    for topic in answer.get("responses", ()):
        for partition in topic.get("partitions", ()):  # no snapshots where the field has another name
            snapshot = partition.get("snapshotId", {})
            if snapshot.get("endOffset", -1) > 0:
                session.fixtures["snapshot"] = snapshot


def fetch_snapshot(session: ListenerSession, request: SweptRequest) -> None:
    unknown = {"endOffset": 1_000_000, "epoch": 0}
    for snapshot in (session.fixtures.get("snapshot", {"endOffset": 1, "epoch": 0}), unknown):
        partition = {
            "partition": 0,
            "currentLeaderEpoch": _quorum(session)["leaderEpoch"],
            "snapshotId": {"endOffset": snapshot["endOffset"], "epoch": snapshot["epoch"]},
        }
        body = {
            "clusterId": session.cluster_id,
            "replicaId": _UNKNOWN_NODE,
            "maxBytes": 1_000_000,
            "topics": [{"name": session.metadata_topic, "partitions": [partition]}],
        }
        request.ask(body, "unknown snapshot" if snapshot is unknown else "known snapshot")


def vote(session: ListenerSession, request: SweptRequest) -> None:
    quorum = _quorum(session)
    for epoch in (0, quorum["leaderEpoch"]):
        partition = {
            "partitionIndex": 0,
            **dict.fromkeys(("replicaEpoch", "candidateEpoch"), epoch),  # now, and before 3.9
            **dict.fromkeys(("replicaId", "candidateId"), quorum["leaderId"]),
            "lastOffsetEpoch": 0,
            "lastOffset": 1,
        }
        _of_quorum(session, request, partition, f"in epoch {epoch - quorum['leaderEpoch']:+}")


def begin_quorum_epoch(session: ListenerSession, request: SweptRequest) -> None:
    quorum = _quorum(session)
    for epoch in (0, quorum["leaderEpoch"]):
        partition = {"partitionIndex": 0, "leaderId": quorum["leaderId"], "leaderEpoch": epoch}
        case = f"of epoch {epoch - quorum['leaderEpoch']:+}"
        _of_quorum(session, request, partition, case)


def end_quorum_epoch(session: ListenerSession, request: SweptRequest) -> None:
    partition = {"partitionIndex": 0, "leaderId": _quorum(session)["leaderId"], "leaderEpoch": 0}
    partition["preferredSuccessors"] = [session.node]
    partition["preferredCandidates"] = [{"candidateId": session.node, "candidateDirectoryId": NO_ID}]
    _of_quorum(session, request, partition, "of an old epoch")


def _of_quorum(session: ListenerSession, request: SweptRequest, partition: StructValue, case: str) -> None:
    """Send a request about the metadata log, with this cluster's id and with another."""
    body: StructValue = {
        "clusterId": session.cluster_id,
        **({} if request.name == "EndQuorumEpochRequest" else {"voterId": session.node}),
        "topics": [{"topicName": session.metadata_topic, "partitions": [partition]}],
    }
    request.ask(body, case)
    request.ask({**body, "clusterId": "another-cluster"}, "another cluster")


def _quorum(session: ListenerSession) -> StructValue:
    """Return the leader of the metadata log and its epoch."""
    body = {"topics": [{"topicName": session.metadata_topic, "partitions": [{"partitionIndex": 0}]}]}
    answer = session.ask_newest("DescribeQuorumRequest", body, FOR_OTHERS)
    for one in answer.get("topics", ()):
        partition: StructValue = one["partitions"][0]
        return partition
    return {"leaderId": session.node, "leaderEpoch": 1}


def broker_registration(session: ListenerSession, request: SweptRequest) -> None:
    request.ask(_registration(session), "new broker")
    other = {**_registration(session), "clusterId": "another-cluster"}
    request.ask(other, "another cluster")


def _registration(session: ListenerSession) -> StructValue:
    listener = {"name": "INTERNAL", "host": "127.0.0.1", "port": 19_097, "securityProtocol": 0}
    return {
        "brokerId": _UNKNOWN_NODE,
        "clusterId": session.cluster_id,
        "incarnationId": _INCARNATION,
        "listeners": [listener, {**listener, "name": "CLIENT", "port": 19_096}],
        "features": session.features,
        "rack": "a rack",
        "logDirs": list(_DIRECTORIES),
    }


def broker_heartbeat(session: ListenerSession, request: SweptRequest) -> None:
    body = {
        "brokerId": _UNKNOWN_NODE,
        "brokerEpoch": _broker_epoch(session),
        "currentMetadataOffset": 1_000_000,
        "wantFence": True,
        "wantShutDown": False,
    }
    request.ask(body, "fenced broker")
    request.ask({**body, "brokerEpoch": 1}, "old epoch")


def allocate_producer_ids(session: ListenerSession, request: SweptRequest) -> None:
    body = {"brokerId": _UNKNOWN_NODE, "brokerEpoch": _broker_epoch(session)}
    request.ask(body, "known broker")
    request.ask({**body, "brokerEpoch": 1}, "old epoch")


def assign_replicas_to_dirs(session: ListenerSession, request: SweptRequest) -> None:
    found = fresh_topic(session, "assigned")
    topics = [{"topicId": found.id, "partitions": [{"partitionIndex": 0}]}]
    body = {
        "brokerId": _UNKNOWN_NODE,
        "brokerEpoch": _broker_epoch(session),
        "directories": [{"id": _DIRECTORIES[0], "topics": topics}],
    }
    request.ask(body, "of another broker")
    own = {**body, "directories": [{"id": _DIRECTORIES[0], "topics": []}]}
    request.ask(own, "no topics")


def alter_partition(session: ListenerSession, request: SweptRequest) -> None:
    found = fresh_topic(session, "altered")
    epoch = _broker_epoch(session)
    partition = {
        "partitionIndex": 0,
        "leaderEpoch": 0,
        "newIsr": [_UNKNOWN_NODE],
        "newIsrWithEpochs": [{"brokerId": _UNKNOWN_NODE, "brokerEpoch": epoch}],
        "partitionEpoch": 0,
    }
    topics = [{"topicName": found.name, "topicId": found.id, "partitions": [partition]}]
    body = {"brokerId": _UNKNOWN_NODE, "brokerEpoch": epoch, "topics": topics}
    request.ask(body, "by who does not lead it")
    request.ask({**body, "brokerEpoch": 1}, "old epoch")
    request.ask({**body, "topics": []}, "no topics")


def unregister_broker(session: ListenerSession, request: SweptRequest) -> None:
    session.ask_newest("BrokerRegistrationRequest", _registration(session), FOR_OTHERS)
    for broker in (_UNKNOWN_NODE, 98):
        request.ask({"brokerId": broker}, f"broker {broker}")


def _broker_epoch(session: ListenerSession) -> int:
    """Return the epoch of a broker that exists only in recipes."""
    answer = session.ask_newest("BrokerRegistrationRequest", _registration(session), FOR_OTHERS)
    epoch: int = answer.get("brokerEpoch", -1)
    return epoch


def controller_registration(session: ListenerSession, request: SweptRequest) -> None:
    listener = {"name": "CONTROLLER", "host": "127.0.0.1", "port": 19_095, "securityProtocol": 0}
    for number in (94, -1):
        body = {
            "controllerId": number,
            "incarnationId": _INCARNATION,
            "zkMigrationReady": False,
            "listeners": [listener],
            "features": session.features,
        }
        request.ask(body, f"controller {number}")


def update_raft_voter(session: ListenerSession, request: SweptRequest) -> None:
    body = {
        "clusterId": session.cluster_id,
        "currentLeaderEpoch": _quorum(session)["leaderEpoch"],
        "voterId": 94,
        "voterDirectoryId": DIRECTORY,
        "listeners": [{"name": "CONTROLLER", "host": "127.0.0.1", "port": 19_094}],
        "kRaftVersionFeature": {"minSupportedVersion": 0, "maxSupportedVersion": 1},
    }
    request.ask(body, "unknown voter")
    request.ask({**body, "clusterId": "another-cluster"}, "another cluster")


def envelope(session: ListenerSession, request: SweptRequest) -> None:
    for principal in (_PRINCIPAL, b"\x00\x07"):
        body = {
            "requestData": session.frame_of("CreateTopicsRequest", {"topics": [], "timeoutMs": 1000}),
            "requestPrincipal": principal,
            "clientHostAddress": bytes([127, 0, 0, 1]),
        }
        request.ask(body, "a request" if principal is _PRINCIPAL else "no principal")


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
