"""Many failures and few causes: what is one finding, what is told together, what is one line."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from wireproof.model import Cell, Divergence, Phase
from wireproof.report import Findings, LossGroups
from wireproof.report.run.terminal_report import TerminalReport
from wireproof.run import (
    CellResult,
    ExitCode,
    FailedCase,
    LostCase,
    LostCell,
    RunEvent,
    RunFooter,
    RunHeader,
    Totals,
)

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


def told(events: list[RunEvent], exit_code: ExitCode) -> list[str]:
    """What the terminal shows of these events, each of a cell of its own, all cells done."""
    stream = io.StringIO()
    report = TerminalReport(Console(file=stream, width=200, force_terminal=False))
    cells = {event.cell for event in events if isinstance(event, (FailedCase, LostCell, LostCase))}
    done = [CellResult(each, {Phase.ENUMERATED: 5}, 10, 1, 0.1) for each in sorted(cells)]
    footer = RunFooter(Totals(len(cells), len(cells), failed_cases=len(events)), 1.0, exit_code)
    for event in [STARTED, *events, *done, footer]:
        report(event)
    return stream.getvalue().splitlines()


def test_findings_that_look_alike_in_three_messages_are_one_group():
    """Check, subject, kind, sentence and type of the field are the same: one paragraph, with all messages."""
    events = [failed(name, version) for name in ("Fetch", "Metadata", "Produce") for version in (1, 2, 4)]
    (group,) = findings_of(*events).groups()

    assert group.where == "Fetch version 1-2, 4 and 2 messages like it"
    assert group.alike == "Metadata 1-2, 4, Produce 1-2, 4"
    assert (group.cases, len(group.cells)) == (9, 9)


def test_a_message_is_named_once_in_a_group():
    """However many of its fields are like the others."""
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


def test_what_shows_in_most_messages_is_told_first():
    """But for the layout, which explains the others."""
    wide = [failed(f"M{n}", found=replace(CRASH, summary="wide")) for n in range(4)]
    alone = replace(failed("Fetch"), value="1")
    layout = replace(failed("Join", found=replace(CRASH, check="schema")), phase=Phase.SHAPE)
    groups = findings_of(alone, *wide, layout).groups()

    assert [group.first.message for group in groups] == ["Join", "M0", "Fetch"]


def test_two_messages_may_be_alike_by_chance():
    """Below three messages each finding is told alone."""
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
def test_what_looks_otherwise_stands_apart(other):
    """Each part of the likeness counts."""
    events = [failed(name) for name in ("Fetch", "Metadata", "Produce")]
    events += [failed(name, found=other) for name in ("Join", "Leave", "Sync")]

    assert [len(group.findings) for group in findings_of(*events).groups()] == [3, 3]


def test_structs_of_any_name_are_of_one_type():
    """Each message names its own: an array of structs is like another one."""
    types = ("[]FetchTopic, versions 0+", "[]JoinMember", "[]ProduceTopic, nullable")
    events = [
        failed(f"Message{index}", found=replace(CRASH, field=words)) for index, words in enumerate(types)
    ]
    plain = failed("Other", found=replace(CRASH, field="[]int32"))

    assert [len(group.findings) for group in findings_of(*events, plain).groups()] == [3, 1]


def test_unknown_tags_fail_alike_wherever_they_stand():
    """They are no field and have no type: a codec that drops them drops them everywhere."""
    tags = replace(CRASH, check="bytes", kind="differs", summary="the bytes differ")
    paths = ("_tags", "topics[0]._tags", "brokers[0]._tags", "topics[0].partitions[1]._tags")
    events = [failed(f"M{n}", found=replace(tags, path=path)) for n, path in enumerate(paths)]
    other = failed("M9", found=replace(tags, path="", field=""))

    assert [len(group.findings) for group in findings_of(*events, other).groups()] == [4, 1]


def test_a_group_names_the_first_messages_and_counts_the_rest():
    """A thousand cases are one paragraph, of bounded length."""
    (group,) = findings_of(*(failed(f"Message{index:03}") for index in range(100))).groups()

    assert group.where == "Message000 version 0 and 99 messages like it"
    assert group.alike.startswith("Message001 0, Message002 0, ")
    assert group.alike.endswith(", Message008 0 and 91 more")


def test_one_reason_in_every_failing_cell_is_one_line():
    """Whatever the check, a codec that always crashes in one way fails for one reason."""
    events = [failed(name) for name in ("Fetch", "Metadata", "Produce")]
    events += [failed("Fetch", found=replace(CRASH, check="frame-decode"), name="b")]
    reason = findings_of(*events).one_reason(judged=4)

    assert reason is not None
    assert reason.line("./tiny") == (
        "3 of 4 cells fail for one reason: crashed:KeyError, [decode] these bytes are not decoded "
        "(KeyError: 'topics'); wireproof replay --testee ./tiny 4.4.0/Fetch/0/enumerated/a"
    )
    assert findings_of(*events).groups(without=reason) == []


def test_what_comes_of_the_reason_is_no_finding_of_its_own():
    """A claim that nothing bore out."""
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


def test_one_reason_is_shown_by_the_check_that_says_most():
    """In the order of the catalogue: what cannot be encoded at all also refuses for the wrong reason."""
    names = ("Fetch", "Metadata", "Produce")
    found = [replace(CRASH, check=check) for check in ("refusal", "encode", "frame-bytes")]
    reason = findings_of(*(failed(name, found=each) for each in found for name in names)).one_reason(3)

    assert reason is not None
    assert "[encode]" in reason.line()


def test_one_reason_leaves_out_what_fails_besides():
    """What shows in some of the cells only is told as it always is."""
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
    """Most cells, three messages, and every cell that failed: else it is none."""
    assert findings_of(*events).one_reason(judged) is None


def test_differences_of_other_types_are_no_reason():
    """That bytes differ everywhere is no cause; that those of every string do may be one."""
    plain = replace(CRASH, check="bytes", kind="differs", field="string")
    names = ("Fetch", "Metadata", "Produce")
    alike = [failed(name, found=plain) for name in names]
    mixed = [*alike[:2], failed("Produce", found=replace(plain, field="int32"))]

    assert findings_of(*alike).one_reason(3) is not None
    assert findings_of(*mixed).one_reason(3) is None


def test_the_terminal_says_one_reason_in_one_line_and_counts_it_as_one():
    """No paragraph for each message: the line, the verdict, the count."""
    lines = told([failed(f"Message{index}") for index in range(50)], ExitCode.DIVERGENCE)

    end = lines[lines.index("") + 1 :]
    assert end[0].startswith("50 of 50 cells fail for one reason: crashed:KeyError, ")
    assert end[1:3] == ["", "Not proven. The codec and Kafka differ: 1 finding."]
    assert len(end) == 4


def test_the_terminal_tells_a_group_as_one_paragraph():
    """The first in full, the others by name; those that are not alike have their own."""
    events = [failed(name) for name in ("Fetch", "Metadata", "Produce")]
    other = failed("Join", found=replace(CRASH, check="size", kind="differs", summary="too long"))
    lines = told([*events, other], ExitCode.DIVERGENCE)

    assert "Fetch version 0 and 2 messages like it: these bytes are not decoded" in lines
    assert "  alike    Metadata 0, Produce 0" in lines
    assert "Join version 0: too long" in lines
    assert "Not proven. The codec and Kafka differ: 2 findings." in lines


def test_what_is_lost_for_one_reason_is_one_line_at_the_end():
    """The first five as they come; numbers and names of cells make no other reason."""
    lost = [
        LostCell(cell("Fetch", version), f"signal {version} at {cell('Fetch', version).id}/x, again")
        for version in range(9)
    ]
    lines = told([*lost, LostCell(cell("Join"), "no case here")], ExitCode.BROKEN)

    assert sum(line.startswith("lost") for line in lines) == 7
    expected = "lost 4.4.0/Fetch/0 and all in all 9 cells, for one reason: signal 0 at 4.4.0/Fetch/0/x, again"
    assert expected in lines


def test_losses_of_other_reasons_stand_apart():
    """Those of most cells come first."""
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
