"""The verdict of a run for a badge: the endpoint format of shields.io."""

from typing import Final

from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.wording import json_text
from wireproof.verdict.report.run_summary import RunSummary

_LABEL: Final = "wire conformance"
_COLOURS: Final = {
    ExitCode.PROVEN: "green",
    ExitCode.DIVERGENCE: "red",
    ExitCode.LEDGER: "orange",
    ExitCode.BELOW_FLOOR: "yellow",
}


def render_badge(summary: RunSummary) -> str:
    """Return the endpoint: the cells in which every case agrees with Kafka, of those selected.

    A cell with a known deviation is not among them: the ledger excuses it, and the codec is still wrong.
    """
    return json_text(_endpoint(summary), indent=1) + "\n"


def _endpoint(summary: RunSummary) -> dict[str, object]:
    finished = summary.finished
    endpoint: dict[str, object] = {"schemaVersion": 1, "label": _LABEL}
    if finished is None or summary.broken is not None or summary.stopped:
        reason = summary.stopped or (summary.broken.message if summary.broken is not None else "no verdict")
        return {**endpoint, "message": reason[:100], "color": "lightgrey", "isError": True}
    agreeing = sum(
        not (result.failed_cases or result.known or result.not_asked or cell in summary.lost)
        for cell, result in summary.cells.items()
    )
    selected = finished.totals.cells_selected
    colour = _COLOURS.get(finished.exit_code, "lightgrey")
    if finished.exit_code is ExitCode.PROVEN and agreeing == selected:
        colour = "brightgreen"
    return {**endpoint, "message": f"{agreeing}/{selected}", "color": colour}
