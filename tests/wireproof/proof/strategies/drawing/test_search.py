"""The random phase: Hypothesis draws several instances in one example, and each is judged separately."""

from typing import Any

from kafkawire.canonical import canonical
from tests.support.schemas import kitchen_sink
from wireproof.proof.strategies.layout_source import LayoutSource

LAYOUT = kitchen_sink.layout(2)
FORM = canonical(LAYOUT)
EMPTY = FORM.to_binary({"snapshot": b""})
"""All bytes drawn are 0."""
SOURCE = LayoutSource(lambda cell: "")


def searched(
    fails: Any, *, examples: int = 60, seed: int = 7, shrink_s: float = 5.0
) -> tuple[Any, list[bytes]]:
    """Return the result of a search, and the instances that were judged up to the first failure."""
    judged: list[bytes] = []
    found: list[dict[str, Any]] = []

    def judge(value: dict[str, Any]) -> bool:
        if not found:
            judged.append(FORM.to_binary(value))
        return not fails(value)

    result = SOURCE.search(LAYOUT, judge, examples=examples, seed=seed, shrink_s=5.0, found=found.append)
    return result, judged


def test_the_requested_number_of_instances_is_judged() -> None:
    """The size of a group does not matter; the first group is empty, and few instances occur twice."""
    for examples in (1, 7, 60):
        result, judged = searched(lambda value: False, examples=examples)
        assert result.examples == len(judged) == examples
        assert len(set(judged)) > 0.8 * examples
    assert judged[0] == EMPTY


def test_the_same_seed_draws_the_same_instances() -> None:
    """Another seed draws other instances."""
    assert searched(lambda value: False)[1] == searched(lambda value: False)[1]
    assert searched(lambda value: False)[1] != searched(lambda value: False, seed=8)[1]


def test_a_failing_instance_is_made_smaller() -> None:
    """The search ends at it, and Hypothesis lowers its bytes, towards the defaults."""
    empty = FORM.from_binary(EMPTY)
    name = next(field.name for field in LAYOUT.root.fields if empty[field.name] == 0)
    result, judged = searched(lambda value: value.get(name, 0) != 0)
    assert result.first is not None
    assert result.examples == len(judged) < 60
    assert result.smallest is not None
    assert result.smallest[name] != 0
    assert len(FORM.to_binary(result.smallest)) <= len(FORM.to_binary(result.first))
