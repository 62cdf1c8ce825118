"""The phases that make a check, and those that try the same cases in every run."""

from collections.abc import Iterable
from typing import Final

from wireproof.model import Phase
from wireproof.proof.checks import ROWS, Check

__all__ = ["MEASURED", "phases_of", "steady"]

MEASURED: Final = frozenset(check for check in Check if check.row.is_measured)
"""Checks that measure, and not in every cell: one run may miss what another finds."""

_BY_CHANCE: Final = frozenset({Phase.ORACLE, Phase.RANDOM, Phase.BULK})
"""Phases whose cases follow from a seed and a number: another run may miss what one run finds."""


def phases_of(check: str) -> tuple[Phase, ...]:
    """Return the phases that make a check."""
    return ROWS[check].phases


def steady(phases: Iterable[Phase]) -> frozenset[Phase]:
    """Return those that try the same cases in every run."""
    return frozenset(phases) - _BY_CHANCE
