"""The structural shrinker ends as small as Hypothesis does, on the same faults."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import Phase, find, settings

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from kafkawire.errors import CodecError
from kafkawire.schema import FieldLayout, StructLayout
from kafkawire.values import TAGS
from tests.quality.shrink_facts import EMPTY, FACTS, LAYOUT, in_schema_order
from tests.support.schemas import kitchen_sink
from wireproof.proof.strategies.drawing.bulk_blocks import bulk_block
from wireproof.proof.strategies.drawing.hypothesis_instances import from_layout
from wireproof.proof.strategies.shrinking.value_shrinking import shrink

Value = dict[str, Any]

BLOCKS = 40
BUDGET_S = 60.0
"""Never reached: a minimum takes some hundred attempts."""

TRUTH = interpret_layout(LAYOUT)


def bulk_failures(fails: Callable[[Value], bool], most: int = 3) -> list[Value]:
    """The first instances of the seeded source that fail."""
    values = (value for block in range(BLOCKS) for value in bulk_block(LAYOUT, 0, block))
    found = [value for value, _ in zip(filter(fails, values), range(most), strict=False)]
    assert found, "the source does not reach the fault"
    return found


def weight(value: Any) -> tuple[int, int, int]:
    """Measure how much a person has to read: the things, their length, the bits of their numbers."""
    match value:
        case dict():
            parts = [weight(item) for item in value.values()]
            return len(value) + sum(p[0] for p in parts), sum(p[1] for p in parts), sum(p[2] for p in parts)
        case list():
            parts = [weight(item) for item in value]
            return len(value) + sum(p[0] for p in parts), sum(p[1] for p in parts), sum(p[2] for p in parts)
        case str() | bytes():
            return 0, len(value), 0
        case bool() | None:
            return 0, 0, 0
        case int():
            return 0, 0, value.bit_length()
        case _:
            return 0, 0, 0


@pytest.mark.parametrize(("fact", "expected"), FACTS)
def test_facts_end_as_small_as_with_hypothesis(fact: Callable[[Value], bool], expected: Value) -> None:
    """From three instances of the seeded source each: no larger than what Hypothesis ends at."""
    for value in bulk_failures(fact):
        smallest = shrink(LAYOUT, value, fact, budget_s=BUDGET_S)
        assert fact(smallest)
        assert weight(smallest) <= weight(in_schema_order({**EMPTY, **expected})), smallest


@dataclass(frozen=True)
class Bug:
    """A codec wrong in one way: it writes another value than it was given.

    Attributes:
        change: what it makes of one field, or of the unknown tags (`field` is then None).
        where: returns True for the field, given its name and its layout.
    """

    name: str
    change: Callable[[Any], Any]
    where: Callable[[str, FieldLayout | None], bool]

    def encode(self, value: Value) -> bytes:
        return TRUTH.encode(self._struct(LAYOUT.root, value, ""))

    def _struct(self, struct: StructLayout, value: Value, prefix: str) -> Value:
        changed = dict(value)
        for field in struct.all_fields:
            if field.name in changed:
                changed[field.name] = self._field(field, changed[field.name], f"{prefix}{field.name}")
        if TAGS in changed and self.where(f"{prefix}{TAGS}", None):
            changed[TAGS] = self.change(changed[TAGS])
        return changed

    def _field(self, field: FieldLayout, value: Any, path: str) -> Any:
        if self.where(path, field):
            return self.change(value)
        if field.struct is None or value is None:
            return value
        if field.is_array:
            return [self._struct(field.struct, each, f"{path}[].") for each in value]
        return self._struct(field.struct, value, f"{path}.")

    def fails(self, value: Value) -> bool:
        try:
            return self.encode(value) != TRUTH.encode(value)
        except CodecError:
            return True


def at(path: str) -> Callable[[str, FieldLayout | None], bool]:
    return lambda here, field: here == path


BUGS = (
    Bug("null written as empty", lambda value: "" if value is None else value, at("group")),
    Bug("empty written as null", lambda value: None if value == "" else value, at("clientId")),
    Bug("a null array written as empty", lambda value: [] if value is None else value, at("topics")),
    Bug("uint16 cut to 15 bits", lambda value: value & 0x7FFF, at("port")),
    Bug("uint32 cut to 31 bits", lambda value: value & 0x7FFF_FFFF, at("crc")),
    Bug("int64 written by way of int32", lambda v: v if -(2**31) <= v < 2**31 else 0, at("timestamp")),
    Bug("int64 by way of a double", lambda v: int(float(v)) if abs(v) < 2**62 else v, at("timestamp")),
    Bug("text cut at 255 bytes", lambda value: value[:255], at("name")),
    Bug("a text above the BMP loses it", lambda v: "".join(c for c in v if c < "\U00010000"), at("name")),
    Bug("bytes with a zero end there", lambda value: value.split(b"\0")[0], at("blob")),
    Bug("-0.0 written as 0.0", lambda value: value + 0.0, at("quota")),
    Bug("more than 127 elements are lost", lambda value: value and value[:127], at("topics")),
    Bug("the last element is lost where there are many", lambda v: v if len(v) < 3 else v[:-1], at("nodes")),
    Bug("equal numbers written once", lambda value: list(dict.fromkeys(value)), at("replicas")),
    Bug("a null in an inner struct", lambda v: "none" if v is None else v, at("nodes[].rack")),
    Bug("an offset two levels down, sign lost", abs, at("topics[].partitions[].offset")),
    Bug("zero in a tagged struct", lambda value: value or -1, at("replica.replicaId")),
    Bug("a null tagged struct as an empty one", lambda v: {} if v is None else v, at("classic")),
    Bug("unknown tags dropped", lambda tags: {}, at(TAGS)),
    Bug("unknown tags with much data cut", lambda t: {k: d[:127] for k, d in t.items()}, at(TAGS)),
    Bug("high tags dropped", lambda tags: {k: d for k, d in tags.items() if k < 128}, at(f"owner.{TAGS}")),
)  # fmt: skip


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name.replace(" ", "-"))
def test_planted_bugs_end_as_small_as_with_hypothesis(bug: Bug) -> None:
    """A wrong codec, found and shrunk by both ways: the structural way ends with an instance as small."""
    drawn = find(
        from_layout(LAYOUT),
        bug.fails,
        settings=settings(
            max_examples=20_000, derandomize=True, database=None, phases=[Phase.generate, Phase.shrink]
        ),
    )
    for value in bulk_failures(bug.fails, most=2):
        smallest = shrink(LAYOUT, value, bug.fails, budget_s=BUDGET_S)
        assert bug.fails(smallest)
        assert weight(smallest) <= weight(drawn), (smallest, drawn)


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        pytest.param(lambda v: v.get("timestamp", 0) >= 1000, {"timestamp": 1000}, id="from a thousand on"),
        pytest.param(lambda v: v.get("leader", 0) <= -300, {"leader": -300}, id="to minus three hundred"),
        pytest.param(lambda v: len(v.get("name", "")) >= 100, {"name": "a" * 100}, id="a hundred characters"),
        pytest.param(lambda v: len(v.get("nodes", [])) >= 70, {"nodes": [{}] * 70}, id="seventy elements"),
        pytest.param(
            lambda v: any(len(data) > 49 for data in v.get(TAGS, {}).values()),
            {TAGS: {6: bytes(50)}},
            id="tag data",
        ),
    ],
)  # fmt: skip
def test_bounds_between_the_boundary_values(fact: Callable[[Value], bool], expected: Value) -> None:
    """Where Hypothesis ends at the next boundary value of its tables, the structure goes on to the bound."""
    for value in bulk_failures(fact):
        assert shrink(LAYOUT, value, fact, budget_s=BUDGET_S) == {**EMPTY, **expected}


@pytest.mark.parametrize("version", kitchen_sink.VERSIONS)
def test_every_value_tried_is_valid(version: int) -> None:
    """Whatever the fault needs, the codec takes each value that is tried, and its canonical form exists."""
    layout = kitchen_sink.layout(version)
    codec, form = interpret_layout(layout), canonical(layout)
    for value in bulk_block(layout, 1, 0)[::16]:
        needs = len(codec.encode(value)) // 2

        def large(candidate: Value, needs: int = needs) -> bool:
            form.to_binary(candidate)
            return len(codec.encode(candidate)) >= needs

        assert large(shrink(layout, value, large, budget_s=BUDGET_S))


def test_long_arrays_are_searched_like_delta_debugging() -> None:
    """Two elements among thousands, which have to be there together, in some thousand attempts."""
    value = {**EMPTY, "nodes": [{"id": number} for number in range(5000)]}
    tried = 0

    def both(candidate: Value) -> bool:
        nonlocal tried
        tried += 1
        ids = [node.get("id", 0) for node in candidate.get("nodes", [])]
        return 1234 in ids and 4321 in ids

    assert shrink(LAYOUT, value, both, budget_s=BUDGET_S) == {**EMPTY, "nodes": [{"id": 1234}, {"id": 4321}]}
    assert tried < 2000
