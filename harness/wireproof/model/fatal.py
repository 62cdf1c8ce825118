"""The questions that end a codec's process: what is skipped because of them, and the time that they may take.

A question that hangs a codec, or ends its process, is asked twice before it is convicted. Others that do the
same to the same place would cost as much again. They are skipped, under the name of the one that was
reported; everything else is asked.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

__all__ = ["HANG", "HANG_BUDGET_S", "NOT_ALONE", "CodecEnd", "FatalSites", "HangBudget", "MutationSite"]

HANG: Final = "hang"
NOT_ALONE: Final = "though no question does it alone"
"""Words about a codec that ends again and again, at no question that ends a fresh process."""
"""How a codec ended that gave no answer in time."""
HANG_BUDGET_S: Final = 60.0
"""Seconds of a run that may be spent on questions without an answer, over all processes."""
_WIDESPREAD: Final = {HANG: 3}
_WIDESPREAD_DEATHS: Final = 12
"""Places of one kind at which an operator ends the codec before it is skipped at every place of that kind: a
hang costs seconds, a death only a start."""
_MOST_UNPLACED: Final = 6
"""Questions without a site that may end the codec in a cell; the rest of them is not asked."""
_MANY_UNPLACED: Final = 60
"""Once so many ended it in its whole life, the first one in each cell is enough."""


@dataclass(frozen=True, slots=True)
class MutationSite:
    """What was done to malformed bytes, and where.

    Attributes:
        operator: such as ``count-negative``.
        path: the field, without indices; ``""`` is the message.
        kind: the kind of place: the field's type, which is read alike wherever it is.
        name: of the case in its cell: ``PHASE/NAME``.
    """

    operator: str
    path: str
    kind: str
    name: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.operator} at {self.path or 'the message'}"


@dataclass(frozen=True, slots=True)
class CodecEnd:
    """A question that ended a codec's process or hung it, as soon as that is certain.

    Attributes:
        subject: the codec.
        error: ``hang``, ``process`` or ``protocol``.
        words: how.
        case: ``PHASE/NAME`` in its cell; empty where the question has no site.
        site: what was done and where, in words; likewise.
        left_s: seconds that this process may still spend on hangs.
    """

    subject: str
    error: str
    words: str
    case: str
    site: str
    left_s: float


class HangBudget:
    """The seconds that one process of a run may spend on hangs, and whom to notify of each.

    Args:
        total_s: processor time; of a codec that sleeps, the time that was waited for it.
    """

    def __init__(self, total_s: float = HANG_BUDGET_S) -> None:
        self.total_s = total_s
        self.spent_s = 0.0
        self.cell = ""
        self.notify: Callable[[CodecEnd], None] = _nobody

    @property
    def left_s(self) -> float:
        return max(0.0, self.total_s - self.spent_s)

    def spend(self, seconds: float) -> None:
        """Charge one attempt that had no answer in time."""
        self.spent_s += seconds


def _nobody(_: CodecEnd) -> None:
    """Nobody wants to know."""


class FatalSites:
    """The sites at which one codec ended, in this cell and ever.

    Args:
        subject: the codec.
        budget: shared by all codecs of this process.
    """

    def __init__(self, subject: str, budget: HangBudget | None = None) -> None:
        self.subject = subject
        self.budget = HangBudget() if budget is None else budget
        self._here: dict[tuple[str, str, str], str] = {}
        self._places: dict[tuple[str, str, str], set[tuple[str, str]]] = {}
        self._everywhere: dict[tuple[str, str], str] = {}
        self._unplaced = 0
        self._all_unplaced = 0

    def forgive(self) -> None:
        """Forget how often questions without a site ended it: another subject begins."""
        self._unplaced = 0

    def add(self, site: MutationSite | None, error: str, words: str) -> None:
        """A question was convicted: keep its site, and notify of it."""
        if site is None:
            self._unplaced += 1
            self._all_unplaced += 1
        else:
            self._keep(site, error)
        case, place = ("", "") if site is None else (site.name, str(site))
        left_s = self.budget.left_s
        self.budget.notify(CodecEnd(self.subject, error, words, case, place, left_s))

    def _keep(self, site: MutationSite, error: str) -> None:
        name = f"{self.budget.cell}/{site.name}" if self.budget.cell else site.name
        self._here.setdefault((self.budget.cell, site.operator, site.path), name)
        places = self._places.setdefault((error, site.operator, site.kind), set())
        places.add((self.budget.cell, site.path))
        if len(places) >= _WIDESPREAD.get(error, _WIDESPREAD_DEATHS):
            self._everywhere.setdefault((site.operator, site.kind), name)

    def same_as(self, site: MutationSite | None) -> str:
        """The case that ended the codec for the same cause; empty where none is known."""
        if site is None:
            return ""
        here = self._here.get((self.budget.cell, site.operator, site.path), "")
        return here or self._everywhere.get((site.operator, site.kind), "")

    def had_enough(self, site: MutationSite | None, verdict_s: float = 0.0) -> str:
        """Why a question is not asked though no such cause is known; empty where it may be.

        Args:
            verdict_s: what it takes to convict a question that hangs.
        """
        if self.budget.spent_s and self.budget.left_s < verdict_s:
            return f"not asked: {self.budget.spent_s:.0f} s of this run were spent on hangs"
        most = _MOST_UNPLACED if self._all_unplaced < _MANY_UNPLACED else 1
        if site is None and self._unplaced >= most:
            here, ever = _times(self._unplaced), _times(self._all_unplaced)
            return f"not asked: it ended {here} in this cell, and {ever} in this run"
        return ""


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
