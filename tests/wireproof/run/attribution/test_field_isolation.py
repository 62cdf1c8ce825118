"""Which field is named where a codec gives no answer and names none."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from kafkawire.compiler import interpret_layout
from kafkawire.schema import read_message, resolve
from kafkawire.values import TAGS
from tests.support.environments import small_environment
from tests.wireproof.run.attribution.pathless_codecs import NoTags, NoTagsNorZero, failures
from wireproof.checks import Check
from wireproof.model import Divergence, Phase
from wireproof.run.attribution.field_isolation import isolate_fields

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


def test_the_parts_of_a_value_hold_what_no_value_can_be_without():
    """Kafka's `records` have null as their default even where null is refused: parts have empty ones."""
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
    ((told,),) = isolate_fields(layout, [(FOUND,)], lambda index: value, judge)
    assert told.path == "inner[].name"


def place(breaks: Callable[[Mapping[str, Any]], bool], found: Divergence = FOUND) -> tuple[str, str, int]:
    """The path and the field that are named, and how many values were asked."""
    asked: list[dict[str, Any]] = []

    def judge(values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...]]:
        asked.extend(values)
        return [(FOUND,) if breaks(value) else () for value in values]

    ((told,),) = isolate_fields(LAYOUT, [(found,)], lambda index: WHOLE, judge)
    assert len({repr(value) for value in asked}) == len(asked)
    assert all(TAGS not in repr(value) for value in asked)
    return told.path, told.field_type, len(asked)


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
def test_the_field_that_does_it_alone_is_named(
    breaks: Callable[[Mapping[str, Any]], bool], path: str, type_: str
) -> None:
    """As deep as it goes; a struct where its fields do it together; none where several fields do, or where a
    value at its defaults does."""
    assert place(breaks)[:2] == (path, type_)


@pytest.mark.parametrize(
    ("refused", "path"), [({}, ""), ({"topics": [{}, {}]}, "topics"), (None, "topics[].errorCode")]
)
def test_what_gets_no_answer_at_its_defaults_has_no_part_at_fault(refused: Any, path: str) -> None:
    """In whatever way it is refused: bytes that are read at the wrong place are refused as chance has it."""
    other = replace(FOUND, kind="refused:Error")

    def judge(values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...]]:
        wrong = (any(each.get("errorCode") for each in topics(value)) for value in values)
        return [
            (FOUND,) if is_ else (other,) if value == refused else ()
            for is_, value in zip(wrong, values, strict=True)
        ]

    ((told,),) = isolate_fields(LAYOUT, [(FOUND,)], lambda index: WHOLE, judge)
    assert told.path == path


def test_what_does_the_very_same_comes_before_what_does_something_else() -> None:
    """Two flaws in one value: each is told where it is."""
    other = replace(FOUND, kind="crashed:IndexError")

    def judge(values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...]]:
        return [
            (other,) if "throttle" in value else (FOUND,) if value.get("names") else () for value in values
        ]

    told = isolate_fields(LAYOUT, [(FOUND,), (other,)], lambda index: WHOLE, judge)
    assert [each.path for (each,) in told] == ["names", "throttle"]


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
def test_what_has_a_place_or_is_no_fault_of_the_codec_is_not_asked_again(found: Divergence) -> None:
    """Nor is what ends or hangs a process: each time costs one."""
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
    """A part must get no answer to the same question, of the same codec, to be at fault."""

    def judge(values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...]]:
        return [(other,) if value else () for value in values]

    ((told,),) = isolate_fields(LAYOUT, [(FOUND,)], lambda index: {"throttle": 5}, judge)
    assert told.path == ("throttle" if same else "")


@pytest.mark.parametrize(
    "phase", [Phase.ENUMERATED, Phase.ORACLE, Phase.EVOLUTION, Phase.RANDOM, Phase.FRAME]
)
def test_wherever_values_come_from_the_cause_is_one(phase: Phase) -> None:
    """A codec that reads no count of zero, and names no field, has one cause in each way to ask, besides the
    tags that it does not read either; bytes of another release that it does not read say nothing of tags."""
    told = [found for event in failures(NoTagsNorZero, CELL, phase) for found in event.divergences]
    places = {(found.check, found.path) for found in told}
    reads = Check.FRAME_DECODE if phase is Phase.FRAME else Check.DECODE
    assert {check for check, path in places if path == "count"} <= {reads, Check.ROUND_TRIP}
    assert {path for _, path in places} <= {"count", TAGS}
    if phase is Phase.ENUMERATED:
        assert "count" in {path for _, path in places}


def test_a_cell_that_is_not_read_at_all_is_one_cause() -> None:
    """Bytes of another release are refused there for no sake of their tags: told is that bytes are not
    decoded, and no claim beside."""

    class Nothing(NoTags):
        def decode(self, data: bytes) -> dict[str, Any]:
            raise KeyError("nothing")

        def decode_from(self, buffer: bytes, offset: int) -> tuple[dict[str, Any], int]:
            raise KeyError("nothing")

    cell = small_environment.cell("PingResponse", 3)
    for phase in (Phase.ENUMERATED, Phase.EVOLUTION):
        told = [found for event in failures(Nothing, cell, phase) for found in event.divergences]
        causes = {found.cause for found in told if found.check not in (Check.CUT, Check.TAG_VERSION)}
        assert causes <= {
            (check, "", "codec", "crashed:KeyError") for check in (Check.DECODE, Check.ROUND_TRIP)
        }
        assert causes
