"""Random schemas through Kafka's generator, javac and the harness: agreement, oddities, planted bugs."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from kafkawire.compiler import MessageCodec, _interpreted_encode, compile_layout, interpret_layout
from kafkawire.compiler.interpreted import InterpretedCodec
from kafkawire.errors import DecodeError
from kafkawire.schema import (
    MessageLayout,
    MessageSpec,
    ScalarType,
    SchemaSet,
    Severity,
    StructLayout,
    check_set,
    read_message,
    resolve,
)
from kafkawire.wire import FIXED_WRITERS, write_int32, write_uint16
from tests.oracle.set_violations import SET_VIOLATIONS, valid_pair
from wireproof.app.assembly.prerequisites import open_generator
from wireproof.definitions.fuzz.drawn_schemas import schema_of_file
from wireproof.definitions.fuzz.fuzz_run import FuzzPlan, compare_block
from wireproof.definitions.fuzz.fuzz_summary import FuzzSummary, disagreement_lines, keep_schema
from wireproof.definitions.fuzz.oddities import ODDITIES, ComparisonKind
from wireproof.definitions.fuzz.schema_comparer import SchemaComparer, rules_of_cause
from wireproof.definitions.fuzz.value_comparer import MakeCodec, ValueComparer, quick_options
from wireproof.kafka.oracle.generator.schema_generator import (
    GeneratedOracle,
    GeneratorOutcome,
    SchemaGenerator,
)
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.model.cell import Cell
from wireproof.model.oracle import Refusal
from wireproof.proof.strategies.schemas.choices import SeededChoices
from wireproof.proof.strategies.schemas.message_drawing import draw_message
from wireproof.proof.strategies.schemas.schema_text import schema_text

KEPT = sorted(Path(__file__).parent.joinpath("kept_schemas").glob("*.json"))


@cache
def generator(release: str = "4.3.1") -> SchemaGenerator:
    return open_generator(release, JarStore())


def comparer(release: str = "4.3.1") -> SchemaComparer:
    return SchemaComparer(release, generator(release))


@pytest.mark.parametrize(("release", "count"), [("4.3.1", 100), ("3.9.1", 40)])
def test_our_reading_agrees_with_kafkas(release: str, count: int) -> None:
    """Verdicts, causes, shapes, bytes and values of drawn schemas; the nightly run has thousands."""
    result = compare_block(comparer(release), FuzzPlan(release, 2026, count, shrink=False))
    assert result.found == ()
    assert result.kinds[ComparisonKind.ACCEPTED] > count / 2
    assert result.kinds[ComparisonKind.REFUSED] > count / 10
    assert result.cases > 8 * result.cells > 8 * count / 2


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_a_kept_disagreement_is_settled(path: Path) -> None:
    """Each schema on which they disagreed once."""
    (found,) = comparer().compare([schema_of_file(path.read_text())])
    assert not found.kind.disagrees, found


def test_there_are_kept_disagreements() -> None:
    """The test above has something to try."""
    assert len(KEPT) >= 8


def message(*fields: str, flexible: str = "0+", versions: str = "0-1") -> str:
    head = f'"name": "Odd", "type": "data", "validVersions": "{versions}", "flexibleVersions": "{flexible}"'
    return f'{{ {head}, "fields": [{", ".join(fields)}] }}'


ODD = {
    "empty-elements": message(
        '{ "name": "A", "type": "[]S", "versions": "0+", "fields": [] }', flexible="none"
    ),
    "negative-zero": message(
        '{ "name": "A", "type": "float64", "versions": "0+", "taggedVersions": "0+", "tag": 0 }'
    ),
    "records-default": message(
        '{ "name": "A", "type": "S", "versions": "0+", "nullableVersions": "0+", "fields": ['
        '{ "name": "B", "type": "records", "versions": "0+" }] }'
    ),
    "absent-nan": message('{ "name": "A", "type": "float64", "versions": "1+", "default": "NaN" }'),
    "class-sometimes-used": message(
        '{ "name": "A", "type": "Arrays", "versions": "0+", "fields": ['
        '{ "name": "B", "type": "bytes", "versions": "0+" }] }'
    ),
    "default-uint32-negative": message(
        '{ "name": "A", "type": "uint32", "versions": "0+", "default": "0x80000000" }'
    ),
}


@pytest.mark.parametrize("oddity", ODDITIES, ids=lambda oddity: oddity.name)
def test_each_oddity_is_one_of_kafkas(oddity: Any) -> None:
    """The schema of an oddity is compared as such, and would disagree without the entry."""
    (found,) = comparer().compare([schema_of_file(ODD[oddity.name])])
    assert (found.kind, found.key) == (ComparisonKind.ODDITY, oddity.name)


# Planted bugs.


def spoiled(change: Callable[[StructLayout], StructLayout]) -> Callable[[MessageLayout], MessageCodec]:
    """A codec of layouts in which the message's own fields are changed."""
    return lambda layout: interpret_layout(replace(layout, root=change(layout.root)))


def swapped_tags(root: StructLayout) -> StructLayout:
    tags = [field.tag for field in root.tagged]
    return replace(
        root, tagged=tuple(replace(f, tag=t) for f, t in zip(root.tagged, reversed(tags), strict=True))
    )


def never_nullable(root: StructLayout) -> StructLayout:
    return replace(root, fields=tuple(replace(field, nullable=False) for field in root.fields))


def another_default(root: StructLayout) -> StructLayout:
    return replace(
        root,
        tagged=tuple(
            replace(f, default=1) if f.default == 0 and f.struct is None else f for f in root.tagged
        ),
    )


@pytest.mark.parametrize("change", [swapped_tags, never_nullable, another_default])
def test_a_planted_bug_is_found(change: Callable[[StructLayout], StructLayout]) -> None:
    """Of 50 schemas the bytes or values of one show it."""
    texts, specs, oracle = some_schemas()

    def failures(make: Callable[[MessageLayout], MessageCodec]) -> int:
        values = ValueComparer(oracle, specs, texts, quick_options(), {"planted": make})
        return sum(bool(values.compare(spec).failures) for spec in specs.values())

    assert failures(spoiled(change)) > 0
    assert failures(compile_layout) == 0


def swapped_uint16(layout: MessageLayout, **others: Callable[[int], bytes]) -> MessageCodec:
    """A codec that writes the bytes of a uint16 in the wrong order, and reads them right."""
    writers = FIXED_WRITERS | {"uint16": lambda value: write_uint16(value)[::-1]} | others
    with mock.patch.object(_interpreted_encode, "FIXED_WRITERS", writers):
        return InterpretedCodec(layout)


def test_a_wrong_byte_has_one_cause_with_its_field_schema_and_file(tmp_path: Path) -> None:
    """Of one wrong byte order two blocks have one cause, with one file, whose schema has one field."""
    planted = SchemaComparer("4.3.1", generator(), codecs={"planted": swapped_uint16})
    summary = FuzzSummary(FuzzPlan("4.3.1", 0, 128))
    for block in summary.plan.blocks():
        for least in summary.add(compare_block(planted, block)):
            keep_schema(tmp_path, "4.3.1", least)
    ((cause, found),) = summary.found.items()
    assert cause == (ComparisonKind.VALUES, "bytes/differs of uint16")
    assert found.count > 5
    (file,) = tmp_path.iterdir()
    kept = file.read_text()
    assert "// field: a (uint16" in kept
    spec, problems = read_message(kept, "kept")
    assert spec is not None
    assert (problems, str(spec.valid_versions)) == ([], "0")
    assert [(field.json_name, field.type) for field in spec.fields] == [("a", ScalarType.UINT16)]
    lines = list(disagreement_lines(found.least, found.count, str(file)))
    assert lines[:5] == [
        "a codec of wireproof and Kafka's class differ: bytes/differs of uint16",
        "  field      a (uint16, versions 0, default 0)",
        '  case       version 0, {"a":1}',
        "  wireproof  the bytes differ from Kafka's; planted: [01] 00 00",
        "  Kafka      [00] 01 00",
    ]
    assert f"  file       {file}" in lines
    (again,) = planted.compare([schema_of_file(kept)])
    assert again.cause == cause
    (settled,) = comparer().compare([schema_of_file(kept)])
    assert settled.kind is ComparisonKind.ACCEPTED


def test_both_codecs_are_asked_about_every_value() -> None:
    """A bug in the second codec alone is found, and named."""
    codecs: dict[str, MakeCodec] = {"first": interpret_layout, "second": swapped_uint16}
    text = message('{ "name": "A", "type": "uint16", "versions": "0+" }')
    (found,) = SchemaComparer("4.3.1", generator(), codecs=codecs).compare([schema_of_file(text)])
    assert found.kind is ComparisonKind.VALUES
    assert "; second: " in found.ours


def test_a_cause_does_not_have_the_name_of_a_struct() -> None:
    """Each drawn schema has other names. The planted front end overlooks nullableVersions."""
    inner = '{ "name": "B", "type": "int8", "versions": "0+" }'
    nullable = '"nullableVersions": "0+", '
    text = message(f'{{ "name": "A", "type": "[]Inner", "versions": "0+", {nullable}"fields": [{inner}] }}')
    blind = SchemaComparer(
        "4.3.1", generator(), read=lambda text: read_message(text.replace(nullable, ""), "text")
    )
    (found,) = blind.compare([schema_of_file(text)])
    assert found.key == "schema/differs of []struct"
    assert found.field.startswith("a ([]Inner, versions 0")


def test_two_bugs_are_two_causes() -> None:
    """Neither hides the other, though one schema shows both."""

    def both_wrong(layout: MessageLayout) -> MessageCodec:
        return swapped_uint16(layout, int32=lambda value: write_int32(value)[::-1])

    fields = (
        '{ "name": "A", "type": "uint16", "versions": "0" }',
        '{ "name": "B", "type": "int32", "versions": "1" }',
    )
    planted = SchemaComparer("4.3.1", generator(), codecs={"planted": both_wrong})
    (found,) = planted.compare([schema_of_file(message(*fields))])
    assert [(each.key, each.field.partition(" ")[0]) for each in found.by_cause()] == [
        ("bytes/differs of uint16", "a"),
        ("bytes/differs of int32", "b"),
    ]


@pytest.mark.parametrize("make", [compile_layout, interpret_layout])
def test_the_tag_of_a_field_in_place_is_refused(make: Callable[[MessageLayout], MessageCodec]) -> None:
    """Version 0 has the field in place, version 1 under tag 0: Kafka's class refuses tag 0 in version 0."""
    text = message('{ "name": "A", "type": "int8", "versions": "0+", "taggedVersions": "1+", "tag": 0 }')
    spec, _ = read_message(text, "text")
    assert spec is not None
    layout, data = resolve(spec, 0), bytes.fromhex("05 01 00 01 06")
    (reply,) = (
        generator().oracle(generator().judge([text])).read(Cell("4.3.1", "fuzz", "Odd", 0), layout, [data])
    )
    assert isinstance(reply, Refusal)
    assert reply.message == "Tag 0 is not valid for version 0"
    with pytest.raises(DecodeError):
        make(layout).decode(data)


@cache
def some_schemas() -> tuple[dict[str, str], dict[str, MessageSpec], GeneratedOracle]:
    texts, specs = {}, {}
    for number in range(50):
        text = schema_text(draw_message(SeededChoices(9, number), f"Drawn{number}", plain=True).tree)
        spec, _ = read_message(text, "drawn")
        assert spec is not None
        texts[spec.name], specs[spec.name] = text, spec
    verdicts = generator().judge(list(texts.values()))
    return texts, specs, generator().oracle(verdicts)


def refused_set(texts: list[str]) -> set[str]:
    """The rules that a set of messages breaks, by our front end."""
    specs, problems = {}, []
    for text in texts:
        spec, found = read_message(text, "set")
        assert spec is not None
        specs[spec.name] = spec
        problems += found
    problems += check_set(SchemaSet("4.3.1", {"set": specs}))
    return {each.rule for each in problems if each.severity is Severity.ERROR}


@pytest.mark.parametrize("violation", SET_VIOLATIONS, ids=lambda violation: violation.name)
def test_sets_of_messages(violation: Any) -> None:
    """Errors 39 to 41, with drawn fields: both refuse the set for the same cause, and accept a valid pair."""
    choices = SeededChoices(4, violation.error)
    body = draw_message(choices, plain=True).tree
    while body["type"] == "coordinator-key":
        body = draw_message(choices, plain=True).tree
    good = [schema_text(each) for each in valid_pair(choices, body)]
    assert generator().judge_set(good).accepted
    assert refused_set(good) == set()
    texts = [schema_text(each) for each in violation.make(body)]
    verdict = generator().judge_set(texts)
    assert verdict.outcome is GeneratorOutcome.REFUSED
    assert rules_of_cause(verdict.outcome, verdict.cause) & refused_set(texts)
