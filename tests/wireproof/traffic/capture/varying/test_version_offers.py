"""Offers of single versions: which are tried, and which different ends are findings."""

from typing import Any

import pytest

from kafkawire.records import Compression, Record, RecordBatch, encode_records
from tests.support.capture.broker_answers import apis
from wireproof.traffic.capture.variations.version_variations import pinned_version
from wireproof.traffic.capture.varying.cause_search import VaryOutcome
from wireproof.traffic.capture.varying.varied_run import VariationChoice, VariedRun
from wireproof.traffic.capture.varying.version_offers import guess_offers, judge_offer, offer_rounds
from wireproof.traffic.wire.frame_identifier import FrameType


def noted(run: VariedRun, name: str, version: int, body: dict[str, Any]) -> None:
    """Note a request in a run."""
    key = apis().key(name)
    named = apis().naming.request(key, version)
    assert isinstance(named, FrameType)
    header = {"requestApiKey": key, "requestApiVersion": version, "correlationId": 1, "clientId": "c"}
    run.note_request(key, version, apis().naming.codec(named).encode(header, body))


def produce(codec: Compression) -> dict[str, Any]:
    records = encode_records([RecordBatch.of((Record(0, 0, b"k", b"v"),), compression=codec)])
    return {"acks": 1, "topicData": [{"name": "t", "partitionData": [{"index": 0, "records": records}]}]}


def usual(codec: Compression = Compression.GZIP) -> VariedRun:
    """Return a run with requests of three APIs, and what the broker offers."""
    run = VariedRun()
    noted(run, "MetadataRequest", 12, {"topics": None, "allowAutoTopicCreation": False})
    noted(run, "ProduceRequest", 9, produce(codec))
    noted(run, "DescribeClusterRequest", 2, {})
    run.offers = {3: (0, 13), 0: (0, 13), 60: (0, 2)}
    return run


def offered(name: str, version: int) -> VariationChoice:
    return VariationChoice(pinned_version(name, apis().key(name), version))


def names(rounds: list[list[VariationChoice]]) -> list[list[str]]:
    return [[each.variation.id.removeprefix("version:") for each in some] for some in rounds]


def test_the_edges_are_tried() -> None:
    """The newest that the program uses, and the oldest; Produce has none before 3.

    Metadata 0 is alone, because it cannot hold a request for all topics: null is an array from 1 on.
    """
    newest, oldest, alone = names(offer_rounds(apis(), usual(), each=False))
    assert newest == ["ProduceRequest:9", "MetadataRequest:12", "DescribeClusterRequest:2"]
    assert oldest == ["ProduceRequest:3", "DescribeClusterRequest:0"]
    assert alone == ["MetadataRequest:0"]


def test_a_wrong_request_is_not_read() -> None:
    """Programs may send bytes after the body; these requests say nothing about versions."""
    run = usual()
    (frame,) = run.samples[60, 2]
    run.samples[60, 2] = [(len(frame) - 1).to_bytes(4) + frame[4:] + b"\0\0\0"]
    rounds = offer_rounds(apis(), run, each=False)
    assert names(rounds) == names(offer_rounds(apis(), usual(), each=False))


def test_each_version_is_tried() -> None:
    """All APIs go down in step."""
    rounds = names(offer_rounds(apis(), usual(), each=True))
    assert len(rounds) == 13
    assert rounds[1] == ["ProduceRequest:8", "MetadataRequest:11", "DescribeClusterRequest:1"]
    assert rounds[-1] == ["MetadataRequest:0"]


@pytest.mark.parametrize(
    ("name", "version", "sent", "codec", "outcome"),
    [
        ("DescribeClusterRequest", 0, True, Compression.GZIP, VaryOutcome.FOUND),
        ("DescribeClusterRequest", 0, False, Compression.GZIP, VaryOutcome.NOT_SPOKEN),
        ("MetadataRequest", 0, True, Compression.GZIP, VaryOutcome.NOT_CARRIED),
        ("MetadataRequest", 4, True, Compression.GZIP, VaryOutcome.FOUND),
        ("ProduceRequest", 3, True, Compression.GZIP, VaryOutcome.FOUND),
        ("ProduceRequest", 3, True, Compression.ZSTD, VaryOutcome.NOT_CARRIED),
        ("ProduceRequest", 7, True, Compression.ZSTD, VaryOutcome.FOUND),
    ],
)
def test_a_version_must_have_been_used(
    name: str, version: int, sent: bool, codec: Compression, outcome: VaryOutcome
) -> None:
    """A finding needs a request in that version, and a version that can hold what the program asks."""
    run = VariedRun()
    if sent:
        run.requests[apis().key(name), version] += 1
    assert judge_offer(offered(name, version), apis(), usual(codec), run) is outcome


def test_a_version_that_was_not_offered_is_a_finding() -> None:
    """A program that asks in another version than the one offered does not refuse it."""
    run = VariedRun()
    run.requests[3, 12] += 1
    run.not_offered.add((3, 12))
    assert judge_offer(offered("MetadataRequest", 4), apis(), usual(), run) is VaryOutcome.FOUND


def test_the_first_unused_offer_is_guessed() -> None:
    """A program ends at the API whose version it refuses, or whose answer it does not take."""
    run = VariedRun()
    run.requests[3, 4] += 1
    choices = [
        offered("DescribeClusterRequest", 0),
        offered("MetadataRequest", 4),
        offered("ProduceRequest", 3),
    ]
    guesses = guess_offers(choices, apis(), usual(), run)
    assert names([guesses]) == [["ProduceRequest:3", "MetadataRequest:4"]]
