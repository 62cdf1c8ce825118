"""Verdicts on mutants of testees."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from wireproof.model import Cell

__all__ = [
    "Description",
    "KilledVerdict",
    "LostVerdict",
    "MaskedVerdict",
    "NotAskedVerdict",
    "StillbornVerdict",
    "SurvivedVerdict",
    "UnchangedVerdict",
    "MutantVerdict",
]


@dataclass(frozen=True, slots=True)
class Description:
    """A mutant in words.

    Attributes:
        testee: the codec's name, such as ``python-kio@0.6.5``.
        source: ``answers`` or ``source``.
        operator: its name.
        bug_class: of the operator.
        says: what the codec does wrongly, one sentence.
        place: message, field and direction; or file and line.
    """

    testee: str
    source: str
    operator: str
    bug_class: str
    says: str
    place: str


@dataclass(frozen=True, slots=True)
class KilledVerdict:
    """A case failed that the testee itself passes, and nothing excused it.

    Attributes:
        scenario: the first such case without its cell, such as ``enumerated/topics/null``.
        cases: how many cases it took, that one included.
    """

    mutant: Description
    cell: Cell
    check: str
    scenario: str
    path: str
    kind: str
    cases: int
    duration_s: float


@dataclass(frozen=True, slots=True)
class MaskedVerdict:
    """The run stayed green because something excused what the testee itself does not do.

    Attributes:
        by: entries of the ledger and Kafka's known bugs, each with the cases that it excused.
    """

    mutant: Description
    by: Mapping[str, int]
    cases: int
    duration_s: float


@dataclass(frozen=True, slots=True)
class SurvivedVerdict:
    """Answers changed, and the whole plan passed in every cell of the mutant.

    Attributes:
        changed: how many answers.
        example: a question whose answer changed.
        excused: what excuses cases in these cells with the mutant and without it: a case that is excused
            anyway shows no other difference of the same cause.
    """

    mutant: Description
    cells: int
    cases: int
    changed: int
    example: str
    duration_s: float
    excused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnchangedVerdict:
    """A verdict: no answer changed over all questions of the plan, so the mutant is equivalent for these
    questions.

    Attributes:
        asked: answers that were compared.
    """

    mutant: Description
    cells: int
    asked: int
    evidence: str
    duration_s: float


@dataclass(frozen=True, slots=True)
class NotAskedVerdict:
    """The plan never reached the place of the mutant."""

    mutant: Description
    evidence: str
    duration_s: float = 0.0


@dataclass(frozen=True, slots=True)
class StillbornVerdict:
    """The mutant does not start, or claims something else: no run would be about it."""

    mutant: Description
    evidence: str
    duration_s: float = 0.0


@dataclass(frozen=True, slots=True)
class LostVerdict:
    """The harness could not judge the mutant."""

    mutant: Description
    reason: str


MutantVerdict: TypeAlias = (
    KilledVerdict
    | MaskedVerdict
    | SurvivedVerdict
    | UnchangedVerdict
    | NotAskedVerdict
    | StillbornVerdict
    | LostVerdict
)
