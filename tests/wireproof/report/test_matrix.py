"""The matrix: statuses from a run's events, and the same numbers in every format."""

import html
import io
import json
from collections.abc import Mapping
from typing import Any

import pytest
from rich.console import Console

from wireproof.model import (
    AgreementGroup,
    Cell,
    CellComparison,
    CodecTask,
    Disagreement,
    MalformedVerdict,
    ObservedCause,
    Phase,
)
from wireproof.report.comparison.matrix_page import as_markdown
from wireproof.report.comparison.matrix_tables import (
    Deviation,
    LimitedCases,
    Matrix,
    as_json,
    as_tsv,
    print_matrix,
)
from wireproof.report.comparison.scoreboard import CellStatus, CodecColumn, Scoreboard
from wireproof.run import CellResult, ComparedCell, LostCell

CELLS = [Cell("4.4.0", "clients", "PingRequest", version) for version in range(4)]
ENTRY = "loose/ping-request-name"


def cause(check: str, field: str = "name") -> ObservedCause:
    return ObservedCause(Phase.ENUMERATED, check, "loose", field, "string", "differs", 1, "", "")


def done(cell: Cell, *causes: ObservedCause, known: Mapping[str, int] | None = None) -> CellResult:
    return CellResult(cell, {Phase.ENUMERATED: 3}, 9, len(causes), 0.1, known=known or {}, causes=causes)


def disagreement(cases: int, case_id: str) -> Disagreement:
    groups = AgreementGroup(("Kafka", "kafkawire"), "writes"), AgreementGroup(("loose",), "writes")
    return Disagreement(CodecTask.ENCODE, "name differs", groups, cases, case_id)


def matrix(reverse: bool = False) -> Matrix:
    """Return a matrix of ours and a codec that claims versions 0-2, with proven, known and failing ones."""
    columns = [
        CodecColumn("kafkawire", "1", "python", "", lambda *_: True),
        CodecColumn("loose", "2", "go", "./loose", lambda question, message, version: version <= 2),
    ]
    standings = Scoreboard(columns, CELLS, {ENTRY: frozenset({CodecTask.ENCODE})})
    verdicts = {"loose": {MalformedVerdict.LAXER: 2, MalformedVerdict.AGREE: 5}}
    events: list[Any] = [
        done(CELLS[0]),
        done(CELLS[1], known={ENTRY: 4}),
        done(CELLS[2], cause("bytes"), cause("malformed")),
        LostCell(CELLS[3], "why"),
        ComparedCell(
            CELLS[2], CellComparison({CodecTask.ENCODE: 10}, verdicts, (disagreement(2, "second"),))
        ),
        ComparedCell(CELLS[1], CellComparison({CodecTask.ENCODE: 10}, {}, (disagreement(1, "first"),))),
    ]
    for event in reversed(events) if reverse else events:
        standings(event)
    known = [
        Deviation("loose", "bug", "null is written as empty", ["PingRequest", "A", "B", "C"]),
        Deviation("loose", "by-design", "tags are lost", ["*"]),
    ]
    left_out = [LimitedCases("go-x", "no go")]
    return Matrix(standings, ["4.4.0"], ["./loose"], ["matrix", "-x"], left_out, ["PongRequest"], known)


def test_each_operation_has_its_own_status() -> None:
    """Different bytes concern encoding, and an entry concerns the direction of its check; malformed bytes
    have their own status."""
    (row,) = matrix().standings.rows()
    assert row.versions == [0, 1, 2, 3]
    loose, ours = row.standings["loose"], row.standings["kafkawire"]
    assert loose.versions[CodecTask.ENCODE] == {
        CellStatus.PROVEN: [0],
        CellStatus.KNOWN: [1],
        CellStatus.FAILED: [2],
    }
    assert loose.versions[CodecTask.DECODE] == {CellStatus.PROVEN: [0, 1, 2]}
    assert loose.versions[CodecTask.MALFORMED] == {CellStatus.PROVEN: [0, 1], CellStatus.FAILED: [2]}
    assert ours.versions[CodecTask.ENCODE] == {CellStatus.PROVEN: [0, 1, 2], CellStatus.UNREACHED: [3]}
    assert loose.claimed(CodecTask.ENCODE) == [0, 1, 2]


@pytest.mark.parametrize(
    ("check", "field", "questions"),
    [
        ("round-trip", "", {CodecTask.DECODE}),
        ("claim", "reencode", {CodecTask.DECODE}),
        ("claim", "size", {CodecTask.ENCODE}),
        ("registry", "", {CodecTask.ENCODE, CodecTask.DECODE}),
        ("tail", "", {CodecTask.MALFORMED}),
        ("malformed", "", {CodecTask.MALFORMED}),
    ],
)
def test_a_cause_fails_the_directions_of_its_check(check: str, field: str, questions: set[CodecTask]) -> None:
    """A failure without a direction fails both."""
    columns = [CodecColumn("loose", "2", "go", "./loose", lambda *_: True)]
    standings = Scoreboard(columns, CELLS[:1], {})
    standings(done(CELLS[0], cause(check, field)))
    (row,) = standings.rows()
    versions = row.standings["loose"].versions
    assert {question for question, found in versions.items() if CellStatus.FAILED in found} == questions


def test_the_order_of_the_processes_does_not_matter() -> None:
    """The first case of a kind is that of the lowest cell, whichever cell was done first."""
    for form in (as_json, as_markdown, lambda each: "\n".join(as_tsv(each))):
        assert form(matrix()) == form(matrix(reverse=True))
    (kind,) = matrix().standings.agreements()
    assert (kind.kind.case_id, kind.kind.cases, kind.messages) == ("first", 3, 1)


def test_tsv_has_a_line_for_each_message_and_codec() -> None:
    """Both directions have proven, known, failed and not reached versions; seven verdicts follow."""
    _, loose = as_tsv(matrix())
    assert loose.split("\t") == [
        *("4.4.0", "PingRequest", "4", "loose", "2"),
        *("1", "1", "1", "0"),
        *("3", "0", "0", "0"),
        *("2", "0", "1", "0"),
        *("5", "0", "2", "0", "0", "0", "0"),
    ]


def test_json_has_the_whole_matrix() -> None:
    """Versions are ranges; every kind of disagreement, the testees left out and completeness are present."""
    parsed = json.loads(as_json(matrix()))
    assert parsed["complete"] is False
    assert parsed["messages"][0]["codecs"]["loose"]["decode"] == {"proven": "0-2"}
    assert parsed["leftOut"] == [{"testee": "go-x", "reason": "no go"}]
    assert parsed["unclaimed"] == ["PongRequest"]
    assert parsed["disagreements"][0]["camps"][1] == {"parties": ["loose"], "does": "writes"}


def test_the_text_has_the_same_numbers() -> None:
    """``1~1!1`` means proven, known, failing; a line has the command that repeats the first case."""
    stream = io.StringIO()
    print_matrix(matrix(), Console(file=stream))
    for text in (stream.getvalue(), html.unescape(as_markdown(matrix())).replace("\\", "")):
        assert "1~1!1 / 3 / 2!1" in text
        assert "3?1 / 3?1 / 3?1" in text
        assert "go-x: no go" in text
        assert "3 of 4 cells were reached" in text
        assert "kafkawire" in text
    assert "wireproof matrix --testee ./loose --case first" in stream.getvalue()


def test_the_page_has_the_known_deviations_of_each_codec() -> None:
    """Each reason has some of the messages; the page has the command that wrote it."""
    page = as_markdown(matrix())
    assert "Written by `wireproof matrix -x`." in page
    _, _, known = page.partition("## Known of `loose`")
    assert known.splitlines()[2:] == [
        "- *bug*: null is written as empty (PingRequest, A and 2 more)",
        "- *by-design*: tags are lost (every message)",
    ]


def test_a_failure_without_a_codec_at_fault_is_reported() -> None:
    """A layout that was read wrongly does not count for any codec."""
    made = matrix()
    stranger = ObservedCause(Phase.SHAPE, "schema", "layout", "", "", "differs", 1, "case", "another type")
    made.standings(done(CELLS[0], stranger))
    assert made.standings.strangers == {"layout: another type": ["case"]}
    (row,) = made.standings.rows()
    assert CellStatus.FAILED not in row.standings["kafkawire"].versions[CodecTask.ENCODE]
