"""The sum of the diagnoses of a cell's parts."""

from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.search.cell_diagnosis import (
    CellCause,
    CellDiagnosis,
    diagnosis_json,
    diagnosis_of,
)

NULL = Deviation(CodecDirection.ENCODE, "null", "empty")
TAGS = Deviation(CodecDirection.DECODE, "unknown-tag", "drop")
KEY, OTHER = ("bytes", "a", "differs"), ("decode", "b", "differs")


def _cause(deviation: Deviation, field: str, case: str, size: int) -> CellCause:
    case_id = f"4.4.0/FetchRequest/12/enumerated/{case}"
    return CellCause(deviation, frozenset({field}), 2, case_id, size, "?", "1", "2", frozenset({KEY}))


ONE = CellDiagnosis((_cause(NULL, "a", "long", 9),), 4, 1, ((KEY, 1),))
TWO = CellDiagnosis(
    (_cause(NULL, "b", "short", 3), _cause(TAGS, "c", "tags", 5)),
    5,
    2,
    ((KEY, 1), (OTHER, 2)),
    exhausted=True,
    error="RecursionError: deep",
)


def test_parts_of_a_cell_are_added() -> None:
    """A cause of both parts is there once, with the fields of both and the shortest case."""
    both = ONE.joined(TWO)
    null, tags = both.causes
    assert (null.deviation, null.predicted, null.size) == (NULL, 4, 3)
    assert null.fields == {"a", "b"}
    assert null.case_id.endswith("/short")
    assert tags == TWO.causes[1]
    assert (both.failed, both.rest, dict(both.rest_causes)) == (9, 3, {KEY: 2, OTHER: 2})
    assert both.exhausted
    assert both.error == "RecursionError: deep"


def test_an_event_has_the_whole_diagnosis() -> None:
    """What is written is read again, the error of the search among it."""
    assert diagnosis_of(diagnosis_json(TWO)) == TWO
