"""The matrix: statuses from a run's events, and the same numbers in every format."""

import html
import io
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from wireproof.base.text.wording import numbers_in
from wireproof.model.agreement import AgreementGroup, CellComparison, CodecTask, Disagreement, ObservedCause
from wireproof.model.cell import Cell, Phase
from wireproof.model.divergence import ByteEvidence, Divergence, NamedBytes
from wireproof.model.malformed_input import MalformedVerdict
from wireproof.proof.run.core.cell_events import CellResult, ComparedCell, DeviantCase, LostCell
from wireproof.verdict.report.comparison.matrix_document import MatrixDocument, MatrixDocumentError, as_json
from wireproof.verdict.report.comparison.matrix_html import as_html
from wireproof.verdict.report.comparison.matrix_tables import (
    DeviationRow,
    EntryTerms,
    LimitedCases,
    Matrix,
    as_markdown,
    as_tsv,
    print_matrix,
)
from wireproof.verdict.report.comparison.scoreboard import CellStatus, CodecColumn, Scoreboard

CELLS = [Cell("4.4.0", "clients", "PingRequest", version) for version in range(4)]
ENTRY = "loose/ping-request-name"


def cause(check: str, field: str = "name") -> ObservedCause:
    return ObservedCause(Phase.ENUMERATED, check, "loose", field, "string", "differs", 1, "", "")


def done(cell: Cell, *causes: ObservedCause, known: Mapping[str, int] | None = None) -> CellResult:
    return CellResult(cell, {Phase.ENUMERATED: 3}, 9, len(causes), 0.1, known=known or {}, causes=causes)


def disagreement(cases: int, case_id: str) -> Disagreement:
    groups = AgreementGroup(("Kafka", "kafkawire"), "writes"), AgreementGroup(("loose",), "writes")
    return Disagreement(CodecTask.ENCODE, "name differs", groups, cases, case_id)


def deviant(cell: Cell, case: str, divergence: Divergence, value: str = "{}") -> DeviantCase:
    return DeviantCase(cell, Phase.ENUMERATED, f"{cell.id}/enumerated/{case}", (divergence,), value)


LONG = bytes(range(200))
BYTES = ByteEvidence(
    NamedBytes(LONG.hex(), 10, 500, ((10, 60, "a"), (150, 152, "b"), (150, 300, "c"))),
    NamedBytes("0100", 0, 2, ((0, 2, "a"),)),
)
KNOWN = Divergence("bytes", "loose", "differs", "name[3]", "string", 155, "1", "2", entry=ENTRY, bytes=BYTES)
NEW = Divergence("decode", "loose", "differs", "x", codec="crashed: E; its standard error: /home/me/x.py")


def matrix(reverse: bool = False) -> Matrix:
    """Return a matrix of ours and a codec that claims versions 0-2, with proven, known and failing ones."""
    columns = [
        CodecColumn("kafkawire", "1", "python", "", lambda *_: True),
        CodecColumn("loose", "2", "go", "./loose", lambda question, message, version: version <= 2),
    ]
    standings = Scoreboard(columns, CELLS)
    verdicts = {"loose": {MalformedVerdict.LAXER: 2, MalformedVerdict.AGREE: 5}}
    events: list[Any] = [
        done(CELLS[0]),
        done(CELLS[1], known={ENTRY: 4}),
        done(CELLS[2], cause("bytes"), cause("malformed")),
        LostCell(CELLS[3], "why"),
        deviant(CELLS[2], "b", KNOWN, '{"name":"longer"}'),
        deviant(CELLS[1], "a", KNOWN),
        deviant(CELLS[2], "a", NEW),
        deviant(CELLS[2], "a", replace(NEW, subject="layout")),
        ComparedCell(
            CELLS[2], CellComparison({CodecTask.ENCODE: 10}, verdicts, (disagreement(2, "second"),))
        ),
        ComparedCell(CELLS[1], CellComparison({CodecTask.ENCODE: 10}, {}, (disagreement(1, "first"),))),
    ]
    for event in reversed(events) if reverse else events:
        standings(event)
    known = [
        DeviationRow("loose", "bug", "null is written as empty", ["PingRequest", "A", "B", "C"]),
        DeviationRow("loose", "by-design", "tags are lost", ["*"]),
    ]
    left_out = [LimitedCases("go-x", "no go")]
    terms = {ENTRY: EntryTerms("bug", "a reason", "me", "2026-01-01", "2027-01-01", "a link")}
    return Matrix(
        standings, ["4.4.0"], ["./loose"], ["matrix", "-x"], left_out, ["PongRequest"], known, terms
    )


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
    standings = Scoreboard(columns, CELLS[:1])
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


def test_json_has_each_deviation_with_its_smallest_case() -> None:
    """All that one entry explains is one deviation, of all versions that show it, with its terms.
    Deviations without an entry come first. A divergence of the layout is left out."""
    new, known = json.loads(as_json(matrix()))["deviations"]
    assert (new["codec"], new["entry"], new["ledger"], new["tasks"]) == ("loose", "", None, ["decode"])
    assert new["smallest"]["codec"] == "crashed: E"
    assert (known["entry"], known["ledger"]["reason"], known["field"]) == (ENTRY, "a reason", "name[]")
    case = "4.4.0/PingRequest/1/enumerated/a"
    assert known["places"] == [
        {"release": "4.4.0", "message": "PingRequest", "versions": "1-2", "case": case}
    ]
    assert (known["smallest"]["case"], known["smallest"]["value"]) == (case, "{}")


def test_json_has_the_bytes_around_the_difference() -> None:
    """Of a long side 96 bytes around the difference, with the fields in them; of a short one all."""
    *_, known = json.loads(as_json(matrix()))["deviations"]
    sides = known["smallest"]["bytes"]
    start = 200 - 96 + 10
    assert sides["codec"] == {
        "hex": LONG[start - 10 :].hex(),
        "start": start,
        "length": 500,
        "fields": [[150, 152, "b"], [150, 300, "c"]],
    }
    assert sides["oracle"] == {"hex": "0100", "start": 0, "length": 2, "fields": [[0, 2, "a"]]}


def test_json_has_a_line_for_each_element() -> None:
    """So that a change of one message is a change of one line."""
    lines = as_json(matrix()).splitlines()
    assert sum(line.startswith('  {"release":') for line in lines) == 1
    assert sum(line.startswith('  {"codec":') for line in lines) == 4


def test_a_codec_that_was_not_asked_everything_is_not_proven() -> None:
    """A codec that had ended before gave no wrong answer, and no right one either."""
    columns = [CodecColumn(name, "2", "go", name, lambda *_: True) for name in ("loose", "dead")]
    standings = Scoreboard(columns, CELLS[:1])
    standings(ComparedCell(CELLS[0], CellComparison(not_asked={"dead": 3})))
    standings(done(CELLS[0]))
    (row,) = standings.rows()
    assert row.standings["dead"].versions[CodecTask.ENCODE] == {CellStatus.UNREACHED: [0]}
    assert row.standings["loose"].versions[CodecTask.ENCODE] == {CellStatus.PROVEN: [0]}


def test_a_deviation_in_what_a_codec_does_not_claim_is_left_out() -> None:
    """An answer that was not claimed cannot be wrong."""
    columns = [CodecColumn("loose", "2", "go", "loose", lambda task, *_: task is CodecTask.ENCODE)]
    standings = Scoreboard(columns, CELLS[:1])
    for divergence in (KNOWN, NEW):
        standings(deviant(CELLS[0], "a", divergence))
    assert [(each.entry, each.summary) for each in standings.deviations] == [(KNOWN.entry, KNOWN.summary)]


def test_a_saved_matrix_is_read_back() -> None:
    """The page is made from the file alone; another text is an error that says what was expected."""
    document = MatrixDocument.parse(as_json(matrix()))
    assert [each.name for each in document.codecs] == ["kafkawire", "loose"]
    (message,) = document.messages
    assert message.codecs["loose"][CodecTask.ENCODE] == {
        CellStatus.PROVEN: "0",
        CellStatus.KNOWN: "1",
        CellStatus.FAILED: "2",
    }
    new, known = document.deviations
    assert (new.ledger, known.ledger["reason"] if known.ledger else "") == (None, "a reason")
    assert known.smallest.bytes.oracle == BYTES.oracle
    assert numbers_in("0-3, 5") == [0, 1, 2, 3, 5]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format":2}', '{"format":1}', "[" * 100_000]
    + [
        as_json(matrix()).replace(*change)
        for change in (
            ('"versions":"0-3"', '"versions":"0-x"'),
            ('"hex":"0100"', '"hex":"01zz"'),
            ('"message":"PingRequest"', '"message":"Ping Request"'),
        )
    ],
    ids=["empty", "list", "no-keys", "other-format", "keys-missing", "deep", "versions", "hex", "name"],
)
def test_another_text_is_refused(text: str) -> None:
    """Each is refused with the command that makes a matrix."""
    with pytest.raises(MatrixDocumentError, match="wireproof matrix --format json"):
        MatrixDocument.parse(text)


HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[31m\n::error::x"


def test_foreign_text_is_escaped_in_the_page() -> None:
    """Names and answers of codecs are text, whatever they hold."""
    text = as_json(matrix()).replace("loose", json.dumps(HOSTILE)[1:-1]).replace("a reason", "<b>bold</b>")
    page = as_html(MatrixDocument.parse(text))
    assert "<img" not in page
    assert "<b>bold" not in page
    assert "\x1b" not in page
    assert "\n::error::" not in page
    assert html.escape("<img src=x onerror=alert(1)>") in page


def test_the_page_has_the_versions_of_each_state() -> None:
    """Signs and words distinguish a known deviation, a finding and a proven version without colours."""
    page = re.sub(r"<[^>]+>", "", as_html(MatrixDocument.parse(as_json(matrix()))))
    assert "✗finding 2 ~known deviation 1 ✓proven 0" in page
    assert "not claimed: 3" in page  # version 3, in three tasks
    assert "PingRequest, loose: encode finding, decode proven, malformed finding" in as_html(
        MatrixDocument.parse(as_json(matrix()))
    )
    assert "wireproof replay --testee ./loose 4.4.0/PingRequest/1/enumerated/a" in page
