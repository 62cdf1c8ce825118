"""A problem that the generators of old releases accept is a warning in their files, and an error in newer
ones."""

from typing import Any

import pytest

from kafkawire.schema import (
    BEFORE_3_0,
    BEFORE_4_0,
    SINCE_4_0,
    TODAY,
    Dialect,
    Severity,
    VersionRange,
    dialect_of,
    read_message,
)
from tests.kafkawire.schema.refused_schemas import schema

FIELD = '{ "name": "A", "type": "int8", "versions": "0+" }'
TRAILING = schema(FIELD) + "]}"
NOT_FLEXIBLE = "\n".join(line for line in schema(FIELD).splitlines() if "flexibleVersions" not in line)
TAGGED_STRUCT = schema(
    '{ "name": "A", "type": "Inner", "taggedVersions": "2+", "tag": 0, "fields": ['
    '{ "name": "B", "type": "int8", "versions": "2+" } ] }'
)


@pytest.mark.parametrize(
    ("text", "words", "dialects"),
    [
        (TRAILING, "something follows", (BEFORE_3_0,)),
        (NOT_FLEXIBLE, "flexibleVersions is missing", (BEFORE_3_0,)),
        (TAGGED_STRUCT, "a struct needs it", (BEFORE_3_0, BEFORE_4_0)),
    ],
    ids=["trailing", "flexible", "tagged-struct"],
)
@pytest.mark.parametrize("dialect", [BEFORE_3_0, BEFORE_4_0, TODAY], ids=["2.8", "3.9", "today"])
def test_a_leniency_is_a_warning_or_an_error(
    text: str, words: str, dialects: tuple[Dialect, ...], dialect: Dialect
) -> None:
    """Each leniency is reported in every dialect; it is an error only where the generator refused it."""
    spec, (problem,) = read_message(text, "Probe.json", dialect)
    assert words in problem.text
    assert problem.severity is (Severity.WARNING if dialect in dialects else Severity.ERROR)
    if dialect in dialects:
        assert spec is not None


@pytest.mark.parametrize(
    ("head", "rule", "dialects"),
    [
        ({"listeners": '["zkBroker"]'}, "listener-unknown", (BEFORE_4_0, TODAY)),
        ({"validVersions": '"none"'}, "valid-versions-none", (SINCE_4_0, TODAY)),
        ({"type": '"coordinator-value"'}, "message-type-unknown", (SINCE_4_0, TODAY)),
        ({"headerVersions": '{"0+": 2}'}, "unknown-key", (TODAY,)),
    ],
    ids=["zk", "none", "coordinator", "headers"],
)
@pytest.mark.parametrize("dialect", [BEFORE_4_0, SINCE_4_0, TODAY], ids=["3.9", "4.0", "today"])
def test_words_that_some_generators_have(
    head: dict[str, Any], rule: str, dialects: tuple[Dialect, ...], dialect: Dialect
) -> None:
    """A listener, a type, a key and versions that only some releases have are errors in the others; a file of
    an unknown release may have all of them."""
    rules = [problem.rule for problem in read_message(schema(FIELD, **head), "x", dialect)[1]]
    assert rules == ([] if dialect in dialects else [rule])


def test_absent_keys_have_a_meaning_in_old_dialects() -> None:
    """Without flexibleVersions a message is never flexible; a tagged struct without versions has its tagged
    ones."""
    rigid, _ = read_message(NOT_FLEXIBLE, "x", BEFORE_3_0)
    assert rigid is not None
    assert rigid.flexible_versions == VersionRange.NONE
    tagged, _ = read_message(TAGGED_STRUCT, "x", BEFORE_4_0)
    assert tagged is not None
    assert tagged.fields[0].versions == VersionRange.parse("2+")


def test_other_mistakes_stay_errors() -> None:
    """A lenient dialect accepts only its own leniencies."""
    for text in (
        schema('{ "name": "A", "type": "int8" }'),
        schema(FIELD)[:-3],
        schema(FIELD, validVersions='"0+"'),
    ):
        assert Severity.ERROR in {problem.severity for problem in read_message(text, "x", BEFORE_3_0)[1]}


@pytest.mark.parametrize(
    ("release", "dialect"),
    [
        ("2.8.2", BEFORE_3_0),
        ("3.0.2", BEFORE_4_0),
        ("3.5.2", BEFORE_4_0),
        ("3.6.2", BEFORE_4_0),
        ("3.9.2", BEFORE_4_0),
        ("4.0.2", SINCE_4_0),
        ("4.4.0", SINCE_4_0),
    ],
)
def test_a_release_has_its_dialect(release: str, dialect: Dialect) -> None:
    """The dialects end where Kafka's generator became stricter."""
    assert dialect_of(release) == dialect
