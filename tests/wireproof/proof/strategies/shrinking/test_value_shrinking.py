"""The structural shrinker: its budget, the parts that it keeps, and its steps for each kind of field."""

import copy
import random
from typing import Any

from kafkawire.schema import read_message, resolve
from kafkawire.values import TAGS
from tests.support.schemas import kitchen_sink
from wireproof.proof.strategies.drawing.bulk_blocks import bulk_block
from wireproof.proof.strategies.shrinking.value_shrinking import shrink

LAYOUT = kitchen_sink.layout(2)
EMPTY = {"snapshot": b""}


def test_the_value_given_is_not_changed() -> None:
    """Instances share parts, so no value may be changed in place."""
    for value in bulk_block(LAYOUT, 0, 2)[::32]:
        before = copy.deepcopy(value)
        shrink(LAYOUT, value, lambda candidate: "topics" in candidate or not candidate, budget_s=30)
        assert repr(value) == repr(before)


def test_a_value_that_cannot_be_smaller_is_returned() -> None:
    """The same object is returned, so that the caller sees that nothing was found."""
    value = {**EMPTY, "tiny": 5}
    assert shrink(LAYOUT, value, lambda candidate: candidate == value, budget_s=30) is value


def test_the_budget_ends_the_search_with_the_smallest_value() -> None:
    """With a clock that jumps there are three attempts, and the last failing value is kept."""
    times = iter(range(1000))
    tried: list[dict[str, Any]] = []

    def fails(candidate: dict[str, Any]) -> bool:
        tried.append(candidate)
        return "tiny" in candidate

    value = {**EMPTY, "flag": True, "tiny": 5, "port": 80}
    smallest = shrink(LAYOUT, value, fails, budget_s=4, clock=lambda: float(next(times)))
    assert len(tried) == 3
    assert smallest == {**EMPTY, "tiny": 5}
    assert shrink(LAYOUT, value, fails, budget_s=0) is value


def test_a_flaky_fault_may_come_back_in_empty_bytes() -> None:
    """The empty bytes are right when they are tried first, and wrong when they are tried again."""
    for seed in range(300):
        answers = iter(random.Random(seed).choices((True, False), (3, 7), k=1000))
        shrink(LAYOUT, {"snapshot": b"abc"}, lambda _, answers=answers: next(answers), budget_s=30)  # type: ignore[misc]


def test_shrinking_is_deterministic() -> None:
    """There is no randomness: two runs have the same attempts and the same result."""

    def attempts(value: dict[str, Any]) -> list[str]:
        tried: list[str] = []

        def fails(candidate: dict[str, Any]) -> bool:
            tried.append(repr(candidate))
            return len(candidate) > 3

        shrink(LAYOUT, value, fails, budget_s=30)
        return tried

    (value,) = bulk_block(LAYOUT, 4, 1)[40:41]
    assert attempts(value) == attempts(value)


def test_fields_of_other_versions_are_only_dropped() -> None:
    """A key that this version lacks is dropped if the fault does not need it; otherwise it stays."""
    older = kitchen_sink.layout(0)
    value = {**EMPTY, "keys": [], "later": 7, "port": 9}
    assert shrink(older, value, lambda candidate: "later" in candidate, budget_s=30) == {**EMPTY, "later": 7}


def test_unknown_tags_are_dropped_cut_and_renumbered() -> None:
    """Two tags are left, at the lowest numbers that the struct does not define."""
    value = {**EMPTY, TAGS: {9: b"abc", 500: bytes(300), 2**31 - 2: b"x"}}

    def two(candidate: dict[str, Any]) -> bool:
        tags = candidate.get(TAGS, {})
        return len(tags) == 2 and max(map(len, tags.values())) >= 200

    assert shrink(LAYOUT, value, two, budget_s=30) == {**EMPTY, TAGS: {6: bytes(200), 7: b""}}


def test_equal_values_in_several_elements_get_smaller_together() -> None:
    """Two elements have one name: neither can change alone."""
    value = {**EMPTY, "nodes": [{"host": "some.example", "id": 4}, {"host": "some.example", "id": 9}]}

    def same_host(candidate: dict[str, Any]) -> bool:
        hosts = [node.get("host", "") for node in candidate.get("nodes", ())]
        return len(hosts) == 2 and hosts[0] == hosts[1] != ""

    expected = [{"host": "a"}, {"host": "a", "id": 1}]  # the id is the key, and keys stay distinct
    assert shrink(LAYOUT, value, same_host, budget_s=30) == {**EMPTY, "nodes": expected}


def test_a_text_whose_length_matters_becomes_ascii() -> None:
    """If only the number of bytes matters, characters of two bytes are replaced."""
    value = {**EMPTY, "name": "é" * 63 + "x"}

    def has_127_bytes(candidate: dict[str, Any]) -> bool:
        return len(candidate.get("name", "").encode()) == 127

    assert shrink(LAYOUT, value, has_127_bytes, budget_s=30) == {**EMPTY, "name": "a" * 127}


def test_distinct_keys_stay_distinct() -> None:
    """Elements of a keyed array do not become equal: with equal keys Kafka's collections slow down."""
    spec, _ = read_message(
        """{
          "type": "data", "name": "Keyed", "validVersions": "0",
          "fields": [
            { "name": "Topics", "type": "[]Topic", "versions": "0+", "fields": [
              { "name": "Name", "type": "string", "versions": "0+", "mapKey": true },
              { "name": "Id", "type": "int32", "versions": "0+" }
            ] }
          ]
        }""",
        "Keyed",
    )
    assert spec is not None
    layout = resolve(spec, 0)
    tried: list[list[str]] = []

    def fails(candidate: dict[str, Any]) -> bool:
        tried.append([topic.get("name", "") for topic in candidate.get("topics", ())])
        return len(tried[-1]) >= 2

    distinct = {"topics": [{"name": name, "id": 5} for name in ("one", "two", "three")]}
    smallest = shrink(layout, distinct, fails, budget_s=30)
    assert all(len(set(names)) == len(names) for names in tried)
    assert len(smallest["topics"]) == 2
    assert all("id" not in topic for topic in smallest["topics"])

    tried.clear()
    equal = {"topics": [{"name": "same", "id": 5}] * 3}
    assert shrink(layout, equal, fails, budget_s=30) == {"topics": [{}, {}]}
