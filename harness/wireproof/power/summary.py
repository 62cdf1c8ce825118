"""The sums over all verdicts of mutation testing, and the exit code that follows from them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from wireproof.power.verdicts import MutantOutcome, MutantVerdict
from wireproof.proof.run import ExitCode

__all__ = ["TESTEE_GOAL", "MutationSummary"]

TESTEE_GOAL: Final = 0.97
"""The least share of killed mutants of a testee, of those that the plan reaches and that change an answer."""


@dataclass(slots=True)
class MutationSummary:
    """Counts verdicts. Mutable: verdicts are added as they arrive.

    Attributes:
        selected: the number of mutants to judge.
        goal: the least share of the effective mutants that the plan has to kill. At 1, an operator that has
            sites and no effect at any of them counts as a mutant without a verdict.
        broken: the exit code of a run whose workers cannot work.
        interrupted: true after Ctrl-C.
    """

    selected: int
    verdicts: list[MutantVerdict] = field(default_factory=list)
    goal: float = 1.0
    broken: ExitCode | None = None
    interrupted: bool = False

    def add(self, verdict: MutantVerdict) -> None:
        """Count a verdict."""
        self.verdicts.append(verdict)

    def of(self, codec: str) -> "MutationSummary":
        """The summary of one codec."""
        own = [each for each in self.verdicts if each.mutant.codec == codec]
        return MutationSummary(len(own), own, self.goal)

    def with_outcome(self, *outcomes: MutantOutcome) -> list[MutantVerdict]:
        """The verdicts with one of these outcomes."""
        return [each for each in self.verdicts if each.outcome in outcomes]

    def count(self, *outcomes: MutantOutcome) -> int:
        """The number of verdicts with one of these outcomes."""
        return len(self.with_outcome(*outcomes))

    @property
    def codecs(self) -> list[str]:
        """The names of the codecs, in the order of the verdicts."""
        return list(dict.fromkeys(each.mutant.codec for each in self.verdicts))

    @property
    def effective(self) -> int:
        """The number of mutants that changed an answer: killed, masked or survived."""
        return self.count(MutantOutcome.KILLED, MutantOutcome.MASKED, MutantOutcome.SURVIVED)

    @property
    def score(self) -> float | None:
        """The share of the effective mutants that was killed; None if there is none."""
        return self.count(MutantOutcome.KILLED) / self.effective if self.effective else None

    @property
    def median_cases(self) -> float | None:
        """The median of the cases to detection; None if no mutant was killed."""
        killed = self.with_outcome(MutantOutcome.KILLED)
        return median(each.cases for each in killed) if killed else None

    @property
    def median_seconds(self) -> float | None:
        """The median of the seconds to detection; None if no mutant was killed."""
        killed = self.with_outcome(MutantOutcome.KILLED)
        return median(each.duration_s for each in killed) if killed else None

    @property
    def exit_code(self) -> ExitCode:
        """The first that applies: 130, 4, 5, 1, 7, 3."""
        return next((code for applies, code in self._codes() if applies), ExitCode.PROVEN)

    def _codes(self) -> Iterator[tuple[bool, ExitCode]]:
        score = self.score
        without_effect = self.goal == 1 and self.count(MutantOutcome.EQUIVALENT) > 0
        yield self.interrupted, ExitCode.INTERRUPTED
        yield self.broken is not None, self.broken or ExitCode.BROKEN
        yield self.count(MutantOutcome.LOST) > 0, ExitCode.BROKEN
        missed = score is not None and score < self.goal
        yield missed or self.count(MutantOutcome.MASKED) > 0, ExitCode.DIVERGENCE
        yield without_effect or len(self.verdicts) < self.selected, ExitCode.BELOW_FLOOR
        yield score is None, ExitCode.NOTHING_RAN
