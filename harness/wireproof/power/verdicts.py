"""Verdicts on mutants, of our own codec or of a testee. Processes exchange them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from wireproof.model import Cell
from wireproof.proof.run import FailedCase

__all__ = [
    "EquivalentSite",
    "KillingCase",
    "MutantDescription",
    "MutantVerdict",
    "MutantOutcome",
    "killing_case",
]


class MutantOutcome(StrEnum):
    """The outcome of judging a mutant, in a word."""

    KILLED = "killed"
    """A case failed that the codec itself passes, and nothing excused it."""
    MASKED = "masked"
    """The run stayed green because something excused what the codec itself does not do."""
    SURVIVED = "survived"
    """Answers changed, and the whole plan passed in every cell of the mutant."""
    EQUIVALENT = "equivalent"
    """Nothing changed: our codec has the same code at every site, or a testee's answers are the same."""
    NO_SITE = "no site"
    """The release has no site for the operator."""
    NOT_ASKED = "not asked"
    """The plan never reached the place of the mutant."""
    STILLBORN = "stillborn"
    """The mutant does not start, or claims something else: no run would be about it."""
    LOST = "lost"
    """The harness could not judge the mutant."""


@dataclass(frozen=True, slots=True)
class EquivalentSite:
    """A site where an operator has no effect, and the evidence for that."""

    place: str
    evidence: str


@dataclass(frozen=True, slots=True)
class MutantDescription:
    """A mutant in words.

    Attributes:
        codec: ``kafkawire``, or the testee's name, such as ``python-kio@0.6.5``.
        source: what the bug is planted in: ``answers`` or ``source`` of a testee; of our own codec a
            `CodecKind` or ``records``; empty where no mutant was made.
        description: what the codec does wrongly, one sentence.
        place: message, field and direction; or file and line.
        cells: the number of cells that a mutant of our own codec changes.
        symmetric: true if a mutant of our own codec passes its own round trip: it decodes every boundary case
            of its layout from its own bytes, and the announced size is right.
        equivalents: sites tried before, at which the operator has no effect.
    """

    codec: str
    source: str
    operator: str
    bug_class: str
    description: str
    place: str = ""
    cells: int = 0
    symmetric: bool = False
    equivalents: tuple[EquivalentSite, ...] = ()


@dataclass(frozen=True, slots=True)
class KillingCase:
    """The first case that failed.

    Attributes:
        scenario: the case without its cell: ``enumerated/topics/null``.
        path: the field of the divergence.
    """

    cell: Cell
    check: str
    scenario: str
    path: str
    kind: str

    @property
    def id(self) -> str:
        """The case's id."""
        return f"{self.cell.id}/{self.scenario}"


@dataclass(frozen=True, slots=True)
class MutantVerdict:
    """The verdict on a mutant.

    Attributes:
        cases: the number of cases that were tried; of a killed mutant up to and including the killing one.
        killed_by: of a killed mutant, the case.
        evidence: the reason of an outcome that no case explains; of a survivor a question whose answer
            changed.
        changed: of a survivor, how many answers changed.
        excuses: of a masked mutant the ledger's entries and Kafka's known bugs, each with the cases that it
            excused; of a survivor those that excuse cases with the mutant and without it, each with 0.
    """

    mutant: MutantDescription
    outcome: MutantOutcome
    cases: int = 0
    duration_s: float = 0.0
    killed_by: KillingCase | None = None
    evidence: str = ""
    changed: int = 0
    excuses: Mapping[str, int] = field(default_factory=dict)


def killing_case(failure: FailedCase) -> KillingCase:
    """The case that killed a mutant."""
    first = failure.divergences[0]
    scenario = failure.case_id.removeprefix(f"{failure.cell.id}/")
    return KillingCase(failure.cell, str(first.check), scenario, first.path, first.kind)
