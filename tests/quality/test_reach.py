"""Both sources of instances reach every value that has shown real bugs, within two thousand instances."""

import random
import struct
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from kafkawire.compiler import interpret_layout
from kafkawire.schema import MessageLayout, ScalarType, StructLayout
from kafkawire.values import TAGS
from tests.support.schemas import kitchen_sink
from wireproof.proof.strategies.cases.scenarios import scenarios
from wireproof.proof.strategies.drawing.bulk_blocks import BLOCK_CASES, bulk_block
from wireproof.proof.strategies.drawing.hypothesis_instances import from_layout
from wireproof.proof.strategies.drawing.instance_plan import InstancePlan
from wireproof.proof.strategies.values.boundary_values import TWO_MIB
from wireproof.proof.strategies.values.whole_instances import at_default

EXAMPLES = 2000

LAYOUT = kitchen_sink.layout(2)


def collect(layout: MessageLayout, **options: Any) -> list[dict[str, Any]]:
    """Collect the values that Hypothesis draws, the same in every run."""
    values: list[dict[str, Any]] = []

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(from_layout(layout, **options))
    def gather(value: dict[str, Any]) -> None:
        values.append(value)

    gather()
    return values


def in_bulk(layout: MessageLayout) -> list[dict[str, Any]]:
    """Collect the values of the seeded source, in as many blocks as needed."""
    return [
        value
        for block in range(-(-EXAMPLES // BLOCK_CASES))
        for value in bulk_block(layout, seed=0, block=block)
    ]


@pytest.fixture(scope="module", params=[collect, in_bulk], ids=["hypothesis", "bulk"])
def drawn(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    values: list[dict[str, Any]] = request.param(LAYOUT)
    return values


def leaves(layout: StructLayout, value: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each value in an instance, with its path; elements of arrays of scalars one by one."""
    for field in layout.all_fields:
        path = f"{prefix}{field.name}"
        if field.name not in value:
            yield path, ...
            continue
        given = value[field.name]
        yield path, given
        if given is None:
            continue
        if field.struct is not None and field.is_array:
            for element in given:
                yield from leaves(field.struct, element, f"{path}[].")
        elif field.struct is not None:
            yield from leaves(field.struct, given, f"{path}.")
        elif field.is_array:
            yield from ((f"{path}[]", element) for element in given)
    if TAGS in value:
        yield f"{prefix}{TAGS}", value[TAGS]


def key(value: Any) -> str:
    """Return a value as text that distinguishes -0.0, NaNs and types."""
    return struct.pack(">d", value).hex() if isinstance(value, float) else f"{type(value).__name__} {value!r}"


@pytest.fixture(scope="module")
def seen(drawn: list[dict[str, Any]]) -> dict[str, Counter[str]]:
    """Count the values of each path."""
    counters: dict[str, Counter[str]] = {}
    for value in drawn:
        for path, leaf in leaves(LAYOUT.root, value):
            counters.setdefault(path, Counter())[key(leaf)] += 1
    return counters


def test_there_are_as_many_examples_as_asked_for(drawn: list[dict[str, Any]]) -> None:
    """No instance is filtered away."""
    assert len(drawn) >= EXAMPLES


def test_every_enumerated_leaf_value_is_drawn(seen: dict[str, Counter[str]]) -> None:
    """Each boundary value that a scenario gives to a scalar field is drawn for some field of its type.

    Error codes are not boundary values: tests/run/test_error_codes.py asserts that each of them is drawn.
    """
    fields = {path: field for path, _, field in LAYOUT.walk()}
    drawn_by_type: dict[ScalarType, set[str]] = {}
    for path, counter in seen.items():
        field = fields.get(path.removesuffix("[]"))
        if field is not None and field.scalar is not None and (path.endswith("[]") or not field.is_array):
            drawn_by_type.setdefault(field.scalar, set()).update(counter)
    for scenario in scenarios(LAYOUT):
        field = fields.get(scenario.path)
        if field is None or field.is_array or field.scalar is None:
            continue
        if "default" in scenario.name or "/data-" in scenario.name or "unknown" in scenario.name:
            continue
        if "/error-" in scenario.name:
            continue
        if scenario.name.endswith(f"-{TWO_MIB}"):
            continue  # one such value is enough
        for path, leaf in leaves(LAYOUT.root, scenario.value):
            if path == scenario.path and leaf is not ...:
                assert key(leaf) in drawn_by_type[field.scalar], scenario.name


def test_null_empty_absent_and_more_for_every_nullable_field(seen: dict[str, Counter[str]]) -> None:
    """Each nullable field is left out, null, and something else."""
    for path, _, field in LAYOUT.walk():
        if field.nullable:
            counter = seen[path]
            assert counter[key(...)], path
            assert counter[key(None)], path
            assert len(counter) > 2, path


def test_every_field_leaves_its_default_often(seen: dict[str, Counter[str]]) -> None:
    """No field is at its default, left out or spelled out, in more than four of five places."""
    fields = {path: field for path, _, field in LAYOUT.walk()}
    for path, counter in seen.items():
        if not path.endswith((TAGS, "[]")):
            total = sum(counter.values())
            assert counter[key(...)] + counter[key(at_default(fields[path]))] < 0.85 * total, path


def test_defaults_and_one_off(seen: dict[str, Counter[str]]) -> None:
    """Tagged fields, and fields with a default of their own, are drawn at it and one off it."""
    assert seen["maxBytes"][key(2**31 - 1)]
    assert seen["maxBytes"][key(2**31 - 2)]
    assert seen["group"][key("main")]
    assert seen["group"][key("mainx")]
    assert seen["epoch"][key(-1)]
    assert seen["epoch"][key(0)]


def some(drawn: list[dict[str, Any]], fact: Callable[[dict[str, Any]], bool]) -> int:
    return sum(map(fact, drawn))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 126, 127, 128])
def test_array_counts(drawn: list[dict[str, Any]], count: int) -> None:
    """Arrays of structs and of scalars have each of the counts."""
    assert some(drawn, lambda value: len(value.get("topics") or ()) == count)
    assert some(drawn, lambda value: isinstance(value.get("names"), list) and len(value["names"]) == count)


def test_two_equal_map_keys_with_different_rests(drawn: list[dict[str, Any]]) -> None:
    """Elements that share a key and differ elsewhere."""

    def equal_keys(value: dict[str, Any]) -> bool:
        nodes = value.get("nodes", [])
        return any(
            one.get("id", 0) == other.get("id", 0) and one != other for one in nodes for other in nodes
        )

    assert some(drawn, equal_keys) > 20


def test_unknown_tags_at_every_level(drawn: list[dict[str, Any]]) -> None:
    """Each flexible struct holds unknown tags: some, empty or of 127 and 128 bytes, the last tag."""
    tried: dict[str, list[dict[int, bytes]]] = {}
    for value in drawn:
        for path, leaf in leaves(LAYOUT.root, value):
            if path.endswith(TAGS):
                tried.setdefault(path, []).append(leaf)
    assert len(tried) == 10  # the number of struct levels
    for path, sections in tried.items():
        assert {1, 2, 3} <= {len(tags) for tags in sections}, path
        assert {0, 127, 128} <= {len(data) for tags in sections for data in tags.values()}, path
        assert any(2**31 - 2 in tags for tags in sections), path


def test_tagged_data_of_126_to_129_bytes(drawn: list[dict[str, Any]]) -> None:
    """The data of a tagged struct has each size around the second byte of its length."""
    sized = {
        scenario.name: scenario.value["replica"]
        for scenario in scenarios(LAYOUT)
        if scenario.name.startswith("replica/data-")
    }
    assert len(sized) == 4
    for value in sized.values():
        assert some(drawn, lambda each, value=value: each.get("replica") == value)  # type: ignore[misc]


def test_sizes(drawn: list[dict[str, Any]]) -> None:
    """Most instances are small; a few are around 64 KiB and 1 MiB; the empty one is the first."""
    codec = interpret_layout(LAYOUT)
    sizes = sorted(codec.size(value) for value in drawn)
    assert drawn[0] == {"snapshot": b""}
    assert sizes[len(sizes) // 2] < 2000
    assert sizes[-1] > 2**20
    assert sum(65536 < size < 200_000 for size in sizes) >= 5
    assert len({repr(value) for value in drawn}) > 0.95 * len(drawn)


@pytest.mark.parametrize("version", kitchen_sink.VERSIONS)
def test_every_instance_is_valid(version: int) -> None:
    """Whatever the tape, the codec takes the instance, and reads back what it wrote."""
    layout = kitchen_sink.layout(version)
    codec, plan = interpret_layout(layout), InstancePlan(layout)
    source = random.Random(version)
    tapes = [bytes([byte]) * plan.tape_bytes for byte in range(256)]
    tapes += [source.randbytes(plan.tape_bytes) for _ in range(500)]
    for tape in tapes:
        frame = codec.encode(plan.build(tape))
        assert codec.encode(codec.decode(frame)) == frame


def test_options_narrow_what_is_drawn() -> None:
    """Without unknown tags there are none; fewer elements and no large instances are kept to."""
    values = collect(LAYOUT, unknown_tags=False, max_elements=1, large=False)
    paths = {path for value in values for path, _ in leaves(LAYOUT.root, value)}
    assert not any(path.endswith(TAGS) for path in paths)
    counts = {len(value.get("topics") or ()) for value in values}
    assert counts == {0, 1, 126, 127, 128}
    codec = interpret_layout(LAYOUT)
    assert max(map(codec.size, values)) < 2**20


def test_max_elements_must_be_positive() -> None:
    """An array without room is a mistake of the caller's."""
    with pytest.raises(ValueError, match="at least 1"):
        from_layout(LAYOUT, max_elements=0)


def test_more_elements_give_up_nothing_but_tape() -> None:
    """A wide array is drawn up to the number asked for."""
    layout = kitchen_sink.message('{"name": "A", "type": "[]S", "versions": "0+", "fields": ['
        '{"name": "B", "type": "int8", "versions": "0+"}]}')  # fmt: skip
    counts = {len(value.get("a", ())) for value in collect(layout, max_elements=9)}
    assert set(range(10)) <= counts


def test_deep_messages_keep_a_short_tape() -> None:
    """A message with many fields at every level gives up elements before the tape gets long."""
    inner = ", ".join(f'{{"name": "F{i}", "type": "int8", "versions": "0+"}}' for i in range(30))
    for depth in "DCBA":
        inner = f'{{"name": "{depth}s", "type": "[]{depth}", "versions": "0+", "fields": [{inner}]}}'
    layout = kitchen_sink.message(inner)
    plan = InstancePlan(layout)
    assert plan.tape_bytes < 300
    deepest = plan.build(b"\x01" * plan.tape_bytes)["as"][0]["bs"][0]["cs"][0]["ds"][0]
    assert len(deepest) > 30
