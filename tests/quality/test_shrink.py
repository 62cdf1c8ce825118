"""The strategies shrink: what Hypothesis hands back shows the fault and nothing else."""

from typing import Any

import pytest
from hypothesis import Phase, find, settings

from tests.quality.shrink_facts import EMPTY, FACTS, LAYOUT, Fact, in_schema_order
from wireproof.proof.strategies.drawing.hypothesis_instances import from_layout
from wireproof.proof.strategies.values.boundary_values import blob, text


def smallest(fact: Fact) -> Any:
    """The instance that Hypothesis ends at."""
    return find(
        from_layout(LAYOUT),
        fact,
        settings=settings(
            max_examples=20_000, derandomize=True, database=None, phases=[Phase.generate, Phase.shrink]
        ),
    )


@pytest.mark.parametrize(("fact", "expected"), FACTS)
def test_shrinks_to(fact: Fact, expected: dict[str, Any]) -> None:
    """Hypothesis ends at the fault alone: everything else is at its default and left out."""
    assert repr(smallest(fact)) == repr(in_schema_order({**EMPTY, **expected}))


def test_the_failing_element_alone_is_left() -> None:
    """Elements before and after the one at fault go away."""
    found = smallest(lambda value: any(node.get("host") == text(126) for node in value.get("nodes", ())[1:]))
    assert found == {**EMPTY, "nodes": [{}, {"host": text(126)}]}
    found = smallest(lambda value: any(node.get("host") == text(126) for node in value.get("nodes", ())))
    assert found == {**EMPTY, "nodes": [{"host": text(126)}]}


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
def test_a_large_message_is_large_in_one_field() -> None:
    """A message of a mebibyte has it in one field, and nothing besides."""
    assert smallest(lambda value: len(value.get("blob", b"")) > 2**19) == {**EMPTY, "blob": blob(2**20)}
