"""What all verdicts together come to."""

from dataclasses import dataclass, field
from statistics import median

from wireproof.power.verdicts import Convicted, Lost, Nowhere, Planted, Survived, Verdict
from wireproof.run import ExitCode

__all__ = ["Summary"]


@dataclass(slots=True)
class Summary:
    """Counts verdicts. Mutable: they are added as they come.

    Attributes:
        selected: how many flaws were to be judged.
    """

    selected: int
    verdicts: list[Verdict] = field(default_factory=list)
    broken: ExitCode | None = None
    interrupted: bool = False

    def add(self, verdict: Verdict) -> None:
        self.verdicts.append(verdict)

    @property
    def convicted(self) -> list[Convicted]:
        return [verdict for verdict in self.verdicts if isinstance(verdict, Convicted)]

    @property
    def survived(self) -> list[Survived]:
        return [verdict for verdict in self.verdicts if isinstance(verdict, Survived)]

    @property
    def planted(self) -> list[Planted]:
        """The mutants judged, convicted or not."""
        return [verdict.planted for verdict in self.verdicts if isinstance(verdict, Convicted | Survived)]

    @property
    def symmetric(self) -> int:
        """How many mutants pass their own round trip, convicted or not."""
        return sum(planted.symmetric for planted in self.planted)

    @property
    def median_cases(self) -> float | None:
        """Of the cases that each conviction took; None where there is none."""
        return median(verdict.cases for verdict in self.convicted) if self.convicted else None

    @property
    def unfit(self) -> int:
        """How many flaws fit nothing in the release: they are no mutants of it."""
        nowhere = [verdict for verdict in self.verdicts if isinstance(verdict, Nowhere)]
        return sum(not verdict.equals for verdict in nowhere)

    @property
    def _any_without_effect(self) -> bool:
        """Whether a flaw fits somewhere and yet shows nowhere: what fits nothing is not of this release."""
        return any(isinstance(verdict, Nowhere) and bool(verdict.equals) for verdict in self.verdicts)

    @property
    def exit_code(self) -> ExitCode:
        """The first that applies: 130, 4, 5, 3, 1, 7."""
        applies = (
            (self.interrupted, ExitCode.INTERRUPTED),
            (self.broken is not None, self.broken or ExitCode.BROKEN),
            (any(isinstance(verdict, Lost) for verdict in self.verdicts), ExitCode.BROKEN),
            (self.selected == 0, ExitCode.NOTHING_RAN),
            (bool(self.survived), ExitCode.DIVERGENCE),
            (self._any_without_effect, ExitCode.BELOW_FLOOR),
            (len(self.verdicts) < self.selected, ExitCode.BELOW_FLOOR),
        )
        return next((code for holds, code in applies if holds), ExitCode.PROVEN)
