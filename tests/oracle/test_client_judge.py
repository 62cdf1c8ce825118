"""Requests of clients, judged by Kafka's own classes."""

import struct
from collections.abc import Mapping
from typing import Any

import jpype  # type: ignore[import-untyped]

from kafkawire.records import Record, RecordBatch, encode_records
from kafkawire.schema import VersionRange
from tests.support.oracles.kafka_classes import kafka
from tests.support.schemas import real_layouts
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.model.kafka.releases import ERROR_NAMES, error_name
from wireproof.proof.client_judge.request_judge import RequestJudge
from wireproof.proof.client_judge.sent_requests import (
    MissingResponse,
    ReceivedResponse,
    RequestFault,
    RequestStatistics,
    RequestVerdict,
    SentRequest,
)
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType
from wireproof.traffic.wire.request_matcher import Frame

RELEASE = "4.4.0"
NAMING = FrameIdentifier(real_layouts.schemas())
HEADER = {"correlationId": 1, "clientId": "a client"}
KEYS = {"ApiVersionsRequest": 18, "MetadataRequest": 3, "ProduceRequest": 0}


def judge(advertised: Mapping[str, Mapping[int, VersionRange]] | None = None) -> RequestJudge:
    oracle = kafka(RELEASE).oracle
    return RequestJudge(oracle, NAMING, kafka(RELEASE).headers("RequestHeader"), advertised or {})


def sent(message: str, version: int, body: Mapping[str, Any], **changed: Any) -> SentRequest:
    """Return a request as our own codec writes it, or with `data` in its place; `answer` is the response, if
    any."""
    named = NAMING.request(KEYS[message], version)
    data = changed.get("data")
    if data is None:
        assert isinstance(named, FrameType)
        header = {"requestApiKey": KEYS[message], "requestApiVersion": version, **HEADER}
        data = NAMING.codec(named).encode(header, dict(body))
    return SentRequest("1-CLIENT", 1, named, Frame(0, data), changed.get("answer", MissingResponse.NOT_SEEN))


def one(
    request: SentRequest, advertised: Mapping[str, Mapping[int, VersionRange]] | None = None
) -> RequestVerdict:
    (verdict,) = judge(advertised).judge([request])
    return verdict


def sized(frame: bytes) -> bytes:
    return struct.pack(">i", len(frame) - 4) + frame[4:]


def test_right_requests_have_no_finding() -> None:
    """Several messages and versions are judged together, in order, with their clients."""
    requests = [
        sent("MetadataRequest", 12, {"topics": None}),
        sent("ApiVersionsRequest", 3, {"clientSoftwareName": "lib", "clientSoftwareVersion": "1.0"}),
        sent("MetadataRequest", 1, {"topics": [{"name": "t"}]}),
        sent("MetadataRequest", 12, {"topics": []}),
    ]
    verdicts = judge().judge(requests)
    assert [each.sent for each in verdicts] == requests
    assert not any(each.findings for each in verdicts)
    assert {each.client for each in verdicts} == {"a client"}
    assert [each.software for each in verdicts] == ["", "lib 1.0", "", ""]


def test_bytes_that_kafka_writes_differently_are_a_finding() -> None:
    """The field and the byte are reported, in the body and in the header."""
    right = sent(
        "ApiVersionsRequest", 3, {"clientSoftwareName": "a", "clientSoftwareVersion": "b"}
    ).frame.data
    body = right.replace(b"\x02a\x02b", b"\x82\x00a\x02b")
    (finding,) = one(sent("ApiVersionsRequest", 3, {}, data=sized(body))).findings
    assert finding.fault is RequestFault.DIFFERS
    assert finding.divergence is not None
    assert (finding.divergence.path, finding.divergence.offset) == ("clientSoftwareName", 0)
    tags = right.replace(b"a client\x00", b"a client\x80\x00")
    (finding,) = one(sent("ApiVersionsRequest", 3, {}, data=sized(tags))).findings
    assert finding.divergence is not None
    assert finding.divergence.offset == len(tags) - 4 - len(b"\x80\x00\x02a\x02b\x00")


def test_a_frame_that_kafka_does_not_read_is_a_finding() -> None:
    """A frame that is cut and a frame with extra bytes are two causes."""
    right = sent("MetadataRequest", 1, {"topics": [{"name": "topic"}]}).frame.data
    found = [
        one(sent("MetadataRequest", 1, {}, data=sized(data))).findings[0]
        for data in (right[:-3], right + b"x")
    ]
    assert [each.fault for each in found] == [RequestFault.REFUSED, RequestFault.REFUSED]
    assert found[0].cause != found[1].cause
    assert found[0].client == ""
    assert found[1].summary == f"Kafka reads {len(right)} of its {len(right) + 1} bytes"


def test_a_version_that_was_not_offered_is_a_finding() -> None:
    """The listener's own offer decides; an ApiVersions may have any version."""
    offers = {"1-CLIENT": {3: VersionRange(0, 9)}}
    (finding,) = one(sent("MetadataRequest", 12, {"topics": None}), offers).findings
    assert (finding.fault, finding.summary) == (RequestFault.NOT_ADVERTISED, "the broker offers versions 0-9")
    (finding,) = one(sent("ProduceRequest", 9, {"acks": 1}), offers).findings
    assert finding.summary == "the broker does not offer this api"
    assert not one(sent("ApiVersionsRequest", 3, {"clientSoftwareName": "a"}), offers).findings
    assert not one(sent("ApiVersionsRequest", 99, {}, data=bytes(20)), offers).findings
    (finding,) = one(sent("MetadataRequest", 99, {}, data=bytes(20)), offers).findings
    assert (finding.fault, finding.summary) == (
        RequestFault.UNKNOWN_API,
        "Kafka 4.4.0 has no version 99 of MetadataRequest",
    )


def test_a_record_set_that_kafka_does_not_read_is_a_finding() -> None:
    """The finding has the partition; the message around the set is right."""
    right = encode_records([RecordBatch.of([Record(0, 0, b"key", b"value")])])
    wrong = right[:-1] + bytes([right[-1] ^ 1])

    def produce(*sets: bytes) -> SentRequest:
        partitions = [{"index": index, "records": each} for index, each in enumerate(sets)]
        return sent(
            "ProduceRequest", 9, {"acks": 1, "topicData": [{"name": "t", "partitionData": partitions}]}
        )

    assert not one(produce(right, right)).findings
    (finding,) = one(produce(right, wrong)).findings
    assert finding.fault is RequestFault.RECORDS
    assert finding.divergence is not None
    assert finding.divergence.path == "topicData[0].partitionData[1].records"


def test_errors_of_the_response_are_named() -> None:
    """Each error is named once and is not a finding. A dropped connection is a finding."""
    named = NAMING.response(KEYS["MetadataRequest"], 1)
    assert isinstance(named, FrameType)
    topics: list[dict[str, Any]] = [
        {"errorCode": code, "name": "t", "partitions": []} for code in (3, 0, 17, 3)
    ]
    data = NAMING.codec(named).encode({"correlationId": 1}, {"topics": topics})
    body = {"topics": [{"name": "t"}]}
    verdict = one(sent("MetadataRequest", 1, body, answer=ReceivedResponse(named, Frame(0, data))))
    assert verdict.errors == ("UNKNOWN_TOPIC_OR_PARTITION", "INVALID_TOPIC_EXCEPTION")
    assert not verdict.findings
    (dropped,) = one(sent("MetadataRequest", 1, body, answer=MissingResponse.DROPPED)).findings
    assert dropped.fault is RequestFault.DROPPED


def test_a_cause_is_reported_once_and_counted() -> None:
    """The statistics keep the first request of each cause."""
    statistics = RequestStatistics()
    right = sent("MetadataRequest", 1, {"topics": [{"name": "topic"}]}).frame.data
    for name in (b"topic", b"other"):
        data = sized(right.replace(b"topic", name) + b"x")
        news = statistics.verdict(one(sent("MetadataRequest", 1, {}, data=data)))
        assert bool(news) == (name == b"topic")
    (cause,) = statistics.causes.values()
    assert (cause.count, statistics.requests, statistics.wrong) == (2, 2, 2)
    row = statistics.rows["MetadataRequest", 1]
    assert (row.requests, row.right, row.request_bytes) == (2, 0, 2 * len(right) + 2)


def test_error_names_are_kafkas() -> None:
    """All codes of the newest release are in its own table; a code beyond has its number."""
    release = kafka(RELEASE)
    release.reread("ApiVersionsRequest", 0, "")  # starts Java
    jars = [release.jars["clients"], *JarStore().support_jars()]
    urls = [jpype.JClass("java.io.File")(str(jar)).toURI().toURL() for jar in jars]
    loader = jpype.JClass("java.net.URLClassLoader")(urls)
    errors = jpype.JClass("org.apache.kafka.common.protocol.Errors", loader=loader)
    assert {int(each.code()): str(each.name()) for each in errors.values()} == ERROR_NAMES
    assert error_name(9999) == "error 9999"
