"""The impact of a change of a definition, and the rule that it keeps or breaks."""

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any
from unittest.mock import Mock

import pytest

from kafkawire.compiler import interpret_layout
from kafkawire.errors import CodecError
from kafkawire.schema import MessageKind, MessageSpec, SchemaSet, read_message, resolve
from wireproof.definitions.evolution import break_example, evolution_check
from wireproof.definitions.evolution.break_example import find_break
from wireproof.definitions.evolution.evolution_check import SchemaFinding, check_releases, check_versions
from wireproof.definitions.evolution.evolution_rules import EvolutionRule, Impact
from wireproof.kafka.releases.release_schemas import diff_releases
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot

NUMBER = {"name": "Number", "type": "int32", "versions": "0+"}
NAME = {"name": "Name", "type": "string", "versions": "0+"}
TAGGED = {"name": "Extra", "type": "int32", "versions": "0+", "taggedVersions": "0+", "tag": 0}
PART = {**TAGGED, "type": "Part", "fields": [NUMBER]}
"""A tagged struct: its default has the defaults of its fields."""


def message(*fields: Mapping[str, Any], kind: str = "request", **options: Any) -> MessageSpec:
    plain = {"apiKey": 7} if kind in ("request", "response") else {}
    document = {
        **plain,
        "type": kind,
        "name": "ProbeRequest" if kind == "request" else "ProbeValue",
        "validVersions": "0",
        "flexibleVersions": "0+",
        "fields": list(fields),
        **options,
    }
    spec, problems = read_message(json.dumps(document), "Probe.json")
    assert spec is not None, problems
    return spec


def release(version: str, *specs: MessageSpec) -> SchemaSet:
    return SchemaSet(version, {"clients": {spec.name: spec for spec in specs}})


def check(before: MessageSpec, after: MessageSpec) -> list[SchemaFinding]:
    return check_releases(release("1", before), release("2", after))


@pytest.mark.parametrize(
    ("before", "after", "impact", "rule"),
    [
        ([NUMBER], [NUMBER, NAME], Impact.BREAKS_BOTH, "released-version"),
        ([NUMBER, NAME], [NUMBER], Impact.BREAKS_BOTH, "released-version"),
        ([NUMBER], [{**NUMBER, "type": "int64"}], Impact.BREAKS_BOTH, "released-version"),
        ([NUMBER], [{**NUMBER, "type": "uint32"}], Impact.BREAKS_BOTH, "released-version"),
        ([NAME], [{**NAME, "nullableVersions": "0+"}], Impact.BREAKS_READERS, "released-version"),
        ([{**NAME, "nullableVersions": "0+"}], [NAME], Impact.BREAKS_WRITERS, "released-version"),
        ([NUMBER], [NUMBER, TAGGED], Impact.SAFE, "tagged-field"),
        ([NUMBER, TAGGED], [NUMBER], Impact.SAFE, "tag-retired"),
        ([TAGGED], [{**TAGGED, "default": "5"}], Impact.BREAKS_BOTH, "default-of-tag"),
        ([PART], [{**PART, "fields": [{**NUMBER, "default": "5"}]}], Impact.BREAKS_BOTH, "default-of-tag"),
        ([TAGGED], [{**TAGGED, "type": "int64"}], Impact.BREAKS_BOTH, "released-version"),
        ([NUMBER], [{**NUMBER, "default": "5"}], Impact.SAFE, "names"),
        ([NUMBER], [{**NUMBER, "name": "Count"}], Impact.SAFE, "names"),
        ([TAGGED], [{**TAGGED, "name": "Other"}], Impact.BREAKS_BOTH, "tag-reused"),
        ([TAGGED], [{**TAGGED, "name": "EXTRA"}], Impact.SAFE, "names"),
    ],
    ids=[
        *("field-added", "field-removed", "widened", "signedness", "null-allowed", "null-forbidden"),
        *(
            "tag-added",
            "tag-removed",
            "tag-default",
            "tag-default-of-part",
            "tag-type",
            "default",
            "renamed",
            "tag-reused",
            "capitals",
        ),
    ],
)
def test_a_change_of_one_version(
    before: list[dict[str, Any]], after: list[dict[str, Any]], impact: Impact, rule: str
) -> None:
    """The impact is that of Kafka's rules, and a break has a message that shows it."""
    (found,) = check(message(*before), message(*after))
    assert (found.impact, found.rule.value) == (impact, rule)
    assert (found.to_old is not None) == (impact in (Impact.BREAKS_READERS, Impact.BREAKS_BOTH))
    assert (found.to_new is not None) == (impact in (Impact.BREAKS_WRITERS, Impact.BREAKS_BOTH))


def test_a_tag_that_another_field_takes() -> None:
    """A program that knows the tag as a number misreads the text of the other field, and vice versa."""
    text = {**TAGGED, "name": "Other", "type": "string"}
    found = check(message(NUMBER, TAGGED), message(NUMBER, text))
    assert {(str(each.change), each.rule, each.impact) for each in found} == {
        ("extra: field: int32 tag 0 -> absent", EvolutionRule.TAG_REUSED, Impact.BREAKS_BOTH),
        ("other: field: absent -> string tag 0", EvolutionRule.TAG_REUSED, Impact.BREAKS_BOTH),
    }
    assert all(each.to_old is not None and each.to_new is not None for each in found)


def test_the_versions_of_a_tagged_field_stay() -> None:
    """Where a message has the tag in later versions only, Kafka's class throws at what OLD writes."""
    later = {**TAGGED, "versions": "1+", "taggedVersions": "1+"}
    before, after = (message(NUMBER, each, validVersions="0-2") for each in (TAGGED, later))
    (moved,) = check(before, after)
    assert (moved.impact, moved.rule) == (Impact.BREAKS_WRITERS, EvolutionRule.TAG_VERSIONS)
    assert str(moved.versions) == "0"
    assert moved.to_new is not None
    assert (moved.to_new.version, moved.to_new.outcome[:28]) == (0, "refused: tag-not-in-version:")
    (back,) = check(after, before)
    assert (back.impact, back.to_old is not None) == (Impact.BREAKS_READERS, True)


def test_a_struct_in_a_default() -> None:
    """The default of a tagged struct has those of the structs in it; an array or null has none of them."""
    one, other = ({**NUMBER, "default": each} for each in ("1", "2"))
    for change, rule in (
        ({}, EvolutionRule.DEFAULT_OF_TAG),
        ({"type": "[]Inner"}, EvolutionRule.NAMES),
        ({"nullableVersions": "0+", "default": "null"}, EvolutionRule.NAMES),
    ):
        inner = {"name": "Inner", "type": "Inner", "versions": "0+", **change}
        sides = (message({**PART, "fields": [{**inner, "fields": [each]}]}) for each in (one, other))
        (found,) = check(*sides)
        assert (str(found.change)[-6:], found.rule) == ("1 -> 2", rule)


def test_a_message_becomes_another_kind() -> None:
    """Requests and responses have other bytes around them; data and coordinators' records have the same."""
    request = message(NUMBER)
    (found,) = check(request, replace(request, kind=MessageKind.RESPONSE))
    assert str(found.change) == "message: type: request -> response"
    assert (found.impact, found.rule) == (Impact.BREAKS_BOTH, EvolutionRule.RELEASED_VERSION)
    value = message(NUMBER, kind="data")
    assert check(value, replace(value, kind=MessageKind.COORDINATOR_VALUE, api_key=3)) == []


def test_an_unstable_version_may_go() -> None:
    """A version that was never released as stable may go, of a request and of its response."""
    before = message(NUMBER, validVersions="0-1", latestVersionUnstable=True)
    for versions in ("0", "none"):
        found = check(before, message(NUMBER, validVersions=versions))
        stable = versions == "none"
        assert [(str(each.versions), each.impact) for each in found if each.impact.breaks] == (
            [("0", Impact.BREAKS_WRITERS)] if stable else []
        )
        assert [each.rule for each in found if not each.impact.breaks] == [EvolutionRule.UNSTABLE_VERSION]


def test_the_version_of_a_key_becomes_its_type() -> None:
    """Kafka 4.1 made the version of a coordinator's key its type: both are the number before its bytes."""
    old = message({**NUMBER, "versions": "7"}, kind="data", validVersions="7", flexibleVersions="none")
    typed = {"apiKey": 7, "flexibleVersions": "none"}
    new = message(NUMBER, kind="coordinator-key", **typed)
    moved = Impact.SAFE, EvolutionRule.TYPE_OF_KEY
    for pair in ((old, new), (new, old)):
        judged = {(each.words, each.impact, each.rule) for each in check(*pair)}
        assert judged == {("the version is new", *moved), ("the version is gone", *moved)}
    other = check(old, message(NAME, kind="coordinator-key", **typed))
    assert [each.impact for each in other] == [Impact.GATED, Impact.BREAKS_WRITERS]


@pytest.mark.parametrize("ignorable", [False, True])
def test_another_default_of_a_field_that_is_not_ignorable(ignorable: bool) -> None:
    """A program that sets the old default and writes a version without the field throws."""
    later = {"name": "Late", "type": "int32", "versions": "1+", "default": "-1", "ignorable": ignorable}
    after = message({**later, "default": "0", "ignorable": False}, validVersions="0-1")
    before = message(later, validVersions="0-1")
    words, stopped = check(before, after)
    assert (words.impact, words.rule) == (Impact.SAFE, EvolutionRule.NAMES)
    rule = EvolutionRule.IGNORABLE_WITHDRAWN if ignorable else EvolutionRule.DEFAULT_OF_ABSENT
    assert (stopped.impact, stopped.rule, str(stopped.versions)) == (Impact.STOPS_WRITERS, rule, "0")
    assert stopped.to_new is not None
    assert stopped.to_new.outcome == "refused: not-in-version: late: -1 in a field of versions 1"


@pytest.mark.parametrize("inner", [False, True])
def test_a_field_that_is_ignorable_no_more(inner: bool) -> None:
    """A program with OLD drops the value where it writes a version without the field; one with NEW throws."""
    later = {"name": "Late", "type": "int32", "versions": "2+", "ignorable": True}
    strict = {**later, "ignorable": False}
    before, after = (
        message(
            {"name": "Parts", "type": "[]Part", "versions": "0+", "fields": [NUMBER, each]}
            if inner
            else each,
            NAME,
            validVersions="0-2",
        )
        for each in (later, strict)
    )
    (found,) = check(before, after)
    path = "parts[].late" if inner else "late"
    assert found.change is not None
    assert (found.change.path, str(found.versions)) == (path, "0-1")
    assert (found.impact, found.rule) == (Impact.STOPS_WRITERS, EvolutionRule.IGNORABLE_WITHDRAWN)
    assert found.to_new is not None
    assert found.to_new.outcome.startswith("refused: not-in-version:")
    interpret_layout(resolve(after, 0)).decode(found.to_new.data)
    assert check(after, before) == []


PLAIN = {"flexibleVersions": "none"}
ARRAY = {"name": "Parts", "type": "[]int32", "versions": "0+"}
UUID = {"name": "Id", "type": "uuid", "versions": "0+"}
INT64 = {"type": "int64", "versions": "0+"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([ARRAY], [{**ARRAY, "type": "[]Part", "fields": [NUMBER]}]),
        ([{**NAME, "type": "records"}], [{**NAME, "type": "bytes"}]),
        ([NAME, UUID, NUMBER], [NAME, {**INT64, "name": "High"}, {**INT64, "name": "Low"}, NUMBER]),
        ([UUID], [{**INT64, "name": "Id"}, {**INT64, "name": "Low"}]),
        ([NUMBER], [{"name": "Part", "type": "Part", "versions": "0+", "fields": [NUMBER]}]),
    ],
    ids=["array-of-structs", "records", "uuid", "uuid-name", "struct"],
)
def test_equal_bytes_are_no_break(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
    """Types, and the shapes of values, are not on the wire: both sides read the same parts."""
    for pair in ((before, after), (after, before)):
        found = check(*(message(*each, **PLAIN) for each in pair))
        assert {each.impact for each in found} == {Impact.SAFE}
        assert EvolutionRule.EQUAL_BYTES in {each.rule for each in found}


def test_an_array_of_structs_with_tag_sections_breaks() -> None:
    """In a flexible version each struct ends with the number of its tags."""
    (found,) = check(message(ARRAY), message({**ARRAY, "type": "[]Part", "fields": [NUMBER]}))
    assert (found.impact, found.to_old is not None) == (Impact.BREAKS_BOTH, True)


def test_bytes_on_disk_are_no_conversation() -> None:
    """The rule of a removed version of stored data is about the bytes on disk."""
    before, after = (message(NUMBER, kind="data", validVersions=each) for each in ("0-1", "1"))
    (found,) = check(before, after)
    assert (found.impact, found.rule) == (Impact.BREAKS_WRITERS, EvolutionRule.REMOVED_RECORD_VERSION)
    assert "bytes on disk" in found.rule.sentence


def test_fields_that_change_places_are_misread() -> None:
    """Each reads the bytes, with the values of the two fields swapped: a round trip cannot show it."""
    other = {"name": "Other", "type": "int32", "versions": "0+"}
    (found,) = check(message(NUMBER, other), message(other, NUMBER))
    assert found.impact is Impact.BREAKS_BOTH
    assert found.change is not None
    assert found.change.what == "order"
    assert found.to_old is not None
    assert found.to_old.outcome.startswith("reads ")


def test_a_renamed_field_keeps_its_value() -> None:
    """A reader that calls the field by another name reads the same value."""
    renamed = resolve(message({**NAME, "name": "Title"}), 0), resolve(message(NAME), 0)
    assert find_break(*renamed) is None


def test_an_unstable_version_may_change() -> None:
    """It was not released: programs that have it were never meant to meet."""
    unstable = message(NUMBER, latestVersionUnstable=True)
    (found,) = check(unstable, message(NUMBER, NAME))
    assert (found.impact, found.rule) == (Impact.SAFE, EvolutionRule.UNSTABLE_VERSION)


def test_a_flexible_version_that_was_not_breaks_both() -> None:
    """Lengths and the tag section change in the body, and the header's version in front of it."""
    found = check(message(NAME, flexibleVersions="none"), message(NAME))
    assert {each.impact for each in found} == {Impact.BREAKS_BOTH}


@pytest.mark.parametrize(
    ("kind", "impact", "rule"),
    [
        ("request", Impact.SAFE, "new-version"),
        ("metadata", Impact.GATED, "feature-version"),
        ("data", Impact.GATED, "new-record-version"),
        ("coordinator-value", Impact.GATED, "new-record-version"),
    ],
)
def test_a_new_version(kind: str, impact: Impact, rule: str) -> None:
    """Client and broker agree on one; that of stored data is not negotiated. The new field needs it."""
    options = {"apiKey": 7} if kind in ("metadata", "coordinator-value") else {}
    later = {**NAME, "versions": "1+"}
    after = message(NUMBER, later, kind=kind, validVersions="0-1", **options)
    version, field = check(message(NUMBER, kind=kind, **options), after)
    assert (version.words, version.impact, version.rule.value) == ("the version is new", impact, rule)
    assert (field.impact, field.rule.value) == (Impact.NEW_VERSION, rule)
    assert field.change is not None
    assert field.change.path == "name"
    assert field.to_old is not None
    assert field.to_new is not None


@pytest.mark.parametrize(
    ("kind", "impact", "gate"),
    [
        ("request", Impact.SAFE, ""),
        ("metadata", Impact.GATED, "metadata.version"),
        ("data", Impact.GATED, EvolutionRule.NEW_RECORD_VERSION.gate),
    ],
)
def test_a_new_message(kind: str, impact: Impact, gate: str) -> None:
    """An older release refuses a record of an unknown type; clients send only requests that it announces."""
    options = {"apiKey": 7} if kind == "metadata" else {}
    (found,) = check_releases(release("1"), release("2", message(NUMBER, kind=kind, **options)))
    assert (found.words, found.impact, found.rule.gate) == ("the message is new", impact, gate)
    assert not found.impact.breaks


def test_a_removed_version_and_a_removed_message_break_writers() -> None:
    """KIP-896: programs that know only these cannot talk to the new release."""
    before = message(NUMBER, validVersions="0-3")
    (found,) = check(before, message(NUMBER, validVersions="2-3"))
    assert (found.words, str(found.versions)) == ("the version is gone", "0-1")
    assert (found.impact, found.rule) == (Impact.BREAKS_WRITERS, EvolutionRule.REMOVED_VERSION)
    (gone,) = check_releases(release("1", before), release("2"))
    assert (gone.words, gone.impact) == ("the message is gone", Impact.BREAKS_WRITERS)
    (new,) = check_releases(release("1"), release("2", before))
    assert (new.words, new.impact) == ("the message is new", Impact.SAFE)


def test_versions_in_a_row_are_one_finding() -> None:
    """Their example is the first version's."""
    (found,) = check(message(NUMBER, validVersions="0-4"), message(NUMBER, NAME, validVersions="0-4"))
    assert str(found.versions) == "0-4"


def test_equal_layouts_of_versions_in_a_row_are_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """But the newest version, which has larger cases, is tried itself."""
    tried = Mock(side_effect=find_break)
    monkeypatch.setattr(evolution_check, "find_break", tried)
    late = {**NUMBER, "name": "Late", "versions": "8+"}
    before, after = (message(NUMBER, *more, late, validVersions="0-9") for more in ([], [NAME]))
    (found,) = check(before, after)
    assert [call.args[0].version for call in tried.call_args_list] == [0, 0, 8, 8, 9, 9]
    assert found.to_old is not None
    assert found.to_old.version == 0


def test_fields_of_other_versions_that_are_as_before_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages with thousands of them took minutes."""
    same = [{"name": f"Late{number}", "type": "int32", "versions": "1+"} for number in range(20)]
    changed = {"name": "Changed", "type": "int32", "versions": "1+", "default": "-1"}
    pair = (message(*same, each, validVersions="0-1") for each in (changed, {**changed, "default": "0"}))
    tried = Mock(side_effect=interpret_layout)
    monkeypatch.setattr(break_example, "interpret_layout", tried)
    assert [str(each.rule) for each in check(*pair)] == ["names", "default-of-absent"]
    assert tried.call_count < len(same)


def test_two_versions_of_one_message() -> None:
    """Each change between them has its own version; the examples show why it needs one."""
    spec = message(NUMBER, {**NAME, "versions": "1+"}, validVersions="0-1")
    (found,) = check_versions("clients", (spec, 0), (spec, 1))
    assert (found.impact, str(found.versions)) == (Impact.NEW_VERSION, "1")
    assert check_versions("clients", (spec, 1), (spec, 1)) == []


RELEASES = list(reversed([load_snapshot(each) for each in table()]))


@pytest.mark.parametrize(("before", "after"), list(pairwise(RELEASES)), ids=lambda each: each.release)
def test_neighbouring_releases(before: SchemaSet, after: SchemaSet) -> None:
    """A stable version breaks something if it changed on the wire by more than tagged fields, and only then.
    The other codec misreads each example."""
    found = check_releases(before, after)
    breaking = {
        (each.message, version)
        for each in found
        if each.impact.breaks and each.change is not None
        for version in each.versions
    }
    stable = {
        (each.cell.message, each.cell.version)
        for each in diff_releases(before, after).findings
        if any(change.effect.misread for change in each.changes)
    }
    assert breaking == stable
    for each in found:
        if each.change is None or not each.impact.breaks:
            continue
        version = each.versions.lowest
        old, new = (resolve(schemas.find(each.message)[1], version) for schemas in (before, after))
        for example, writer, reader in ((each.to_old, new, old), (each.to_new, old, new)):
            if example is None:
                continue
            value = interpret_layout(writer).decode(example.data)
            assert interpret_layout(writer).encode(value) == example.data
            if example.outcome.startswith("refused: "):
                with pytest.raises(CodecError):
                    interpret_layout(reader).decode(example.data)
            else:
                assert interpret_layout(reader).decode(example.data) != value
