"""The issues of a run for code scanners: SARIF, GitLab's code quality report, and the badge."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.reports.planted_run import summary_of
from tests.support.reports.sample_events import (
    CELL,
    CLAIM,
    DIVERGENCE,
    DONE,
    EVENTS,
    FAILED,
    FINISHED,
    PROBLEM,
    STARTED,
)
from wireproof.base.exit_codes import ExitCode
from wireproof.proof.run.core.cell_events import LostCell
from wireproof.proof.run.core.run_events import ClaimFinding, LedgerFinding, RunEvent
from wireproof.verdict.report.run.annotations_report import render_annotations
from wireproof.verdict.report.run.badge_report import render_badge
from wireproof.verdict.report.run.code_issues import code_issues
from wireproof.verdict.report.run.code_quality_report import render_code_quality
from wireproof.verdict.report.run.sarif_report import render_sarif
from wireproof.verdict.report.run_summary import RunSummary

RIGHT = replace(DONE, failed_cases=0)
OTHER = replace(RIGHT, cell=replace(CELL, version=13))
PROVEN = replace(FINISHED, exit_code=ExitCode.PROVEN)
HOSTILE = "a\x1b[31m\n::error::x ##[error] \ud800 </script>"


def results(summary: RunSummary) -> list[dict[str, Any]]:
    (run,) = json.loads(render_sarif(summary))["runs"]
    return list(run["results"])


def test_each_cause_is_a_result_of_its_rule():
    """Rules, levels, places and keys; nothing of the summary is left out."""
    log = json.loads(render_sarif(summary_of(*EVENTS)))
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]

    assert log["version"] == "2.1.0"
    assert rules == sorted({"bytes", "claim", "ledger", "no-verdict", "not-run"})
    assert [rules[each["ruleIndex"]] for each in run["results"]] == [
        each["ruleId"] for each in run["results"]
    ]
    assert run["invocations"] == [{"executionSuccessful": False, "exitCode": 1}]
    (first, *_) = [each for each in run["results"] if each["ruleId"] == "bytes"]
    assert first["level"] == "error"
    assert f"wireproof replay '{FAILED.case_id}'" in first["message"]["text"]
    (place,) = first["locations"]
    assert place["physicalLocation"]["region"] == {"startLine": 1}
    assert place["logicalLocations"][0]["fullyQualifiedName"] == f"FetchRequest.{DIVERGENCE.path}"


def test_a_warning_of_the_ledger_is_one():
    """It fails no run, and no merge request."""
    soon = LedgerFinding(replace(PROBLEM, fails=False))
    summary = summary_of(STARTED, RIGHT, soon, FINISHED)

    (result,) = results(summary)
    assert result["level"] == "warning"
    (issue,) = json.loads(render_code_quality(summary))
    assert issue["severity"] == "info"


def test_a_cause_has_the_same_key_in_every_run():
    """Other cases, other evidence and a smaller instance change it not; another kind does."""
    other = replace(DIVERGENCE, path="topics[7].partitions[0].logStartOffset", offset=3, summary="else")
    again = replace(FAILED, case_id=f"{CELL.id}/random/1", divergences=(other,))
    another = replace(FAILED, divergences=(replace(DIVERGENCE, kind="width"),))
    keys = [
        next(iter(code_issues(summary_of(STARTED, failed, FINISHED)))).key
        for failed in (FAILED, again, another)
    ]

    assert keys[0] == keys[1] != keys[2]
    assert json.loads(render_code_quality(summary_of(STARTED, FAILED, FINISHED)))[0]["fingerprint"] == keys[0]


@pytest.mark.parametrize(
    ("codec", "place"),
    [
        ('crashed: File "/cache/x/adapter.py", line 173, in decode', ("codec/adapter.py", 173)),
        ('File "/x/adapter.py", line 12 ... File "/lib/z.py", line 3', ("codec/adapter.py", 12)),
        ("at decode (/build/adapter.js:7:15) at main", ("codec/adapter.js", 7)),
        ("panic: main.decode /build/main.go:88 +0x1d", ("codec/main.go", 88)),
        ('File "/etc/passwd", line 1', ("codec/testee.toml", 1)),
        ("00 [ff] 01", ("codec/testee.toml", 1)),
    ],
)  # fmt: skip
def test_the_place_is_in_the_folder_of_the_testee(
    codec: str, place: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The innermost frame that is one of its files; else the file that describes it."""
    folder = tmp_path / "codec"
    folder.mkdir()
    for name in ("testee.toml", "adapter.py", "adapter.js", "main.go"):
        (folder / name).touch()
    monkeypatch.chdir(tmp_path)
    failed = replace(FAILED, divergences=(replace(DIVERGENCE, codec=codec),))
    (issue,) = code_issues(summary_of(replace(STARTED, testee="./codec"), failed, FINISHED))

    assert (issue.path, issue.line) == place


@pytest.mark.parametrize(
    ("codec", "place"),
    [
        ('File "/lib/src/fetch.py", line 7, in read', ("src/fetch.py", 7)),
        ('File "/x/adapter.py", line 12 ... File "/lib/fetch.py", line 3', ("src/fetch.py", 3)),
        ("00 [ff] 01", ("src/fetch.py", 12)),
    ],
)  # fmt: skip
def test_the_place_is_in_the_source_that_the_testee_names(codec: str, place: tuple[str, int]):
    """A line of a stack trace in that file is nearer; every report for a server has the place."""
    failed = replace(FAILED, divergences=(replace(DIVERGENCE, codec=codec),))
    started = replace(STARTED, testee="nowhere", locations={CELL.message: "src/fetch.py:12", "X": "garbage"})
    summary = summary_of(started, failed, FINISHED)

    assert [(issue.path, issue.line) for issue in code_issues(summary)] == [place]
    assert render_annotations(summary).startswith(f"::error file={place[0]},line={place[1]},title=")
    (quality,) = json.loads(render_code_quality(summary))
    assert quality["location"] == {"path": place[0], "lines": {"begin": place[1]}}


def test_a_location_that_is_none_is_left_out():
    """An event file may have any text."""
    for text in ("", "x", "x:y", ":3", "x:" + "9" * 99):
        started = replace(STARTED, locations={CELL.message: text})
        (issue,) = code_issues(summary_of(started, FAILED, FINISHED))
        assert (issue.path, issue.line) == ("testee.toml", 1)


def test_foreign_text_does_nothing():
    """No escape sequence, no workflow command, and valid UTF-8."""
    failed = replace(FAILED, divergences=(replace(DIVERGENCE, summary=HOSTILE, codec=HOSTILE, path=HOSTILE),))
    summary = summary_of(replace(STARTED, testee=HOSTILE[:9]), failed, LostCell(CELL, HOSTILE), FINISHED)
    for render in (render_sarif, render_code_quality, render_badge):
        text = render(summary)
        json.loads(text)
        assert text.isascii()
        assert "\x1b" not in text
        assert "##[" not in text
        assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]


@pytest.mark.parametrize(
    ("events", "message", "colour"),
    [
        ([RIGHT, PROVEN], "1/2", "green"),
        ([RIGHT, OTHER, PROVEN], "2/2", "brightgreen"),
        ([RIGHT, replace(OTHER, known={"e": 1}), PROVEN], "1/2", "green"),
        ([RIGHT, FAILED, replace(DONE, cell=replace(CELL, version=13)), FINISHED], "1/2", "red"),
        ([RIGHT, replace(FINISHED, exit_code=ExitCode.BELOW_FLOOR)], "1/2", "yellow"),
        ([RIGHT, replace(FINISHED, exit_code=ExitCode.INTERRUPTED)], "1/2", "lightgrey"),
    ],
)  # fmt: skip
def test_a_badge_counts_cells_that_agree(events: list[RunEvent], message: str, colour: str):
    """A cell with a known deviation is excused, and does not agree; bright green is for all cells."""
    badge = json.loads(render_badge(summary_of(STARTED, *events)))

    assert badge == {"schemaVersion": 1, "label": "wire conformance", "message": message, "color": colour}


def test_a_run_without_an_end_has_no_verdict():
    """Its badge is grey, and says why."""
    summary = summary_of(STARTED, RIGHT)
    summary.stopped = "killed"

    assert json.loads(render_badge(summary))["isError"] is True
    assert [each["ruleId"] for each in results(summary)] == ["not-run"]


def test_claims_are_issues():
    """A claim that fails is an error."""
    (result,) = results(summary_of(STARTED, RIGHT, ClaimFinding(CLAIM), FINISHED))

    assert (result["ruleId"], result["level"]) == ("claim", "error")
