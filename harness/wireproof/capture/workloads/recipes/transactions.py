"""Recipes about producers with ids and their transactions."""

from kafkawire.values import StructValue
from wireproof.capture.workloads.listener_session import ListenerSession
from wireproof.capture.workloads.recipes.fixtures import (
    FOR_OTHERS,
    Producer,
    partitions_of_one,
    producer,
    stocked_topic,
    topic,
    transaction,
)

__all__ = ["TRANSACTIONS"]

_STRANGER = Producer("nobody", 12_345, 3)


def init_producer_id(scene: ListenerSession, version: int) -> None:
    body: StructValue = {"transactionalId": None, "transactionTimeoutMs": 60_000}
    fresh = {"producerId": -1, "producerEpoch": -1}
    scene.insist("InitProducerIdRequest", version, {**body, **fresh}, "idempotent")
    body["transactionalId"] = scene.name("transactional")
    got = scene.insist("InitProducerIdRequest", version, {**body, **fresh}, "transactional") or {}
    again = {"producerId": got.get("producerId", -1), "producerEpoch": got.get("producerEpoch", -1)}
    scene.ask("InitProducerIdRequest", version, {**body, **again}, "again")
    scene.ask(
        "InitProducerIdRequest", version, {**body, **fresh, "transactionTimeoutMs": -1}, "wrong timeout"
    )


def add_partitions_to_txn(scene: ListenerSession, version: int) -> None:
    found = topic(scene)
    for by in (producer(scene, scene.name("adding")), _STRANGER):
        topics = [{"name": found.name, "partitions": [0, 1]}]
        one = {
            "transactionalId": by.transactional_id,
            "producerId": by.id,
            "producerEpoch": by.epoch,
            "verifyOnly": False,
            "topics": topics,
        }
        body = {"transactions": [one], **partitions_of_one(by, topics)}
        scene.insist("AddPartitionsToTxnRequest", version, body, _case(by))


def add_offsets_to_txn(scene: ListenerSession, version: int) -> None:
    for by in (transaction(scene, topic(scene)), _STRANGER):
        scene.insist("AddOffsetsToTxnRequest", version, {**_of(by), "groupId": "in-transaction"}, _case(by))


def txn_offset_commit(scene: ListenerSession, version: int) -> None:
    found = stocked_topic(scene)
    for by in (transaction(scene, topic(scene)), _STRANGER):
        group = scene.name("in-transaction")
        if by is not _STRANGER:
            body = {**_of(by), "groupId": group}
            scene.insist(
                "AddOffsetsToTxnRequest", scene.newest("AddOffsetsToTxnRequest", 3), body, FOR_OTHERS
            )
        partition = {"partitionIndex": 0, "committedOffset": 1, "committedMetadata": None}
        topics = [{"name": found.name, "partitions": [partition]}]
        body = {**_of(by), "groupId": group, "generationId": -1, "memberId": "", "topics": topics}
        scene.insist("TxnOffsetCommitRequest", version, body, _case(by))


def end_txn(scene: ListenerSession, version: int) -> None:
    for committed in (True, False):
        by = transaction(scene, topic(scene))
        case = "commit" if committed else "abort"
        scene.insist("EndTxnRequest", version, {**_of(by), "committed": committed}, case)
    scene.ask("EndTxnRequest", version, _of(_STRANGER), _case(_STRANGER))


def write_txn_markers(scene: ListenerSession, version: int) -> None:
    by, found = producer(scene), topic(scene)
    for name in (found.name, "no-such-topic"):
        marker = {
            "producerId": by.id,
            "producerEpoch": by.epoch,
            "transactionResult": True,
            "topics": [{"name": name, "partitionIndexes": [0]}],
            "coordinatorEpoch": 0,
        }
        scene.ask("WriteTxnMarkersRequest", version, {"markers": [marker]}, f"to {name.partition('-')[0]}")


def describe_transactions(scene: ListenerSession, version: int) -> None:
    by = transaction(scene, topic(scene))
    scene.insist(
        "DescribeTransactionsRequest", version, {"transactionalIds": [by.transactional_id]}, "ongoing"
    )
    scene.ask("DescribeTransactionsRequest", version, {"transactionalIds": ["nobody"]}, "unknown")


def list_transactions(scene: ListenerSession, version: int) -> None:
    by = transaction(scene, topic(scene))
    scene.ask(
        "ListTransactionsRequest", version, {"stateFilters": ["Ongoing"], "durationFilter": -1}, "ongoing"
    )
    body = {"stateFilters": ["NoSuchState"], "producerIdFilters": [by.id], "durationFilter": -1}
    scene.ask("ListTransactionsRequest", version, body, "unknown state")


def _of(by: Producer) -> StructValue:
    return {"transactionalId": by.transactional_id, "producerId": by.id, "producerEpoch": by.epoch}


def _case(by: Producer) -> str:
    return "unknown producer" if by is _STRANGER else "known producer"


TRANSACTIONS = {
    "InitProducerIdRequest": init_producer_id,
    "AddPartitionsToTxnRequest": add_partitions_to_txn,
    "AddOffsetsToTxnRequest": add_offsets_to_txn,
    "TxnOffsetCommitRequest": txn_offset_commit,
    "EndTxnRequest": end_txn,
    "WriteTxnMarkersRequest": write_txn_markers,
    "DescribeTransactionsRequest": describe_transactions,
    "ListTransactionsRequest": list_transactions,
}
