"""The log of a sweep: what counts as an answer, as content, as an error."""

from functools import cache

from kafkawire.schema import MessageLayout
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.capture.brokers.server_properties import Listener
from wireproof.traffic.capture.raw_client.raw_client import (
    AnsweredCall,
    ApiCatalog,
    ClosedCall,
    SilentCall,
    UnreadableCall,
)
from wireproof.traffic.capture.workloads.listener_session import fit_value, unknown_keys
from wireproof.traffic.capture.workloads.request_log import RequestLog, VersionLog
from wireproof.traffic.wire.frame_identifier import FrameType


@cache
def apis() -> ApiCatalog:
    return ApiCatalog(load_snapshot(table().find("4.3")))


def response(request: str, version: int) -> MessageLayout:
    named = apis().naming.response(apis().key(request), version)
    assert isinstance(named, FrameType)
    return named.layout


def test_an_error_is_no_content() -> None:
    """A response that names a topic and its error is an answer without content."""
    body = {"topics": [{"name": "t", "errorCode": 36}]}
    answered = AnsweredCall(7, {}, body, b"")
    pair = VersionLog()
    pair.add("c", answered, response("CreateTopicsRequest", 7))
    assert (pair.answered, pair.errors, pair.content) == (1, {36}, False)


def test_one_answer_makes_a_pair_answered() -> None:
    """The other attempts do not matter; a pair without an answer keeps its last reason."""
    log = RequestLog(Listener.CLIENT)
    for version in (3, 4):
        log.expect("HeartbeatRequest", version)
    layout = response("HeartbeatRequest", 4)
    for outcome in (SilentCall(5), AnsweredCall(4, {}, {"errorCode": 0}, b""), ClosedCall("by the broker")):
        log.add("HeartbeatRequest", 4, "case", outcome, layout)
    assert list(log.unanswered()) == [("HeartbeatRequest", 3, "not tried")]
    log.add("HeartbeatRequest", 3, "case", ClosedCall("by the broker"), None)
    assert list(log.unanswered()) == [("HeartbeatRequest", 3, "closed: by the broker")]
    assert (log.answered, log.with_content) == (1, 1)


def test_what_cannot_be_read_is_kept() -> None:
    """Such a pair is not answered, and each finding is in the facts of the capture."""
    log = RequestLog(Listener.CLIENT)
    log.add("HeartbeatRequest", 4, "case", UnreadableCall(b"", "too short"), None)
    (pair,) = log.facts()["pairs"]
    assert (pair["answered"], pair["unread"]) == (0, ["case: too short"])


def test_a_version_takes_what_it_knows() -> None:
    """A topic has a name up to version 12 of Produce and an id from 13 on; a body with both serves both."""
    body = {"acks": -1, "topicData": [{"name": "t", "topicId": None, "partitionData": []}], "_tags": {9: b""}}
    for version, key in ((12, "name"), (13, "topicId")):
        layout = apis().named("ProduceRequest", version).layout
        fitted = fit_value(layout, body)
        assert [set(topic) for topic in fitted["topicData"]] == [{key, "partitionData"}]
        assert fitted["_tags"] == {9: b""}


def test_keys_of_no_version_are_reported() -> None:
    """With their paths in the message: they are typing errors, or names of another release."""
    layout = apis().named("ProduceRequest", 3).layout
    body = {"topicId": 1, "topicData": [{"name": "t", "topicId": None, "partitions": []}]}
    assert unknown_keys(layout, body) == ["topicId", "topicData.partitions"]
