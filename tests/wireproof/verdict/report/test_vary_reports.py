"""Reports of `wireproof judge --vary`: the findings in the model that all reports of `judge` share."""

import io
import json
from collections import Counter
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from junitparser import JUnitXml

from tests.wireproof.verdict.report.test_client_judge_reports import SCHEMA
from wireproof.app.cli.capture.vary_summary import VaryRow, VarySummary, varied_finding
from wireproof.base.accepted_findings import read_accepted
from wireproof.base.exit_codes import ExitCode
from wireproof.proof.client_judge.sent_requests import RequestStatistics
from wireproof.traffic.capture.varying.cause_search import VaryOutcome, VaryVerdict
from wireproof.verdict.report.client_judge.client_html import render_client_html
from wireproof.verdict.report.client_judge.client_issues import (
    render_client_annotations,
    render_client_code_quality,
    render_client_sarif,
)
from wireproof.verdict.report.client_judge.client_junit import render_client_junit
from wireproof.verdict.report.client_judge.client_markdown import render_client_markdown
from wireproof.verdict.report.client_judge.client_summary import ClientEventWriter

REPLAY = "wireproof judge --vary --only tags-root@HeartbeatResponse#2 -- npm test"
BEFORE = bytes.fromhex("0000000c 00000007 00 00000000 0000 00")
ROW = VaryRow(
    "tags-root@HeartbeatResponse#2",
    "The body has an unknown tagged field.",
    "KIP-482: a reader skips tagged fields that it does not know",
    "tags-root",
    "HeartbeatResponse",
    4,
    2,
    "ended with exit code 0",
    "ended with exit code 1",
    BEFORE,
    bytes.fromhex("0000000f 00000007 00 00000000 0000 01 640100"),
    (),
    "",
    REPLAY,
    True,
)
ENTRY = """
[[accepted]]
message = "HeartbeatResponse"
field = ""
rule = "{rule}"
reason = "the client is old"
date = 2026-11-28
"""
RULES = ("tags-root", "tags-header", "records-zstd")


def judged(folder: Path, *rules: str, fault: str = "") -> VarySummary:
    """Return the summary of a program with one finding, of which a file accepts these rules."""
    path = folder / "accepted.toml"
    path.write_text("".join(ENTRY.format(rule=rule) for rule in rules), "utf-8")
    found = VarySummary("0.1.0", ("wireproof", "judge"), ("npm", "test"), "jars:4.3", "4.3.1")
    found.accepted_in = "accepted.toml"
    found.statistics = RequestStatistics(read_accepted(path, RULES))
    found.statistics.loose(varied_finding(ROW))
    spoken = Counter({("HeartbeatRequest", 4): 5, ("MetadataRequest", 12): 3})
    outcomes = {"tags-root": VaryOutcome.FOUND, "tags-header": VaryOutcome.TAKEN}
    found.fill(VaryVerdict(fault, outcomes, spoken=spoken, runs=9, usual_s=1.0, connections=20), 30.0)
    return found


def test_each_message_of_the_answers_is_a_test_case(tmp_path: Path) -> None:
    """That of the varied answer fails, with both bytes, the rule and the command that repeats it."""
    report = JUnitXml.fromstring(render_client_junit(judged(tmp_path)).encode())
    cases = {case.name: case for suite in report for case in suite}
    assert list(cases) == ["HeartbeatResponse/4", "MetadataResponse/12"]
    assert cases["MetadataResponse/12"].result == []
    (failure,) = cases["HeartbeatResponse/4"].result
    assert failure.type == "tags-root"
    for words in (
        "at byte  15",
        "proxy    ... 07 00 00 00 00 00 00 00 [01] 64 01 00 (19 bytes)",
        "Kafka    ... 07 00 00 00 00 00 00 00 [00]  (16 bytes)",
        "where    answer 2",
        ROW.rule,
        REPLAY,
    ):
        assert words in failure.text


@pytest.mark.parametrize(
    "render",
    [
        render_client_annotations,
        render_client_code_quality,
        render_client_html,
        render_client_markdown,
        render_client_sarif,
    ],
)
def test_each_report_names_variation_and_replay(tmp_path: Path, render: object) -> None:
    """Without the finding it has neither."""
    assert callable(render)
    text = render(judged(tmp_path))
    assert "tags-root" in text
    assert REPLAY in text
    assert REPLAY not in render(judged(tmp_path, "tags-root"))


def test_a_variation_is_a_rule_of_code_scanning(tmp_path: Path) -> None:
    """Its sentence is what allows the variation."""
    (run,) = json.loads(render_client_sarif(judged(tmp_path)))["runs"]
    (rule,) = run["tool"]["driver"]["rules"]
    assert (rule["id"], rule["shortDescription"]["text"]) == ("tags-root", f"{ROW.rule}.")


def test_the_events_are_those_of_judge(tmp_path: Path) -> None:
    """Each line is valid by the schema."""
    found = judged(tmp_path)
    stream = io.StringIO()
    writer = ClientEventWriter(stream, found)
    writer([varied_finding(ROW)])
    found.exit_code = ExitCode.DIVERGENCE
    writer.end(found)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    for line in lines:
        Draft202012Validator(SCHEMA).validate(line)
    assert [line["event"] for line in lines] == ["header", "finding", "cell", "cell", "footer"]
    assert (lines[1]["fault"], lines[1]["replay"]) == ("tags-root", REPLAY)
    assert [line["right"] for line in lines[2:4]] == [4, 3]


def test_an_entry_is_gone_if_its_variation_was_tried(tmp_path: Path) -> None:
    """One that was not tried says nothing; the file may be for several commands."""
    found = judged(tmp_path, *RULES)
    assert [each.rule for each in found.unmatched] == ["tags-header"]
    assert found.verdict.startswith("An accepted finding is gone")
    assert judged(tmp_path, "tags-root").verdict.startswith("Right. ")


def test_a_program_that_cannot_be_judged_is_incomplete(tmp_path: Path) -> None:
    """The reason is in the verdict and a failure of its own."""
    found = judged(tmp_path, "tags-root", fault="the program is flaky: it ended with exit code 1, then 0")
    assert found.verdict == "Incomplete: the program is flaky: it ended with exit code 1, then 0."
    report = JUnitXml.fromstring(render_client_junit(found).encode())
    assert [case.name for suite in report for case in suite if case.result] == ["program"]
