"""The reports at the end of a run: JUnit XML, a Markdown summary, and GitHub annotations."""

import io
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from junitparser import Error, Failure, JUnitXml, TestCase

from tests.support.reports.planted_run import summary_of
from wireproof.base.exit_codes import ExitCode
from wireproof.model.agreement import LedgerProblem
from wireproof.model.cell import Cell, Phase
from wireproof.model.coverage.cell_coverage import CellCoverage
from wireproof.model.divergence import Divergence, FaultAttribution, FaultOwner
from wireproof.model.repertoire import ClaimProblem
from wireproof.proof.config.selection import DEFAULT_PHASES
from wireproof.proof.run.core.cell_events import CellResult, FailedCase, LostCase, LostCell, ShrunkCase
from wireproof.proof.run.core.run_events import (
    BrokenRun,
    ClaimFinding,
    LedgerFinding,
    RunEvent,
    RunFooter,
    RunHeader,
    Totals,
)
from wireproof.verdict.report.run.annotations_report import render_annotations
from wireproof.verdict.report.run.junit_report import render_junit
from wireproof.verdict.report.run.markdown_report import render_markdown
from wireproof.verdict.report.run_summary import RunSummary
from wireproof.verdict.report.text.escaping import MOST_CHARACTERS

FETCH = Cell("4.4.0", "clients", "FetchRequest", 12)
JOIN = Cell("4.4.0", "clients", "JoinGroupRequest", 3)
DIVERGENCE = Divergence(
    "bytes", "tiny", "the bytes differ from Kafka's", "topics[0].name", "string, versions 0+", 37,
    "00 [00] 01", "00 [ff] 01",
)  # fmt: skip
FAILED = FailedCase(FETCH, Phase.ENUMERATED, f"{FETCH.id}/enumerated/a b", (DIVERGENCE,), '{"topics":[{}]}')
SHRUNK = ShrunkCase(FETCH, FAILED.case_id, (replace(DIVERGENCE, offset=3),), '{"a":1}')
REPLAY = "wireproof replay --testee ./tiny '4.4.0/FetchRequest/12/enumerated/a b'"
STARTED = RunHeader(
    "0.1.0", ("wireproof", "run"), 7, ("4.4.0",), {}, ("tiny",), (Phase.SHAPE, Phase.ENUMERATED), 2, {},
    testee="./tiny", ledger={"null-names": "bug: null is empty"},
)  # fmt: skip
DONE = CellResult(FETCH, {Phase.SHAPE: 1, Phase.ENUMERATED: 400}, 12_345, 4, 0.25)
JOINED = CellResult(
    JOIN, {Phase.ENUMERATED: 5}, 10, 0, 0.5, known={"null-names": 3}, errata={"KAFKA-1": 1},
    unsupported={"nan": 2},
)  # fmt: skip
TOTALS = Totals(
    2, 2, 1, 0, {Phase.ENUMERATED: 405}, 4, 12_355, known={"null-names": 3}, classes_met=8,
    classes_reachable=9,
)  # fmt: skip
FINISHED = RunFooter(TOTALS, 1.5, ExitCode.DIVERGENCE)
EXPIRES = LedgerProblem("old", "expires-soon", "its day is near", "wireproof ledger amend old", fails=False)
CLAIM = ClaimProblem("tiny", "FetchRequest", "4-5", "decode", "unclaimed", "nobody claims it", "Claim it.")
SHY = Totals(2, 2, claims=8, claims_exercised=7, claims_below_floor=True)
PASSED = LedgerProblem("gone", "passed", "all is right", "wireproof ledger remove gone")


def read(summary: RunSummary) -> tuple[JUnitXml, dict[str, TestCase]]:
    """Read the file as a server does: the whole, and its test cases by class and name."""
    text = render_junit(summary)
    ElementTree.fromstring(text)
    root: Any = ElementTree.parse(io.BytesIO(text.encode())).getroot()
    report = JUnitXml.fromroot(root)
    (suite,) = report
    return report, {f"{case.classname}:{case.name}": case for case in suite}


def many(count: int, **changes: Any) -> list[RunEvent]:
    """Return failures of as many messages."""
    found = (replace(DIVERGENCE, **changes),)
    cells = [Cell("4.4.0", "clients", f"Message{index:04}", 0) for index in range(count)]
    return [FailedCase(cell, Phase.ENUMERATED, f"{cell.id}/enumerated/a", found, "{}") for cell in cells]


# JUnit.


def test_every_cell_is_a_test_case():
    """Class and name are those of the cell, the counts are right, and nothing is skipped."""
    report, cases = read(summary_of(STARTED, FAILED, JOINED, DONE, FINISHED))

    assert list(cases) == ["4.4.0.clients:FetchRequest/12", "4.4.0.clients:JoinGroupRequest/3"]
    assert (report.tests, report.failures, report.errors, report.skipped) == (2, 1, 0, 0)
    assert report.time == 1.5
    assert cases["4.4.0.clients:JoinGroupRequest/3"].is_passed
    assert cases["4.4.0.clients:FetchRequest/12"].time == 0.25


def test_a_failure_reads_as_on_the_terminal():
    """The text has the check, both sides, the smallest value, the case and the command."""
    _, cases = read(summary_of(STARTED, FAILED, SHRUNK, DONE, FINISHED))
    (failure,) = cases["4.4.0.clients:FetchRequest/12"].result

    assert isinstance(failure, Failure)
    assert failure.message == "[bytes] topics[0].name: the bytes differ from Kafka's"
    assert failure.type == "bytes:differs"
    lines = failure.text.splitlines()
    assert lines[0] == "FetchRequest version 12: the bytes differ from Kafka's"
    for line in ("  at byte  3", "  codec    00 [00] 01", "  Kafka    00 [ff] 01", '  value    {"a":1}'):
        assert line in lines
    assert lines[-1] == f"  replay   {REPLAY}"


def test_a_cell_has_one_result_with_all_its_findings():
    """Servers show one result: it has five findings in full, and the number of the others."""
    events = [replace(FAILED, divergences=(replace(DIVERGENCE, path=f"f{n}"),)) for n in range(8)]
    _, cases = read(summary_of(STARTED, *events, DONE, FINISHED))
    (failure,) = cases["4.4.0.clients:FetchRequest/12"].result

    assert failure.message.endswith("(and 7 more)")
    assert failure.text.count("  replay ") == 5
    assert "and 3 more; --events" in failure.text


def test_a_lost_case_is_an_error():
    """A lost case, or a cell without a verdict, is an error; other failures of the cell are shown too."""
    lost = LostCase(FETCH, f"{FETCH.id}/enumerated/b", "killed by signal 9")
    report, cases = read(summary_of(STARTED, FAILED, lost, LostCell(JOIN, "again"), DONE, FINISHED))
    (error,) = cases["4.4.0.clients:FetchRequest/12"].result

    assert (report.errors, report.failures) == (2, 0)
    assert isinstance(error, Error)
    assert error.message == f"{FETCH.id}/enumerated/b: killed by signal 9"
    assert REPLAY in error.text
    assert cases["4.4.0.clients:JoinGroupRequest/3"].result[0].message == f"{JOIN.id}: again"


def test_known_deviations_pass_and_are_reported():
    """Known deviations with their reasons, known Kafka bugs and limits are in the output of the cell and the
    properties of the run."""
    started = replace(STARTED, phases=DEFAULT_PHASES)
    report, cases = read(summary_of(started, JOINED, replace(FINISHED, exit_code=ExitCode.PROVEN)))

    assert cases["4.4.0.clients:JoinGroupRequest/3"].system_out.splitlines() == [
        "known deviation null-names, met in 3 cases: bug: null is empty",
        "known Kafka bug KAFKA-1, met in 1 case",
        "left out 2 cases by the codec's limit nan",
    ]
    (suite,) = report
    properties = {each.name: each.value for each in suite.properties()}
    assert properties["known.null-names"] == "3"
    assert properties["exit-code"] == "0"
    assert properties["seed"] == "7"
    assert properties["cases.enumerated"] == "405"
    assert properties["summary"].startswith("2 of 2 cells, 405 cases")
    assert properties["verdict"].startswith(
        "Partial run without a divergence, but for 1 known deviation: 8 of 9 classes"
    )


def test_a_cell_with_cases_that_were_not_asked_fails():
    """The cell has no finding and is not proven; the summary of the run says so too."""
    done = replace(DONE, failed_cases=0, not_asked=1204)
    finished = replace(FINISHED, totals=replace(FINISHED.totals, not_asked=1204, cells_not_whole=1))
    summary = summary_of(STARTED, done, finished)
    _, cases = read(summary)
    (failure,) = cases["4.4.0.clients:FetchRequest/12"].result

    assert failure.message == "not every question was asked"
    words = "1,204 questions were not asked: the codec had ended too often, or no time was left for hangs"
    assert words in failure.text
    assert words in cases["4.4.0.clients:FetchRequest/12"].system_out
    assert "Not asked: 1,204 questions of 1 cell, because the codec had ended" in render_markdown(summary)


def test_a_cell_below_the_required_coverage_fails():
    """The missing classes are named."""
    coverage = CellCoverage(7, 9, 0, ("a/min",), (), ("b/max",), below_floor=True)
    _, cases = read(summary_of(STARTED, replace(JOINED, coverage=coverage), FINISHED))
    (failure,) = cases["4.4.0.clients:JoinGroupRequest/3"].result

    assert failure.message == "not every class of values was met"
    assert failure.text.splitlines()[1:] == ["not met: a/min", "met, though said to be out of reach: b/max"]


@pytest.mark.parametrize(
    ("events", "name", "message"),
    [
        ([LedgerFinding(PASSED), FINISHED], "ledger/gone", "all is right"),
        (
            [ClaimFinding(CLAIM), FINISHED],
            "claim/FetchRequest/unclaimed",
            "FetchRequest 4-5, decode: nobody claims it",
        ),
        (
            [replace(FINISHED, totals=SHY, exit_code=ExitCode.BELOW_FLOOR)],
            "claims",
            "claims exercised 7 of 8 (message, version, direction) with values or bytes made by Java",
        ),
        ([BrokenRun("no Java", "Install one.", ExitCode.MISSING), FINISHED], "run", "no Java"),
        (
            [replace(FINISHED, totals=Totals(9, 2), exit_code=ExitCode.BELOW_FLOOR)],
            "run",
            "cut short: 7 of 9 cells were not judged",
        ),
        (
            [replace(FINISHED, totals=Totals(9, 2), exit_code=ExitCode.INTERRUPTED)],
            "run",
            "interrupted: 7 of 9 cells were not judged",
        ),
        ([replace(FINISHED, exit_code=ExitCode.NOTHING_RAN)], "run", "nothing ran: no case was tried"),
    ],
)
def test_a_failed_run_is_never_a_green_file(events, name, message):
    """A problem of the whole run is a test case of its own."""
    report, cases = read(summary_of(STARTED, JOINED, *events))

    assert report.failures + report.errors == 1
    assert cases[f"wireproof:{name}"].result[0].message == message


def test_a_run_that_did_not_finish_says_why():
    """The file has the findings until then, and an error."""
    summary = summary_of(STARTED, FAILED, DONE)
    summary.stopped = "KeyboardInterrupt"
    report, cases = read(summary)

    assert (report.failures, report.errors) == (1, 1)
    assert cases["wireproof:run"].result[0].message == "KeyboardInterrupt"


def test_a_warning_of_the_ledger_is_not_a_failure():
    """An entry that expires soon leaves the file green."""
    report, _ = read(summary_of(STARTED, JOINED, LedgerFinding(EXPIRES), FINISHED))

    assert report.failures + report.errors == 0


def test_one_reason_for_everything_is_one_line_in_each_cell():
    """The line has the cell's own case."""
    _, cases = read(summary_of(STARTED, *many(5, kind="crashed:KeyError"), FINISHED))
    (failure,) = cases["4.4.0.clients:Message0003/0"].result

    assert failure.message.startswith("5 of 5 cells fail for one reason: crashed:KeyError, ")
    assert failure.text.splitlines()[1:] == ["here: 4.4.0/Message0003/0/enumerated/a"]


def test_characters_that_xml_cannot_hold_are_escaped():
    """Control characters, lone surrogates and non-characters are written as escapes; markup is escaped and
    read back."""
    evil = "a\x00b\x1b]c\ud800d\uffffe<&>\"'[red]]]>"
    failed = replace(FAILED, divergences=(replace(DIVERGENCE, summary=evil, codec=evil),))
    _, cases = read(summary_of(STARTED, failed, DONE, FINISHED))
    (failure,) = cases["4.4.0.clients:FetchRequest/12"].result

    assert "a\\x00b\\x1b]c\\ud800d\\uffffe<&>\"'[red]]]>" in failure.text


# Markdown.


def test_the_summary_of_a_pull_request():
    """The summary has verdict, finding with its command, table, known deviations, coverage and totals."""
    warned = LedgerFinding(EXPIRES)
    text = render_markdown(summary_of(STARTED, FAILED, DONE, JOINED, warned, FINISHED))

    assert text.splitlines() == [
        "### wireproof: tiny against Kafka 4.4.0",
        "",
        "**Not proven.** The codec and Kafka differ: 1 finding.",
        "",
        "| Message | Cells | Failed | Lost | Cases |",
        "|---|---:|---:|---:|---:|",
        "| FetchRequest | 1 | 1 | 0 | 401 |",
        "| JoinGroupRequest | 1 | 0 | 0 | 5 |",
        "",
        "#### Findings",
        "",
        "<details><summary><b>FetchRequest version 12</b> <code>bytes topics[0].name</code> "
        "<code>the bytes differ from Kafka&#x27;s</code></summary>",
        "",
        "- 1 case of 1 cell",
        "- codec `00 [00] 01`, Kafka `00 [ff] 01`",
        f"- `{REPLAY}`",
        "",
        "</details>",
        "",
        "<details><summary>Known deviations: 1 entry</summary>",
        "",
        "| Entry | Cases | What is known |",
        "|---|---:|---|",
        "| `null-names` | 3 | bug: null is empty |",
        "",
        "</details>",
        "",
        "#### The ledger",
        "",
        "- `old` expires-soon (a warning): its day is near",
        "  `wireproof ledger amend old`",
        "",
        "Coverage: 8 of 9 classes of values met.",
        "",
        "2 of 2 cells, 405 cases, 12.4 kB, 1 finding, 1.5 s",
    ]


def test_claims_are_reported_in_the_summary_and_as_an_error():
    """Notes come after failures, each with its advice; only failures are annotated."""
    known = ClaimFinding(replace(CLAIM, fault="works", summary="it works", fails=False))
    summary = summary_of(STARTED, JOINED, known, ClaimFinding(CLAIM), replace(FINISHED, totals=SHY))
    lines = render_markdown(summary).splitlines()

    start = lines.index("#### Claims")
    assert lines[start + 2 : start + 6] == [
        "- unclaimed: FetchRequest 4-5, decode: nobody claims it",
        "  `Claim it.`",
        "- works (good to know): FetchRequest 4-5, decode: it works",
        "  `Claim it.`",
    ]
    assert "claims exercised 7 of 8 (message, version, direction) with values or bytes made by Java." in lines
    assert render_annotations(summary).splitlines() == [
        "::error title=wireproof%3A claim%2C unclaimed FetchRequest::"
        "FetchRequest 4-5, decode: nobody claims it%0AClaim it."
    ]


def test_several_modules_are_the_rows_of_the_table():
    """Messages are rows only where all cells are of one module; failed rows come first."""
    core = replace(JOINED, cell=replace(JOIN, module="aaa"))
    lines = render_markdown(summary_of(STARTED, FAILED, DONE, core, FINISHED)).splitlines()

    start = lines.index("| Module | Cells | Failed | Lost | Cases |")
    assert lines[start + 2 : start + 4] == [
        "| 4.4.0 clients | 1 | 1 | 0 | 401 |",
        "| 4.4.0 aaa | 1 | 0 | 0 | 5 |",
    ]


def test_lost_cells_are_reported_by_reason():
    """Each reason has one line, with the number of cells."""
    text = render_markdown(summary_of(STARTED, LostCell(JOIN, "killed"), LostCell(FETCH, "killed"), FINISHED))

    assert "- 2 cells, such as `4.4.0/JoinGroupRequest/3`: killed" in text.splitlines()


def test_a_summary_is_bounded_whatever_happened():
    """Thousands of findings, losses, problems and entries, each of maximum length, fit into it."""
    long = "x" * 5_000
    found = [event for n in range(300) for event in many(2, path=f"f{n}", codec=long, summary=f"{n} {long}")]
    lost = [LostCell(replace(JOIN, message=f"M{n}"), "abc"[n % 3] * n + long) for n in range(300)]
    problems = [LedgerFinding(replace(PASSED, entry=f"e{n}", message=long)) for n in range(300)]
    known = {f"entry-{n}": n for n in range(2_000)}
    footer = replace(FINISHED, totals=replace(TOTALS, known=known))
    text = render_markdown(summary_of(STARTED, *found, *lost, *problems, footer))

    assert len(text) <= MOST_CHARACTERS
    assert "and 580 more findings" in text
    assert "and 1,960 more" in text


def test_a_summary_that_is_too_long_says_that_it_was_cut():
    """It is cut at the end of a line. Each fold is closed: the last sentence is not hidden in one."""
    started = replace(STARTED, testee="x" * 10_000)
    found = [event for n in range(9) for event in many(2, path=f"f{n}")]
    text = render_markdown(summary_of(started, *found, FINISHED))

    assert len(text) <= MOST_CHARACTERS
    assert text.endswith("\n\nCut here: it was too long.\n")
    assert text.count("<details") == text.count("</details>") > 0


def test_text_of_a_codec_does_not_become_markup():
    """It mentions no user and has no link and no tag, and one line stays one line."""
    evil = "@ann <b>`x`</b>\n# [a](b) | c"
    failed = replace(FAILED, divergences=(replace(DIVERGENCE, summary=evil, codec=evil),))
    text = render_markdown(summary_of(STARTED, failed, DONE, FINISHED))

    assert "<code>@ann &lt;b&gt;`x`&lt;/b&gt; # [a](b) | c</code></summary>" in text
    assert "codec ``@ann <b>`x`</b> # [a](b) | c``" in text


def test_a_run_that_did_not_start_has_a_summary():
    """The summary names what is missing, and the next step."""
    summary = RunSummary()
    summary.stopped = "no cell matches\nType: wireproof cells"

    assert render_markdown(summary) == (
        "### wireproof: wireproof\n\n**Stopped:** no cell matches Type: wireproof cells\n"
    )


# Annotations.


def test_a_cause_is_one_annotation():
    """It is one line; line ends and properties are escaped as GitHub reads them."""
    percent = replace(FAILED, divergences=(replace(DIVERGENCE, codec="100%", oracle="a\nb"),))
    (line,) = render_annotations(summary_of(STARTED, percent, percent, DONE, FINISHED)).splitlines()

    assert line == (
        "::error title=wireproof%3A FetchRequest version 12::[bytes] topics[0].name: the bytes differ from "
        f"Kafka's%0Acodec 100%25%0AKafka a%0Ab%0A{REPLAY}"
    )


def test_an_entry_that_expires_soon_is_a_warning():
    """A fault of the ledger is an error; both have the command to type."""
    events: list[RunEvent] = [STARTED, LedgerFinding(EXPIRES), LedgerFinding(PASSED), JOINED, FINISHED]

    assert render_annotations(summary_of(*events)).splitlines() == [
        "::error title=wireproof%3A ledger%2C passed gone::all is right%0Atype: wireproof ledger remove gone",
        "::warning title=wireproof%3A ledger%2C expires-soon old::its day is near"
        "%0Atype: wireproof ledger amend old",
    ]


def test_a_step_shows_ten_errors_and_no_more_are_written():
    """The first ones are the most important."""
    events = [
        event for n in range(30) for event in many(1, summary=f"cause {chr(97 + n % 26)}{n}", path=f"f{n}")
    ]
    lines = render_annotations(summary_of(STARTED, *events, FINISHED)).splitlines()

    assert len(lines) == 10


def test_a_proven_run_has_no_annotations():
    """A passing run has nothing to report."""
    assert render_annotations(summary_of(STARTED, JOINED, replace(FINISHED, exit_code=ExitCode.PROVEN))) == ""


def test_the_side_at_fault_is_in_every_report():
    """It is in the summary, the annotation and the file for servers."""
    blamed = replace(FAILED, blame=FaultAttribution(FaultOwner.HARNESS, "its twins disagree"))
    summary = summary_of(STARTED, blamed, DONE, FINISHED)

    assert "- blame harness: its twins disagree" in render_markdown(summary).splitlines()
    assert "%0Ablame harness: its twins disagree%0A" in render_annotations(summary)
    assert "  blame    harness: its twins disagree" in render_junit(summary).splitlines()


def test_one_reason_for_everything_is_one_annotation():
    """The line says so; a run that did not start gives the reason."""
    (line,) = render_annotations(summary_of(STARTED, *many(9, kind="crashed:E"), FINISHED)).splitlines()
    assert line.startswith("::error title=wireproof%3A everything fails::9 of 9 cells fail for one reason")

    summary = RunSummary()
    summary.stopped = "no Java"
    assert render_annotations(summary) == "::error title=wireproof%3A stopped::no Java\n"
