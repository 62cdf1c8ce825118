"""Findings of `wireproof schema check` about drafts, and the classes that Kafka's generator makes."""

import json
from functools import cache
from itertools import permutations
from typing import Any

import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from kafkawire.schema import MessageLayout, MessageSpec, SchemaSet, read_message, resolve, with_absent_fields
from wireproof.app.assembly.prerequisites import open_generator
from wireproof.definitions.evolution.evolution_check import SchemaFinding, check_releases
from wireproof.definitions.evolution.evolution_rules import Impact
from wireproof.kafka.oracle.generator.schema_generator import GeneratedOracle, SchemaGenerator
from wireproof.kafka.releases.jar_store import JarStore, generator_releases
from wireproof.model.cell import Cell
from wireproof.model.layout_parts import without_unknown_tags
from wireproof.model.oracle import OracleValue, Refusal
from wireproof.proof.strategies.cases.scenarios import scenarios

INT32 = {"name": "Part", "type": "int32", "versions": "0+"}
BYTES = {"name": "Part", "type": "bytes", "versions": "0+"}
UUID = {"name": "Part", "type": "uuid", "versions": "0+"}
HALVES = [{"name": each, "type": "int64", "versions": "0+"} for each in ("Part", "Low")]
OTHER = {"name": "Second", "type": "int32", "versions": "0+"}
TAGGED = {**INT32, "name": "Extra", "taggedVersions": "0+", "tag": 0}
PART = {**TAGGED, "type": "Part", "fields": [OTHER]}
LATE = {**INT32, "name": "Late", "versions": "1+", "ignorable": True}

DRAFTS: dict[str, list[dict[str, Any]]] = {
    "int32": [INT32],
    "uint32": [{**INT32, "type": "uint32"}],
    "int32s": [{**INT32, "type": "[]int32"}],
    "structs": [{**INT32, "type": "[]Inner", "fields": [OTHER]}],
    "struct": [{**INT32, "type": "Inner", "fields": [OTHER]}],
    "two": [INT32, OTHER],
    "swapped": [OTHER, INT32],
    "bytes": [BYTES],
    "records": [{**BYTES, "type": "records", "nullableVersions": "0+"}],
    "nullable-bytes": [{**BYTES, "nullableVersions": "0+"}],
    "string": [{**BYTES, "type": "string"}],
    "uuid": [UUID],
    "halves": HALVES,
    "bool": [{**INT32, "type": "bool"}],
    "int8": [{**INT32, "type": "int8"}],
    "tag": [INT32, TAGGED],
    "tag-text": [INT32, {**TAGGED, "type": "string"}],
    "tag-taken": [INT32, {**TAGGED, "name": "Taken"}],
    "tag-later": [INT32, {**TAGGED, "versions": "1+", "taggedVersions": "1+"}],
    "tag-default": [INT32, {**TAGGED, "default": "7"}],
    "tag-struct": [INT32, PART],
    "tag-struct-default": [INT32, {**PART, "fields": [{**OTHER, "default": "7"}]}],
    "late": [INT32, LATE],
    "late-strict": [INT32, {**LATE, "ignorable": False}],
    "late-default": [INT32, {**LATE, "ignorable": False, "default": "7"}],
}
"""Definitions; each pair of them is a change."""


def text_of(name: str, flexible: bool) -> str:
    plain = {"apiKey": 900, "type": "request", "name": "ProbeRequest", "validVersions": "0-1"}
    return json.dumps({**plain, "flexibleVersions": "0+" if flexible else "none", "fields": DRAFTS[name]})


@cache
def generator() -> SchemaGenerator:
    return open_generator(generator_releases()[0], JarStore())


@cache
def draft(name: str, flexible: bool) -> tuple[MessageSpec, GeneratedOracle]:
    """The definition and its generated class."""
    verdicts = generator().judge([text_of(name, flexible)])
    spec, problems = read_message(text_of(name, flexible), "Probe.json")
    assert verdicts[0].accepted, verdicts
    assert spec is not None, problems
    return spec, generator().oracle(verdicts)


def cell_of(version: int) -> Cell:
    return Cell("4.3.1", "clients", "ProbeRequest", version)


def findings(before: MessageSpec, after: MessageSpec) -> list[SchemaFinding]:
    sets = [
        SchemaSet(each, {"clients": {"ProbeRequest": spec}}) for each, spec in (("1", before), ("2", after))
    ]
    return check_releases(*sets)


def frames(layout: MessageLayout) -> list[bytes]:
    """The boundary cases of a layout without unknown tags; no long ones."""
    codec = interpret_layout(layout)
    values = (without_unknown_tags(each.value) for each in scenarios(layout))
    return list(dict.fromkeys(data for data in map(codec.encode, values) if len(data) < 70_000))


def misread(writer: Any, reader: Any, version: int, data: bytes) -> bool:
    """Return if the reader's class refuses bytes of the writer's class, or reads another message."""
    layouts = [resolve(spec, version) for spec, _ in (writer, reader)]
    own, other = (
        oracle.reread(cell_of(version), layout, [data])[0]
        for (_, oracle), layout in zip((writer, reader), layouts, strict=True)
    )
    assert isinstance(own, OracleValue), own
    assert own.written == data
    if isinstance(other, Refusal) or other.written != data:
        return True
    values = [
        canonical(layout).from_binary(reply.value)
        for layout, reply in zip(layouts, (own, other), strict=True)
    ]
    return repr(values[0]) != repr(values[1])


GROUPS = (
    ["int32", "uint32", "int32s", "structs", "struct", "two", "swapped", "bool", "int8"],
    ["bytes", "records", "nullable-bytes", "string", "int32s", "int8"],
    ["uuid", "halves", "two"],
    ["int32", "late", "late-strict", "late-default"],
)
TAGS = ["int32", *(name for name in DRAFTS if name.startswith("tag"))]
PAIRS = [
    (*pair, flexible) for group in GROUPS for pair in permutations(group, 2) for flexible in (False, True)
]
PAIRS += [(*pair, True) for pair in permutations(TAGS, 2)]


@pytest.mark.parametrize(("old", "new", "flexible"), PAIRS)
def test_a_break_shows_in_kafkas_classes_and_what_is_safe_does_not(
    old: str, new: str, flexible: bool
) -> None:
    """The class of the other definition misreads each example. Where the check names no break, it reads each
    boundary case, and writes the same bytes again."""
    before, after = draft(old, flexible), draft(new, flexible)
    found = findings(before[0], after[0])
    for way, impacts, writer, reader in (
        ("to_old", (Impact.BREAKS_READERS, Impact.BREAKS_BOTH), after, before),
        ("to_new", (Impact.BREAKS_WRITERS, Impact.BREAKS_BOTH), before, after),
    ):
        for version in (0, 1):
            broken = [each for each in found if each.impact in impacts and version in each.versions]
            for each in broken:
                example = getattr(each, way)
                assert example is not None, each
                assert misread(writer, reader, example.version, example.data), each
            if not broken:
                layout = resolve(reader[0], version)
                data = frames(resolve(writer[0], version))
                for sent, reply in zip(data, reader[1].reread(cell_of(version), layout, data), strict=True):
                    assert isinstance(reply, OracleValue), (version, sent, reply)
                    assert reply.written == sent, version


@pytest.mark.parametrize(
    ("names", "value"), [(("late", "late-strict"), 1), (("late-strict", "late-default"), 0)]
)
def test_a_value_that_new_programs_refuse(names: tuple[str, str], value: int) -> None:
    """The class of OLD writes version 0 without the value, as the example's bytes; that of NEW throws."""
    (before, old), (after, new) = (draft(name, True) for name in names)
    (found,) = (each for each in findings(before, after) if each.impact is Impact.STOPS_WRITERS)
    assert found.to_new is not None
    whole = with_absent_fields(resolve(before, 0))
    instance = canonical(whole).to_binary({"late": value})
    (dropped,) = old.write(cell_of(0), whole, [instance])
    (refused,) = new.write(cell_of(0), whole, [instance])
    assert isinstance(dropped, OracleValue)
    assert dropped.written == found.to_new.data
    assert isinstance(refused, Refusal)
    assert refused.error == "UnsupportedVersionException"
