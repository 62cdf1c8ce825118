"""Dataclasses as JSON and back."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import pytest

from wireproof.base.text.typed_json import ClassRule, TypedJson


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Inner:
    some_number: int


@dataclass(frozen=True)
class Outer:
    name: str
    inner: Inner
    parts: tuple[Inner, ...] = ()
    pair: tuple[int, str] = (0, "")
    colours: Mapping[Colour, float] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    note: str = ""
    some: bool | None = None


JSON = TypedJson({Outer: ClassRule(keys={"name": "called"}, brief=("note",))}, inline=(Inner,))
FULL = Outer("a", Inner(1), (Inner(2),), (3, "x"), {Colour.RED: 0.5}, frozenset("ba"), "n", True)


def test_an_object_is_read_as_it_was_written():
    """Keys are in camelCase or as the rule says, sets are in order, an inline object has no member."""
    written = json.loads(json.dumps(JSON.write(FULL)))

    assert JSON.read(Outer, written) == FULL
    assert written == {
        "called": "a", "someNumber": 1, "parts": [{"someNumber": 2}], "pair": [3, "x"],
        "colours": {"red": 0.5}, "names": ["a", "b"], "note": "n", "some": True,
    }  # fmt: skip
    assert "note" not in JSON.write(Outer("a", Inner(1)))


def test_a_member_with_a_default_may_be_missing():
    """A member without one may not."""
    assert JSON.read(Outer, {"called": "a", "someNumber": 1}) == Outer("a", Inner(1))
    with pytest.raises(ValueError, match="called is missing"):
        JSON.read(Outer, {"someNumber": 1})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("called", 1), ("called", None), ("someNumber", True), ("someNumber", 1.5), ("someNumber", 1 << 63),
        ("parts", "ab"), ("parts", [3]), ("pair", [1]), ("pair", "1x"),
        ("colours", {"blue": 1.0}), ("colours", []), ("colours", {"red": math.inf}),
        ("names", [1]), ("some", 1),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_refused(key: str, value: Any):
    """Nothing that is read has a field of another type than its annotation says."""
    with pytest.raises((AttributeError, TypeError, ValueError)):
        JSON.read(Outer, {"called": "a", "someNumber": 1, key: value})
