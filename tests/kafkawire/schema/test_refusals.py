"""Every schema that Kafka's generator refuses is refused here, and for the same reason."""

import pytest

from kafkawire.schema import SchemaProblem, Severity, read_message
from tests.kafkawire.schema.refused_schemas import ODDITIES, REFUSALS, Row, schema


@pytest.mark.parametrize("row", REFUSALS, ids=lambda row: row.name)
def test_refusal(row: Row) -> None:
    """A schema with one mistake gives one error, at its line and path."""
    _assert_only(read_message(row.text, "Probe.json")[1], row, Severity.ERROR)


@pytest.mark.parametrize("row", ODDITIES, ids=lambda row: row.name)
def test_oddity(row: Row) -> None:
    """A schema that Kafka accepts though it is odd gives a warning, and its definition."""
    spec, problems = read_message(row.text, "Probe.json")
    assert spec is not None
    _assert_only(problems, row, Severity.WARNING)


def _assert_only(problems: list[SchemaProblem], row: Row, severity: Severity) -> None:
    assert [problem.severity for problem in problems] == [severity]
    (problem,) = problems
    assert (problem.source, problem.line, problem.path) == ("Probe.json", row.line, row.path)
    assert row.words in problem.text


def test_all_problems_are_listed() -> None:
    """Several mistakes, of reading and of rules, come in one list in order of line."""
    text = schema(
        '{ "name": "A", "versions": "0+" }',
        '{ "name": "B", "type": "int8", "versions": "x", "tag": "y", "extra": 1 }',
        '{ "name": "C", "type": "int8", "versions": "0+", "nullableVersions": "0+", "default": "300" }',
        flexibleVersions='"2-3"',
    )
    spec, problems = read_message(text, "Probe.json")
    assert spec is None
    assert [(problem.line, problem.path) for problem in problems] == [
        (6, ""),
        (8, "a"),
        (9, "b"),
        (9, "b"),
        (9, "b"),
        (10, "c"),
        (10, "c"),
    ]


def test_a_clear_definition_comes_along_with_its_problems() -> None:
    """Breaking a rule does not withhold a definition that can be taken as written."""
    spec, problems = read_message(
        schema('{ "name": "A", "type": "int8", "versions": "0+", "mapKey": true }'), "x"
    )
    assert [problem.severity for problem in problems] == [Severity.ERROR]
    assert spec is not None
    assert spec.fields[0].map_key


def test_broken_field_is_not_judged_by_rules() -> None:
    """A field that could not be read gives no further problems that come of the guess in its place."""
    text = schema(
        '{ "name": "A", "type": "strnig", "versions": "0+", "nullableVersions": "0+", "default": "x" }'
    )
    assert len(read_message(text, "x")[1]) == 1


def test_problem_as_a_sentence() -> None:
    """Source, line, severity, path and text stand in one line, as compilers write them."""
    problem = SchemaProblem("A.json", 7, "topics[].name", Severity.ERROR, "it is wrong")
    assert str(problem) == "A.json:7: error: topics[].name: it is wrong"
    assert str(SchemaProblem("A.json", 7, "", Severity.WARNING, "odd")) == "A.json:7: warning: odd"


def test_retired_messages_are_only_read() -> None:
    """A message without versions becomes no class, so that rules of emitting do not hold it."""
    text = schema(
        '{ "name": "A", "type": "int8", "versions": "0+", "default": "300", "mapKey": true }',
        validVersions='"none"',
        flexibleVersions='"0-1"',
        listeners='"broker"',
    )
    spec, problems = read_message(text, "x")
    assert problems == []
    assert spec is not None
    assert spec.retired
    assert (spec.flexible_versions.empty, spec.listeners) == (True, ())
    _, problems = read_message(text.replace('"default"', '"nullableVersions": "0+", "default"'), "x")
    assert len(problems) == 1
