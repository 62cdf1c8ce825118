"""Comparing verdicts, with a generator that is played, and the whole run without Java."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kafkawire.compiler import interpret_layout
from kafkawire.schema import (
    FieldSpec,
    MessageSpec,
    ScalarType,
    SchemaProblem,
    Severity,
    VersionRange,
    read_message,
    resolve,
)
from wireproof.base.exit_codes import ExitCode
from wireproof.definitions.fuzz import fuzz_run
from wireproof.definitions.fuzz.drawn_schemas import DrawnSchema, draw_schema, schema_of_file
from wireproof.definitions.fuzz.fuzz_run import (
    BlockResult,
    FuzzPlan,
    compare_block,
    shrink_schema,
    smaller_schemas,
)
from wireproof.definitions.fuzz.fuzz_summary import FuzzSummary, keep_schema, read_kept
from wireproof.definitions.fuzz.oddities import ComparisonKind, SchemaComparison
from wireproof.definitions.fuzz.schema_comparer import ReadSchema, SchemaComparer
from wireproof.definitions.fuzz.value_comparer import MOST_VALUES, FuzzValues
from wireproof.kafka.oracle.generator.schema_generator import GeneratorOutcome, GeneratorVerdict
from wireproof.proof.strategies.schemas.schema_language import language_of
from wireproof.proof.strategies.schemas.schema_text import CommentedValue, RepeatedKey, schema_text

RELEASE = "4.3.1"
RETIRED = '{ "name": "Foo", "type": "data", "validVersions": "none", "fields": [] }'
WITHOUT_FLEXIBLE = '{ "name": "Foo", "type": "data", "validVersions": "0", "fields": [] }'


class PlayedGenerator:
    """Gives the verdicts that it is made with, one after the other."""

    release = RELEASE

    def __init__(self, *verdicts: GeneratorVerdict) -> None:
        self.verdicts = list(verdicts)
        self.asked: list[list[str]] = []

    def judge(self, texts: Sequence[str], *, compiled: bool = True) -> list[GeneratorVerdict]:
        self.asked.append(list(texts))
        return [self.verdicts.pop(0) for _ in texts]

    def oracle(self, verdicts: Sequence[GeneratorVerdict]) -> "PlayedGenerator":
        return self


ACCEPTED = GeneratorVerdict(GeneratorOutcome.ACCEPTED)


def refused(cause: str, outcome: GeneratorOutcome = GeneratorOutcome.REFUSED) -> GeneratorVerdict:
    return GeneratorVerdict(outcome, cause)


def compared(text: str, *verdicts: GeneratorVerdict, read: ReadSchema | None = None) -> SchemaComparison:
    generator: Any = PlayedGenerator(*verdicts)
    (found,) = SchemaComparer(RELEASE, generator, read=read).compare([schema_of_file(text)])
    return found


FLEXIBLE = "You must specify a value for flexibleVersions. Please use 0+ for all new messages."
OPEN = "Message Foo does not specify a maximum version."


def test_both_accept() -> None:
    """A retired message has no version to compare."""
    assert compared(RETIRED, ACCEPTED).kind is ComparisonKind.ACCEPTED


def test_both_refuse_for_the_same_cause() -> None:
    """The key is the rule."""
    found = compared(WITHOUT_FLEXIBLE, refused(FLEXIBLE))
    assert (found.kind, found.key) == (ComparisonKind.REFUSED, "flexible-versions-missing")


def test_both_refuse_for_different_causes() -> None:
    """Kafka's text means another rule than the one that the schema breaks: asked twice, then reported."""
    found = compared(WITHOUT_FLEXIBLE, refused(OPEN), refused(OPEN))
    assert found.kind is ComparisonKind.CAUSE
    assert found.key == "valid-versions-open for flexible-versions-missing"


def test_an_unknown_cause_is_a_disagreement() -> None:
    """A text that is in no table is never the same cause."""
    found = compared(WITHOUT_FLEXIBLE, refused("Something new"), refused("Something new"))
    assert (found.kind, found.key) == (ComparisonKind.CAUSE, "unknown for flexible-versions-missing")


def test_only_one_refuses() -> None:
    """Stricter and laxer, each with the rule."""
    stricter = compared(WITHOUT_FLEXIBLE, ACCEPTED, ACCEPTED)
    laxer = compared(RETIRED, refused(OPEN), refused(OPEN))
    assert (stricter.kind, stricter.key) == (ComparisonKind.STRICTER, "flexible-versions-missing")
    assert (laxer.kind, laxer.key) == (ComparisonKind.LAXER, "valid-versions-open")


def test_a_verdict_that_its_batch_spoiled_is_asked_for_alone() -> None:
    """javac refuses a schema in a batch, and accepts it alone: both accept."""
    spoiled = refused("cannot find symbol", GeneratorOutcome.NOT_COMPILED)
    assert compared(RETIRED, spoiled, ACCEPTED).kind is ComparisonKind.ACCEPTED


def test_an_exception_of_the_front_end_is_a_finding() -> None:
    """It does not end the run."""

    def fail(text: str) -> tuple[MessageSpec | None, list[SchemaProblem]]:
        raise RecursionError("too deep")

    found = compared(RETIRED, ACCEPTED, ACCEPTED, read=fail)
    assert (found.kind, found.key) == (ComparisonKind.CRASH, "RecursionError")


def test_schemas_agree_with_their_construction() -> None:
    """1,200 schemas without Java: valid ones are accepted, broken ones are refused."""
    for release in ("4.3.1", "3.9.1"):
        result = compare_block(SchemaComparer(release, None), FuzzPlan(release, 5, 600, java=False))
        assert result.found == ()
        assert result.kinds[ComparisonKind.ACCEPTED] > 350
        assert result.kinds[ComparisonKind.REFUSED] > 100


def test_the_same_seed_draws_the_same_schemas() -> None:
    """A schema depends on its seed and number alone, not on its block."""
    language = language_of(RELEASE)
    texts = [draw_schema(3, number, language).text for number in range(50)]
    assert [draw_schema(3, number, language).text for number in reversed(range(50))] == texts[::-1]
    assert [draw_schema(4, number, language).text for number in range(50)] != texts
    blocks = FuzzPlan(RELEASE, 3, 130, first=7).blocks()
    assert [(block.first, block.count) for block in blocks] == [(7, 64), (71, 64), (135, 2)]


# Planted bugs: each has to be found without Java, in a few hundred schemas.


def without_rule(rule: str) -> ReadSchema:
    """A front end that lacks a rule."""

    def read(text: str) -> tuple[MessageSpec | None, list[SchemaProblem]]:
        spec, problems = read_message(text, "schema.json")
        return spec, [each for each in problems if each.rule != rule]

    return read


def with_rule(breaks: Callable[[FieldSpec], bool]) -> ReadSchema:
    """A front end with a rule that Kafka does not have."""

    def read(text: str) -> tuple[MessageSpec | None, list[SchemaProblem]]:
        spec, problems = read_message(text, "schema.json")
        if spec is not None and any(map(breaks, spec.fields)):
            problems.append(SchemaProblem("schema.json", 1, "", Severity.ERROR, "no", "made-up"))
        return spec, problems

    return read


def is_found(read: ReadSchema) -> bool:
    """Whether 800 schemas show that a front end is wrong; none is drawn after the block that shows it."""
    comparer = SchemaComparer(RELEASE, None, read=read)
    return any(
        each.kind is ComparisonKind.CONSTRUCTION
        for first in range(0, 800, 50)
        for each in compare_block(
            comparer, FuzzPlan(RELEASE, 1, 50, first=first, java=False, shrink=False)
        ).found
    )


LOST_RULES = (
    *("tag-gap", "tagged-partly-nullable", "nullable-type", "default-null", "default-bool", "struct-twice"),
    *("flexible-override-range", "coordinator-key-flexible", "tagged-zero-copy", "unknown-key"),
)


@pytest.mark.parametrize("rule", LOST_RULES)
def test_a_lost_rule_is_found(rule: str) -> None:
    """800 schemas have one that only this rule refuses."""
    assert is_found(without_rule(rule))


@pytest.mark.parametrize(
    "breaks",
    [
        lambda field: field.nullable_versions.lowest > 0 and not field.nullable_versions.empty,
        lambda field: field.tag is not None and field.tagged_versions != field.versions,
        lambda field: field.default.startswith("0x"),
        lambda field: field.versions == VersionRange(2, 1),
        lambda field: field.flexible_versions is not None,
    ],
)
def test_a_rule_too_many_is_found(breaks: Callable[[FieldSpec], bool]) -> None:
    """800 schemas have a valid one that the made-up rule refuses."""
    assert is_found(with_rule(breaks))


def test_a_disagreement_shrinks_to_its_field() -> None:
    """The least schema with a field that a made-up rule refuses has this field and no other."""
    comparer = SchemaComparer(RELEASE, None, read=with_rule(lambda field: field.type is ScalarType.UUID))
    found = compare_block(comparer, FuzzPlan(RELEASE, 1, 60, java=False)).found
    spec, problems = read_message(min((each.text for each in found), key=len), "least")
    assert spec is not None
    assert [field.type for field in spec.fields] == [ScalarType.UUID]
    assert problems == []
    assert spec.valid_versions == VersionRange(0, 0)


def test_a_cause_shrinks_once_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A later block reports it as it was drawn; a block of its own shrinks it."""
    made: list[tuple[ComparisonKind, str]] = []
    usual = fuzz_run.shrink_comparison

    def shrink(comparer: SchemaComparer, drawn: DrawnSchema, found: SchemaComparison) -> SchemaComparison:
        made.append(found.cause)
        return usual(comparer, drawn, found)

    monkeypatch.setattr(fuzz_run, "shrink_comparison", shrink)
    comparer = SchemaComparer(RELEASE, None, read=with_rule(lambda field: field.type is ScalarType.UUID))
    judge = fuzz_run._make_judge(lambda: comparer)
    blocks = [judge(FuzzPlan(RELEASE, 1, 60, first=first, java=False)) for first in (0, 60)]
    assert all(len(block.found) > 0 for block in blocks)
    assert len(made) == len(set(made)) >= 1
    fuzz_run._make_judge(lambda: comparer)(FuzzPlan(RELEASE, 1, 60, java=False))
    assert len(made) > len(set(made))


def test_shrinking_is_deterministic_and_takes_everything_away() -> None:
    """Comments, repeated keys, fields, structs and keys go, if the disagreement does not need them."""
    tree = draw_schema(2026, 3, language_of(RELEASE)).tree
    assert tree is not None
    assert shrink_schema(tree, lambda trees: [True] * len(trees)) == shrink_schema(
        tree, lambda trees: [True] * len(trees)
    )
    fields = [
        {"name": "A", "type": CommentedValue("// x", "int8"), "versions": RepeatedKey("1", "0+"), "tag": 1}
    ]
    wrapped = {"name": "Foo", "type": "data", "validVersions": "0-3", "fields": fields}
    least = shrink_schema(
        wrapped, lambda trees: ["fields" in tree and bool(tree["fields"]) for tree in trees]
    )
    assert least == {
        "name": "A",
        "type": "data",
        "validVersions": "0",
        "fields": [{"name": "A", "type": "data", "versions": "0+"}],
    }
    assert list(smaller_schemas({"name": "A", "type": "data", "validVersions": "0"})) == []


def test_an_array_shrinks_to_its_element() -> None:
    """A bug of a type is shown by a field of the type, in no array."""
    fields = [{"name": "A", "type": "[]uuid", "versions": "0+"}]
    array = {"name": "A", "type": "data", "validVersions": "0", "fields": fields}
    least = shrink_schema(array, lambda trees: ["uuid" in str(tree) for tree in trees])
    assert least == {**array, "fields": [{"name": "A", "type": "uuid", "versions": "0+"}]}


def test_a_kept_schema_is_read_again(tmp_path: Path) -> None:
    """The file is a schema file with comments, and names its release."""
    found = SchemaComparison(
        4, ComparisonKind.LAXER, RETIRED + "\n", "tag-gap", "", "In Foo, the tag IDs\nare ..."
    )
    path = keep_schema(tmp_path / "new", RELEASE, found)
    assert path.name.startswith("laxer-tag-gap-")
    kept = read_kept(path.read_text())
    assert (kept.release, kept.kind) == (RELEASE, "laxer")
    assert read_message(kept.text, "kept")[0] == replace(
        read_message(RETIRED, "kept")[0]  # type: ignore[type-var]
    )
    assert keep_schema(tmp_path / "new", RELEASE, found) == path
    assert read_kept(RETIRED).release == ""


def test_the_summary_keeps_the_least_schema_of_each_cause() -> None:
    """Sums, and the exit code."""
    long, short = (
        SchemaComparison(number, ComparisonKind.LAXER, "x" * (9 - number), "a") for number in (1, 2)
    )
    summary = FuzzSummary(FuzzPlan(RELEASE, 0, 20))
    codes = [summary.exit_code]
    for block in (
        BlockResult(0, 10),
        BlockResult(10, 10, found=(long, short)),
        BlockResult(20, 10, lost="the process ended"),
    ):
        summary.add(block)
        codes.append(summary.exit_code)
    assert codes == [ExitCode.NOTHING_RAN, ExitCode.PROVEN, ExitCode.DIVERGENCE, ExitCode.BROKEN]
    ((_, found),) = summary.found.items()
    assert (found.least, found.count) == (short, 2)
    assert summary.schemas == 20
    (plain,) = summary.as_plain({short.cause: "a.json"})["disagreements"]
    assert (plain["count"], plain["file"]) == (2, "a.json")


def test_a_block_says_which_disagreements_are_the_least_now() -> None:
    """Only these are written: the file of a cause keeps its least schema."""
    first, longer, other, least = (
        SchemaComparison(number, ComparisonKind.LAXER, "x" * size, key)
        for number, (size, key) in enumerate([(5, "a"), (6, "a"), (9, "b"), (4, "a")])
    )
    summary = FuzzSummary(FuzzPlan(RELEASE, 0, 30))
    assert summary.add(BlockResult(0, 10, found=(longer, first))) == [first]
    assert summary.add(BlockResult(10, 10, found=(longer, other))) == [other]
    assert summary.add(BlockResult(20, 10, found=(least,))) == [least]


def test_a_cause_has_one_file(tmp_path: Path) -> None:
    """A later schema takes the place of the earlier one; another cause has another file."""
    paths = [
        keep_schema(
            tmp_path, RELEASE, SchemaComparison(number, ComparisonKind.VALUES, text, key, field="a (int8)")
        )
        for number, (text, key) in enumerate([("{ }", "bytes/x"), (RETIRED, "bytes/x"), (RETIRED, "bytes x")])
    ]
    assert paths[0] == paths[1] != paths[2]
    assert sorted(tmp_path.iterdir()) == sorted(set(paths))
    assert "// cause: bytes/x\n// field: a (int8)\n// ours: accepted\n" in paths[0].read_text()
    assert paths[0].read_text().endswith(RETIRED)


def test_a_crash_is_told_by_its_place() -> None:
    """The same exception of two functions is two causes."""

    def one(text: str) -> tuple[MessageSpec | None, list[SchemaProblem]]:
        raise ValueError(text)

    def two(text: str) -> tuple[MessageSpec | None, list[SchemaProblem]]:
        raise ValueError(text)

    keys = [compared(RETIRED, ACCEPTED, ACCEPTED, read=read).key for read in (one, two)]
    assert keys == ["ValueError in test_comparison.one", "ValueError in test_comparison.two"]


def with_fields(*fields: str) -> str:
    head = '"name": "Foo", "type": "data", "validVersions": "0", "flexibleVersions": "0+"'
    return f'{{ {head}, "fields": [{", ".join(fields)}] }}'


def test_a_refusal_has_the_field_of_its_problem() -> None:
    """The field is that of our front end; Kafka's words have it too, or not."""
    field = '{ "name": "Bar", "type": "int8", "versions": "0+", "default": "300" }'
    assert compared(with_fields(field), ACCEPTED, ACCEPTED).field == "bar"


def test_the_values_of_a_schema_begin_with_the_fullest() -> None:
    """A smaller schema has it too. All values of a bulk phase are valid and few."""
    fields = [f'{{ "name": "F{n}", "type": "uint16", "versions": "0+" }}' for n in range(30)]
    text = with_fields(*fields)
    spec, _ = read_message(text, "text")
    assert spec is not None
    layout = resolve(spec, 0)
    values = list(FuzzValues(lambda _: text).bulk(layout, 0, MOST_VALUES, seed=0))
    assert values[0] == {f"f{n}": 1 for n in range(30)}
    assert 20 < len(values) <= MOST_VALUES
    codec = interpret_layout(layout)
    assert len({codec.encode(value) for value in values}) > 12


def test_the_text_of_a_tree_has_its_comments_and_repeated_keys() -> None:
    """Kafka's dialect, and our front end reads the last value."""
    tree: dict[str, Any] = {
        "name": "Foo",
        "type": RepeatedKey("header", "data"),
        "validVersions": CommentedValue("// x", "0"),
    }
    text = schema_text({**tree, "flexibleVersions": "none"})
    assert '"type": "header", "type": "data"' in text
    spec, problems = read_message(text, "text")
    assert spec is not None
    assert spec.kind.value == "data"
    assert [each.rule for each in problems] == ["repeated-key"]
