"""The classes of bugs, the verdicts on mutants, their sums, and the exit code that follows from them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median
from typing import TYPE_CHECKING, Final, Self

from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import Cell

if TYPE_CHECKING:
    from wireproof.proof.run.core.cell_events import FailedCase


class BugClass(StrEnum):
    """The short name of a class, as ``wireproof power --class`` takes it.

    Attributes:
        words: what the class is about.
    """

    words: str

    def __new__(cls, name: str, words: str = "") -> Self:
        member = str.__new__(cls, name)
        member._value_ = name
        member.words = words
        return member

    NULL = "null", "null and empty, nullability that begins at a version"
    FIELDS = "fields", "a field missing, extra, misplaced or mistyped in a version"
    TAGS = "tags", "tagged fields, unknown tags"
    RECORDS = "records", "record batches, legacy sets, control records"
    HOSTILE = "hostile", "hostile lengths, counts, truncation"
    FLEXIBLE = "flexible", "where flexible versions start, compact and legacy, header versions"
    INTEGERS = "integers", "width and sign of integers, time overflow"
    EMBEDDED = "embedded", "embedded and coordinator data"
    DEFAULTS = "defaults", "defaults, ignorable fields"
    VARINTS = "varints", "varints"
    MAPS = "maps", "map keys, equality, values that went through JSON"
    COMPRESSION = "compression", "framing of compressed data"
    CODES = "codes", "unknown error codes and apis"
    BUFFERS = "buffers", "buffers of fixed size, offsets, state between calls"
    UTF8 = "utf8", "lengths of text in bytes and in characters"


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
        source: what the bug is planted in: ``answers`` or ``source`` of a testee; for our own codec, a
            `CodecKind` or ``records``; empty if no mutant was made.
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
        return f"{self.cell.id}/{self.scenario}"


@dataclass(frozen=True, slots=True)
class MutantDiagnosis:
    """The causes that a run reports of a killed mutant: one bug should be one cause.

    Attributes:
        causes: a sentence for each.
        right_family: whether the first cause is of the operator's kind; None if no kind predicts the bug.
        right_scope: whether the first cause has the mutant's direction and field; None as above.
        rest: the number of failures that no cause predicts.
    """

    causes: tuple[str, ...]
    right_family: bool | None = None
    right_scope: bool | None = None
    rest: int = 0


@dataclass(frozen=True, slots=True)
class MutantVerdict:
    """The verdict on a mutant.

    Attributes:
        cases: the number of cases that were tried; for a killed mutant, including the killing case.
        killed_by: for a killed mutant, the killing case.
        evidence: the reason of an outcome that no case explains; for a survivor, a question whose answer
            changed.
        changed: for a survivor, the number of changed answers.
        excuses: for a masked mutant, the ledger entries and known Kafka bugs, each with its number of excused
            cases; for a survivor, those that excuse cases with and without the mutant, each with 0.
        diagnosis: for a killed mutant, the causes, if the options ask for them.
    """

    mutant: MutantDescription
    outcome: MutantOutcome
    cases: int = 0
    duration_s: float = 0.0
    killed_by: KillingCase | None = None
    evidence: str = ""
    changed: int = 0
    excuses: Mapping[str, int] = field(default_factory=dict)
    diagnosis: MutantDiagnosis | None = None


def killing_case(failure: "FailedCase") -> KillingCase:
    """The case that killed a mutant."""
    first = failure.divergences[0]
    scenario = failure.case_id.removeprefix(f"{failure.cell.id}/")
    return KillingCase(failure.cell, str(first.check), scenario, first.path, first.kind)


TESTEE_GOAL: Final = 0.97
"""The least share of kills among the mutants of a testee that the plan reaches and that change an answer."""


@dataclass(slots=True)
class MutationSummary:
    """Counts verdicts. Mutable: verdicts are added as they arrive.

    Attributes:
        selected: the number of mutants to judge.
        goal: the least share of the effective mutants that the plan must kill. If it is 1, an operator that
            has sites, but no effect at any of them, counts as a mutant without a verdict.
        broken: the exit code of a run whose workers cannot work.
        interrupted: true after Ctrl-C.
    """

    selected: int
    verdicts: list[MutantVerdict] = field(default_factory=list)
    goal: float = 1.0
    broken: ExitCode | None = None
    interrupted: bool = False

    def add(self, verdict: MutantVerdict) -> None:
        self.verdicts.append(verdict)

    def of(self, codec: str) -> "MutationSummary":
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
