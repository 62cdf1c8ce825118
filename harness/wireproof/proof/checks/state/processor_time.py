"""Judgement of processor time: it must not grow faster than the number of elements."""

from dataclasses import dataclass
from typing import Final

from wireproof.model.adapter import Reply
from wireproof.model.case_source import ElementCollection
from wireproof.model.divergence import Divergence
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.divergences import wrong_reply

TIMES_ELEMENTS: Final = 4
"""The large input has this many times the elements of the small one."""
_SUSPECT: Final = 4.6
"""A ratio above which the time is measured again: linear time gives at most 4, quadratic time 16."""
_EXCESSIVE: Final = 8.0
_LEAST_S: Final = 0.1
"""Less processor time for a large input is never a finding: part of it may be garbage collection."""


@dataclass(frozen=True, slots=True)
class ProcessorCost:
    """The cost of a small and of a large input.

    Attributes:
        elements: the elements of the small input; the large one has `TIMES_ELEMENTS` times as many.
        small_s, large_s: the least processor time of several measurements.
    """

    elements: int
    small_s: float
    large_s: float

    @property
    def times(self) -> float:
        """The time of the large input divided by that of the small one."""
        return self.large_s / self.small_s if self.small_s > 0 else 0.0


def is_suspect(cost: ProcessorCost) -> bool:
    """Return whether the cost has to be measured again, with more elements."""
    return cost.times >= _SUSPECT


def is_excessive(cost: ProcessorCost) -> bool:
    """Return whether the cost certainly grows faster than the number of elements."""
    return cost.times >= _EXCESSIVE and cost.large_s >= _LEAST_S


def judge_growth(
    subject: str, collection: ElementCollection, field: str, way: CodecDirection, cost: ProcessorCost
) -> Divergence | None:
    """Return a divergence if the cost is excessive.

    Args:
        cost: measured in a fresh process, after a warm-up.
    """
    if not is_excessive(cost):
        return None
    more = f"{TIMES_ELEMENTS} times the {collection.kind}"
    small = _words(cost.elements, cost.small_s)
    large = _words(TIMES_ELEMENTS * cost.elements, cost.large_s)
    return Divergence(
        Check.GROWTH,
        subject,
        f"to {way} {more} takes {cost.times:.0f} times the processor time",
        collection.path,
        field,
        codec=f"{small}; {large}",
        oracle=f"{TIMES_ELEMENTS} times the processor time",
        kind=f"faster-than-linear:{way}",
    )


def judge_unanswered(
    subject: str, collection: ElementCollection, field: str, elements: int, reply: Reply
) -> Divergence:
    """Return the divergence of a large input that gets no answer, although a small one does.

    Args:
        elements: the number of elements of the large input.
    """
    summary = f"{elements} {collection.kind} are not answered, {elements // TIMES_ELEMENTS} are"
    path = collection.path
    return wrong_reply(Check.GROWTH, subject, summary, reply, "answers", path=path, field=field)


def _words(elements: int, seconds: float) -> str:
    return f"{elements}: {seconds * 1000:.1f} ms"
