"""Reports about a client: right, wrong, malformed and unfinished requests."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from junitparser import JUnitXml
from rich.console import Console

from wireproof.base.exit_codes import ExitCode
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.divergence import Divergence
from wireproof.proof.checks.check_table import Check
from wireproof.proof.client_judge.sent_requests import (
    MissingResponse,
    RequestFault,
    RequestFinding,
    RequestStatistics,
    RequestVerdict,
    SentRequest,
)
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType
from wireproof.traffic.wire.request_matcher import Frame
from wireproof.verdict.report.client_judge.client_html import render_client_html
from wireproof.verdict.report.client_judge.client_issues import render_client_annotations
from wireproof.verdict.report.client_judge.client_junit import render_client_junit
from wireproof.verdict.report.client_judge.client_markdown import render_client_markdown
from wireproof.verdict.report.client_judge.client_summary import (
    ClientEventWriter,
    ClientProgressLine,
    ClientSummary,
    client_summary_json,
)

RELEASE = "4.3.1"
NAMING = FrameIdentifier(load_snapshot(table().find(RELEASE)))
SCHEMA_FILE = Path(__file__).parents[4] / "docs/reference/judge-events.schema.json"
SCHEMA = json.loads(SCHEMA_FILE.read_text("utf-8"))
METADATA = NAMING.request(3, 1)
STRANGE = NAMING.request(999, 0)
DIVERGENCE = Divergence(
    Check.BYTES,
    "the client",
    "Kafka writes other bytes",
    "topics[0].name",
    offset=7,
    codec="[82] 00",
    oracle="[02]",
    kind="differs",
)


def sent(named: object) -> SentRequest:
    assert not isinstance(named, str)
    return SentRequest("1-CLIENT", 2, named, Frame(0, b"\0\0\0\1x"), MissingResponse.NOT_SEEN)  # type: ignore[arg-type]


def finding(
    fault: RequestFault, message: str, version: int | None, summary: str, **more: object
) -> RequestFinding:
    return RequestFinding(fault, "1-CLIENT", 2, 40, summary, b"\0\0\0\1x", message, version, **more)  # type: ignore[arg-type]


WRONG = finding(
    RequestFault.DIFFERS, "MetadataRequest", 1, "Kafka writes | other `bytes`", divergence=DIVERGENCE
)
ALIKE = finding(RequestFault.DIFFERS, "MetadataRequest", 4, "Kafka writes other bytes", divergence=DIVERGENCE)
UNKNOWN = finding(RequestFault.UNKNOWN_API, "api key 999", 0, "Kafka 4.3.1 has no api 999")
HTTP = finding(RequestFault.NOT_KAFKA, "", None, "the bytes look like HTTP, \x01 not like a size")


def account(**more: object) -> ClientSummary:
    """Return the totals of a judgement without requests."""
    return ClientSummary("0.1.0", ("wireproof", "judge"), ("npm", "test"), "jars:4.3", RELEASE, **more)  # type: ignore[arg-type]


def reported() -> tuple[ClientSummary, list[dict[str, object]]]:
    """Return the summary of two right requests and four findings of three causes, and the lines of the event
    file."""
    assert isinstance(METADATA, FrameType)
    found = account(connections=3, duration_s=1.5, jars={"a.jar": "0" * 64})
    stream = io.StringIO()
    events = ClientEventWriter(stream, found)
    right = RequestVerdict(sent(METADATA), errors=("NOT_CONTROLLER",), client="c", software="lib 1")
    for verdict in (
        right,
        right,
        RequestVerdict(sent(METADATA), (WRONG,), client="c"),
        RequestVerdict(sent(NAMING.request(3, 4)), (ALIKE,), client="c"),
        RequestVerdict(sent(STRANGE), (UNKNOWN,)),
    ):
        events(found.statistics.verdict(verdict))
    events(found.statistics.loose(HTTP))
    found.exit_code = ExitCode.DIVERGENCE
    events.end(found)
    return found, [json.loads(line) for line in stream.getvalue().splitlines()]


def test_each_line_of_the_event_file_is_valid_by_the_schema() -> None:
    """The header comes first, then findings, totals of the requests, and the footer."""
    lines = reported()[1]
    for line in lines:
        Draft202012Validator(SCHEMA).validate(line)
    assert [line["event"] for line in lines] == ["header", *["finding"] * 3, *["cell"] * 3, "footer"]
    totals = {name: lines[-1][name] for name in ("cells", "cellsFailed", "requests", "wrong", "causes")}
    assert totals == {"cells": 3, "cellsFailed": 3, "requests": 5, "wrong": 4, "causes": 3}
    assert [line["cell"] for line in lines if line["event"] == "cell"] == [
        "4.3.1/MetadataRequest/1",
        "4.3.1/MetadataRequest/4",
        "4.3.1/api key 999/0",
    ]


def test_a_half_request_is_not_nothing() -> None:
    """A program that connects, and sends less than a request, hears so."""
    assert account().verdict == "Nothing was sent."
    assert account(connections=1).verdict == "No whole request was sent."


def test_each_message_version_is_a_test_case() -> None:
    """A test case fails by its cause, whichever version showed it first. Bytes that are not a request are a
    test case too."""
    report = JUnitXml.fromstring(render_client_junit(reported()[0]).encode())
    (suite,) = report
    cases = {f"{case.classname}.{case.name}": case for case in suite}
    assert {name: [each.type for each in case.result] for name, case in cases.items()} == {
        "4.3.1.clients.MetadataRequest/1": ["differs"],
        "4.3.1.clients.MetadataRequest/4": ["differs"],
        "4.3.1.unknown.api key 999/0": ["unknown-api"],
        "wireproof.bytes/not-kafka": ["not-kafka"],
    }
    assert "met      2 times" in cases["4.3.1.clients.MetadataRequest/4"].result[0].text
    assert "NOT_CONTROLLER (2)" in cases["4.3.1.clients.MetadataRequest/1"].system_out
    assert (report.failures, report.errors) == (4, 0)


def test_the_summary_shows_the_causes_first() -> None:
    """Causes come with both sides, then a table and the clients; text of a client is not markup."""
    text = render_client_markdown(reported()[0])
    assert text.startswith("### wireproof judge: `npm test` against Kafka 4.3.1\n\n**Not proven.**")
    assert "- **MetadataRequest version 1**: Kafka writes \\| other \\`bytes\\`" in text
    assert "client `[82] 00`, Kafka `[02]`" in text
    assert "| MetadataRequest | 1 | 3 | 2 | NOT\\_CONTROLLER (2) |" in text
    assert "Software: lib 1." in text
    assert text.rstrip().endswith("5 requests of 3 message versions, 3 connections, 3 findings, 1.5 s")


def test_each_cause_is_an_annotation() -> None:
    """Each annotation is one line."""
    lines = render_client_annotations(reported()[0]).splitlines()
    assert [line.partition("::")[2].partition("::")[0] for line in lines] == [
        "error title=wireproof judge%3A MetadataRequest version 1",
        "error title=wireproof judge%3A api key 999 version 0",
        "error title=wireproof judge%3A bytes",
    ]


@pytest.mark.parametrize(
    ("code", "more", "words"),
    [
        (None, {"stopped": "broker 1 ended\nIts log says why."}, "broker 1 ended"),
        (ExitCode.INTERRUPTED, {}, "interrupted"),
        (ExitCode.NOTHING_RAN, {}, "nothing was judged"),
        (ExitCode.BELOW_FLOOR, {"ended": "ended with exit code 3"}, "npm ended with exit code 3"),
    ],
)
def test_a_failed_end_is_never_a_green_file(code: ExitCode | None, more: dict[str, str], words: str) -> None:
    """No request is wrong, but a test case names the problem."""
    found = account(exit_code=code, **more)
    (case,) = next(iter(JUnitXml.fromstring(render_client_junit(found).encode())))
    assert words in case.result[0].message
    if more:
        assert words in render_client_annotations(found)
        assert words.removeprefix("npm ") in render_client_markdown(found).replace("\\", "")


def test_a_program_ended_by_its_budget_is_incomplete() -> None:
    """The result is incomplete in every report, because the requests that it would have sent are unknown."""
    found = account(exit_code=ExitCode.BELOW_FLOOR, ended="was ended by --budget 60")
    found.statistics.verdict(RequestVerdict(sent(METADATA), client="c"))
    assert found.verdict.startswith("Incomplete: the program was ended by --budget 60. ")
    report = JUnitXml.fromstring(render_client_junit(found).encode())
    assert (report.failures, report.errors) == (1, 0)
    text = render_client_markdown(found)
    assert "Right" not in text.partition("| Message")[0]
    assert "was ended by --budget 60" in text
    assert "was ended by --budget 60" in render_client_annotations(found)


def test_progress_is_shown_only_on_a_terminal() -> None:
    """The current step comes first, then the number of judged requests; foreign escape sequences do not reach
    the terminal."""
    statistics = RequestStatistics()
    statistics.verdict(RequestVerdict(sent(METADATA), client="c"))
    shown, plain = io.StringIO(), io.StringIO()
    for stream, terminal in ((shown, True), (plain, False)):
        progress = ClientProgressLine(Console(file=stream, force_terminal=terminal, width=100))
        with progress:
            progress.say("broker \x1b]0;x")
            progress.count(statistics)
    assert "the program runs: 1 request judged, 0 findings" in shown.getvalue()
    assert "\x1b]0;x" not in shown.getvalue()
    assert plain.getvalue() == ""


def test_a_right_client_is_green_everywhere() -> None:
    """There is no failure and no annotation, and the verdict is green."""
    found = account(exit_code=ExitCode.PROVEN)
    found.statistics.verdict(RequestVerdict(sent(METADATA), client="c"))
    report = JUnitXml.fromstring(render_client_junit(found).encode())
    assert (report.failures, report.errors, report.tests) == (0, 0, 1)
    assert render_client_annotations(found) == ""
    assert "**Right.**" in render_client_markdown(found)
    assert client_summary_json(found)["findings"] == []


def test_the_page_shows_requests_and_bytes() -> None:
    """Each request has its verdict, and a finding the frame with the names of its fields; HTTP has none."""
    page = render_client_html(reported()[0])
    text = " ".join(re.sub(r"<[^>]+>", " ", page.partition("<body>")[2]).split())
    assert (
        "npm test against Kafka 4.3.1 Not proven. What the client sent is not what Kafka would send." in text
    )
    assert "MetadataRequest 1 3 2 ✗ wrong NOT_CONTROLLER (2)" in text
    assert "MetadataRequest version 1 topics[0].name Kafka writes | other `bytes` 2 times" in text
    assert "size 0 00 00 00 01" in text
    assert "(not read) 0 00 00 00 01 78" in text  # no layout names the bytes of HTTP
    assert "\x01" not in page


def test_a_page_of_a_right_client_says_so() -> None:
    """A program without findings is right; one that was ended early is not proven by its silence."""
    found = account(exit_code=ExitCode.PROVEN)
    found.statistics.verdict(RequestVerdict(sent(METADATA)))
    page = render_client_html(found)
    assert "No request differs from what Kafka would send." in page
    assert 'class="verdict good"' in page
    found.ended = "was ended by --budget 60"
    assert 'class="verdict wary"' in render_client_html(found)


def test_text_of_a_client_is_not_markup_of_the_page() -> None:
    """Whatever a client calls itself is text."""
    found = account()
    hostile = "</script><img src=x onerror=alert(1)>\x1b[31m"
    found.statistics.verdict(
        RequestVerdict(sent(METADATA), (replace(WRONG, client=hostile),), client=hostile, software=hostile)
    )
    page = render_client_html(found)
    assert "<img" not in page
    assert "\x1b" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
