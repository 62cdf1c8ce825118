"""The random phase: Hypothesis as a search for an instance that is not proven.

The instance is told as it was found; only then is it made small, within a budget of seconds.
"""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as with_seed
from hypothesis.errors import Flaky, HypothesisWarning
from hypothesis.strategies import SearchStrategy

from wireproof.model import SearchResult

__all__ = ["search"]


class _NotProvenError(Exception):
    """Tells Hypothesis that an instance is a counterexample."""


class _BudgetSpent(BaseException):
    """Ends Hypothesis's shrinking once its seconds are spent."""


@dataclass(slots=True)
class _Search:
    """The test body, and what it has seen.

    Attributes:
        most: instances to judge while none fails.
        examples: instances judged up to the first failure.
        smallest: Hypothesis tries smaller and smaller instances; the last failing one is the smallest.
    """

    judge: Callable[[Any], bool]
    found: Callable[[Any], None]
    shrink_s: float
    most: int
    examples: int = 0
    first: Any | None = None
    smallest: Any | None = None
    _deadline: float = 0.0

    def __call__(self, values: Sequence[Any]) -> None:
        for value in values:
            self._try(value)

    def _try(self, value: Any) -> None:
        if self.first is None:
            if self.examples >= self.most:
                return
            self.examples += 1
        elif time.monotonic() > self._deadline:
            raise _BudgetSpent
        if self.judge(value):
            return
        if self.first is None:
            self.first = value
            self._deadline = time.monotonic() + self.shrink_s
            self.found(value)
        elif self.smallest is None or len(repr(value)) <= len(repr(self.smallest)):
            self.smallest = value
        raise _NotProvenError


def search(
    groups: SearchStrategy[Sequence[Any]],
    judge: Callable[[Any], bool],
    *,
    size: int = 1,
    examples: int,
    seed: int,
    shrink_s: float,
    found: Callable[[Any], None],
) -> SearchResult:
    """Judge up to `examples` instances; see `wireproof.model.CaseSource.search`.

    Args:
        groups: draws instances several at a time, which are judged in order.
        size: how many at a time.
    """
    body = _Search(judge, found, shrink_s, examples)
    test = settings(
        max_examples=ceil(examples / size) + (size > 1),  # the first group is the empty instance alone
        phases=(Phase.generate, Phase.shrink),
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )(with_seed(seed)(given(groups)(_as_test(body))))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HypothesisWarning)
            test()
    except (_NotProvenError, _BudgetSpent, Flaky):
        pass  # what matters is in the body; a flaky judge is a finding all the same
    return SearchResult(body.examples, body.first, body.smallest)


def _as_test(body: _Search) -> Callable[[Any], None]:
    """Hypothesis reads the signature of a plain function."""

    def prove(value: Any) -> None:
        body(value)

    return prove
