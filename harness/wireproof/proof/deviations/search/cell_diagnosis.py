"""The diagnosis of one cell: the causes of its failures, and the failures without a cause; and its JSON."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from wireproof.base.text.typed_json import ClassRule, JsonForm, TypedJson
from wireproof.model.cell import CaseId
from wireproof.proof.deviations.deviation import Deviation


@dataclass(frozen=True, slots=True)
class KnownCause:
    """A deviation that a ledger knows.

    Attributes:
        id: the id of the ledger's entry.
        subject: the codec that it is about; empty for every codec under test.
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
        fields: the fields at which it showed.
        predicted: how many failed cases it predicts, alone or with other causes.
        case_id: the shortest of these cases.
        size: the size of that case, in bytes.
        request, codec, kafka: the shortest exchange, in words.
        divergences: the checks, fields and kinds of these cases.
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
        """Return the cause for both parts of a cell, with the shortest case of both."""
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
        rest: failed cases that no cause predicts.
        rest_causes: the checks, fields and kinds of these cases, each with its number of cases.
        exhausted: whether the search reached its limit, or raised an error: no case is lost then.
        error: that error; empty if there was none.
        two_answers: a question that the codec answers in two ways, and both answers; empty if there is none.
        constant: the answer that the codec gives to all questions; empty if it gives several.
        stale: a question that gets the answer to the question before, and that answer; empty without one.
    """

    causes: tuple[CellCause, ...] = ()
    failed: int = 0
    rest: int = 0
    rest_causes: tuple[tuple[tuple[str, ...], int], ...] = ()
    exhausted: bool = False
    error: str = ""
    two_answers: tuple[str, ...] = ()
    constant: str = ""
    stale: tuple[str, ...] = ()

    def joined(self, other: "CellDiagnosis") -> "CellDiagnosis":
        """Return the diagnosis of two parts of a cell; `other` has the later cases."""
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
            self.stale or other.stale,
        )


_Rest = tuple[tuple[tuple[str, ...], int], ...]


def _rest_json(rest: _Rest) -> list[list[Any]]:
    return [[*key, cases] for key, cases in rest]


def _rest_of(parsed: Any) -> _Rest:
    rest = tuple(((check, field, kind), cases) for check, field, kind, cases in parsed)
    if not all(isinstance(text, str) for key, _ in rest for text in key):
        raise ValueError("a cause is not named by texts")
    if not all(type(cases) is int for _, cases in rest):
        raise ValueError("a number of cases is no number")
    return rest


DIAGNOSIS_RULES: Final[Mapping[type, ClassRule]] = {
    CellDiagnosis: ClassRule(
        keys={"failed": "failedCases", "causes": "deviations"},
        forms={"rest_causes": JsonForm(_rest_json, _rest_of)},
    ),
    CellCause: ClassRule(keys={"case_id": "case"}, check=lambda cause: CaseId.parse(cause.case_id)),
    Deviation: ClassRule(
        keys={"fields": "onlyFields"}, unwritten=("scope", "narrow", "outside"), check=Deviation.check
    ),
}
"""The rules of a diagnosis among those of an event."""

DIAGNOSIS_INLINE: Final = (Deviation,)

_JSON: Final = TypedJson(DIAGNOSIS_RULES, DIAGNOSIS_INLINE)


def diagnosis_json(diagnosis: CellDiagnosis) -> dict[str, Any]:
    """Return a diagnosis as an object of JSON."""
    written: dict[str, Any] = _JSON.write(diagnosis)
    return written


def diagnosis_of(parsed: Mapping[str, Any] | None) -> CellDiagnosis | None:
    """Return the diagnosis in an object of JSON; None if the cell has none.

    Raises:
        AttributeError, TypeError, ValueError: the object is not a diagnosis.
    """
    return None if parsed is None else _JSON.read(CellDiagnosis, parsed)
