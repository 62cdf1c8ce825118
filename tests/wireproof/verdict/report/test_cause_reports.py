"""The causes of a run in the reports that are files: one wording, one entry for each cause."""

import json
from dataclasses import replace
from html import unescape
from xml.etree.ElementTree import fromstring

import pytest

from tests.support.reports.planted_run import summary_of
from tests.support.reports.sample_events import (
    CAUSE,
    CELL,
    DIAGNOSIS,
    DIVERGENCE,
    DONE,
    FAILED,
    FINISHED,
    STARTED,
)
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.search.cell_diagnosis import CellDiagnosis
from wireproof.verdict.report.lines.cause_lines import cause_text
from wireproof.verdict.report.run.annotations_report import render_annotations
from wireproof.verdict.report.run.code_quality_report import render_code_quality
from wireproof.verdict.report.run.html_report import render_html
from wireproof.verdict.report.run.junit_report import render_junit
from wireproof.verdict.report.run.markdown_report import render_markdown
from wireproof.verdict.report.run.sarif_report import render_sarif
from wireproof.verdict.report.run_summary import RunSummary
from wireproof.verdict.report.text.escaping import MOST_CHARACTERS

LEFT = replace(FAILED, divergences=(replace(DIVERGENCE, check="cut", path="", kind="accepted"),))
SENTENCE = "A field that the caller leaves out is written as zero, empty or false"
HOSTILE = "</details><script>hit()</script>\n::error::x\x1b[31m `]]>"


def diagnosed(diagnosis: CellDiagnosis = DIAGNOSIS) -> RunSummary:
    """A run with a finding that its cause predicts, and one that none does."""
    return summary_of(STARTED, FAILED, LEFT, replace(DONE, diagnosis=diagnosis), FINISHED)


def fields(number: int) -> CellDiagnosis:
    """Return a diagnosis with a cause for each of some fields."""
    row = replace(CAUSE.deviation, trigger="value")
    causes = (
        replace(CAUSE, deviation=replace(row, fields=frozenset({f"f{each}"}))) for each in range(number)
    )
    return CellDiagnosis(tuple(causes), 3 * number)


def test_scanners_show_a_result_for_a_cause_and_for_what_it_leaves():
    """The finding that the cause predicts is no result of its own."""
    summary = diagnosed()
    (run,) = json.loads(render_sarif(summary))["runs"]
    issues = json.loads(render_code_quality(summary))
    (cause,) = summary.causes.ranked()

    assert [each["ruleId"] for each in run["results"]] == ["cause", "cut"]
    assert [each["check_name"] for each in issues] == ["wireproof/cause", "wireproof/cut"]
    assert (
        run["results"][0]["message"]["text"] == issues[0]["description"] == cause_text(cause, summary.causes)
    )


def test_a_refusal_of_kafka_has_no_words_of_the_trigger_beside_it():
    """The shortest bytes at which a codec always crashes may be bytes that Kafka refuses, not reads."""
    crash = Deviation(CodecDirection.DECODE, "message", "crash", "hang")
    for shown, row in (("refuses: truncated", "refuses: truncated"), ("{}", "{} (read)")):
        causes = diagnosed(CellDiagnosis((replace(CAUSE, deviation=crash, kafka=shown),), 1)).causes
        assert f"\nKafka: {row}\n" in f"{cause_text(causes.ranked()[0], causes)}\n"


def test_a_cause_has_one_fingerprint_in_every_run():
    """It does not depend on the cells, the cases or the fields that showed it."""
    shown = replace(CAUSE, predicted=99, size=1, case_id=f"{CELL.id}/random/7")
    texts = (render_code_quality(diagnosed(CellDiagnosis((each,), 99))) for each in (CAUSE, shown))

    first, second = (json.loads(text)[0]["fingerprint"] for text in texts)
    assert first == second


def test_a_cause_is_at_the_place_of_a_finding_that_it_predicts():
    """The source that the testee names for the message."""
    summary = diagnosed()
    assert summary.started is not None
    summary.started = replace(summary.started, locations={"FetchRequest": "codec.py:12"})

    assert json.loads(render_code_quality(summary))[0]["location"] == {
        "path": "codec.py",
        "lines": {"begin": 12},
    }
    title = "wireproof%3A FetchRequest 12 (field topics[].partitions[].logStartOffset)"
    assert f"::error file=codec.py,line=12,title={title}::A field" in render_annotations(summary)


def test_an_annotation_is_a_cause_or_what_it_leaves():
    lines = render_annotations(diagnosed()).splitlines()

    assert len(lines) == 2
    assert SENTENCE in lines[0]
    assert "[cut]" in lines[1]


def test_a_suite_has_its_causes_and_no_further_case():
    """They span cells: as failures they would break the counts of a server."""
    suites = [fromstring(render_junit(each)) for each in (diagnosed(), diagnosed(CellDiagnosis()))]

    (causes,) = suites[0].iterfind(".//property[@name='causes']")
    lines = causes.attrib["value"].splitlines()
    assert lines[0] == "1 cause predicts the codec's answer in 3 of 4 failed cases"
    assert lines[2] == f"1. {SENTENCE}"
    assert lines[-1] == "Rest: 1 failed case that no cause predicts"
    assert suites[0].attrib == suites[1].attrib
    assert not list(suites[1].iterfind(".//property[@name='causes']"))


def test_a_pull_request_shows_causes_before_what_they_leave():
    """The finding that the cause predicts is left out; of many causes the first twenty are shown."""
    text = render_markdown(diagnosed())

    assert (
        text.index("#### Causes") < text.index(SENTENCE) < text.index("#### Findings that no cause predicts")
    )
    assert "Rest: 1 failed case that no cause predicts." in text
    assert "cut" in text
    assert "<code>bytes" not in text
    many = render_markdown(diagnosed(fields(45)))
    assert "and 25 more causes." in many
    assert len(many) <= MOST_CHARACTERS


def test_the_page_opens_with_the_causes():
    """Each has its shortest case and its places; what causes predict follows the other findings."""
    page = render_html(diagnosed())
    causes = page[page.index('<section id="causes"') : page.index('<form class="filters"')]

    assert page.index('<section id="causes"') < page.index('<section id="findings-of-run"')
    for words in (
        SENTENCE,
        "Predicts 3 of 4 failed cases",
        "00000000",
        "ffffffff",
        "wireproof replay",
        "<details",
    ):
        assert words in causes
    findings = page[page.index('<section id="findings-of-run"') :]
    assert findings.index('data-check="cut"') < findings.index('data-check="bytes"')
    assert findings.count("a cause predicts it") == 1
    assert all(f'id="cause-{number}"' in render_html(diagnosed(fields(45))) for number in (1, 45))


@pytest.mark.parametrize(
    "render",
    [render_html, render_markdown, render_junit, render_sarif, render_code_quality, render_annotations],
)
def test_a_run_without_causes_is_reported_as_before(render):
    """An event file of before the diagnosis, and a green run, have no word about causes."""
    none = summary_of(STARTED, FAILED, LEFT, DONE, FINISHED)

    assert render(none) == render(diagnosed(CellDiagnosis()))
    assert "cause predicts" not in render(none)


@pytest.mark.parametrize(
    "render",
    [render_html, render_markdown, render_junit, render_sarif, render_code_quality, render_annotations],
)
def test_an_error_of_the_search_is_shown_and_fails_nothing(render):
    """It is no reached bound; the failures are findings, and a scanner gets a warning."""
    error = CellDiagnosis((), 4, 4, exhausted=True, error="KeyError: 'x'")
    text = unescape(render(diagnosed(error))).replace("%3A", ":").replace("\\", "")

    assert "search for causes ended in an error of wireproof in 1 cell" in text
    assert "KeyError: 'x'" in text
    assert "reached its bound" not in text
    if render is render_sarif:
        (run,) = json.loads(text)["runs"]
        assert ["cause-search", "warning"] in [[each["ruleId"], each["level"]] for each in run["results"]]


def test_words_of_a_codec_do_nothing():
    """A request, an answer and a class of error are the codec's own text."""
    wild = replace(CAUSE, request=HOSTILE, codec=HOSTILE)
    wild = replace(wild, deviation=replace(wild.deviation, action="crash", error=HOSTILE))
    summary = diagnosed(CellDiagnosis((wild,), 3))

    assert "<script>hit" not in render_html(summary)
    assert "<script>hit" not in _titles(summary)
    assert "\x1b" not in render_markdown(summary) + render_annotations(summary) + render_junit(summary)
    assert not [line for line in render_annotations(summary).splitlines() if line.startswith("::error::x")]
    fromstring(render_junit(summary))


def _titles(summary: RunSummary) -> str:
    """Return the titles of the Markdown report, which are HTML."""
    return "\n".join(line for line in render_markdown(summary).splitlines() if line.startswith("<details>"))
