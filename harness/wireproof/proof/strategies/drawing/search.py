"""The random phase: Hypothesis searches for an instance that fails.

`search` reports the instance as Hypothesis found it. Then Hypothesis shrinks it within a budget of seconds.
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

from wireproof.model.case_source import SearchResult


class _NotProvenError(Exception):
    """Marks an instance as a counterexample for Hypothesis."""


class _BudgetSpent(BaseException):
    """Ends Hypothesis's shrinking when the budget is spent."""


@dataclass(slots=True)
class _Search:
    """The body of the Hypothesis test. It records what happens.

    Attributes:
        most: the number of instances to judge if none fails.
        examples: the number of instances judged, up to and with the first failure.
        first: the first instance that failed.
        smallest: the smallest instance that failed while Hypothesis was shrinking.
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
    """Judge up to `examples` instances; see `wireproof.model.case_source.CaseSource.search`.

    Args:
        groups: draws groups of instances. The instances of a group are judged in order.
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
        pass  # the body has the result; the failure of a flaky judge is a finding, too
    return SearchResult(body.examples, body.first, body.smallest)


def _as_test(body: _Search) -> Callable[[Any], None]:
    """Wrap the body in a plain function, whose signature Hypothesis can read."""

    def prove(value: Any) -> None:
        body(value)

    return prove
