"""The run on the terminal and in the event file."""

import io
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from rich.console import Console

from tests.support.reports.sample_events import (
    BELOW,
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
from wireproof.model.cell import Phase
from wireproof.model.codec_ends import HANG, CodecEnd, MutationSite
from wireproof.model.divergence import FaultAttribution, FaultOwner
from wireproof.model.malformed_input import MalformedVerdict
from wireproof.proof.config.selection import DEFAULT_PHASES
from wireproof.proof.run.core.cell_events import EndedCodec, StricterCase
from wireproof.proof.run.core.run_events import ClaimFinding, LedgerFinding, RunEvent, RunFooter, Totals
from wireproof.verdict.report.events.event_json import EventFile
from wireproof.verdict.report.findings import Findings
from wireproof.verdict.report.run.terminal_report import TerminalReport

SCHEMA = json.loads((Path(__file__).parents[4] / "docs" / "reference" / "events.schema.json").read_text())


def lines_of(events: list[RunEvent]) -> list[str]:
    stream = io.StringIO()
    report = TerminalReport(Console(file=stream, width=200, force_terminal=False))
    for event in events:
        report(event)
    return stream.getvalue().splitlines()


def test_a_divergence_is_reported_with_all_facts():
    """The paragraph has exactly the field, type, versions, byte, both sides, case, smallest value and
    command."""
    text = lines_of([STARTED, FAILED, EVENTS[2], DONE, FINISHED])

    assert text == (Path(__file__).parent / "divergence.txt").read_text().splitlines()


def test_the_last_line_counts_the_cells():
    """The line has `N of N cells`, cases, bytes, findings and time."""
    assert lines_of([STARTED, DONE, FINISHED])[-1] == "2 of 2 cells, 802 cases, 24.7 kB, 0 findings, 1.5 s"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (ExitCode.PROVEN, "Proven."),
        (ExitCode.DIVERGENCE, "Not proven."),
        (ExitCode.NOTHING_RAN, "Nothing ran."),
        (ExitCode.MISSING, "Not run."),
        (ExitCode.BROKEN, "The harness or Kafka failed: 0 cells"),
        (ExitCode.LEDGER, "The ledger is wrong in 0 places"),
        (ExitCode.BELOW_FLOOR, "Incomplete."),
        (ExitCode.INTERRUPTED, "Interrupted."),
    ],
)
def test_every_exit_code_has_its_verdict(code, words):
    """Users need not look up a number."""
    assert words in lines_of([replace(FINISHED, exit_code=code)])[-2]


WHOLE = replace(STARTED, phases=DEFAULT_PHASES, cells_offered=2)
MET = Totals(2, 2, classes_met=9, classes_reachable=9)
AGREES = "agrees with Kafka's own classes."


@pytest.mark.parametrize(
    ("started", "totals", "words"),
    [
        (WHOLE, MET, f"Proven. Every case of every cell {AGREES}"),
        (replace(WHOLE, cells_offered=749), MET, f"Proven for 2 of 749 cells. Every case of these {AGREES}"),
        (
            WHOLE,
            replace(MET, classes_met=6, classes_excused=3, known={"a": 1}),
            f"Proven, but for 1 known deviation. All else {AGREES}",
        ),
        (
            WHOLE,
            replace(MET, classes_met=6, classes_excused=2),
            f"Partial run without a divergence: 6 of 9 classes of values. All that was tried {AGREES}",
        ),
        (
            replace(STARTED, cells_offered=749),
            MET,
            "Partial run without a divergence: 2 of 749 cells, the phases shape and enumerated alone. "
            f"All that was tried {AGREES}",
        ),
        (
            replace(WHOLE, phases=(Phase.CORPUS,), unsaid=("x",)),
            replace(MET, classes_met=8, classes_reachable=149, known={"a": 1}),
            "Partial run without a divergence, but for 1 known deviation: the entries of the corpus alone, "
            "8 of 149 classes of values. All that was tried agrees with the entries of the corpus.",
        ),
        (
            replace(STARTED, phases=(Phase.CORPUS,)),
            replace(MET, classes_met=8),
            f"Verified. Every entry {AGREES}",
        ),
    ],
)
def test_a_run_with_the_required_coverage_is_proven(started, totals, words):
    """A run of some phases, or without some classes, is partial; a run of some cells has their number."""
    done = RunFooter(totals, 1.5, ExitCode.PROVEN)
    assert lines_of([started, DONE, done])[-2] == words


def test_classes_that_only_excused_cases_cover_are_counted():
    """Such classes are neither covered nor missing."""
    text = lines_of([WHOLE, RunFooter(replace(MET, classes_met=6, classes_excused=3), 1.5, ExitCode.PROVEN)])
    only = "3 more only in cases that a known Kafka bug, the ledger or a limit excuses; "
    assert any(line.startswith(f"6 of 9 classes of values met; {only}") for line in text)


def test_a_known_deviation_is_reported_and_is_not_a_full_proof():
    """It has its id, cases and reason; the verdict does not say that every case agrees."""
    started = replace(STARTED, ledger={"fetch-null": "bug: null is written as empty"})
    totals = Totals(2, 2, known={"fetch-null": 12})
    whole = replace(started, phases=DEFAULT_PHASES)
    text = lines_of([whole, DONE, RunFooter(totals, 1.5, ExitCode.PROVEN)])

    assert "1 entry of the ledger" in text
    of = lines_of([replace(started, ledger_of="3.0.12"), DONE])
    assert "1 entry of the ledger, which is of version 3.0.12: nothing is held against it" in of
    assert "Known deviation fetch-null, met in 12 cases: bug: null is written as empty" in text
    assert text[-2] == "Proven, but for 1 known deviation. All else agrees with Kafka's own classes."


def test_a_problem_of_the_ledger_is_reported_with_the_command():
    """A problem has the fault, the entry, the reason, and the command; a warning likewise."""
    warning = replace(PROBLEM, fault="expires-soon", fails=False)
    totals = Totals(2, 2, ledger_problems=1)
    judged = [LedgerFinding(PROBLEM), LedgerFinding(warning)]
    text = lines_of([STARTED, DONE, *judged, RunFooter(totals, 1.5, ExitCode.LEDGER)])

    assert text[-6:-1] == [
        "ledger: passed fetch-null: all is right",
        "  type: wireproof ledger remove --ledger known.toml fetch-null",
        "ledger: expires-soon fetch-null: all is right",
        "  type: wireproof ledger remove --ledger known.toml fetch-null",
        "The ledger is wrong in 1 place; it explains all that differs.",
    ]


def test_claims_are_reported_with_the_entry_to_add():
    """Tried claims, failed claims and claims to add are reported; a run without claims has another
    verdict."""
    known = replace(CLAIM, fault="works", summary="it works", advice="Claim it.", fails=False)
    totals = Totals(2, 2, claims=8, claims_exercised=7, claim_problems=1)
    judged = [ClaimFinding(known), ClaimFinding(CLAIM)]
    text = lines_of([STARTED, DONE, *judged, RunFooter(totals, 1.5, ExitCode.DIVERGENCE)])

    assert text[-7:-1] == [
        "claims exercised 7 of 8 (message, version, direction) with values or bytes made by Java",
        "claim: unclaimed FetchRequest 4-5, decode: nobody claims it",
        '  add {"reason":"why"}',
        "claim, good to know: works FetchRequest 4-5, decode: it works",
        "  Claim it.",
        "Not proven. What the codec says of itself is wrong in 1 place.",
    ]


def test_too_few_claims_are_reported():
    """The verdict names what was not reached."""
    totals = Totals(2, 2, claims=8, claims_exercised=7, claims_below_floor=True)
    text = lines_of([STARTED, RunFooter(totals, 1.5, ExitCode.BELOW_FLOOR)])

    assert text[-2] == "Incomplete. Not every claim was reached; all that was agrees."


def test_a_divergence_has_its_kind_and_the_nearest_entry():
    """A kind is shown if it says more than that the sides differ."""
    near = replace(DIVERGENCE, kind="refused:NULL", near="fetch-null is about this place")
    text = "\n".join(lines_of([STARTED, replace(FAILED, divergences=(near,)), DONE, FINISHED]))

    assert "  kind     refused:NULL\n" in text
    assert "  ledger   fetch-null is about this place\n" in text


def test_a_divergence_names_the_side_at_fault():
    """It is reported with the evidence, next to the codec that shows it."""
    blamed = replace(FAILED, blame=FaultAttribution(FaultOwner.ADAPTER, "its kit says so"))
    text = "\n".join(lines_of([STARTED, blamed, DONE, FINISHED]))

    assert "  blame    adapter: its kit says so\n" in text


def test_an_uncovered_class_is_reported_with_the_next_step():
    """Cell, field and class are named, then where to add a case or a reason, and the command."""
    totals = Totals(1, 1, classes_met=7, classes_reachable=9, classes_unreachable=2, cells_below_floor=1)
    done = replace(DONE, failed_cases=0, coverage=BELOW)
    text = lines_of([STARTED, done, RunFooter(totals, 1.5, ExitCode.BELOW_FLOOR)])

    assert text[-6:-2] == [
        "7 of 9 classes of values met; 2 more are out of reach (wireproof cells --uncovered)",
        "not met 4.4.0/FetchRequest/12: maxBytes/min, topics/null",
        "met, though said to be out of reach 4.4.0/FetchRequest/12: _tags/below",
        "Each is FIELD/CLASS. The codec is not at fault: wireproof has no case for it. Report what "
        "wireproof cells --uncovered --cell 4.4.0/FetchRequest/12 says",
    ]
    assert text[-2] == "Incomplete. Not every class of values was reached; all that was agrees."
    assert text[-1].startswith("1 of 1 cells, ")


def test_a_class_that_is_not_required_is_not_reported():
    """A cell that failed, or with phases left out, may have uncovered classes without a complaint."""
    done = replace(DONE, coverage=replace(BELOW, below_floor=False))
    assert not any("not met" in line for line in lines_of([STARTED, done, FINISHED]))


def test_requests_that_were_not_asked_are_reported():
    """The report has the numbers of requests and cells, the reason, and that the run is incomplete."""
    totals = Totals(2, 2, not_asked=1204, cells_not_whole=1)
    text = lines_of([STARTED, DONE, RunFooter(totals, 1.5, ExitCode.BELOW_FLOOR)])

    why = "because the codec had ended too often, or no time was left for hangs"
    words = f"1,204 questions of 1 cell, {why}"
    assert f"Not asked: {words}" in text
    assert text[-2] == "Incomplete. Not every question was reached; all that was agrees."


def test_the_result_of_impossible_values_is_reported():
    """These are the values that a codec without a promise wrote; if it wrote none, it could promise."""
    trust = {
        "lax": {"written": 1200, "refused": 30, "failed": 4, "unsupported": 9},
        "strict": {"refused": 7, "unsupported": 1},
        "mute": {"unsupported": 5},
    }
    text = lines_of([STARTED, DONE, RunFooter(Totals(2, 2, trust=trust), 1.5, ExitCode.PROVEN)])
    others = "(30 refused, 4 ended in an undeclared error)"
    assert f"lax trusts its caller: 1,200 of 1,234 impossible values were written {others}" in text
    assert "strict wrote none of 7 impossible values (7 refused); its hello may declare `refuses`" in text
    assert not [line for line in text if "mute" in line]


def test_a_missing_prerequisite_is_reported_with_its_advice():
    """The problem comes first, then the next step."""
    text = lines_of([EVENTS[8]])

    assert text == ["error: no Java runtime", "Install one."]


def test_an_unexplained_refusal_is_shown():
    """The case is shown as soon as it is known; it is not a divergence."""
    (line,) = lines_of([EVENTS[9]])

    assert line.startswith("stricter, unexplained 4.4.0/FetchRequest/12/mutations/default/count=zero@4")


def test_every_event_is_a_line_that_the_schema_describes():
    """Each kind of event is valid, and the file begins with the header and ends with the footer."""
    stream = io.StringIO()
    listener = EventFile(stream)
    for event in EVENTS:
        listener(event)
    rows = [json.loads(line) for line in stream.getvalue().splitlines()]

    for row in rows:
        jsonschema.validate(row, SCHEMA)
    assert [row["event"] for row in rows] == [
        "header", "failed", "shrunk", "cellRetried", "caseLost", "cellLost",
        "cell", "cell", "broken", "stricter", "cell", "failed", "ledger", "claim", "footer",
    ]  # fmt: skip
    assert rows[-1]["exitCode"] == 1
    assert rows[6]["coverage"] is None
    assert rows[7]["coverage"] == {
        "met": 7, "reachable": 9, "unreachable": 2, "missing": ["maxBytes/min", "topics/null"],
        "excused": ["_tags/one"], "contradicted": ["_tags/below"], "belowFloor": True,
    }  # fmt: skip


def test_a_skipped_case_refers_to_a_case_or_to_an_operation():
    """The cause is a case, or an operation of a cell on valid values."""
    skipped = {
        "4.4.0/FetchRequest/12/mutations/default/cut@4": 2,
        "4.4.0/FetchRequest/12: encode of a value": 3,
    }
    stream = io.StringIO()
    EventFile(stream)(replace(DONE, skipped=skipped))
    (row,) = map(json.loads, stream.getvalue().splitlines())
    jsonschema.validate(row, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**row, "skipped": {"anything": 1}}, SCHEMA)


def test_a_line_without_its_parts_is_not_valid():
    """The schema refuses a cell event without its cell, and an event of an unknown kind."""
    for wrong in ({"event": "cell"}, {"event": "weather"}, {"event": "footer", "exitCode": "one"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, SCHEMA)


def test_failures_of_one_cause_are_one_finding():
    """Indices, cases and versions do not separate causes; another field does."""
    findings = Findings()
    at_13 = replace(FAILED, cell=replace(CELL, version=13), case_id="x", value='{"a":1}')
    elsewhere = replace(
        FAILED, divergences=(replace(DIVERGENCE, path="topics[7].partitions[9].logStartOffset"),)
    )
    another = replace(FAILED, divergences=(replace(DIVERGENCE, path="maxWaitMs"),))

    assert [findings.add(event) for event in (FAILED, at_13, elsewhere, another)] == [
        True,
        False,
        False,
        True,
    ]
    first, _ = sorted(findings, key=lambda finding: -finding.cases)
    assert (first.cases, first.versions) == (3, "12-13")
    assert first.value == '{"a":1}'


def test_the_layout_is_shown_before_values():
    """A definition that is read wrongly explains the values that fail because of it."""
    findings = Findings()
    findings.add(FAILED)
    findings.add(
        replace(
            FAILED,
            phase=Phase.SHAPE,
            case_id="z",
            value=None,
            divergences=(replace(DIVERGENCE, check="schema"),),
        )
    )

    assert [finding.first.phase for finding in findings] == [Phase.SHAPE, Phase.ENUMERATED]


def test_a_quiet_report_has_findings_and_the_verdict():
    """Neither progress nor coverage, known deviations, limits or claims."""
    stream = io.StringIO()
    report = TerminalReport(Console(file=stream, width=200, force_terminal=False), quiet=True)
    for event in EVENTS:
        report(event)
    quiet, loud = stream.getvalue().splitlines(), lines_of(EVENTS)

    assert {line for line in quiet if not line.startswith("lost ")} < set(loud)
    assert quiet[-2:] == loud[-2:]
    assert any(line.startswith("FetchRequest version 12: ") for line in quiet)
    assert any(line.startswith("ledger: passed") for line in quiet)
    assert not [
        line for line in quiet if "classes of values" in line or "Proving" in line or "stricter" in line
    ]


def test_a_quiet_report_of_a_right_codec_is_its_verdict():
    """Two lines."""
    stream = io.StringIO()
    report = TerminalReport(Console(file=stream, width=200, force_terminal=False), quiet=True)
    right = replace(FINISHED, exit_code=ExitCode.PROVEN)
    for event in (STARTED, replace(DONE, failed_cases=0), right):
        report(event)

    assert len(stream.getvalue().splitlines()) == 2


def _printed(events: list[RunEvent], *, brief: bool) -> list[str]:
    stream = io.StringIO()
    report = TerminalReport(Console(file=stream, width=400, force_terminal=False), brief=brief)
    for event in events:
        report(event)
    return [line for line in stream.getvalue().splitlines() if line]


def test_a_green_run_has_at_most_six_lines_before_its_verdict():
    """Every sort of detail is counted in a brief report, and listed in a full one."""
    known = replace(CLAIM, fault="works", summary="it works", advice="Claim it.", fails=False)
    totals = Totals(
        2,
        2,
        errata={"DUPLICATE-TAGS": 2},
        unsupported={"no-default": 5, "no-json": 1},
        known={"fetch-null": 12},
        verdicts={MalformedVerdict.AGREE: 457, MalformedVerdict.STRICTER: 166},
        laxities={"excess-bits": 26, "tag-order": 9, "": 3},
        skipped={"a": 5, "b": 2},
        claims=8,
        claims_exercised=7,
        trust={"lax": {"written": 5}},
        classes_reachable=7,
        classes_met=7,
    )
    begun = replace(STARTED, ledger={"fetch-null": "bug"})
    hang = CodecEnd("ours", HANG, "no answer", "", "", 9.0, MutationSite("count-huge", "topics", "[]"))
    stricter = StricterCase(CELL, "c", DIVERGENCE, "00")
    during: list[RunEvent] = [begun, EndedCodec(CELL, "c", hang), stricter, ClaimFinding(known)]
    events = [*during, RunFooter(totals, 1.5, ExitCode.PROVEN)]
    brief, full = (_printed(events, brief=each) for each in (True, False))

    assert brief[1:-2] == [
        "Excused cases (--verbose names each excuse): 2 by known Kafka bugs, 6 by the codec's limits, "
        "12 by known deviations",
        "Hangs at 1 question: 1 count-huge. Skipped: 7 questions for the same cause as 2 reported ones, "
        "which hung the codec or ended it",
        "Malformed bytes: 457 agree, 166 stricter; stricter in 3 cases that no known leniency explains; "
        "--events FILE lists them",
        "7 of 7 classes of values met; 0 more are out of reach (wireproof cells --uncovered)",
        "claims exercised 7 of 8 (message, version, direction) with values or bytes made by Java; "
        "1 more good to know (--verbose)",
    ]
    assert len(brief[:-2]) <= 6
    assert brief[-2:] == full[-2:]
    assert len(full) > 14


def test_a_brief_report_keeps_what_is_wrong():
    """Strictness without a known leniency, a false claim and a ledger of another version are in it."""
    totals = Totals(
        2, 2, claims=8, claim_problems=1, verdicts={MalformedVerdict.STRICTER: 3}, laxities={"": 3}
    )
    begun = replace(STARTED, ledger={"fetch-null": "bug"}, ledger_of="3.0.12")
    text = _printed([begun, ClaimFinding(CLAIM), RunFooter(totals, 1.5, ExitCode.DIVERGENCE)], brief=True)

    assert "1 entry of the ledger, which is of version 3.0.12: nothing is held against it" in text
    assert any("that no known leniency explains" in line for line in text)
    assert any(line.startswith("claim: unclaimed") for line in text)


def test_a_brief_report_counts_what_a_run_without_java_leaves_open():
    """Claims that were all exercised have no line."""
    begun = replace(STARTED, unsaid=("layouts", "defaults"))
    text = _printed(
        [begun, RunFooter(Totals(2, 2, claims=8, claims_exercised=8), 1.5, ExitCode.PROVEN)], brief=True
    )

    assert text[1:-2] == ["Without Java 2 questions stay open (--verbose lists them)"]
