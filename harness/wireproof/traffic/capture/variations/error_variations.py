"""Retriable errors: a client tries again, and the second answer is the broker's own.

Only answers are changed, so the broker gets a request twice. Errors are limited to requests that may be sent
twice: reads, repeated settings, idempotent Produce. Not JoinGroup: the group waits for a lost member id.
"""

from collections.abc import Collection
from random import Random
from typing import Any, Final

from kafkawire.errors import CodecError
from kafkawire.records import RecordBatch, decode_records
from kafkawire.schema import StructLayout
from kafkawire.values import StructValue
from wireproof.model.kafka.releases import error_name
from wireproof.traffic.capture.variations.answer import BrokerAnswer, Family, Variation

_PRODUCE: Final = 0
_CODES: Final = ("errorCode", "partitionErrorCode")

_ROWS: Final[tuple[tuple[str, str, int, int, Collection[str], dict[str, Any]], ...]] = (
    ("metadata", "MetadataResponse", 3, 5, ("topics.partitions",), {"leaderId": -1}),
    (
        "find-coordinator",
        "FindCoordinatorResponse",
        10,
        15,
        ("", "coordinators"),
        {"nodeId": -1, "host": "", "port": -1},
    ),
    ("produce", "ProduceResponse", 0, 6, ("responses.partitionResponses",), {"baseOffset": -1}),
    (
        "fetch",
        "FetchResponse",
        1,
        6,
        ("responses.partitions",),
        {"highWatermark": -1, "records": b"", "abortedTransactions": None},
    ),
    ("list-offsets", "ListOffsetsResponse", 2, 6, ("topics.partitions",), {"offset": -1, "timestamp": -1}),
    ("offset-commit", "OffsetCommitResponse", 8, 14, ("topics.partitions",), {}),
    ("offset-fetch", "OffsetFetchResponse", 9, 14, ("", "groups"), {"topics": []}),
    ("sync-group", "SyncGroupResponse", 14, 27, ("",), {"assignment": b""}),
    ("heartbeat", "HeartbeatResponse", 12, 27, ("",), {}),
    ("init-producer-id", "InitProducerIdResponse", 22, 14, ("",), {"producerId": -1, "producerEpoch": -1}),
    (
        "add-partitions",
        "AddPartitionsToTxnResponse",
        24,
        51,
        (
            "resultsByTopicV3AndBelow.resultsByPartition",
            "resultsByTransaction.topicResults.resultsByPartition",
        ),
        {},
    ),
    ("add-offsets", "AddOffsetsToTxnResponse", 25, 14, ("",), {}),
    ("end-txn", "EndTxnResponse", 26, 51, ("",), {}),
    ("txn-offset-commit", "TxnOffsetCommitResponse", 28, 14, ("topics.partitions",), {}),
)
"""Name, response, api key, error code, paths of the structs with the code, other fields of these."""


def _is_idempotent(produced: StructValue) -> bool:
    sets = [each["records"] for topic in produced.get("topicData", ()) for each in topic["partitionData"]]
    try:
        batches = [batch for data in sets if data for batch in decode_records(data).batches]
    except CodecError:
        return False
    return bool(batches) and all(isinstance(each, RecordBatch) and each.producer_id >= 0 for each in batches)


def _error(
    name: str, response: str, key: int, code: int, paths: Collection[str], others: StructValue
) -> Variation:
    def change(answer: BrokerAnswer, random: Random) -> BrokerAnswer | None:
        if answer.api_key != key or (key == _PRODUCE and not _is_idempotent(answer.request)):
            return None

        def one(struct: StructLayout, value: StructValue, path: str) -> StructValue:
            names = {each.name for each in struct.all_fields}
            codes = [each for each in _CODES if each in names]
            if path not in paths or not codes or value[codes[0]]:
                return value
            return {**value, codes[0]: code, **{each: new for each, new in others.items() if each in names}}

        return answer.with_structs(one)

    return Variation(
        f"error-{name}",
        Family.ERRORS,
        f"The first {response} has the error {error_name(code)}.",
        f"Kafka: Errors.{error_name(code)} is retriable",
        change,
    )


ERROR_VARIATIONS: Final = tuple(_error(*row) for row in _ROWS)
