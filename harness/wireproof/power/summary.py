"""The sums over all verdicts of mutation testing, and the exit code that follows from them."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Generic, Protocol, TypeVar

from wireproof.power.codec_verdicts import (
    CodecVerdict,
    InapplicableOperator,
    KilledMutant,
    LostMutant,
    MutantDescription,
    SurvivingMutant,
)
from wireproof.proof.run import ExitCode

__all__ = ["CodecMutationSummary", "Detection", "VerdictSummary"]

Verdict = TypeVar("Verdict")


class Detection(Protocol):
    """The verdict on a killed mutant."""

    @property
    def cases(self) -> int:
        """The number of cases to detection."""
        ...

    @property
    def duration_s(self) -> float:
        """The seconds to detection."""
        ...


@dataclass(slots=True)
class VerdictSummary(ABC, Generic[Verdict]):
    """Counts verdicts. Mutable: verdicts are added as they arrive.

    Attributes:
        selected: the number of mutants to judge.
        broken: the exit code of a run whose workers cannot work.
        interrupted: true after Ctrl-C.
    """

    selected: int
    verdicts: list[Verdict] = field(default_factory=list)
    broken: ExitCode | None = None
    interrupted: bool = False

    def add(self, verdict: Verdict) -> None:
        """Count a verdict."""
        self.verdicts.append(verdict)

    def count(self, *kinds: type[Verdict]) -> int:
        """The number of verdicts of these kinds."""
        return sum(isinstance(each, kinds) for each in self.verdicts)

    @property
    @abstractmethod
    def killed(self) -> Sequence[Detection]:
        """The mutants that a case killed."""

    @property
    @abstractmethod
    def lost(self) -> bool:
        """True if the harness could not judge a mutant."""

    @property
    def nothing_ran(self) -> bool:
        """True if the run judged no mutant."""
        return self.selected == 0

    @property
    @abstractmethod
    def missed(self) -> bool:
        """True if the plan missed more mutants than it may."""

    @property
    def incomplete(self) -> bool:
        """True if a mutant has no verdict."""
        return len(self.verdicts) < self.selected

    @property
    def median_cases(self) -> float | None:
        """The median of the cases to detection; None if no mutant was killed."""
        return median(each.cases for each in self.killed) if self.killed else None

    @property
    def median_seconds(self) -> float | None:
        """The median of the seconds to detection; None if no mutant was killed."""
        return median(each.duration_s for each in self.killed) if self.killed else None

    @property
    def exit_code(self) -> ExitCode:
        """The first that applies: 130, 4, 5, 3, 1, 7."""
        return next((code for applies, code in self._codes() if applies), ExitCode.PROVEN)

    def _codes(self) -> Iterator[tuple[bool, ExitCode]]:
        yield self.interrupted, ExitCode.INTERRUPTED
        yield self.broken is not None, self.broken or ExitCode.BROKEN
        yield self.lost, ExitCode.BROKEN
        yield self.nothing_ran, ExitCode.NOTHING_RAN
        yield self.missed, ExitCode.DIVERGENCE
        yield self.incomplete, ExitCode.BELOW_FLOOR


@dataclass(slots=True)
class CodecMutationSummary(VerdictSummary[CodecVerdict]):
    """The summary of the mutants of our own codec: the plan has to kill every one."""

    @property
    def killed(self) -> list[KilledMutant]:
        return [verdict for verdict in self.verdicts if isinstance(verdict, KilledMutant)]

    @property
    def survived(self) -> list[SurvivingMutant]:
        """The mutants that no case killed."""
        return [verdict for verdict in self.verdicts if isinstance(verdict, SurvivingMutant)]

    @property
    def mutants(self) -> list[MutantDescription]:
        """The judged mutants, killed or not."""
        return [each.mutant for each in self.verdicts if isinstance(each, KilledMutant | SurvivingMutant)]

    @property
    def symmetric(self) -> int:
        """The number of mutants that pass their own round trip, killed or not."""
        return sum(mutant.symmetric for mutant in self.mutants)

    @property
    def unfit(self) -> int:
        """The number of operators without a site in the release: they make no mutant of it."""
        return sum(not verdict.equivalents for verdict in self._inapplicable)

    @property
    def lost(self) -> bool:
        return self.count(LostMutant) > 0

    @property
    def missed(self) -> bool:
        return bool(self.survived)

    @property
    def incomplete(self) -> bool:
        """True if a mutant has no verdict, or an operator has sites but no effect at any of them."""
        without_effect = any(verdict.equivalents for verdict in self._inapplicable)
        return without_effect or len(self.verdicts) < self.selected

    @property
    def _inapplicable(self) -> list[InapplicableOperator]:
        return [verdict for verdict in self.verdicts if isinstance(verdict, InapplicableOperator)]
