"""The sums over all verdicts on mutants of testees."""

from dataclasses import dataclass
from typing import Final

from wireproof.power import VerdictSummary
from wireproof.power.testees.verdicts import (
    KilledVerdict,
    LostVerdict,
    MaskedVerdict,
    MutantVerdict,
    SurvivedVerdict,
)

__all__ = ["GOAL", "MutationSummary"]

GOAL: Final = 0.97
"""The least share of killed mutants, of those that the plan reaches and that change an answer."""


@dataclass(slots=True)
class MutationSummary(VerdictSummary[MutantVerdict]):
    """The summary of the mutants of testees: the plan has to kill `GOAL` of them, and a ledger masks none."""

    def of(self, testee: str) -> "MutationSummary":
        """The summary of one testee."""
        own = [each for each in self.verdicts if each.mutant.testee == testee]
        return MutationSummary(len(own), own)

    @property
    def testees(self) -> list[str]:
        """The names of the testees, in the order of the verdicts."""
        return list(dict.fromkeys(each.mutant.testee for each in self.verdicts))

    @property
    def killed(self) -> list[KilledVerdict]:
        return [each for each in self.verdicts if isinstance(each, KilledVerdict)]

    @property
    def effective(self) -> int:
        """The number of mutants that changed an answer: killed, masked or survived."""
        return self.count(KilledVerdict, MaskedVerdict, SurvivedVerdict)

    @property
    def score(self) -> float | None:
        """The share of the effective mutants that was killed; None if there is none."""
        return len(self.killed) / self.effective if self.effective else None

    @property
    def lost(self) -> bool:
        return self.count(LostVerdict) > 0

    @property
    def nothing_ran(self) -> bool:
        """True if the run judged no mutant, or none that changed an answer."""
        return self.selected == 0 or self.effective == 0

    @property
    def missed(self) -> bool:
        return self.count(MaskedVerdict) > 0 or (self.score or 0.0) < GOAL
