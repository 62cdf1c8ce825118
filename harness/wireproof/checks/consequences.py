"""Which divergences of a case follow from another one: they are no cause of their own."""

from collections.abc import Sequence
from typing import Final

from wireproof.checks.catalogue import Check
from wireproof.model import Divergence

__all__ = ["follows", "leading"]

_ANYWHERE: Final = frozenset(
    {
        (Check.BYTES, Check.ORACLE_READS),
        (Check.BYTES, Check.ROUND_TRIP),
        (Check.LABEL, Check.ORACLE_READS),
    }
)
"""Where the codec wrote other bytes than Kafka, what is read in them says nothing more, at any field. How it
reads is held by Kafka's own bytes, of which it is then asked, too."""


def follows(divergence: Divergence, first: Divergence) -> bool:
    """Whether a divergence follows from another one of the same case."""
    if divergence.subject != first.subject:
        return False
    return (first.check, divergence.check) in _ANYWHERE


def leading(divergences: Sequence[Divergence]) -> list[Divergence]:
    """Those of a case that follow from no other."""
    return [each for each in divergences if not any(follows(each, first) for first in divergences)]
