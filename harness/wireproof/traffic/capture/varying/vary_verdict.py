"""The verdict about a program: each variation's outcome, and findings."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from wireproof.traffic.capture.varying.varied_run import AnswerSite, VariationChoice


class VaryOutcome(StrEnum):
    """The effect of a variation on the program. The text is stable: reports hold it."""

    TAKEN = "taken"
    """The program ended as without it."""
    FOUND = "found"
    """The program ended otherwise: a finding."""
    UNMET = "unmet"
    """No answer of the program's run can be varied so."""
    NOT_SPOKEN = "not spoken"
    """The program did not use the only version that was offered."""
    NOT_CARRIED = "not carried"
    """The program ended otherwise, but the version has no field for what its usual requests say."""
    UNSTEADY = "unsteady"
    """The program ended otherwise once, and as usual in the next run with the same variation."""
    NOT_RUN = "not run"
    """The budget was over before, or there were enough findings."""


@dataclass(frozen=True, slots=True)
class VaryFinding:
    """A variation that the program does not take.

    Attributes:
        selections: the smallest selection found; more than one if the program takes each alone.
        usual, ended: the end without variation, and with it.
        site: the last varied answer of that run; None if it is not known.
        errors: the end of the program's stderr.
        narrowed: false if the budget ended the search.
    """

    selections: tuple[VariationChoice, ...]
    usual: str
    ended: str
    site: AnswerSite | None
    errors: str = field(repr=False)
    narrowed: bool = True


@dataclass(slots=True)
class VaryVerdict:
    """All results; filled while the runs go on.

    Attributes:
        fault: the reason why nothing can be said about the program; ``""`` if it can be judged.
        outcomes: of each variation, by its id.
        spoken: how many requests of each API and version came over all runs.
        over_budget: true if the budget ended the search.
    """

    fault: str = ""
    outcomes: dict[str, VaryOutcome] = field(default_factory=dict)
    findings: list[VaryFinding] = field(default_factory=list)
    spoken: Counter[tuple[str, int]] = field(default_factory=Counter)
    runs: int = 0
    usual_s: float = 0.0
    connections: int = 0
    over_budget: bool = False

    @property
    def counts(self) -> Mapping[VaryOutcome, int]:
        """The number of variations by outcome."""
        return Counter(self.outcomes.values())
