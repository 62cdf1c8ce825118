"""The diagnosis of one cell: the causes of its failures, and those that no cause predicts."""

from collections import Counter
from dataclasses import dataclass, replace

from wireproof.proof.deviations.deviation import Deviation


@dataclass(frozen=True, slots=True)
class KnownCause:
    """A deviation that a ledger knows.

    Attributes:
        id: of its entry.
        subject: the codec that it is about; empty for each codec under test.
    """

    id: str
    deviation: Deviation
    subject: str = ""

    def concerns(self, *names: str) -> bool:
        """Test if it is about one of the named codecs."""
        return self.subject in ("", *names)


@dataclass(frozen=True, slots=True)
class CellCause:
    """A cause that a diagnosis found in a cell.

    Attributes:
        fields: those at which it showed.
        predicted: failed cases that it predicts, alone or with others.
        case_id: the shortest of them.
        size: of that case, in bytes.
        request, codec, kafka: the shortest exchange, in words.
        divergences: the checks, fields and kinds of those cases.
    """

    deviation: Deviation
    fields: frozenset[str]
    predicted: int
    case_id: str
    size: int
    request: str
    codec: str
    kafka: str
    divergences: frozenset[tuple[str, ...]] = frozenset()

    def joined(self, other: "CellCause") -> "CellCause":
        """Return the cause in two parts of a cell, with the shortest case of both."""
        shortest = min(self, other, key=lambda each: each.size)
        return replace(
            shortest,
            fields=self.fields | other.fields,
            predicted=self.predicted + other.predicted,
            divergences=self.divergences | other.divergences,
        )


@dataclass(frozen=True, slots=True)
class CellDiagnosis:
    """The diagnosis of one cell.

    Attributes:
        failed: failed cases.
        rest: those that no cause predicts.
        rest_causes: the checks, fields and kinds of these, with their cases.
        exhausted: the search reached its bound, or ended in an error of its own: no case is lost then.
        error: that error; empty where there was none.
        two_answers: a question that the codec answers in two ways, with both; empty where there is none.
        constant: the answer that the codec gives to all questions; empty where it gives several.
    """

    causes: tuple[CellCause, ...] = ()
    failed: int = 0
    rest: int = 0
    rest_causes: tuple[tuple[tuple[str, ...], int], ...] = ()
    exhausted: bool = False
    error: str = ""
    two_answers: tuple[str, ...] = ()
    constant: str = ""

    def joined(self, other: "CellDiagnosis") -> "CellDiagnosis":
        """Return the diagnosis of two parts of a cell; the part whose cases come first is the first."""
        causes = {each.deviation: each for each in self.causes}
        for each in other.causes:
            known = causes.get(each.deviation)
            causes[each.deviation] = each if known is None else known.joined(each)
        rest = Counter(dict(self.rest_causes))
        rest.update(dict(other.rest_causes))
        return CellDiagnosis(
            tuple(causes.values()),
            self.failed + other.failed,
            self.rest + other.rest,
            tuple(sorted(rest.items())),
            self.exhausted or other.exhausted,
            self.error or other.error,
            self.two_answers or other.two_answers,
            self.constant or other.constant,
        )
