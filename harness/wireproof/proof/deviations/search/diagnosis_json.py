"""The diagnosis of a cell as JSON, in event files, and back."""

from collections.abc import Mapping
from typing import Any, Final

from wireproof.base.text.typed_json import ClassRule, JsonForm, TypedJson
from wireproof.model import CaseId
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.search.cell_diagnosis import CellCause, CellDiagnosis

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
    """Return the diagnosis in an object of JSON; None where a cell has none.

    Raises:
        AttributeError, TypeError, ValueError: it is none.
    """
    return None if parsed is None else _JSON.read(CellDiagnosis, parsed)
