"""Verdicts on mutants of our own codec."""

from dataclasses import dataclass
from typing import TypeAlias

from wireproof.model import Cell
from wireproof.power.mutants.codec_operator import CodecOperator
from wireproof.power.mutants.generation import EquivalentSite, Mutant

__all__ = [
    "KilledMutant",
    "LostMutant",
    "InapplicableOperator",
    "MutantDescription",
    "SurvivingMutant",
    "CodecVerdict",
]


@dataclass(frozen=True, slots=True)
class MutantDescription:
    """The facts of a mutant, without its code: processes exchange them.

    Attributes:
        cells: the number of cells that the mutant changes.
        symmetric: true if the mutant passes its own round trip: it decodes every boundary case of its layout
            from its own bytes, and the announced size is right.
        equivalents: sites tried before, at which the operator has no effect.
    """

    operator: str
    bug_class: str
    description: str
    place: str
    made_of: str
    shared: bool
    cells: int
    symmetric: bool
    equivalents: tuple[EquivalentSite, ...]

    @classmethod
    def of(cls, mutant: Mutant, symmetric: bool) -> "MutantDescription":
        operator = mutant.operator
        return cls(
            operator.name,
            operator.bug_class.value,
            operator.description,
            mutant.place,
            mutant.made_of,
            operator.shared,
            len(mutant.cells),
            symmetric,
            mutant.equivalents,
        )


@dataclass(frozen=True, slots=True)
class KilledMutant:
    """A case of the plan failed: the mutant is detected.

    Attributes:
        scenario: the first case that failed, without its cell: ``enumerated/topics/null``.
        path: the field of the divergence.
        cases: the number of cases up to and including that one.
    """

    mutant: MutantDescription
    cell: Cell
    check: str
    scenario: str
    path: str
    summary: str
    cases: int
    duration_s: float


@dataclass(frozen=True, slots=True)
class SurvivingMutant:
    """The whole plan passed in every cell that the mutant changes."""

    mutant: MutantDescription
    cases: int
    duration_s: float


@dataclass(frozen=True, slots=True)
class InapplicableOperator:
    """The operator changes the codec nowhere in the release; with no `equivalents` it has no site at all."""

    operator: str
    bug_class: str
    equivalents: tuple[EquivalentSite, ...]


@dataclass(frozen=True, slots=True)
class LostMutant:
    """The harness could not judge the mutant."""

    operator: str
    bug_class: str
    reason: str

    @classmethod
    def of(cls, operator: CodecOperator, reason: str) -> "LostMutant":
        return cls(operator.name, operator.bug_class.value, reason)


CodecVerdict: TypeAlias = KilledMutant | SurvivingMutant | InapplicableOperator | LostMutant
