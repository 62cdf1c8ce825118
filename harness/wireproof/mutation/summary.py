"""What all verdicts on mutants of testees come to."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from wireproof.mutation.verdicts import Killed, Lost, Masked, Survived, Verdict
from wireproof.run import ExitCode

__all__ = ["GOAL", "MutationSummary"]

GOAL: Final = 0.97
"""Of the mutants that the plan reaches and that change an answer, so many have to be killed."""


@dataclass(slots=True)
class MutationSummary:
    """Counts verdicts. Mutable: they are added as they come.

    Attributes:
        selected: how many mutants were to be judged.
    """

    selected: int
    verdicts: list[Verdict] = field(default_factory=list)
    broken: ExitCode | None = None
    interrupted: bool = False

    def add(self, verdict: Verdict) -> None:
        """Count a verdict."""
        self.verdicts.append(verdict)

    def of(self, testee: str) -> "MutationSummary":
        """The same of one testee."""
        own = [each for each in self.verdicts if each.mutant.testee == testee]
        return MutationSummary(len(own), own)

    @property
    def testees(self) -> list[str]:
        """Their names, in the order of the verdicts."""
        return list(dict.fromkeys(each.mutant.testee for each in self.verdicts))

    def count(self, kind: type[Verdict]) -> int:
        """How many verdicts are of a kind."""
        return sum(isinstance(each, kind) for each in self.verdicts)

    @property
    def killed(self) -> list[Killed]:
        return [each for each in self.verdicts if isinstance(each, Killed)]

    @property
    def effective(self) -> int:
        """The mutants that changed an answer: killed, masked or survived."""
        return sum(isinstance(each, Killed | Masked | Survived) for each in self.verdicts)

    @property
    def score(self) -> float | None:
        """The part of the effective mutants that was killed; None where there is none."""
        return len(self.killed) / self.effective if self.effective else None

    @property
    def median_cases(self) -> float | None:
        """Of the cases to detection."""
        return median(each.cases for each in self.killed) if self.killed else None

    @property
    def median_seconds(self) -> float | None:
        """Of the seconds to detection."""
        return median(each.duration_s for each in self.killed) if self.killed else None

    @property
    def exit_code(self) -> ExitCode:
        """The first that applies: 130, 4, 5, 3, 1, 7."""
        return next((code for holds, code in self._applies() if holds), ExitCode.PROVEN)

    def _applies(self) -> Iterator[tuple[bool, ExitCode]]:
        missed = self.count(Survived) + self.count(Masked)
        yield self.interrupted, ExitCode.INTERRUPTED
        yield self.broken is not None, self.broken or ExitCode.BROKEN
        yield self.count(Lost) > 0, ExitCode.BROKEN
        yield self.selected == 0 or (self.effective == 0 and not missed), ExitCode.NOTHING_RAN
        yield self.count(Masked) > 0 or (self.score or 0.0) < GOAL, ExitCode.DIVERGENCE
        yield len(self.verdicts) < self.selected, ExitCode.BELOW_FLOOR
