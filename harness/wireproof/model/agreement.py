"""Agreement: the answers of several codecs and of the oracle to one task, side by side."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

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
    """Cases in which the same parties agree, and do the same.

    For a value Kafka is right: the groups that disagree with it count. Its own group has all parties that
    were asked in any of the cases and agree with it.

    Attributes:
        about: of malformed bytes: what was done to them, ``length``; of values: the field and how the sides
            differ there, as far as one of them reports it.
        groups: at least two, the oracle's first.
        cases: how many.
        case_id: the first of them.
    """

    question: CodecTask
    about: str
    groups: tuple[AgreementGroup, ...]
    cases: int
    case_id: str

    @property
    def key(self) -> Hashable:
        """The part that disagreements of one kind share."""
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
        cases: how many cases of each question anybody but the oracle was asked.
        verdicts: of each codec on malformed bytes.
        not_asked: of each codec the questions that it was not asked, because it had ended before; a codec
            that was asked everything is not in it.
    """

    cases: Mapping[CodecTask, int] = field(default_factory=dict)
    verdicts: Mapping[str, Mapping[MalformedVerdict, int]] = field(default_factory=dict)
    disagreements: tuple[Disagreement, ...] = ()
    not_asked: Mapping[str, int] = field(default_factory=dict)
