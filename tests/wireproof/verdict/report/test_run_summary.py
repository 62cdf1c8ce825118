"""The counts that a summary adds of its own agree with the footer, which the engine adds up."""

import pytest

from tests.support.environments import small_environment
from wireproof.model.cell import Phase
from wireproof.proof.run.core.plan import RunOptions
from wireproof.verdict.report.run_summary import RunSummary

CELLS = [small_environment.cell("PingRequest", version) for version in range(4)]
OPTIONS = RunOptions(phases=(Phase.ENUMERATED, Phase.FRAME), shrink_s=0)


@pytest.mark.parametrize("wrong", [None, small_environment.NullAsEmpty], ids=["right", "wrong"])
def test_a_summary_adds_up(wrong):
    """Cells, failed cells and cases of all rows are those of the footer, by module and by message."""
    summary = RunSummary()
    for event in small_environment.engine(small_environment.make(wrong=wrong), OPTIONS).run(CELLS):
        summary(event)

    assert summary.finished is not None
    totals = summary.finished.totals
    for rows in (summary.by_module(), summary.by_message()):
        assert sum(row.cells for row in rows.values()) == totals.cells_done == len(CELLS)
        assert sum(row.failed for row in rows.values()) == totals.cells_failed
        assert sum(row.cases for row in rows.values()) == totals.all_cases
        assert sum(row.lost for row in rows.values()) == totals.cells_lost == 0
    assert (totals.cells_failed > 0) is (wrong is not None)
    assert {cell for finding in summary.findings for cell in finding.cells} == summary.of_cell.keys()
    assert sum(finding.cases for finding in summary.findings) == totals.failed_cases
    assert sum(1 for _ in summary.below_minimum) == totals.cells_below_floor
