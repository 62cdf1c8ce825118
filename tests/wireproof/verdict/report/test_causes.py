"""The causes of a run: merged from its cells, and in the words of every report."""

import io
import re
from dataclasses import replace
from itertools import product

import pytest
from rich.console import Console

from tests.support.reports.sample_events import CAUSE, CELL, DIAGNOSIS, DONE, FAILED, FINISHED, STARTED
from wireproof.model.cell import Cell
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.triggers import TRIGGERS
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.deviation_words import deviation_sentence
from wireproof.proof.deviations.search.cell_diagnosis import CellCause, CellDiagnosis
from wireproof.proof.run.core.run_events import RunEvent
from wireproof.verdict.report.causes import Causes
from wireproof.verdict.report.findings import Findings
from wireproof.verdict.report.lines.cause_lines import cause_headline, cause_lines, cause_notes, cause_text
from wireproof.verdict.report.run.terminal_report import TerminalReport

OTHER = Cell("4.4.0", "clients", "ProduceRequest", 7)
NULL = Deviation(CodecDirection.DECODE, "null", "empty", types=frozenset({"string"}))


def cause(deviation: Deviation, cell: Cell = CELL, predicted: int = 1, size: int = 9) -> CellCause:
    case = f"{cell.id}/mutations/default/count=zero@4"
    return replace(CAUSE, deviation=deviation, case_id=case, predicted=predicted, size=size)


def causes_of(*found: tuple[Cell, CellDiagnosis]) -> Causes:
    causes = Causes()
    for cell, diagnosis in found:
        causes.add(cell, diagnosis)
    return causes


def many(number: int) -> Causes:
    """Causes in fields of their own."""
    rows = (replace(NULL, trigger="value", action="null", fields=frozenset({f"f{n}"})) for n in range(number))
    return causes_of((CELL, CellDiagnosis(tuple(map(cause, rows)), number)))


def test_one_deviation_is_one_cause_wherever_it_shows():
    """The types are those of all cells, the case is the shortest, the numbers are sums."""
    wide = replace(NULL, types=frozenset({"nullable string"}))
    causes = causes_of(
        (CELL, CellDiagnosis((cause(NULL, predicted=3),), 4, 1)),
        (replace(CELL, version=13), CellDiagnosis((cause(NULL),), 1)),
        (OTHER, CellDiagnosis((cause(wide, OTHER, size=2),), 2, 1)),
    )

    (found,) = causes.ranked()
    assert found.deviation.all_types == {"string", "nullable string"}
    assert (found.predicted, found.shortest.size, found.message) == (5, 2, "ProduceRequest")
    assert found.places == (("ProduceRequest", "7"), ("FetchRequest", "12-13"))
    assert found.where == "ProduceRequest 7 and FetchRequest 12-13"
    assert found.deviation.scope == {"ProduceRequest": {7}, "FetchRequest": {12, 13}}
    assert cause_headline(causes) == "1 cause predicts the codec's answer in 5 of 7 failed cases"


@pytest.mark.parametrize(
    "other",
    [
        replace(NULL, direction=CodecDirection.ENCODE),
        replace(NULL, action="crash", error="TypeError"),
        replace(NULL, trigger="negative-length"),
        replace(NULL, types=frozenset({"compact string"})),
        replace(NULL, types=frozenset({"bytes"})),
    ],
)
def test_two_things_to_fix_are_two_causes(other: Deviation):
    """Direction, trigger, action, error, and whether lengths are varints tell them apart."""
    causes = causes_of(
        (CELL, CellDiagnosis((cause(NULL),), 1)), (OTHER, CellDiagnosis((cause(other, OTHER),), 1))
    )

    assert len(causes) == len({each.key for each in causes.ranked()}) == 2


def test_causes_that_right_values_show_come_first():
    """A user of the codec meets them; malformed bytes are rare."""
    malformed = cause(NULL, predicted=50)
    causes = causes_of((CELL, CellDiagnosis((malformed, CAUSE), 53)))

    assert [each.shortest for each in causes.ranked()] == [CAUSE, malformed]


def test_a_finding_is_predicted_only_if_all_of_its_cells_are():
    """A cell that some case leaves without a prediction keeps the finding."""
    findings = Findings()
    findings.add(FAILED)
    findings.add(replace(FAILED, cell=replace(CELL, version=13)))
    (finding,) = findings
    at_13 = replace(CELL, version=13)
    left = CellDiagnosis((CAUSE,), 4, 1, ((("bytes", "topics[].partitions[].logStartOffset", "differs"), 1),))

    assert causes_of((CELL, DIAGNOSIS)).unpredicted([finding]) == [finding]
    assert causes_of((CELL, DIAGNOSIS), (at_13, DIAGNOSIS)).unpredicted([finding]) == []
    assert causes_of((CELL, DIAGNOSIS), (at_13, left)).unpredicted([finding]) == [finding]


def test_a_cause_of_many_messages_and_fields_names_few():
    """The line stays short; `places` has all."""
    fields = frozenset({"a", "b", "c"})
    cells = [replace(CELL, message=f"M{number}") for number in range(5)]
    rows = [(cell, CellDiagnosis((cause(replace(NULL, fields=fields), cell),), 1)) for cell in cells]

    (found,) = causes_of(*rows).ranked()
    assert found.where == "M0 12, M1 12 and 3 more messages (fields a, b and 1 more field)"
    assert len(found.places) == 5


@pytest.mark.parametrize(
    ("deviation", "sentence"),
    [
        (
            Deviation(
                CodecDirection.DECODE,
                "beyond-end",
                "clamp",
                types=frozenset({"string", "bytes", "nullable string"}),
            ),
            "Bytes, nullable strings and strings whose length goes beyond the end "
            "are read as far as there are bytes",
        ),
        (
            Deviation(CodecDirection.DECODE, "end", "crash", "RangeError", types=frozenset({"int64"})),
            "Int64 values after the end of the bytes crash the codec (RangeError)",
        ),
        (
            Deviation(CodecDirection.ENCODE, "range", "wrap", types=frozenset({"int8"})),
            "Int8 values beyond their type are written without their high bits",
        ),
        (
            Deviation(CodecDirection.ENCODE, "long-text", "wrap", types=frozenset({"string"})),
            "Strings of more than 32,767 bytes are written after a length without its high bits",
        ),
        (
            Deviation(CodecDirection.ENCODE, "absent", "constant", value="1"),
            "A field that the caller leaves out is written with a default of the codec's own: 1",
        ),
        (
            Deviation(CodecDirection.DECODE, "value", "null", fields=frozenset({"a", "b"})),
            "The fields a and b are always null when read",
        ),
        (
            Deviation(CodecDirection.DECODE, "value", "default", fields=frozenset({"a"})),
            "The field a always has its default when read",
        ),
        (
            Deviation(CodecDirection.DECODE, "value", "crash", "E", "7", fields=frozenset({"a"})),
            "The value 7 of the field a crashes the codec when read (E)",
        ),
        (
            Deviation(CodecDirection.DECODE, "sibling", "null", value="a != 1", fields=frozenset({"b"})),
            "Where a != 1, the field b is null when read",
        ),
        (Deviation(CodecDirection.DECODE, "trailing", "refuse"), "Bytes after the message are refused"),
    ],
)
def test_a_sentence_agrees_with_its_subject(deviation: Deviation, sentence: str):
    """Subject, verb and pronoun have one number."""
    assert deviation_sentence(deviation) == sentence


def test_no_sentence_of_the_catalogue_mixes_numbers():
    """Every trigger with every action, for one type and for five."""
    types = frozenset({"bytes", "string", "array", "int32", "struct"})
    for (direction, name), row in TRIGGERS.items():
        for action, some in product((*row.actions, "refuse", "crash"), (types, frozenset({"bytes"}))):
            text = deviation_sentence(Deviation(direction, name, action, types=some))
            assert not re.search(r"\b(A|An) (bytes|records)\b|crashe\b", text)
            assert not row.words.startswith("{}") or not re.search(r"(?<!version) (is|has) ", text)
            assert text[0].isupper()
            assert "{" not in text


def test_the_lines_of_a_cause_have_both_sides_and_what_to_type():
    """The first ones are in full."""
    lines = list(cause_lines(causes_of((CELL, DIAGNOSIS)), "./codec"))

    assert lines == [
        "",
        "[bold]1 cause predicts the codec's answer in 3 of 4 failed cases:[/]",
        "[bold red]  1[/]  A field that the caller leaves out is written as zero, empty or false",
        "     [dim]where   [/] FetchRequest 12 (field topics[].partitions[].logStartOffset)",
        "     [dim]predicts[/] 3 of 4 failed cases, in 1 message",
        '     [dim]asked   [/] encode {"topics":[{}]}',
        "     [dim]codec   [/] 00000000",
        "     [dim]Kafka   [/] ffffffff (written as its default)",
        f"     [dim]replay  [/] wireproof replay --testee ./codec '{CAUSE.case_id}'",
        "     [dim]fix     [/] wireproof run --testee ./codec --cause writes-int64-absent-zero",
        "[yellow]Rest: 1 failed case that no cause predicts[/]",
    ]


def test_of_many_causes_the_first_twenty_are_listed():
    """The last line says where the others are."""
    lines = list(cause_lines(many(1_250)))

    assert lines[1] == "[bold]1,250 causes predict the codec's answer in 1,250 of 1,250 failed cases:[/]"
    assert len([line for line in lines if line.startswith("[bold red]")]) == 20
    assert len([line for line in lines if "replay" in line]) == 8
    assert lines[-1] == "     and 1,230 more causes; --html FILE shows all of them"


def test_a_search_that_was_given_up_is_reported():
    """It is said even where no cause was found."""
    (line,) = cause_lines(causes_of((CELL, CellDiagnosis((), 1, 1, exhausted=True))))

    assert line == "[yellow]The search for causes reached its bound in 1 cell: there may be more causes[/]"


def test_the_text_of_a_cause_has_no_markup():
    """Files take it as it is."""
    causes = causes_of((CELL, DIAGNOSIS))

    text = cause_text(causes.ranked()[0], causes)
    assert text.splitlines()[0] == "A field that the caller leaves out is written as zero, empty or false"
    assert text.splitlines()[3:4] == ['asked: encode {"topics":[{}]}']


def shown(*events: RunEvent) -> str:
    stream = io.StringIO()
    report = TerminalReport(Console(file=stream, width=200), live=False)
    for event in events:
        report(event)
    return stream.getvalue()


def test_a_run_lists_its_causes_before_what_they_leave():
    """A finding that a cause predicts is not listed again; another one is."""
    other = replace(
        FAILED, divergences=(replace(FAILED.divergences[0], check="cut", path="", kind="accepted"),)
    )
    text = shown(STARTED, FAILED, other, replace(DONE, diagnosis=DIAGNOSIS), FINISHED)

    assert text.index("1 cause predicts") < text.index("Rest: 1 failed case") < text.index("check    cut")
    assert "check    bytes" not in text


def test_a_green_run_says_nothing_of_causes():
    """Its output is what it was."""
    without, empty = (
        shown(STARTED, replace(DONE, diagnosis=each), FINISHED) for each in (None, CellDiagnosis())
    )

    assert without == empty
    assert "cause" not in without


def test_a_codec_whose_answers_do_not_follow_from_the_questions_is_named():
    """It is flaky, it has one answer, or it keeps one."""
    flaky = CellDiagnosis((), 2, 2, two_answers=("decode 00", "refuses: A", "{}"))
    constant = CellDiagnosis((), 1, 1, constant="decode: {}")
    stale = CellDiagnosis((), 1, 1, stale=("decode 01", '{"a":0}'))
    lines = [*cause_notes(causes_of((CELL, flaky), (CELL, constant), (CELL, stale)))]

    assert lines == [
        "The codec is flaky in 1 cell: it answers decode 00 with refuses: A, and then with {}",
        'The codec keeps an answer in 1 cell: it answers decode 01 as the question before: {"a":0}',
        "The answers of the codec do not depend on the input in 1 cell: always decode: {}",
    ]
