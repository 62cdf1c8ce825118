"""Brokers of other builds: they offer versions that the release has no messages of."""

import pytest

from kafkawire.schema import VersionRange
from kafkawire.values import StructValue
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.capture.brokers.server_properties import Listener
from wireproof.traffic.capture.raw_client.raw_client import AnsweredCall, ApiCatalog, ClosedCall, RawClient
from wireproof.traffic.capture.workloads.listener_session import ListenerSession
from wireproof.traffic.capture.workloads.request_log import RequestLog
from wireproof.traffic.capture.workloads.request_sweep import sweep

OFFERED = {
    "OffsetCommitRequest": VersionRange(0, 99),
    "OffsetFetchRequest": VersionRange(1, 9),
    "MetadataRequest": VersionRange(60, 70),
}


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> ListenerSession:
    """A session with a listener that offers what franz-go's kfake offers, and does not answer."""
    monkeypatch.setattr(
        "wireproof.traffic.capture.raw_client.raw_client.RawClient.call",
        lambda *_: ClosedCall("by the broker"),
    )
    apis = ApiCatalog(load_snapshot(table().find("4.3.1")))
    return ListenerSession(
        apis,
        ("127.0.0.1", 1),
        OFFERED,
        RequestLog(Listener.CLIENT),
        node=1,
        cluster_id="",
        brokers=(1,),
        timeout_s=1,
    )


def test_a_session_supports_the_versions_of_the_release(session: ListenerSession) -> None:
    """OffsetCommit 0 and 99 are not among it: 4.3.1 begins with version 2."""
    valid = session.apis.valid_versions("OffsetCommitRequest")
    assert session.supported["OffsetCommitRequest"] == valid
    assert session.newest("OffsetCommitRequest") == valid.highest
    assert "MetadataRequest" not in session.supported


def test_a_sweep_reports_the_others_and_goes_on(
    session: ListenerSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each version that the release lacks is in the log with its reason, and every request is played."""
    played: list[str] = []
    monkeypatch.setattr("wireproof.traffic.capture.workloads.listener_session._RETRIES", 1)
    sweep(session, lambda layout: [], played.append)
    assert sorted(played) == sorted(OFFERED)
    reasons = {pair: logged.reason for pair, logged in session.log.pairs.items()}
    for pair in (("OffsetCommitRequest", 0), ("OffsetCommitRequest", 99), ("MetadataRequest", 60)):
        assert reasons[pair] == "advertised, but the release has no such message"
    assert "advertised" not in reasons["OffsetCommitRequest", 5]


@pytest.mark.parametrize(("early", "asked"), [(0, 1), (2, 3), (9, 4)])
def test_a_change_is_read_once_it_is_published(
    session: ListenerSession, monkeypatch: pytest.MonkeyPatch, early: int, asked: int
) -> None:
    """A broker answers a change before it has read it from its log; one that never shows it ends the wait."""
    monkeypatch.setattr("wireproof.traffic.capture.workloads.listener_session._RETRIES", 4)
    monkeypatch.setattr("wireproof.traffic.capture.workloads.listener_session._PAUSE_S", 0)
    answers = iter([*[{"entries": [1]}] * early, {"entries": [2]}])
    seen: list[object] = []

    def ask(*_: object) -> object:
        seen.append(next(answers))
        return seen[-1]

    monkeypatch.setattr(session, "ask", ask)
    session.ask_until_settled("DescribeClientQuotasRequest", 1, {}, "one", lambda it: it["entries"] == [2])
    assert len(seen) == asked


@pytest.mark.parametrize(
    ("request_name", "needed"),
    [
        ("ShareFetchRequest", "ShareGroupHeartbeatRequest"),
        ("ShareAcknowledgeRequest", "ShareGroupHeartbeatRequest"),
        ("AlterShareGroupOffsetsRequest", "ShareGroupHeartbeatRequest"),
        ("ShareGroupDescribeRequest", "ShareGroupHeartbeatRequest"),
        ("StreamsGroupDescribeRequest", "StreamsGroupHeartbeatRequest"),
        ("ConsumerGroupDescribeRequest", "ConsumerGroupHeartbeatRequest"),
    ],
)
def test_a_sweep_of_one_request_sends_what_its_recipe_needs(
    session: ListenerSession, monkeypatch: pytest.MonkeyPatch, request_name: str, needed: str
) -> None:
    """A group that the request is about has a member, though the recipe that joins groups is not played."""
    sent: list[str] = []

    def call(caller: RawClient, name: str, version: int, body: StructValue) -> AnsweredCall:
        sent.append(name)
        return AnsweredCall(version, {}, {}, b"")

    monkeypatch.setattr(RawClient, "call", call)
    monkeypatch.setattr(session, "note", lambda *_: None)
    session.supported = {name: session.apis.valid_versions(name) for name in session.apis.names}
    session.offered = session.supported
    sweep(session, lambda layout: [], lambda request: None, only=[request_name])
    assert needed in sent
    assert sent.index("FindCoordinatorRequest") < sent.index(needed) < sent.index(request_name)
    assert {pair.cut for pair in session.log.pairs.values()} == {""}
