"""Findings about clients and brokers that a file accepts, and the reports for code hosts."""

import json
from pathlib import Path

import pytest
from junitparser import JUnitXml

from tests.wireproof.verdict.report.test_client_judge_reports import (
    ALIKE,
    HTTP,
    METADATA,
    UNKNOWN,
    WRONG,
    account,
    sent,
)
from wireproof.base.accepted_findings import read_accepted
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.proof.client_judge.sent_requests import RequestFault, RequestStatistics, RequestVerdict
from wireproof.verdict.report.client_judge.client_issues import (
    render_client_annotations,
    render_client_code_quality,
    render_client_sarif,
)
from wireproof.verdict.report.client_judge.client_junit import render_client_junit
from wireproof.verdict.report.client_judge.client_markdown import render_client_markdown
from wireproof.verdict.report.client_judge.client_summary import ClientSummary, client_summary_json

ENTRY = """
[[accepted]]
message = "{message}"
field = "{field}"
rule = "{rule}"
reason = "the client is old"
date = 2026-11-28
"""
DIFFERS = ENTRY.format(message="MetadataRequest", field="topics[].name", rule="differs")
LOOSE = ENTRY.format(message="", field="", rule="not-kafka")
GONE = ENTRY.format(message="MetadataRequest", field="", rule="refused")
OTHER = ENTRY.format(message="FetchRequest", field="", rule="refused")


def judged(folder: Path, text: str, *, wrong: bool = True) -> ClientSummary:
    """Return the summary of findings about one message, and of loose bytes, with a file of accepted ones."""
    path = folder / "accepted.toml"
    path.write_text(text, "utf-8")
    accepted = read_accepted(path, list(RequestFault))
    found = account(statistics=RequestStatistics(accepted), accepted_in="accepted.toml")
    found.statistics.verdict(RequestVerdict(sent(METADATA), client="c"))
    if wrong:
        found.statistics.verdict(RequestVerdict(sent(METADATA), (WRONG,), client="c"))
        found.statistics.verdict(RequestVerdict(sent(METADATA), (ALIKE,), client="c"))
        found.statistics.loose(HTTP)
    return found


@pytest.mark.parametrize("field", ["topics[].name", "topics[0].name"])
def test_an_accepted_finding_does_not_count(tmp_path: Path, field: str) -> None:
    """It is listed with its number and its reason; its field has indices, or none."""
    found = judged(tmp_path, DIFFERS.replace("topics[].name", field) + LOOSE)
    assert (found.statistics.causes, found.statistics.wrong, found.unmatched) == ({}, 0, [])
    plain = client_summary_json(found)
    assert [(each["fault"], each["count"]) for each in plain["accepted"]] == [
        ("differs", 2),
        ("not-kafka", 1),
    ]
    assert "the client is old" in render_client_markdown(found)
    assert found.verdict.startswith("Right. ")


def test_another_finding_still_counts(tmp_path: Path) -> None:
    """An entry accepts one fault of one field of one message."""
    found = judged(tmp_path, DIFFERS)
    found.statistics.verdict(RequestVerdict(sent(METADATA), (UNKNOWN,), client="c"))
    assert [fault for fault, *_ in found.statistics.causes] == ["not-kafka", "unknown-api"]
    found = judged(tmp_path, GONE)
    assert [fault for fault, *_ in found.statistics.causes] == ["differs", "not-kafka"]


def test_an_entry_that_accepts_nothing_fails_in_each_report(tmp_path: Path) -> None:
    """One of a message that was not judged says nothing."""
    found = judged(tmp_path, GONE + OTHER, wrong=False)
    found.exit_code = ExitCode.DIVERGENCE
    (entry,) = found.unmatched
    assert entry.key == ("MetadataRequest", "", "refused")
    assert found.verdict.startswith("An accepted finding is gone: remove its entry.")
    words = "no finding that fails matches MetadataRequest message [refused]"
    assert "accepted.toml" in render_client_annotations(found)
    for text in (
        render_client_annotations(found),
        json.loads(render_client_code_quality(found))[0]["description"],
    ):
        assert words in text
    report = JUnitXml.fromstring(render_client_junit(found).encode())
    assert report.failures == 1
    (result,) = json.loads(render_client_sarif(found))["runs"][0]["results"]
    assert result["ruleId"] == "accepted-unmatched"
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "accepted.toml"},
        "region": {"startLine": 2},
    }


@pytest.mark.parametrize(
    "cut", [{"partial": True}, {"ended": "ended with exit code 3"}, {"exit_code": ExitCode.INTERRUPTED}]
)
def test_a_partial_judgement_says_nothing_of_entries(tmp_path: Path, cut: dict[str, object]) -> None:
    """What was not judged may still show."""
    found = judged(tmp_path, GONE, wrong=False)
    for name, value in cut.items():
        setattr(found, name, value)
    assert found.unmatched == []


def test_a_wrong_rule_is_an_error_with_its_line(tmp_path: Path) -> None:
    """The file is read before anything is judged."""
    with pytest.raises(FatalError, match=r"accepted\.toml:2: error: the rule 'differ' is unknown"):
        judged(tmp_path, DIFFERS.replace('"differs"', '"differ"'))


def test_each_cause_is_a_result_of_code_scanning(tmp_path: Path) -> None:
    """With the sentence of its rule, and a key that does not change with the first case."""
    found = judged(tmp_path, OTHER)
    found.exit_code = ExitCode.DIVERGENCE
    (run,) = json.loads(render_client_sarif(found))["runs"]
    rules = {each["id"]: each["shortDescription"]["text"] for each in run["tool"]["driver"]["rules"]}
    assert rules == {
        "differs": "Kafka writes other bytes for what it reads in the frame.",
        "not-kafka": "Bytes of another protocol.",
    }
    assert run["automationDetails"] == {"id": "wireproof/judge/npm/"}
    first, _ = run["results"]
    assert (
        first["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "MetadataRequest.topics[0].name"
    )
    issues = json.loads(render_client_code_quality(found))
    assert [each["check_name"] for each in issues] == ["wireproof/differs", "wireproof/not-kafka"]
    assert issues[0]["fingerprint"] == first["partialFingerprints"]["wireproofCause/v1"]
