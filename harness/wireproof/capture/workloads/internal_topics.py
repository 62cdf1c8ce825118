"""Topics of Kafka's own, read from their beginning: what coordinators keep lies there as records.

They are asked for by name, in answers that are small, so that each shows a few records and none is too large.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kafkawire.errors import DecodeError
from kafkawire.records import RecordBatch, decode_records
from kafkawire.values import StructValue
from wireproof.capture.brokers import Listener, ListenerPlace
from wireproof.capture.capture_error import CaptureError
from wireproof.capture.capture_session import CaptureStage
from wireproof.capture.raw_client.raw_client import AnsweredCall, ApiCatalog, RawClient
from wireproof.capture.raw_client.socket_address import Address

__all__ = ["InternalTopics"]

TOPICS: Final = ("__consumer_offsets", "__transaction_state", "__share_group_state")
_ANSWER_S: Final = 10.0
_NEWEST_BY_NAME: Final = 12
"""Versions of Fetch and Metadata up to this one name topics."""
_ANSWER_BYTES: Final = 2048
_ANSWERS: Final = 2000
"""Of a partition; beyond it the rest is left, with a word."""


class InternalTopics:
    """Reads what is there; a topic that the cluster does not have is left out."""

    name = "internal-topics"

    def __init__(self, apis: ApiCatalog) -> None:
        self._apis = apis
        self._records: dict[str, int] = {}

    def run(self, stage: CaptureStage) -> None:
        """Each partition of each topic, by its leader.

        Raises:
            CaptureError: a leader does not answer as it should.
        """
        for topic in TOPICS:
            for partition, leader in self._partitions(stage, topic):
                address = stage.addresses[ListenerPlace(leader, Listener.CLIENT)]
                self._records[topic] = self._records.get(topic, 0) + self._read(
                    stage, address, topic, partition
                )
        words = ", ".join(f"{count:,} of {topic}" for topic, count in self._records.items())
        stage.report(f"records of internal topics: {words or 'there are none'}")

    def facts(self) -> Mapping[str, Any]:
        """How many records of each topic were read."""
        return {"records": self._records}

    def _partitions(self, stage: CaptureStage, topic: str) -> Iterator[tuple[int, int]]:
        """Partition and leader; nothing where the topic is not there."""
        body: StructValue = {"topics": [{"name": topic}], "allowAutoTopicCreation": False}
        with self._caller(stage, stage.bootstrap) as caller:
            answer = self._ask(caller, "MetadataRequest", body)
        for found in answer["topics"]:
            for each in found["partitions"]:
                if each["errorCode"] == 0:
                    yield each["partitionIndex"], each["leaderId"]

    def _read(self, stage: CaptureStage, address: Address, topic: str, partition: int) -> int:
        """All of a partition; how many records that were."""
        offset = count = 0
        with self._caller(stage, address) as caller:
            for _ in range(_ANSWERS):
                answer = self._ask(caller, "FetchRequest", _fetch(topic, partition, offset))
                error, data = _found(answer)
                if error != 0:
                    raise CaptureError(f"{topic}-{partition} from {offset}: error {error}")
                read, following = _records(data, offset)
                if following == offset:
                    return count
                offset, count = following, count + read
        stage.report(f"{topic}-{partition} has more than {count:,} records; the rest is left")
        return count

    def _caller(self, stage: CaptureStage, address: Address) -> RawClient:
        return RawClient(self._apis, address, timeout_s=_ANSWER_S, greet=stage.cluster.access.login)

    def _ask(self, caller: RawClient, request: str, body: StructValue) -> StructValue:
        version = min(_NEWEST_BY_NAME, self._apis.valid_versions(request).highest)
        answer = caller.call(request, version, body)
        if not isinstance(answer, AnsweredCall):
            raise CaptureError(f"{request} of an internal topic is not answered: {answer}")
        return answer.body


def _fetch(topic: str, partition: int, offset: int) -> StructValue:
    """A Fetch of a consumer without a session."""
    asked = {"partition": partition, "fetchOffset": offset, "partitionMaxBytes": _ANSWER_BYTES}
    return {
        "maxWaitMs": 100,
        "minBytes": 1,
        "maxBytes": _ANSWER_BYTES,
        "topics": [{"topic": topic, "partitions": [asked]}],
    }


def _found(answer: StructValue) -> tuple[int, bytes]:
    """Error and records of the one partition that was asked for; the names are those since 3.0, or older."""
    (topic,) = answer["responses"]
    (found,) = topic["partitions"] if "partitions" in topic else topic["partitionResponses"]
    return found["errorCode"], (found["records"] if "records" in found else found["recordSet"]) or b""


def _records(data: bytes, offset: int) -> tuple[int, int]:
    """How many records there are, and the offset behind them; the same offset where there are none.

    Raises:
        CaptureError: our codec cannot read them.
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
