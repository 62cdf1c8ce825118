"""The tables of refused schemas, held against Kafka's generator and javac."""

import re
from functools import cache

import pytest

from kafkawire.schema import (
    SchemaProblem,
    SchemaRule,
    SchemaSet,
    Severity,
    check_set,
    dialect_of,
    read_message,
    resolve,
)
from kafkawire.schema.rules.refusals import (
    GENERATOR_ERRORS,
    JAVA_REFUSALS,
    JavaRefusal,
    JavaStage,
    RefusedSchema,
    rules_of,
)
from tests.kafkawire.schema.refused_schemas import ODDITIES, REFUSALS
from tests.oracle.test_schema_generator import generator
from wireproof.kafka.oracle.generator.schema_generator import GeneratorOutcome, GeneratorVerdict
from wireproof.kafka.oracle.java_runtime import needs_ecj
from wireproof.kafka.releases.jar_store import generator_releases
from wireproof.model.cell import Cell
from wireproof.model.kafka.releases import release_number
from wireproof.model.oracle import OracleError, OracleValue

RELEASES = generator_releases()
NEWEST = RELEASES[0]
TAKEN_BY_ECJ = "a string's default of 65535 bytes or more"
"""The row that the Eclipse compiler, which compiles where there is no JDK, accepts."""
HERE = {
    release: [row for row in GENERATOR_ERRORS if row.since <= release_number(release)[:2] < row.until]
    for release in RELEASES
}


def problems(texts: tuple[str, ...], release: str) -> list[SchemaProblem]:
    """All errors of our front end, of the files and of the module that they make."""
    found: list[SchemaProblem] = []
    specs = {}
    for text in texts:
        spec, own = read_message(text, "Probe.json", dialect_of(release))
        found += own
        if spec is not None:
            specs[spec.name] = spec
    if len(texts) > 1:
        found += check_set(SchemaSet(release, {"module": specs}))
    return [each for each in found if each.severity is Severity.ERROR]


@cache
def verdicts(release: str) -> dict[tuple[str, ...], GeneratorVerdict]:
    """The generator's verdict on each example of the tables, by its texts."""
    rows: list[RefusedSchema | JavaRefusal] = [*HERE[release], *JAVA_REFUSALS]
    texts = {each for row in rows for each in (row.refused, row.accepted)}
    single = sorted(each for each in texts if len(each) == 1)
    found = dict(zip(single, generator(release).judge([text for (text,) in single]), strict=True))
    return found | {each: generator(release).judge_set(each) for each in texts if len(each) > 1}


def test_all_errors_have_a_row() -> None:
    """The 41 errors are there; 33 and 36 are javac's."""
    numbers = {int(re.match(r"\d+", row.number)[0]) for row in GENERATOR_ERRORS}  # type: ignore[index]
    javac = {int(found[0]) for row in JAVA_REFUSALS if (found := re.match(r"\d+", row.name))}
    assert numbers | javac >= set(range(1, 42))
    assert {33, 36} <= javac
    assert len({row.number for row in GENERATOR_ERRORS}) == len(GENERATOR_ERRORS)


CASES = [(release, row) for release in RELEASES for row in HERE[release]]


@pytest.mark.parametrize(("release", "row"), CASES, ids=[f"{row.number}-{release}" for release, row in CASES])
def test_the_generator_refuses_with_this_text_and_we_by_this_rule(release: str, row: RefusedSchema) -> None:
    """The generator throws the exception of the row; our front end has the one error of the row's rule."""
    verdict = verdicts(release)[row.refused]
    assert verdict.outcome is GeneratorOutcome.REFUSED, verdict
    assert re.fullmatch(row.pattern, verdict.cause, re.DOTALL), verdict.cause
    assert row.rule in rules_of(verdict.cause)
    assert {each.rule for each in problems(row.refused, release)} == {row.rule.value}


@pytest.mark.parametrize(("release", "row"), CASES, ids=[f"{row.number}-{release}" for release, row in CASES])
def test_without_the_fault_both_accept(release: str, row: RefusedSchema) -> None:
    """The same schema without its fault becomes classes, and our front end has no error."""
    assert verdicts(release)[row.accepted].accepted, verdicts(release)[row.accepted]
    assert problems(row.accepted, release) == []


def test_3_9_takes_a_tagged_struct_without_versions() -> None:
    """Error 11c is of 4.0 and later: 3.9.1 makes classes, and our front end has a warning."""
    (row,) = [each for each in GENERATOR_ERRORS if each.number == "11c"]
    assert generator("3.9.1").judge(row.refused)[0].accepted
    assert problems(row.refused, "3.9.1") == []


JAVA = [(release, row) for release in RELEASES for row in JAVA_REFUSALS]


@pytest.mark.parametrize(("release", "row"), JAVA, ids=[f"{row.name}-{release}" for release, row in JAVA])
def test_the_generator_accepts_and_java_refuses(release: str, row: JavaRefusal) -> None:
    """javac refuses the generated Java, or the class throws; our front end has the error of the row's rule.
    Without the fault all accept."""
    verdict = verdicts(release)[row.refused]
    compiled = row.stage is JavaStage.CLASS
    if needs_ecj() and row.name == TAKEN_BY_ECJ:
        assert verdict.accepted
        return
    assert verdict.outcome is (GeneratorOutcome.ACCEPTED if compiled else GeneratorOutcome.NOT_COMPILED), (
        verdict
    )
    if compiled:
        assert not works(release, row.accepted[0], verdict)
        assert works(release, row.accepted[0], verdicts(release)[row.accepted])
    assert {each.rule for each in problems(row.refused, release)} == {row.rule.value}
    assert verdicts(release)[row.accepted].accepted, verdicts(release)[row.accepted]
    assert problems(row.accepted, release) == []


def works(release: str, text: str, verdict: GeneratorVerdict) -> bool:
    """True if the class makes an untouched instance, takes its own value and writes it.

    Args:
        text: a file with the same fields; their defaults may be others.
    """
    spec, _ = read_message(text, "Probe.json")
    assert spec is not None
    cell = Cell(release, "generated", "ProbeRequest", 3)
    try:
        replies = generator(release).oracle([verdict]).instances(cell, resolve(spec, 3), 0, 0)
    except OracleError:
        return False
    return isinstance(replies[0], OracleValue)


@pytest.mark.parametrize("release", RELEASES)
def test_the_rows_of_the_front_ends_own_tests_are_true(release: str) -> None:
    """Each schema that the front end's tests refuse fails in Kafka, and each one that is only odd becomes
    classes."""
    at_use = {row.rule.value for row in JAVA_REFUSALS if row.stage is JavaStage.CLASS}
    at_use |= {row.rule.value for row in JAVA_REFUSALS if needs_ecj() and row.name == TAKEN_BY_ECJ}
    found = generator(release).judge([row.text for row in (*REFUSALS, *ODDITIES)])
    refused = dict(zip(REFUSALS, found, strict=False))
    assert len(refused) > 140
    accepted = [row for row, verdict in refused.items() if verdict.accepted]
    assert all({each.rule for each in problems((row.text,), release)} <= at_use for row in accepted)
    odd = zip(ODDITIES, found[len(REFUSALS) :], strict=True)
    assert [row.name for row, verdict in odd if not verdict.accepted] == (
        [] if release == NEWEST else ["reversed-valid"]
    )


def test_each_rule_of_kafka_has_a_row() -> None:
    """Rules without an example are those of proposals, which no generator knows."""
    shown = {row.rule for row in GENERATOR_ERRORS} | {row.rule for row in JAVA_REFUSALS}
    proposed = ("encoding-", "header-versions-")
    errors = {rule for rule in SchemaRule if rule.severity is Severity.ERROR}
    assert {rule.value for rule in errors - shown if not rule.value.startswith(proposed)} == set()


def test_a_text_of_the_generator_names_few_rules() -> None:
    """A text of the generator means one rule, but for two texts about the versions of several things."""
    for row in HERE[NEWEST]:
        cause = verdicts(NEWEST)[row.refused].cause
        shared = ("You must specify the version", "Version ranges")
        if not re.match(r"\w+Exception", cause) and not cause.startswith(shared):
            assert rules_of(cause) == {row.rule}, cause
    assert rules_of("Something new") == frozenset()
