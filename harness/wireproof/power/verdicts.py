"""What became of a mutant."""

from dataclasses import dataclass
from typing import TypeAlias

from wireproof.model import Cell
from wireproof.power.flaw import Flaw
from wireproof.power.mutant import Equal, Mutant

__all__ = ["Convicted", "Lost", "Nowhere", "Planted", "Survived", "Verdict"]


@dataclass(frozen=True, slots=True)
class Planted:
    """A mutant in words, so that it can travel between processes.

    Attributes:
        cells: how many cells the flaw shows in.
        symmetric: whether the mutant passes its own round trip: every boundary case of the layout that it
            holds comes back from its own bytes, with the size it announced.
        equals: places passed over, where nothing can come of the flaw.
    """

    flaw: str
    bug_class: str
    says: str
    place: str
    made_of: str
    shared: bool
    cells: int
    symmetric: bool
    equals: tuple[Equal, ...]

    @classmethod
    def of(cls, mutant: Mutant, symmetric: bool) -> "Planted":
        flaw = mutant.flaw
        return cls(
            flaw.name,
            flaw.bug_class.value,
            flaw.says,
            mutant.place,
            mutant.made_of,
            flaw.shared,
            len(mutant.cells),
            symmetric,
            mutant.equals,
        )


@dataclass(frozen=True, slots=True)
class Convicted:
    """The plan found the mutant out.

    Attributes:
        scenario: the first case that failed, without its cell: ``enumerated/topics/null``.
        path: the field that the divergence points at.
        cases: how many it took, that one included.
    """

    planted: Planted
    cell: Cell
    check: str
    scenario: str
    path: str
    summary: str
    cases: int
    duration_s: float


@dataclass(frozen=True, slots=True)
class Survived:
    """The whole plan passed in every cell in which the mutant is wrong."""

    planted: Planted
    cases: int
    duration_s: float


@dataclass(frozen=True, slots=True)
class Nowhere:
    """No place of the release lets the flaw show; where `equals` is empty, none even fits."""

    flaw: str
    bug_class: str
    equals: tuple[Equal, ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """The harness could not judge the mutant."""

    flaw: str
    bug_class: str
    reason: str

    @classmethod
    def of(cls, flaw: Flaw, reason: str) -> "Lost":
        return cls(flaw.name, flaw.bug_class.value, reason)


Judged = Convicted | Survived
Verdict: TypeAlias = Judged | Nowhere | Lost
