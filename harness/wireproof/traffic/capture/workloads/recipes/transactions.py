"""Recipes of requests about producer ids and transactions."""

from kafkawire.values import StructValue
from wireproof.traffic.capture.workloads.listener_session import ListenerSession, SweptRequest
from wireproof.traffic.capture.workloads.recipes.fixtures import (
    Producer,
    new_group,
    partitions_of_one,
    producer,
    stocked_topic,
    topic,
    transaction,
)

_UNKNOWN_PRODUCER = Producer("unknown", 12_345, 3)


def init_producer_id(session: ListenerSession, request: SweptRequest) -> None:
    body: StructValue = {"transactionalId": None, "transactionTimeoutMs": 60_000}
    fresh = {"producerId": -1, "producerEpoch": -1}
    request.ask_until_settled({**body, **fresh}, "idempotent")
    body["transactionalId"] = session.name("transactional")
    got = request.ask_until_settled({**body, **fresh}, "transactional") or {}
    again = {"producerId": got.get("producerId", -1), "producerEpoch": got.get("producerEpoch", -1)}
    request.ask({**body, **again}, "again")
    request.ask({**body, **fresh, "transactionTimeoutMs": -1}, "wrong timeout")


def add_partitions_to_txn(session: ListenerSession, request: SweptRequest) -> None:
    found = topic(session)
    for by in (producer(session, session.name("adding")), _UNKNOWN_PRODUCER):
        topics = [{"name": found.name, "partitions": [0, 1]}]
        one = {**by.fields, "verifyOnly": False, "topics": topics}
        body = {"transactions": [one], **partitions_of_one(by, topics)}
        request.ask_until_settled(body, _case(by))


def add_offsets_to_txn(session: ListenerSession, request: SweptRequest) -> None:
    for by in (transaction(session, topic(session)), _UNKNOWN_PRODUCER):
        request.ask_until_settled({**by.fields, "groupId": "in-transaction"}, _case(by))


def txn_offset_commit(session: ListenerSession, request: SweptRequest) -> None:
    found = stocked_topic(session)
    for by in (transaction(session, topic(session)), _UNKNOWN_PRODUCER):
        group = new_group(session, "in-transaction")
        if by is not _UNKNOWN_PRODUCER:
            body = {**by.fields, "groupId": group}
            session.prepare("AddOffsetsToTxnRequest", body, at_most=3)
        partition = {"partitionIndex": 0, "committedOffset": 1, "committedMetadata": None}
        topics = [{"name": found.name, "partitions": [partition]}]
        body = {**by.fields, "groupId": group, "generationId": -1, "memberId": "", "topics": topics}
        request.ask_until_settled(body, _case(by))


def end_txn(session: ListenerSession, request: SweptRequest) -> None:
    for committed in (True, False):
        by = transaction(session, topic(session))
        case = "commit" if committed else "abort"
        request.ask_until_settled({**by.fields, "committed": committed}, case)
    request.ask(_UNKNOWN_PRODUCER.fields, _case(_UNKNOWN_PRODUCER))


def write_txn_markers(session: ListenerSession, request: SweptRequest) -> None:
    by, found = producer(session), topic(session)
    for name in (found.name, "no-such-topic"):
        marker = {
            "producerId": by.id,
            "producerEpoch": by.epoch,
            "transactionResult": True,
            "topics": [{"name": name, "partitionIndexes": [0]}],
            "coordinatorEpoch": 0,
        }
        request.ask({"markers": [marker]}, f"to {name.partition('-')[0]}")


def describe_transactions(session: ListenerSession, request: SweptRequest) -> None:
    by = transaction(session, topic(session))
    request.ask_until_settled({"transactionalIds": [by.transactional_id]}, "ongoing")
    request.ask({"transactionalIds": ["unknown"]}, "unknown")


def list_transactions(session: ListenerSession, request: SweptRequest) -> None:
    by = transaction(session, topic(session))
    request.ask({"stateFilters": ["Ongoing"], "durationFilter": -1}, "ongoing")
    body = {"stateFilters": ["NoSuchState"], "producerIdFilters": [by.id], "durationFilter": -1}
    request.ask(body, "unknown state")


def _case(by: Producer) -> str:
    return "unknown producer" if by is _UNKNOWN_PRODUCER else "known producer"


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
