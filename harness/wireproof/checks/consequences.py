"""Which divergences of a case follow from another one: they are no cause of their own."""

from collections.abc import Sequence
from typing import Final

from wireproof.checks.catalogue import Check
from wireproof.model import Divergence
from wireproof.model.verdict import TAGS_TYPE, without_indices

__all__ = ["follows", "leading"]

_ANYWHERE: Final = frozenset(
    {
        (Check.BYTES, Check.ORACLE_READS),
        (Check.LABEL, Check.ORACLE_READS),
        (Check.FRAME_BYTES, Check.FRAME_DECODE),
    }
)
"""Where the codec wrote other bytes than Kafka, what is read in them says nothing more, at any field."""


def follows(divergence: Divergence, first: Divergence) -> bool:
    """Whether a divergence follows from another one of the same case."""
    if divergence.subject != first.subject:
        return False
    if (first.check, divergence.check) in _ANYWHERE:
        return True
    same_field = without_indices(divergence.path) == without_indices(first.path)
    # Bytes tell the first tags that differ on the wire, values the first in the layout.
    same_field |= divergence.field_type == first.field_type == TAGS_TYPE
    return same_field and (first.check, divergence.check) == (Check.BYTES, Check.ROUND_TRIP)


def leading(divergences: Sequence[Divergence]) -> list[Divergence]:
    """Those of a case that follow from no other."""
    return [each for each in divergences if not any(follows(each, first) for first in divergences)]
