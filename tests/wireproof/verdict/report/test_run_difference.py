"""The difference of two runs, and the trend over several."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from tests.support.environments import small_environment
from tests.support.reports.sample_events import CAUSE as DEVIATION
from tests.support.reports.sample_events import CELL, DONE, FAILED, FINISHED, STARTED
from wireproof.model.agreement import ObservedCause
from wireproof.model.cell import Cell, Phase
from wireproof.proof.deviations.search.cell_diagnosis import CellCause, CellDiagnosis
from wireproof.proof.run.core.cell_events import CellResult, LostCell
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import RunEvent
from wireproof.verdict.report.comparison.run_difference import (
    CauseChange,
    CellState,
    RunDifference,
    compare_runs,
)
from wireproof.verdict.report.comparison.run_difference_text import (
    difference_json,
    difference_lines,
    difference_markdown,
    summary_line,
)
from wireproof.verdict.report.comparison.run_overview import TrendTable, trend_json, trend_markdown
from wireproof.verdict.report.run_summary import RunSummary

CELLS = [small_environment.cell("PingRequest", version) for version in range(4)]
OPTIONS = RunOptions(phases=(Phase.ENUMERATED, Phase.FRAME), shrink_s=0)
OTHER = replace(CELL, version=13)
CAUSE = ObservedCause(
    Phase.ENUMERATED, "bytes", "codec", "topics[].name", "string", "differs", 3, FAILED.case_id, "no"
)
HOSTILE = "</details><script>alert(1)</script> @ann | [a](http://b) \x1b[31m"


def summary_of(events: Iterable[RunEvent]) -> RunSummary:
    summary = RunSummary()
    for event in (STARTED, *events, FINISHED):
        summary(event)
    return summary


def run(cells: Sequence[Cell], wrong: Any = None) -> RunSummary:
    return summary_of(
        event
        for event in small_environment.engine(small_environment.make(wrong=wrong), OPTIONS).run(cells)
        if not isinstance(event, type(FINISHED))
    )


def result(cell: Cell, *causes: ObservedCause) -> CellResult:
    return replace(DONE, cell=cell, causes=causes, failed_cases=sum(cause.cases for cause in causes))


def diagnosed(cell: Cell, *causes: CellCause) -> CellResult:
    return replace(result(cell, CAUSE), diagnosis=CellDiagnosis(causes, 3))


def changes(difference: RunDifference) -> dict[CauseChange, int]:
    return {change: len(difference.of(change)) for change in CauseChange if difference.of(change)}


def test_a_planted_bug_is_new_and_its_repair_is_gone():
    """Real runs of a right codec and of one that takes null for empty."""
    right, wrong = run(CELLS), run(CELLS, small_environment.NullAsEmpty)
    planted, repaired = compare_runs(right, wrong), compare_runs(wrong, right)

    assert planted.regressed
    assert planted.causes
    assert {each.change for each in planted.causes} == {CauseChange.NEW}
    assert {each.key.field for each in planted.causes} == {"name"}
    assert not repaired.regressed
    assert {each.change for each in repaired.causes} == {CauseChange.GONE}
    assert [each.key for each in repaired.causes] == [each.key for each in planted.causes]
    assert compare_runs(wrong, wrong).of(CauseChange.UNCHANGED)
    assert not compare_runs(wrong, wrong).regressed
    assert planted.cells.keys() == {(CellState.AGREES, CellState.FAILS)}


def test_a_known_cause_in_another_version_is_new_there():
    """Else a regression of one version hides after a known bug of another."""
    before, after = (
        summary_of([result(CELL, CAUSE), result(OTHER)]),
        summary_of([result(CELL, CAUSE), result(OTHER, CAUSE)]),
    )
    difference = compare_runs(before, after)

    assert changes(difference) == {CauseChange.NEW: 1, CauseChange.UNCHANGED: 1}
    assert difference.regressed
    (new,) = difference.of(CauseChange.NEW)
    assert new.where == "FetchRequest version 13"


def test_a_cell_that_was_not_judged_is_not_repaired():
    """Its cause is listed apart, and a smaller run does not look like a better codec."""
    before, after = summary_of([result(CELL, CAUSE), result(OTHER)]), summary_of([result(OTHER)])
    difference = compare_runs(before, after)

    assert changes(difference) == {CauseChange.NOT_JUDGED: 1}
    assert difference.cells == {(CellState.FAILS, CellState.NOT_JUDGED): {CELL}}
    assert "Not judged any more: 1 finding" in list(difference_lines(difference))


def test_a_lost_cell_is_a_regression():
    """It had a verdict before."""
    before, after = summary_of([result(CELL)]), summary_of([LostCell(CELL, "killed")])

    assert compare_runs(before, after).regressed
    assert not compare_runs(after, after).regressed


def test_failures_of_a_run_that_was_killed_count():
    """A cell without its result shows the causes of its failures."""
    difference = compare_runs(summary_of([result(CELL)]), summary_of([FAILED]))

    (new,) = difference.of(CauseChange.NEW)
    assert (new.key.check, new.key.field) == ("bytes", "topics[].partitions[].logStartOffset")


def test_entries_of_the_ledger_are_compared():
    """A cause that went into the ledger shows as a known deviation with more cases."""
    before = summary_of([replace(DONE, known={"same": 1, "less": 4})])
    after = summary_of([replace(DONE, known={"same": 1, "more": 2})])

    assert compare_runs(before, after).known == {"less": (4, 0), "more": (0, 2)}


def test_the_text_has_what_to_type():
    """The new finding has its replay line; the JSON has every cell."""
    difference = compare_runs(summary_of([result(CELL)]), summary_of([result(CELL, CAUSE)]))
    lines = list(difference_lines(difference))

    assert "New: 1 finding" in lines
    assert "  FetchRequest version 12: [bytes] topics[].name: no" in lines
    assert f"    wireproof replay '{FAILED.case_id}'" in lines
    (cause,) = json.loads(difference_json(difference))["findings"]
    assert (cause["change"], cause["cells"], cause["cases"]) == ("new", [CELL.id], 3)


def test_causes_that_are_gone_and_new_are_named():
    """The line has both numbers; a cause is the same in another cell."""
    other = replace(DEVIATION, deviation=replace(DEVIATION.deviation, action="null"))
    before = summary_of([diagnosed(CELL, DEVIATION, other)])
    fixed = compare_runs(before, summary_of([diagnosed(CELL, DEVIATION)]))
    third = compare_runs(summary_of([diagnosed(CELL, other)]), summary_of([diagnosed(CELL, DEVIATION)]))
    text = "\n".join(difference_lines(fixed))

    assert fixed.causes_line == "causes: 1 gone, none new"
    assert third.causes_line == "causes: 1 gone, 1 new"
    assert "  gone  A field that the caller leaves out is written as null: FetchRequest 12" in text
    assert summary_line(fixed).startswith("causes: 1 gone, none new; findings: new 0")
    assert "**causes: 1 gone, 1 new**" in difference_markdown(third)
    assert [each["sentence"] for each in json.loads(difference_json(fixed))["causes"]["gone"]] == [
        "A field that the caller leaves out is written as null"
    ]


def test_a_cause_whose_cells_were_not_judged_is_not_gone():
    """A run of other cells repairs nothing."""
    difference = compare_runs(summary_of([diagnosed(CELL, DEVIATION)]), summary_of([result(OTHER)]))

    assert difference.causes_line == "causes: none gone, none new"


def test_causes_are_not_compared_with_a_file_of_before_the_diagnosis():
    """All of them would be new."""
    difference = compare_runs(summary_of([result(CELL, CAUSE)]), summary_of([diagnosed(CELL, DEVIATION)]))

    assert difference.causes_line == ""
    assert summary_line(difference).startswith("findings: ")
    assert json.loads(difference_json(difference))["causes"] is None


def test_a_trend_has_the_number_of_causes():
    trend = TrendTable()
    trend.add("1", summary_of([diagnosed(CELL, DEVIATION)]))
    trend.add("2", summary_of([result(CELL)]))

    assert [row["causes"] for row in json.loads(trend_json(trend.rows))] == [1, 0]


def test_the_comment_folds_and_escapes():
    """Foreign text stays text: it closes no fold, has no tag, no link and no mention."""
    evil = replace(CAUSE, summary=HOSTILE, field=HOSTILE)
    difference = compare_runs(summary_of([result(CELL)]), summary_of([result(CELL, evil)]))
    text = difference_markdown(difference)

    assert text.startswith("### wireproof: 1 new finding.\n")
    assert "<details open><summary>New: 1 finding</summary>" in text
    assert text.count("</details>") == text.count("<details") + text.count("`</details>")
    outside = "\n".join(part for line in text.splitlines() for part in line.split("`")[::2])
    assert "<script>" not in outside
    assert "\x1b" not in text


def test_a_trend_counts_what_is_new_and_gone():
    """From each run to the next."""
    trend = TrendTable()
    other = replace(CAUSE, kind="tags-lost")
    for name, causes in (("1", (CAUSE,)), ("2", (CAUSE, other)), ("3", (other,)), ("4", ())):
        trend.add(name, summary_of([result(CELL, *causes)]))

    assert [(row.name, row.overview.findings, row.new, row.gone) for row in trend.rows] == [
        ("1", 1, 0, 0),
        ("2", 2, 1, 0),
        ("3", 1, 0, 1),
        ("4", 0, 0, 1),
    ]
    assert [row["findings"] for row in json.loads(trend_json(trend.rows))] == [1, 2, 1, 0]
    assert trend_markdown(trend.rows).count("\n") == 6
