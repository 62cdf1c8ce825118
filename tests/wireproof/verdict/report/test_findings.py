"""Grouping of many failures of few causes into findings, paragraphs and lines."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from wireproof.base.exit_codes import ExitCode
from wireproof.model.agreement import ObservedCause
from wireproof.model.cell import Cell, Phase
from wireproof.model.divergence import Divergence
from wireproof.proof.run.core.cell_events import CellResult, FailedCase, LostCase, LostCell
from wireproof.proof.run.core.run_events import RunEvent, RunFooter, RunHeader, Totals
from wireproof.verdict.report.findings import Findings
from wireproof.verdict.report.run.terminal_report import TerminalReport
from wireproof.verdict.report.run_summary import LossGroups

CRASH = Divergence(
    "decode", "tiny", "these bytes are not decoded", codec="KeyError: 'topics'", kind="crashed:KeyError"
)
STARTED = RunHeader("0", ("wireproof", "run"), 0, ("4.4.0",), {}, ("tiny",), (), 6, {}, testee="./tiny")


def cell(message: str, version: int = 0) -> Cell:
    return Cell("4.4.0", "clients", message, version)


def failed(message: str, version: int = 0, found: Divergence = CRASH, name: str = "a") -> FailedCase:
    place = cell(message, version)
    return FailedCase(place, Phase.ENUMERATED, f"{place.id}/enumerated/{name}", (found,), '{"a":1}')


def findings_of(*events: FailedCase) -> Findings:
    findings = Findings()
    for event in events:
        findings.add(event)
    return findings


def terminal_lines(events: list[RunEvent], exit_code: ExitCode) -> list[str]:
    """Return the terminal's text for these events, each of its own cell, with all cells done."""
    stream = io.StringIO()
    report = TerminalReport(Console(file=stream, width=200, force_terminal=False))
    cells = {event.cell for event in events if isinstance(event, (FailedCase, LostCell, LostCase))}
    done = [CellResult(each, {Phase.ENUMERATED: 5}, 10, 1, 0.1) for each in sorted(cells)]
    footer = RunFooter(Totals(len(cells), len(cells), failed_cases=len(events)), 1.0, exit_code)
    for event in [STARTED, *events, *done, footer]:
        report(event)
    return stream.getvalue().splitlines()


def test_a_finding_counts_the_cases_that_were_not_reported_one_by_one():
    """The result of a cell has all cases of a cause, by phase. Cells without a failure add none."""
    findings = findings_of(failed("Fetch", 1), failed("Fetch", 2), failed("Metadata", 1))
    seen = ObservedCause(Phase.ENUMERATED, "decode", "tiny", "", "", "crashed:KeyError", 7, "a", "")
    findings.count(cell("Fetch", 1), [seen, replace(seen, phase=Phase.MUTATIONS, cases=2)])
    findings.count(cell("Fetch", 3), [seen])
    findings.count(cell("Metadata", 1), [replace(seen, kind="crashed:ValueError")])

    assert [(each.message, each.versions, each.cases) for each in findings] == [
        ("Fetch", "1-2", 10),
        ("Metadata", "1", 1),
    ]


def test_findings_that_look_alike_in_three_messages_are_one_group():
    """Equal check, subject, kind, sentence and type of the field give one paragraph, with all messages."""
    events = [failed(name, version) for name in ("Fetch", "Metadata", "Produce") for version in (1, 2, 4)]
    (group,) = findings_of(*events).groups()

    assert group.where == "Fetch version 1-2, 4 and 2 messages like it"
    assert group.alike == "Metadata 1-2, 4, Produce 1-2, 4"
    assert (group.cases, len(group.cells)) == (9, 9)


def test_a_message_is_named_once_in_a_group():
    """The name is not repeated for several fields."""
    paths = ("a", "b", "c")
    events = [
        failed(name, version, replace(CRASH, path=path))
        for name in ("Fetch", "Metadata", "Produce")
        for version, path in enumerate(paths)
    ]
    (group,) = findings_of(*events).groups()

    assert (group.where, group.alike) == (
        "Fetch version 0-2 and 2 messages like it",
        "Metadata 0-2, Produce 0-2",
    )


def test_the_finding_in_most_messages_comes_first():
    """Only the layout comes before, because it explains the others."""
    wide = [failed(f"M{n}", found=replace(CRASH, summary="wide")) for n in range(4)]
    alone = replace(failed("Fetch"), value="1")
    layout = replace(failed("Join", found=replace(CRASH, check="schema")), phase=Phase.SHAPE)
    groups = findings_of(alone, *wide, layout).groups()

    assert [group.first.message for group in groups] == ["Join", "M0", "Fetch"]


def test_two_similar_messages_are_not_a_group():
    """Fewer than three messages are reported one by one."""
    assert len(findings_of(failed("Fetch"), failed("Produce")).groups()) == 2


@pytest.mark.parametrize(
    "other",
    [
        replace(CRASH, check="bytes"),
        replace(CRASH, subject="large"),
        replace(CRASH, kind="crashed:TypeError"),
        replace(CRASH, summary="the value is not encoded"),
        replace(CRASH, field="string, versions 0+"),
    ],
)
def test_a_different_failure_is_not_in_the_group(other):
    """Each part of the comparison counts."""
    events = [failed(name) for name in ("Fetch", "Metadata", "Produce")]
    events += [failed(name, found=other) for name in ("Join", "Leave", "Sync")]

    assert [len(group.findings) for group in findings_of(*events).groups()] == [3, 3]


def test_structs_of_any_name_are_of_one_type():
    """Each message has its own names: all arrays of structs count as one type."""
    types = ("[]FetchTopic, versions 0+", "[]JoinMember", "[]ProduceTopic, nullable")
    events = [
        failed(f"Message{index}", found=replace(CRASH, field=words)) for index, words in enumerate(types)
    ]
    plain = failed("Other", found=replace(CRASH, field="[]int32"))

    assert [len(group.findings) for group in findings_of(*events, plain).groups()] == [3, 1]


def test_unknown_tags_at_any_place_are_one_group():
    """They are not a field and have no type: a codec that drops them drops them everywhere."""
    tags = replace(CRASH, check="bytes", kind="differs", summary="the bytes differ")
    paths = ("_tags", "topics[0]._tags", "brokers[0]._tags", "topics[0].partitions[1]._tags")
    events = [failed(f"M{n}", found=replace(tags, path=path)) for n, path in enumerate(paths)]
    other = failed("M9", found=replace(tags, path="", field=""))

    assert [len(group.findings) for group in findings_of(*events, other).groups()] == [4, 1]


def test_a_group_names_the_first_messages_and_counts_the_rest():
    """A thousand cases are one paragraph of limited length."""
    (group,) = findings_of(*(failed(f"Message{index:03}") for index in range(100))).groups()

    assert group.where == "Message000 version 0 and 99 messages like it"
    assert group.alike.startswith("Message001 0, Message002 0, ")
    assert group.alike.endswith(", Message008 0 and 91 more")


def test_one_reason_in_every_failing_cell_is_one_line():
    """A codec that always crashes in one way fails for one reason, whatever the check is."""
    events = [failed(name) for name in ("Fetch", "Metadata", "Produce")]
    events += [failed("Fetch", found=replace(CRASH, check="frame-decode"), name="b")]
    reason = findings_of(*events).one_reason(judged=4)

    assert reason is not None
    assert reason.line("./tiny") == (
        "3 of 4 cells fail for one reason: crashed:KeyError, [decode] these bytes are not decoded "
        "(KeyError: 'topics'); wireproof replay --testee ./tiny 4.4.0/Fetch/0/enumerated/a"
    )
    assert findings_of(*events).groups(without=reason) == []


def test_a_failure_derived_from_the_reason_is_not_a_finding():
    """An example is a claim that was not verified."""
    names = ("Fetch", "Metadata", "Produce")
    claim = replace(CRASH, check="claim", kind="differs", summary="nothing was right", path="decode")
    events = [failed(name, found=found) for found in (claim, CRASH) for name in names]
    findings = findings_of(*events)
    reason = findings.one_reason(judged=3)

    assert reason is not None
    assert "crashed:KeyError, [decode]" in reason.line()
    assert findings.groups(without=reason) == []
    assert findings_of(*events[:3]).one_reason(judged=3) is None
    assert len(findings_of(*events).groups()) == 2


def test_one_reason_is_shown_by_the_most_specific_check():
    """The order is that of the catalogue: if nothing can be encoded, refusals fail for another reason too."""
    names = ("Fetch", "Metadata", "Produce")
    found = [replace(CRASH, check=check) for check in ("refusal", "encode", "frame-bytes")]
    reason = findings_of(*(failed(name, found=each) for each in found for name in names)).one_reason(3)

    assert reason is not None
    assert "[encode]" in reason.line()


def test_other_failures_are_not_part_of_the_one_reason():
    """A failure of some of the cells is reported as usual."""
    events = [failed(name) for name in ("Fetch", "Metadata", "Produce")]
    other = failed("Fetch", found=replace(CRASH, check="size", kind="differs"))
    findings = findings_of(*events, other)
    reason = findings.one_reason(judged=3)

    assert reason is not None
    assert [group.first.first for group in findings.groups(without=reason)] == [other]


@pytest.mark.parametrize(
    ("events", "judged"),
    [
        ([failed("Fetch"), failed("Metadata"), failed("Produce")], 7),
        ([failed("Fetch", version) for version in range(9)], 9),
        ([failed("A"), failed("B"), failed("C"), failed("D", found=replace(CRASH, kind="accepted"))], 4),
        ([], 0),
    ],
    ids=["few cells", "one message", "another reason elsewhere", "nothing"],
)
def test_there_is_not_always_one_reason(events, judged):
    """A common reason needs most cells, three messages, and every cell that failed."""
    assert findings_of(*events).one_reason(judged) is None


def test_differences_of_several_types_are_not_one_reason():
    """Different bytes everywhere are not a common cause; those of every string may be one."""
    plain = replace(CRASH, check="bytes", kind="differs", field="string")
    names = ("Fetch", "Metadata", "Produce")
    alike = [failed(name, found=plain) for name in names]
    mixed = [*alike[:2], failed("Produce", found=replace(plain, field="int32"))]

    assert findings_of(*alike).one_reason(3) is not None
    assert findings_of(*mixed).one_reason(3) is None


def test_the_terminal_says_one_reason_in_one_line_and_counts_it_as_one():
    """There is no paragraph for each message, but the line, the verdict and the count."""
    lines = terminal_lines([failed(f"Message{index}") for index in range(50)], ExitCode.DIVERGENCE)

    end = lines[lines.index("") + 1 :]
    assert end[0].startswith("50 of 50 cells fail for one reason: crashed:KeyError, ")
    assert end[1:3] == ["", "Not proven. The codec and Kafka differ: 1 finding."]
    assert len(end) == 4


def test_the_terminal_shows_a_group_as_one_paragraph():
    """The first message is shown in full, the others by name; a different failure has its own paragraph."""
    events = [failed(name) for name in ("Fetch", "Metadata", "Produce")]
    other = failed("Join", found=replace(CRASH, check="size", kind="differs", summary="too long"))
    lines = terminal_lines([*events, other], ExitCode.DIVERGENCE)

    assert "Fetch version 0 and 2 messages like it: these bytes are not decoded" in lines
    assert "  alike    Metadata 0, Produce 0" in lines
    assert "Join version 0: too long" in lines
    assert "Not proven. The codec and Kafka differ: 2 findings." in lines


def test_cells_lost_for_one_reason_are_one_line_at_the_end():
    """The first five come as they happen; different numbers and cell names are not different reasons."""
    lost = [
        LostCell(cell("Fetch", version), f"signal {version} at {cell('Fetch', version).id}/x, again")
        for version in range(9)
    ]
    lines = terminal_lines([*lost, LostCell(cell("Join"), "no case here")], ExitCode.BROKEN)

    assert sum(line.startswith("lost") for line in lines) == 7
    expected = "lost 4.4.0/Fetch/0 and all in all 9 cells, for one reason: signal 0 at 4.4.0/Fetch/0/x, again"
    assert expected in lines


def test_losses_for_several_reasons_are_separate():
    """The reason with the most cells comes first."""
    losses = LossGroups()
    events = (
        LostCell(cell("Join"), "no case here"),
        LostCase(cell("Fetch"), "4.4.0/Fetch/0/enumerated/a", "killed by signal 9"),
        LostCase(cell("Fetch", 1), "4.4.0/Fetch/1/enumerated/a", "killed by signal 9"),
    )
    times = []
    for event in events:
        losses.add(event)
        times.append(losses.of_reason(event).times)

    assert times == [1, 1, 2]
    assert [(loss.first, len(loss.cells)) for loss in losses] == [
        ("4.4.0/Fetch/0/enumerated/a", 2),
        ("4.4.0/Join/0", 1),
    ]
