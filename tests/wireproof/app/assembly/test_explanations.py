"""`wireproof explain`: every stable name has a page, made of the table that defines it."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from kafkawire.errors import Fault
from kafkawire.schema import SchemaRule
from wireproof.app.cli.app import command_line
from wireproof.app.cli.explain_command import GLOSSARY, all_explanations, explanations_of
from wireproof.base.exit_codes import ExitCode, worst
from wireproof.model.cell import Phase
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.known_defects.kafka_bugs import KAFKA_BUGS
from wireproof.proof.checks.known_defects.leniencies import LENIENCIES, MORE_LENIENCIES
from wireproof.proof.client_judge.sent_requests import RequestFault
from wireproof.proof.deviations.catalogue.trigger import ENDINGS
from wireproof.proof.deviations.catalogue.triggers import TRIGGERS
from wireproof.verdict.ledger.repairs import EntryFault


def explain(*words: str) -> tuple[int, str]:
    ran = CliRunner().invoke(command_line, ["explain", *words])
    return ran.exit_code, ran.output


@pytest.mark.parametrize(
    "name",
    [
        *Check,
        *Phase,
        *Fault,
        *EntryFault,
        *RequestFault,
        *(str(int(code)) for code in ExitCode),
        *(bug.witness for bug in KAFKA_BUGS),
        *(each.name for each in (*LENIENCIES, *MORE_LENIENCIES)),
        *(rule.value for rule in SchemaRule),
    ],
)
def test_every_name_of_every_table_has_a_page(name: str) -> None:
    """With at least the name and the sort of it."""
    assert explanations_of(name)


def test_every_page_is_printed_and_has_a_text() -> None:
    """`expires-soon` says that it is a warning, `expired` needs no more than its name."""
    for each in all_explanations():
        assert any(each.lines) or each.name == "expired", each
        code, text = explain(each.name)
        assert (code, f"{each.name} ({each.sort})" in text) == (0, True)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bytes", "The codec's bytes are Kafka's for the same value."),
        ("refused:TypeError", "by the class of its refusal or its error"),
        ("laxer:truncate", "of malformed bytes"),
        ("7", "something is left"),
        ("below-floor", "7 (exit code)"),
        ("BYTES", "bytes (check)"),
        ("tag-gap", "Errors of Kafka's generator: 14"),
        ("java-keyword", "Java refuses it. Each field is a variable."),
        ("field-dead", "A problem with it is a warning."),
        ("reads-string-null-not-allowed-empty-2", "null-not-allowed (trigger of a cause)\n  To decode: "),
        ("writes-int32-null-not-allowed-zero", "null-not-allowed (trigger of a cause)\n  To encode: "),
    ],
)
def test_names_as_reports_have_them(name: str, words: str) -> None:
    """Kinds with what follows the colon, causes by id, exit codes by number and name, capitals or not."""
    code, text = explain(name)
    assert (code, words in text) == (0, True), text


def test_an_unknown_name_is_a_usage_error() -> None:
    """It names the nearest one."""
    code, text = explain("bytess")
    assert (code, "'bytess' is not a known name\nDid you mean bytes" in text) == (2, True), text


def test_the_list_has_every_name() -> None:
    """One line for each sort; a trigger of both directions is there once."""
    code, text = explain()
    assert code == 0
    for each in all_explanations():
        assert each.name in text
    for line in text.splitlines():
        names = line.partition(": ")[2].split(", ")
        assert len(names) == len(set(names)), line


def test_the_table_of_exit_codes_is_the_order_of_precedence() -> None:
    """Of the public surface; help and docs are made of the table."""
    assert [int(code) for code in ExitCode] == [130, 2, 4, 5, 3, 1, 6, 7, 0]
    assert [code.rank for code in ExitCode] == list(range(1, 10))
    assert worst([0, 7, 1, 6]) == 1
    assert worst([]) == 0
    assert all(code.meaning.endswith(".") for code in ExitCode)
    listed = " ".join(CliRunner().invoke(command_line, ["--help"]).output.split())
    assert all(f"{int(code)} {code.sentence}" in listed for code in ExitCode)


def test_the_glossary_of_the_documentation_has_the_words_of_the_command() -> None:
    """Word by word, in the same order."""
    page = (Path(__file__).parents[4] / "docs" / "glossary.md").read_text()
    rows = re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|$", page, re.MULTILINE)
    assert [row for row in rows if row[0] != "word"] == list(GLOSSARY.items())


def test_every_word_of_a_cause_has_a_page():
    """Its trigger in each direction, and its action with the words of a report."""
    for (direction, trigger), row in TRIGGERS.items():
        pages = [each for each in explanations_of(trigger) if each.sort == "trigger of a cause"]
        (page,) = [each for each in pages if each.lines[0].startswith(f"To {direction}: ")]
        assert page.lines[1] == f"Kafka: {row.kafka}."
        for action, words in {**row.actions, **ENDINGS}.items():
            found = [each for each in explanations_of(action) if each.sort == "action of a cause"]
            assert any(f"it {words}." in line for each in found for line in each.lines)
