"""The proven values that the script of states uses."""

import pytest

from tests.support.environments import small_environment
from tests.support.schemas import kitchen_sink
from tests.wireproof.proof.run.properties import forgetful_codecs
from wireproof.model.cell import Case, Cell, Phase
from wireproof.proof.run.core.cell_events import FailedCase
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.prepared_cases import PreparedCase, prepare
from wireproof.proof.run.engine.engine import Engine
from wireproof.proof.run.properties.call_states import MANY_ELEMENTS, ScriptedValues, Trait, traits_of
from wireproof.proof.strategies.cases.scenarios import scenarios

LAYOUT = kitchen_sink.layout(2)
CELL = Cell("1.0.0", "clients", LAYOUT.name, 2)


@pytest.fixture(scope="module")
def items() -> list[PreparedCase]:
    """Return every boundary case of the kitchen sink."""
    cases = (Case(CELL, Phase.ENUMERATED, each.name, each.value) for each in scenarios(LAYOUT))
    return [prepare(LAYOUT, case) for case in cases]


def chosen(items: list[PreparedCase], deviating: tuple[str, ...] = ()) -> list[PreparedCase]:
    scripted = ScriptedValues(LAYOUT)
    scripted.note(items)
    return scripted.chosen(lambda name: name.endswith(deviating) if deviating else False)


def held(items: list[PreparedCase]) -> set[Trait]:
    return {trait for item in items for trait in traits_of(LAYOUT.root, item.case.value)}


def test_the_least_and_the_fullest_instance_come_first(items: list[PreparedCase]):
    """Both are chosen if they are proven; other values follow only for a trait that these two lack."""
    names = [item.case.name for item in chosen(items)]
    assert names[:2] == ["message/default", "message/fullest"]
    assert held(chosen(items)) == set(Trait)


@pytest.mark.parametrize(
    ("deviating", "fullest"),
    [
        (("message/fullest",), "message/fullest-known"),
        (("message/default", "message/fullest", "-known"), None),
    ],
)
def test_the_fullest_proven_value_replaces_an_unproven_fullest_instance(
    items: list[PreparedCase], deviating: tuple[str, ...], fullest: str | None
):
    """The values are ranked by the classes that they cover; the script still has nulls, arrays and tags."""
    found = chosen(items, deviating)
    assert not [item for item in found if item.case.name.endswith(deviating)]
    assert fullest in (None, found[1].case.name)
    assert held(found) == set(Trait)


def test_without_a_proven_value_the_script_is_empty(items: list[PreparedCase]):
    """A trait that no proven value has is not missed."""
    assert chosen([]) == []
    (least,) = (item for item in items if item.case.name == "message/sparse")
    assert chosen([least]) == [least]


def test_values_with_many_elements_are_excluded(items: list[PreparedCase]):
    """Values with many elements are too large for a request at each byte."""
    scripted = ScriptedValues(LAYOUT)
    scripted.note(items)
    assert scripted.many is not None
    assert len(scripted.many.expected) > 65536
    assert MANY_ELEMENTS not in {item.case.name for item in scripted.proven}


def test_a_fault_beside_an_excused_fullest_instance_is_found():
    """The codec loses tags, so the fullest instance is not proven; the script still has an array."""
    cell = small_environment.cell("PingRequest", 2)
    options = RunOptions(phases=(Phase.ENUMERATED,), shrink_s=0)
    make = small_environment.make(wrong=forgetful_codecs.TagsLostAndHopsGuessed)
    failed = [each for each in Engine(make, options).run([cell]) if isinstance(each, FailedCase)]
    checks = {divergence.check for each in failed for divergence in each.divergences}
    fullest = {
        divergence.check for each in failed if "fullest" in each.case_id for divergence in each.divergences
    }
    assert "bytes" in fullest
    assert "cut" in checks
