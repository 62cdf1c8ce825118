"""Instances of layouts: boundary cases enumerated, and Hypothesis strategies.

`from_layout` is looked up lazily: the enumerated part does not import Hypothesis.
"""

from typing import TYPE_CHECKING, Any

from wireproof.strategies._refused import refused_values
from wireproof.strategies._scenarios import Scenario, scenarios
from wireproof.strategies.census import actual_counts, census_mismatches, expected_counts

if TYPE_CHECKING:
    from wireproof.strategies._hypothesis import from_layout

__all__ = [
    "Scenario",
    "actual_counts",
    "census_mismatches",
    "expected_counts",
    "from_layout",
    "refused_values",
    "scenarios",
]


def __getattr__(name: str) -> Any:
    if name == "from_layout":
        from wireproof.strategies._hypothesis import from_layout

        return from_layout
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
