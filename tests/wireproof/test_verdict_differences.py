"""The comparison of two versions' records in `benchmarks/verdict_differences.py`."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

MODULE = Path(__file__).parents[2] / "benchmarks" / "verdict_differences.py"


@pytest.fixture
def comparison(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module, which is not part of a package."""
    spec = importlib.util.spec_from_file_location("verdict_differences", MODULE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def _cell(name: str, **values: Any) -> dict[str, Any]:
    return {"event": "cell", "cell": f"4.4.0/{name}/1", **values}


def test_the_order_of_records_and_their_times_are_not_compared(comparison: ModuleType) -> None:
    """Workers finish in any order; a duration and a folder differ in each run."""
    before = [_cell("A", seconds=1.0, cases={"frame": 2}), _cell("B", causes=["in /one/file"])]
    after = [_cell("B", causes=["in /two/file"]), _cell("A", seconds=2.0, cases={"frame": 2})]
    old, new = (
        [comparison.normalised(record, {root: "ROOT"}) for record in records]
        for root, records in (("/one", before), ("/two", after))
    )
    assert new[0]["causes"] == ["in ROOT/file"]
    assert comparison.compare_records("run", old, new) == []


def test_seconds_in_a_sentence_and_the_order_of_a_set_are_not_compared(comparison: ModuleType) -> None:
    """A watchdog measures each hang; the places of a known deviation are a set. Other lists have an order."""
    before = {
        "message": "no answer after 1.0 s",
        "knownAt": [{"field": "a"}, {"field": "b"}],
        "causes": [1, 2],
    }
    after = {
        "message": "no answer after 1.12 s",
        "knownAt": [{"field": "b"}, {"field": "a"}],
        "causes": [2, 1],
    }
    old, new = (comparison.normalised(record, {r"\d+\.\d+ s": "N s"}) for record in (before, after))
    assert old["message"] == new["message"] == "no answer after N s"
    assert old["knownAt"] == new["knownAt"]
    places = [row.place for row in comparison.compare_records("run", [old], [new])]
    assert [place.rpartition(" ")[2] for place in places] == ["causes/0", "causes/1"]


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        ({"failedCases": 0}, {"failedCases": 1}, "cell 4.4.0/A/1 failedCases"),
        ({"cases": {"frame": 2}}, {"cases": {"frame": 3}}, "cell 4.4.0/A/1 cases.frame"),
        ({"cases": {}}, {"cases": {"frame": 3}}, "cell 4.4.0/A/1 cases.frame"),
        ({"known": ["x"]}, {"known": ["x", "y"]}, "cell 4.4.0/A/1 known/1"),
        ({"causes": [{"check": "bytes"}]}, {"causes": [{"check": "value"}]}, "cell 4.4.0/A/1 causes/0.check"),
    ],
)
def test_one_changed_value_is_one_difference_at_its_path(
    comparison: ModuleType, before: dict[str, Any], after: dict[str, Any], place: str
) -> None:
    """A number, a key, an item of a list and a key inside a list."""
    records = [_cell("A", **before), _cell("B")], [_cell("B"), _cell("A", **after)]
    (difference,) = comparison.compare_records("run", *records)
    assert difference.place == place
    assert not difference.is_wording


def test_a_record_without_a_partner_is_a_difference(comparison: ModuleType) -> None:
    """A lost event, a new one, and one of two equal rows."""
    row = {"event": "frames", "offset": 7}
    lost, new = comparison.compare_records("run", [_cell("A"), row], [row, _cell("B")])
    assert (lost.place, lost.after) == ("cell 4.4.0/A/1", comparison.ABSENT)
    assert (new.place, new.before) == ("cell 4.4.0/B/1", comparison.ABSENT)
    (twice,) = comparison.compare_records("run", [row, row], [row])
    assert (twice.before, twice.after) == (row, comparison.ABSENT)


def test_a_changed_sentence_is_wording_and_a_changed_check_is_not(comparison: ModuleType) -> None:
    """Sentences for readers may change, also those deep inside a record."""
    before = [_cell("A", causes=[{"summary": "a defect", "check": "bytes"}])]
    reworded = [_cell("A", causes=[{"summary": "a known bug", "check": "bytes"}])]
    (difference,) = comparison.compare_records("run", before, reworded)
    assert difference.is_wording


def test_files_are_compared_byte_by_byte(comparison: ModuleType) -> None:
    """The difference shows the first line that differs, also where only the last line end does."""
    before = {"same": b"1\n", "line": b"1\n2\n3\n", "end": b"1\n", "gone": b"12"}
    found = comparison.compare_files("pipeline", before, {"same": b"1\n", "line": b"1\n4\n3\n", "end": b"1"})
    assert [(row.place, row.before, row.after) for row in found] == [
        ("end", "(line ends)", "(line ends)"),
        ("gone", "2 bytes", comparison.ABSENT),
        ("line", "2", "4"),
    ]
    assert "before  2\n" in str(found[2])


def test_bytes_of_a_table_are_shown_in_hexadecimal(comparison: ModuleType) -> None:
    """Rows of Parquet have bytes, which JSON has not."""
    (difference,) = comparison.compare_records(
        "pipeline", [{"offset": 1, "data": b"\x01"}], [{"offset": 1, "data": b"\xff"}]
    )
    assert (difference.place, difference.before, difference.after) == ("1 data", "01", "ff")
