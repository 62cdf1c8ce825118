"""Every schema that Kafka's generator refuses is refused, for the same reason."""

import pytest

from kafkawire.schema import SchemaProblem, SchemaRule, Severity, read_message
from tests.kafkawire.schema.refused_schemas import ODDITIES, REFUSALS, Row, schema

_FIELD = '{ "name": "A", "type": "int8", "versions": "0+" }'


@pytest.mark.parametrize("row", REFUSALS, ids=lambda row: row.name)
def test_an_invalid_schema_is_refused(row: Row) -> None:
    """A schema with one mistake gives one error, at its line and path."""
    _assert_only(read_message(row.text, "Probe.json")[1], row, Severity.ERROR)


@pytest.mark.parametrize("row", ODDITIES, ids=lambda row: row.name)
def test_an_odd_schema_is_a_warning(row: Row) -> None:
    """An odd schema that Kafka accepts gives a warning, and its definition."""
    spec, problems = read_message(row.text, "Probe.json")
    assert spec is not None
    _assert_only(problems, row, Severity.WARNING)


def _assert_only(problems: list[SchemaProblem], row: Row, severity: Severity) -> None:
    assert [problem.severity for problem in problems] == [severity]
    (problem,) = problems
    assert (problem.source, problem.line, problem.path) == ("Probe.json", row.line, row.path)
    assert row.words in problem.text
    assert {rule.value: rule for rule in SchemaRule}[problem.rule].severity is severity


def test_all_problems_are_listed() -> None:
    """Problems of reading and of rules are in one list, in order of line."""
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


def test_a_readable_definition_is_returned_with_its_problems() -> None:
    """A definition that breaks a rule but can be read is returned."""
    spec, problems = read_message(
        schema('{ "name": "A", "type": "int8", "versions": "0+", "mapKey": true }'), "x"
    )
    assert [problem.severity for problem in problems] == [Severity.ERROR]
    assert spec is not None
    assert spec.fields[0].map_key


def test_an_unreadable_field_is_not_judged_by_rules() -> None:
    """An unreadable field is replaced by a guess, which gives no further problems."""
    text = schema(
        '{ "name": "A", "type": "strnig", "versions": "0+", "nullableVersions": "0+", "default": "x" }'
    )
    assert len(read_message(text, "x")[1]) == 1


def test_a_problem_is_one_line() -> None:
    """Source, line, severity, path and text are on one line, as compilers write them."""
    problem = SchemaProblem("A.json", 7, "topics[].name", Severity.ERROR, "it is wrong", "tag-gap")
    assert str(problem) == "A.json:7: error: topics[].name: it is wrong [tag-gap]"
    whole = SchemaProblem("A.json", 7, "", Severity.WARNING, "odd", "field-dead")
    assert str(whole) == "A.json:7: warning: odd [field-dead]"


def test_retired_messages_are_only_read() -> None:
    """A message without versions becomes no class, so the rules for classes do not apply to it."""
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


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (schema(_FIELD).replace('"type":', '"type": "query", "type":', 1), "message-type-unknown"),
        (schema(_FIELD).replace('"apiKey":', '"apiKey": "x", "apiKey":', 1), "wrong-value"),
        (schema(_FIELD, listeners='"all", "listeners": "broker"'), "listener-unknown"),
        (schema(_FIELD).replace('"name": "A"', '"name": {}, "name": "A"'), "wrong-value"),
        (schema(_FIELD).replace('"name": "A"', '"tag": "x", "tag": null, "name": "A"'), "wrong-value"),
        (schema(_FIELD).replace('"name": "A"', '"mapKey": 1.5, "mapKey": false, "name": "A"'), "wrong-value"),
        (schema(_FIELD).replace('"name": "A"', '"fields": [1], "fields": [], "name": "A"'), "not-an-object"),
        (
            schema(_FIELD).replace('"name": "A"', '"entityType": "x", "entityType": "unknown", "name": "A"'),
            "entity-type-unknown",
        ),
    ],
)
def test_a_value_that_a_later_one_replaces_is_of_its_kind(text: str, rule: str) -> None:
    """Kafka reads each value of a repeated key: one of the wrong kind is an error, and the last counts."""
    spec, problems = read_message(text, "Probe.json")
    assert spec is None
    assert [each.rule for each in problems if each.severity is Severity.ERROR] == [rule]
    assert "repeated-key" in {each.rule for each in problems}
