"""Isolation of the field at fault, where a codec gives no answer and names no field."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from kafkawire.compiler import interpret_layout
from kafkawire.schema import read_message, resolve
from kafkawire.values import TAGS
from tests.support.environments import small_environment
from tests.wireproof.proof.run.attribution.pathless_codecs import NoTags, NoTagsNorZero, failures
from wireproof.model.cell import Phase
from wireproof.model.divergence import Divergence
from wireproof.proof.checks.check_table import Check
from wireproof.proof.run.attribution.field_isolation import isolate_fields

CELL = small_environment.cell("PingRequest", 3)
SPEC, _ = read_message(
    """{
      "apiKey": 9, "type": "response", "name": "NestedResponse", "validVersions": "0",
      "flexibleVersions": "0+",
      "fields": [
        { "name": "Throttle", "type": "int32", "versions": "0+" },
        { "name": "Names", "type": "[]string", "versions": "0+" },
        { "name": "Topics", "type": "[]Topic", "versions": "0+", "fields": [
          { "name": "ErrorCode", "type": "int16", "versions": "0+" },
          { "name": "Leader", "type": "Node", "versions": "0+", "fields": [
            { "name": "Port", "type": "int16", "versions": "0+" },
            { "name": "Host", "type": "string", "versions": "0+" }
          ] }
        ] }
      ]
    }""",
    "NestedResponse",
)
assert SPEC is not None
LAYOUT = resolve(SPEC, 0)
FOUND = Divergence(Check.DECODE, "codec", "not decoded", codec="crashed: KeyError", kind="crashed:KeyError")
WHOLE: dict[str, Any] = {
    "throttle": 5,
    "names": ["a"],
    "topics": [{"errorCode": 0, TAGS: {9: b""}}, {"errorCode": 999, "leader": {"port": 1, "host": "h"}}],
    TAGS: {7: b"x"},
}


def test_isolated_parts_have_the_fields_that_every_value_needs():
    """Kafka's `records` default to null even where null is refused: the isolated parts have empty ones."""
    spec, _ = read_message(
        """{
          "type": "data", "name": "Box", "validVersions": "0",
          "fields": [
            { "name": "Stamp", "type": "int8", "versions": "0+" },
            { "name": "Records", "type": "records", "versions": "0+" },
            { "name": "Inner", "type": "[]Inner", "versions": "0+", "fields": [
              { "name": "Records", "type": "records", "versions": "0+" },
              { "name": "Name", "type": "string", "versions": "0+" }
            ] },
            { "name": "Deep", "type": "Deep", "versions": "0+", "fields": [
              { "name": "Records", "type": "records", "versions": "0+" } ] }
          ]
        }""",
        "Box",
    )
    assert spec is not None
    layout = resolve(spec, 0)
    codec = interpret_layout(layout)

    def judge(values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...]]:
        read = [codec.decode(codec.encode(value)) for value in values]
        return [(FOUND,) if any(each["name"] for each in value["inner"]) else () for value in read]

    inner = [{"records": b"r", "name": "n"}]
    value = {"stamp": 1, "records": b"r", "inner": inner, "deep": {"records": b"s"}}
    ((isolated,),) = isolate_fields(layout, [(FOUND,)], lambda index: value, judge)
    assert isolated.path == "inner[].name"


def place(breaks: Callable[[Mapping[str, Any]], bool], found: Divergence = FOUND) -> tuple[str, str, int]:
    """Return the path and the type of the field that is named, and how many values were asked."""
    asked: list[dict[str, Any]] = []

    def judge(values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...]]:
        asked.extend(values)
        return [(FOUND,) if breaks(value) else () for value in values]

    ((isolated,),) = isolate_fields(LAYOUT, [(found,)], lambda index: WHOLE, judge)
    assert len({repr(value) for value in asked}) == len(asked)
    assert all(TAGS not in repr(value) for value in asked)
    return isolated.path, isolated.field_type, len(asked)


def topics(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    return value.get("topics", [])


@pytest.mark.parametrize(
    ("breaks", "path", "type_"),
    [
        (lambda value: value.get("throttle") == 5, "throttle", "int32"),
        (lambda value: bool(value.get("names")), "names", "[]string"),
        (lambda value: bool(topics(value)), "topics", "[]Topic"),
        (lambda value: any(t.get("errorCode") == 999 for t in topics(value)), "topics[].errorCode", "int16"),
        (
            lambda value: any("host" in t.get("leader", {}) for t in topics(value)),
            "topics[].leader.host",
            "string",
        ),
        (
            lambda value: any({"port", "host"} <= {*t.get("leader", {})} for t in topics(value)),
            "topics[].leader",
            "Node",
        ),
        (lambda value: value.get("throttle") == 5 or bool(topics(value)), "throttle", "int32"),
        (lambda value: {"throttle", "names"} <= set(value), "", ""),
        (lambda value: True, "", ""),
        (lambda value: False, "", ""),
    ],
)
def test_the_field_that_fails_alone_is_named(
    breaks: Callable[[Mapping[str, Any]], bool], path: str, type_: str
) -> None:
    """The named field is the deepest one. It is a struct where its fields fail only together. It is empty
    where several fields fail alone, or where the value at its defaults fails."""
    assert place(breaks)[:2] == (path, type_)


@pytest.mark.parametrize(
    ("refused", "path"), [({}, ""), ({"topics": [{}, {}]}, "topics"), (None, "topics[].errorCode")]
)
def test_a_value_that_fails_at_its_defaults_has_no_part_at_fault(refused: Any, path: str) -> None:
    """The kind of refusal does not matter: bytes that are read at the wrong place are refused by chance."""
    other = replace(FOUND, kind="refused:Error")

    def judge(values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...]]:
        wrong = (any(each.get("errorCode") for each in topics(value)) for value in values)
        return [
            (FOUND,) if is_ else (other,) if value == refused else ()
            for is_, value in zip(wrong, values, strict=True)
        ]

    ((isolated,),) = isolate_fields(LAYOUT, [(FOUND,)], lambda index: WHOLE, judge)
    assert isolated.path == path


def test_a_part_with_the_same_failure_is_preferred_to_one_with_another() -> None:
    """Each of two faults in one value is reported at its own field."""
    other = replace(FOUND, kind="crashed:IndexError")

    def judge(values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...]]:
        return [
            (other,) if "throttle" in value else (FOUND,) if value.get("names") else () for value in values
        ]

    isolated = isolate_fields(LAYOUT, [(FOUND,), (other,)], lambda index: WHOLE, judge)
    assert [each.path for (each,) in isolated] == ["names", "throttle"]


@pytest.mark.parametrize(
    "found",
    [
        replace(FOUND, path="names[0]"),
        replace(FOUND, kind="differs"),
        replace(FOUND, erratum="KAFKA-1"),
        replace(FOUND, unsupported="enum"),
        replace(FOUND, subject="oracle"),
        replace(FOUND, kind="crashed:hang"),
    ],
)
def test_a_divergence_with_a_path_or_without_a_codec_fault_is_not_isolated(found: Divergence) -> None:
    """A request that ends or hangs a process is not repeated either: each attempt costs a process."""
    assert place(lambda value: True, found) == (found.path, found.field_type, 0)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (replace(FOUND, check=Check.ROUND_TRIP), True),
        (replace(FOUND, check=Check.ENCODE), False),
        (replace(FOUND, kind="crashed:IndexError"), True),
        (replace(FOUND, kind="differs"), False),
        (replace(FOUND, subject="another"), False),
        (replace(FOUND, unsupported="enum"), False),
    ],
)
def test_another_failure_of_a_part_names_no_field(other: Divergence, same: bool) -> None:
    """A part is at fault only if the same codec fails the same check on it in the same way."""

    def judge(values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...]]:
        return [(other,) if value else () for value in values]

    ((isolated,),) = isolate_fields(LAYOUT, [(FOUND,)], lambda index: {"throttle": 5}, judge)
    assert isolated.path == ("throttle" if same else "")


@pytest.mark.parametrize(
    "phase", [Phase.ENUMERATED, Phase.ORACLE, Phase.EVOLUTION, Phase.RANDOM, Phase.FRAME]
)
def test_the_cause_is_the_same_in_each_phase(phase: Phase) -> None:
    """A codec that reads neither unknown tags nor a count of zero, and names no field, has two causes in each
    phase. Bytes of another release that it does not read say nothing about tags."""
    divergences = [found for event in failures(NoTagsNorZero, CELL, phase) for found in event.divergences]
    places = {(found.check, found.path) for found in divergences}
    reads = Check.FRAME_DECODE if phase is Phase.FRAME else Check.DECODE
    assert {check for check, path in places if path == "count"} <= {reads, Check.ROUND_TRIP}
    assert {path for _, path in places} <= {"count", TAGS}
    if phase is Phase.ENUMERATED:
        assert "count" in {path for _, path in places}


def test_a_cell_that_is_not_read_at_all_is_one_cause() -> None:
    """The codec refuses bytes of another release, and not because of their tags: one failure to decode is
    reported, and no claim besides."""

    class Nothing(NoTags):
        def decode(self, data: bytes) -> dict[str, Any]:
            raise KeyError("nothing")

        def decode_from(self, buffer: bytes, offset: int) -> tuple[dict[str, Any], int]:
            raise KeyError("nothing")

    cell = small_environment.cell("PingResponse", 3)
    for phase in (Phase.ENUMERATED, Phase.EVOLUTION):
        divergences = [found for event in failures(Nothing, cell, phase) for found in event.divergences]
        causes = {found.cause for found in divergences if found.check not in (Check.CUT, Check.TAG_VERSION)}
        assert causes <= {
            (check, "", "codec", "crashed:KeyError") for check in (Check.DECODE, Check.ROUND_TRIP)
        }
        assert causes


def test_what_is_read_wrongly_is_not_said_to_be_written_wrongly() -> None:
    """The codec is asked to write the value of Kafka's instance, and not the one that it read."""

    class Named(NoTags):
        def decode(self, data: bytes) -> dict[str, Any]:
            return {**self._codec.decode(data), "name": "other"}

    divergences = [found for event in failures(Named, CELL, Phase.ORACLE) for found in event.divergences]
    assert {(found.check, found.path) for found in divergences} == {(Check.DECODE, "name")}
