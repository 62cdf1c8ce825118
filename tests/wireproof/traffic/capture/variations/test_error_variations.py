"""Retriable errors: where they stand, and the requests that get none."""

from dataclasses import replace
from random import Random

from kafkawire.records import Record, RecordBatch, encode_records
from tests.support.capture.broker_answers import answers
from wireproof.traffic.capture.variations.answer import BrokerAnswer
from wireproof.traffic.capture.variations.variation_table import find_variation


def error(name: str, answer: BrokerAnswer) -> BrokerAnswer | None:
    variation = find_variation(f"error-{name}")
    assert variation is not None
    assert variation.change is not None
    return variation.change(answer, Random(0))


def test_a_partition_has_the_error() -> None:
    """The rest of the answer says nothing that the error contradicts."""
    for answer, _ in answers("FetchResponse"):
        changed = error("fetch", answer)
        assert changed is not None
        for topic in changed.body["responses"]:
            for each in topic["partitions"]:
                assert each["errorCode"]
                if each["errorCode"] == 6:
                    assert (each["records"], each["highWatermark"]) == (b"", -1)


def test_a_produce_that_is_not_idempotent_has_none() -> None:
    """A second try would write the records twice."""
    answer = [each for each, _ in answers("ProduceResponse") if each.body["responses"]][-1]
    assert error("produce", answer) is not None
    records = encode_records([RecordBatch.of((Record(0, 0, b"k", b"v"),))])
    plain = {"topicData": [{"name": "topic", "partitionData": [{"index": 0, "records": records}]}]}
    assert error("produce", replace(answer, request=plain)) is None
    assert error("produce", replace(answer, request={})) is None
