"""The causes of the last run: an event file of the cells that have some, for ``wireproof run --cause``."""

from pathlib import Path
from typing import Final

from wireproof.base.files import ignore_folder, replace_file
from wireproof.base.text.foreign_text import json_text
from wireproof.proof.run import CellResult, ReportedEvent, RunEvent, RunFooter, RunHeader
from wireproof.verdict.report.events.event_json import as_json

LAST_CAUSES: Final = Path(".wireproof/last-causes.ndjson")


class CauseRecord:
    """Records the cells of a run in which a cause shows. A run without a cause leaves the file as it was.

    Args:
        path: of the file, which is written at the end of the run; its folder is made then.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines: list[str] = []
        self._is_needed = False

    def __call__(self, event: RunEvent) -> None:
        match event:
            case RunHeader():
                self._add(event)
            case CellResult() if event.failed_cases:
                self._is_needed |= event.diagnosis is not None and bool(event.diagnosis.causes)
                self._add(event)
            case RunFooter():
                self._add(event)
                if self._is_needed:
                    ignore_folder(self._path.parent)
                    replace_file(self._path, "".join(self._lines))
            case _:
                pass

    def _add(self, event: ReportedEvent) -> None:
        self._lines.append(f"{json_text(as_json(event))}\n")
