"""Kafka's internal topics, read from their beginning: coordinators keep their state there as records.

Requests name the topics and ask for small responses: each response then holds a few records.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kafkawire.errors import DecodeError
from kafkawire.records import RecordBatch, decode_records
from kafkawire.values import StructValue
from wireproof.traffic.capture.brokers.server_properties import Listener, ListenerPlace
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.raw_client import Address, AnsweredCall, ApiCatalog, RawClient

TOPICS: Final = ("__consumer_offsets", "__transaction_state", "__share_group_state")
_ANSWER_S: Final = 10.0
_NEWEST_BY_NAME: Final = 12
"""Versions of Fetch and Metadata up to this one name topics."""
_OUT_OF_RANGE: Final = 1
"""The error code of an offset whose records are deleted: coordinators of share groups prune their topic."""
_EARLIEST: Final = -2
_ANSWER_BYTES: Final = 2048
_ANSWERS: Final = 2000
"""The largest number of responses read from a partition; a message reports that the rest is left."""


class InternalTopics:
    """A workload that reads the internal topics that the cluster has."""

    name = "internal-topics"

    def __init__(self, apis: ApiCatalog) -> None:
        self._apis = apis
        self._records: dict[str, int] = {}

    def run(self, stage: CaptureStage) -> None:
        """Read each partition of each topic from its leader.

        Raises CaptureError if a leader does not answer, or answers with an error.
        """
        for topic in TOPICS:
            for partition, leader in self._partitions(stage, topic):
                address = stage.addresses[ListenerPlace(leader, Listener.CLIENT)]
                self._records[topic] = self._records.get(topic, 0) + self._read(
                    stage, address, topic, partition
                )
        counts = ", ".join(f"{count:,} of {topic}" for topic, count in self._records.items())
        stage.report(f"records of internal topics: {counts or 'none'}")

    def facts(self) -> Mapping[str, Any]:
        """Return the number of records read from each topic."""
        return {"records": self._records}

    def _partitions(self, stage: CaptureStage, topic: str) -> Iterator[tuple[int, int]]:
        """Iterate over partitions and their leaders; nothing if the topic does not exist."""
        body: StructValue = {"topics": [{"name": topic}], "allowAutoTopicCreation": False}
        with self._caller(stage, stage.bootstrap) as caller:
            answer = self._ask(caller, "MetadataRequest", body)
        for found in answer["topics"]:
            for each in found["partitions"]:
                if each["errorCode"] == 0:
                    yield each["partitionIndex"], each["leaderId"]

    def _read(self, stage: CaptureStage, address: Address, topic: str, partition: int) -> int:
        """Read a partition to its end; return the number of records."""
        offset = count = 0
        with self._caller(stage, address) as caller:
            for _ in range(_ANSWERS):
                answer = self._ask(caller, "FetchRequest", _fetch(topic, partition, offset))
                error, data = _found(answer)
                if error == _OUT_OF_RANGE and (earliest := self._earliest(caller, topic, partition)) > offset:
                    offset = earliest
                    continue
                if error != 0:
                    raise CaptureError(f"{topic}-{partition} from {offset}: error {error}")
                read, following = _records(data, offset)
                if following == offset:
                    return count
                offset, count = following, count + read
        stage.report(f"{topic}-{partition} has more than {count:,} records; the rest is left")
        return count

    def _earliest(self, caller: RawClient, topic: str, partition: int) -> int:
        """Return the first offset that the log still has."""
        asked = {"partitionIndex": partition, "timestamp": _EARLIEST}
        body: StructValue = {"replicaId": -1, "topics": [{"name": topic, "partitions": [asked]}]}
        answer = self._ask(caller, "ListOffsetsRequest", body)
        return int(answer["topics"][0]["partitions"][0]["offset"])

    def _caller(self, stage: CaptureStage, address: Address) -> RawClient:
        return RawClient(self._apis, address, timeout_s=_ANSWER_S, greet=stage.cluster.access.login)

    def _ask(self, caller: RawClient, request: str, body: StructValue) -> StructValue:
        version = min(_NEWEST_BY_NAME, self._apis.valid_versions(request).highest)
        answer = caller.call(request, version, body)
        if not isinstance(answer, AnsweredCall):
            raise CaptureError(f"the broker does not answer {request} of an internal topic: {answer}")
        return answer.body


def _fetch(topic: str, partition: int, offset: int) -> StructValue:
    """Return the body of a Fetch without a fetch session."""
    asked = {"partition": partition, "fetchOffset": offset, "partitionMaxBytes": _ANSWER_BYTES}
    return {
        "maxWaitMs": 100,
        "minBytes": 1,
        "maxBytes": _ANSWER_BYTES,
        "topics": [{"topic": topic, "partitions": [asked]}],
    }


def _found(answer: StructValue) -> tuple[int, bytes]:
    """Return the error and the records of the requested partition; field names changed in 3.0."""
    (topic,) = answer["responses"]
    (found,) = topic["partitions"] if "partitions" in topic else topic["partitionResponses"]
    return found["errorCode"], (found["records"] if "records" in found else found["recordSet"]) or b""


def _records(data: bytes, offset: int) -> tuple[int, int]:
    """Return the number of records and the next offset; the same offset if there are none.

    Raises CaptureError if wireproof's codec cannot read them.
    """
    count = 0
    try:
        batches = decode_records(data).batches
    except DecodeError as error:
        raise CaptureError(f"records of an internal topic cannot be read: {error}") from error
    for batch in batches:
        if isinstance(batch, RecordBatch):
            offset = batch.base_offset + batch.last_offset_delta + 1
            count += len(batch.records)
    return count, offset
