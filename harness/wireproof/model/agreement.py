"""The observations of a run: the answers of several codecs and of the oracle side by side, and the counts of
a testee's deviations."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Self

from wireproof.model.cell import FramePart, Phase
from wireproof.model.divergence import Divergence, without_indices
from wireproof.model.malformed_input import MalformedVerdict

ORACLE_NAME: Final = "Kafka"
"""The name of the oracle among the codecs."""


class CodecTask(StrEnum):
    """The task of a codec."""

    ENCODE = "encode"
    """A value: which bytes."""
    DECODE = "decode"
    """The oracle's bytes of a value: which value."""
    MALFORMED = "malformed"
    """Bytes with a hostile change: which value, or none."""


@dataclass(frozen=True, slots=True, order=True)
class AgreementGroup:
    """The codecs that give the same answer.

    Attributes:
        parties: their names, in order; never empty.
        does: what they do, in a word: ``writes``, ``reads``, ``refuses``, ``crashes``, ``hangs``, ...
    """

    parties: tuple[str, ...]
    does: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Cases in which the parties form the same groups, and each group does the same.

    For a value Kafka is right, and only the groups that disagree with it identify a kind. Kafka's own group
    has all parties that were asked in any of the cases and agree with it.

    Attributes:
        about: for malformed bytes, the mutation, such as ``length``; for values, the field and how the sides
            differ there, as far as one of them reports it.
        groups: at least two groups, the oracle's first.
        cases: the number of cases.
        case_id: the id of the first case.
    """

    question: CodecTask
    about: str
    groups: tuple[AgreementGroup, ...]
    cases: int
    case_id: str

    @property
    def key(self) -> Hashable:
        """The key of the kind: disagreements with equal keys are of one kind."""
        if self.question is CodecTask.MALFORMED:
            return self.question, self.about, self.groups
        return self.question, self.about, self.groups[0].does, self.groups[1:]

    def plus(self, other: "Disagreement") -> "Disagreement":
        """Add the cases of another group of the same kind; the first case stays."""
        theirs, *rest = self.groups
        together = AgreementGroup(in_order({*theirs.parties, *other.groups[0].parties}), theirs.does)
        return replace(self, groups=(together, *rest), cases=self.cases + other.cases)


def in_order(parties: Iterable[str]) -> tuple[str, ...]:
    """The oracle first, then by name."""
    return tuple(sorted(parties, key=lambda name: (name != ORACLE_NAME, name.lower(), name)))


@dataclass(frozen=True, slots=True)
class CellComparison:
    """The result of the comparison of one cell.

    Attributes:
        cases: for each task, the number of cases that any party other than the oracle was asked.
        verdicts: the verdicts on each codec for malformed bytes.
        not_asked: the number of questions that each codec was not asked, because it had ended before; a codec
            that was asked everything has no entry.
    """

    cases: Mapping[CodecTask, int] = field(default_factory=dict)
    verdicts: Mapping[str, Mapping[MalformedVerdict, int]] = field(default_factory=dict)
    disagreements: tuple[Disagreement, ...] = ()
    not_asked: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ObservedCause:
    """One cause of failures that nothing explains, as one phase of a cell met it.

    Attributes:
        check, subject, kind: the common attributes of the divergences.
        part: the part of the cell in which the divergences are.
        field: the path without indices; ``""`` is the message.
        type: the type of the field; empty if it is not known.
        cases: the number of cases.
        case_id: the id of the first case.
        summary: one sentence.
    """

    phase: Phase
    check: str
    subject: str
    field: str
    type: str
    kind: str
    cases: int
    case_id: str
    summary: str
    part: FramePart = FramePart.MESSAGE

    @classmethod
    def of(
        cls, found: Divergence, phase: Phase, case_id: str, cases: int, part: FramePart = FramePart.MESSAGE
    ) -> Self:
        """The cause of a divergence, met by this case first."""
        place = found.subject, without_indices(found.path), found.field_type
        return cls(phase, str(found.check), *place, found.kind, cases, case_id, found.summary, part)


@dataclass(frozen=True, slots=True)
class ObservedDeviation:
    """A place of a cell at which a known deviation showed.

    Attributes:
        entry: the id of the ledger's entry that explained it.
        part: the part of the cell.
        field: the path without indices; ``""`` is the message.
        cases: the number of cases.
    """

    entry: str
    part: FramePart
    field: str
    cases: int


@dataclass(frozen=True, slots=True)
class LedgerProblem:
    """A problem of an entry of the ledger.

    Attributes:
        entry: its id; ``bounds`` if the problem is about the bounds of the ledger.
        fault: in a word: ``passed``, ``over-broad``, ``stale``, ``other-kind``, ``no-evidence``,
            ``doubled``, ``expired``, ``expires-soon``; ``exceeded`` is of the ledger's bounds.
        message: one sentence.
        repair: the command to type. It never makes an entry explain more than before. Empty if a person has
            to decide.
        fails: False for a warning.
    """

    entry: str
    fault: str
    message: str
    repair: str
    fails: bool = True

    @property
    def lines(self) -> list[str]:
        """The message, and the command to type if there is one."""
        return [self.message, *([f"type: {self.repair}"] if self.repair else [])]
