"""``wireproof diff`` of two judgements: what is new, gone, and not judged any more."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.support.reports.sample_events import STARTED
from tests.wireproof.verdict.report.test_client_judge_reports import (
    ALIKE,
    HTTP,
    METADATA,
    NAMING,
    UNKNOWN,
    WRONG,
    account,
    sent,
)
from wireproof.app.cli.app import FailedCommand, command_line
from wireproof.base.exit_codes import ExitCode
from wireproof.proof.client_judge.sent_requests import RequestFinding, RequestVerdict
from wireproof.verdict.report.client_judge.client_summary import ClientEventWriter
from wireproof.verdict.report.events.event_json import EventFile

Judged = Callable[..., Path]
OTHER = NAMING.request(18, 3)
"""A request of another message: ApiVersionsRequest."""


@pytest.fixture
def judged(tmp_path: Path) -> Judged:
    """Writes the event file of a judgement: its requests, and their findings."""

    def write(
        name: str, *verdicts: RequestVerdict, loose: Sequence[RequestFinding] = (), end: bool = True
    ) -> Path:
        found = account()
        path = tmp_path / name
        with path.open("w", encoding="utf-8") as stream:
            events = ClientEventWriter(stream, found)
            for verdict in verdicts:
                events(found.statistics.verdict(verdict))
            for finding in loose:
                events(found.statistics.loose(finding))
            if end:
                events.end(found)
        return path

    return write


def typed(*words: object) -> int:
    return int(command_line([str(word) for word in words], standalone_mode=False) or 0)


RIGHT = RequestVerdict(sent(METADATA))
WRONG_ONCE = RequestVerdict(sent(METADATA), (WRONG,))


def test_a_new_finding_fails(judged: Judged, capsys: pytest.CaptureFixture[str]) -> None:
    """It is named with its message, field, fault and sentence; the same finding of another version is old."""
    before = judged("before", WRONG_ONCE)
    after = judged("after", RequestVerdict(sent(NAMING.request(3, 4)), (ALIKE,)), loose=[HTTP])

    assert typed("diff", before, after) == ExitCode.DIVERGENCE
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "before  npm test: 1 request, 1 finding",
        "after   npm test: 1 request, 2 findings",
        "",
        "New: 1 finding",
        r"  bytes [not-kafka]: the bytes look like HTTP, \x01 not like a size",
    ]
    assert printed.err == "findings: new 1, gone 0, not judged any more 0, unchanged 1\n"


def test_a_finding_is_gone_where_its_message_was_judged(
    judged: Judged, capsys: pytest.CaptureFixture[str]
) -> None:
    """A judgement that lacks the message, or its end, says nothing about the finding."""
    before = judged("before", WRONG_ONCE, loose=[HTTP])
    changes = {}
    for name, after in {
        "right": judged("right", RIGHT),
        "other": judged("other", RequestVerdict(sent(OTHER))),
        "cut": judged("cut", RIGHT, end=False),
    }.items():
        assert typed("diff", before, after, "--format", "json") == ExitCode.PROVEN
        found = json.loads(capsys.readouterr().out)["findings"]
        changes[name] = {each["message"]: each["change"] for each in found}
    gone, not_judged = "gone", "not judged any more"
    assert changes == {
        "right": {"": gone, "MetadataRequest": gone},
        "other": {"": gone, "MetadataRequest": not_judged},
        "cut": {"": not_judged, "MetadataRequest": not_judged},
    }


def test_a_comment_for_a_pull_request(judged: Judged, capsys: pytest.CaptureFixture[str]) -> None:
    """The verdict comes first; text of a client is not markup."""
    after = judged("after", WRONG_ONCE, RequestVerdict(sent(NAMING.request(999, 0)), (UNKNOWN,)))
    assert typed("diff", judged("before", RIGHT), after, "--format", "markdown") == ExitCode.DIVERGENCE
    text = capsys.readouterr().out
    assert text.startswith("### wireproof judge: A finding is new.\n")
    assert r"- MetadataRequest topics\[\].name \[differs\]: Kafka writes \| other \`bytes\`" in text
    assert "New: 2 findings" in text


def test_a_run_and_a_judgement_are_not_compared(judged: Judged, tmp_path: Path) -> None:
    """The error says which files can be compared, which format it reads, or which line is no event."""
    run = tmp_path / "run"
    with run.open("w", encoding="utf-8") as stream:
        EventFile(stream)(STARTED)
    with pytest.raises(FailedCommand, match="one file is of a run, the other of a judgement"):
        typed("diff", run, judged("judged", RIGHT))

    newer = judged("newer", RIGHT)
    newer.write_text(newer.read_text().replace('"format":1', '"format":2', 1))
    with pytest.raises(FailedCommand, match="its format is 2; this wireproof reads format 1"):
        typed("diff", newer, newer)

    odd = judged("odd", RIGHT)
    odd.write_text(odd.read_text() + '{"event":"finding"}\n')
    with pytest.raises(FailedCommand, match="line 4: this is not an event of wireproof judge"):
        typed("diff", odd, odd)
