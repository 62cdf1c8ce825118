"""The source of the choices from which a schema is drawn: a seeded generator, or Hypothesis.

Every choice is a number below a bound, and 0 is the plainest choice. So one drawing procedure serves both:
the seeded source draws thousands of schemas a second, and Hypothesis shrinks its schemas to the plainest
schema.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Protocol, TypeVar

_T = TypeVar("_T")


class Choices(Protocol):
    """A source of choices."""

    def below(self, count: int) -> int:
        """A number from 0 to `count` - 1."""

    def group(self, make: Callable[[], _T]) -> _T:
        """Call `make`, and mark its choices as one part, which a shrinker may remove."""


class SeededChoices:
    """Choices by a seed and a number: the same pair gives the same choices in every process."""

    def __init__(self, seed: int, number: int) -> None:
        self._random = Random(f"{seed}/{number}").random

    def below(self, count: int) -> int:
        return int(self._random() * count)

    def group(self, make: Callable[[], _T]) -> _T:
        return make()


def chance(choices: Choices, percent: int) -> bool:
    """True in about `percent` of 100 draws; False is the plainest."""
    return choices.below(100) >= 100 - percent


def pick(choices: Choices, items: Sequence[_T]) -> _T:
    """One of the items; the first is the plainest."""
    return items[choices.below(len(items))]


def shuffled(choices: Choices, items: Sequence[_T]) -> list[_T]:
    """The items in any order; their own order is the plainest."""
    rest, result = list(items), []
    while len(rest) > 1:
        result.append(rest.pop(choices.below(len(rest))))
    return result + rest
