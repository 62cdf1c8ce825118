"""The causes of the last run, and the sentence about a cause that a later run tries again."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from wireproof.base.exit_codes import ExitCode
from wireproof.base.files.replacement import ignore_folder, replace_file
from wireproof.base.text.wording import counted, json_text
from wireproof.model.cell import Cell
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.proof.run.core.run_events import ReportedEvent, RunEvent, RunFooter, RunHeader
from wireproof.verdict.ledger.known_causes import is_same
from wireproof.verdict.report.events.event_json import as_json


@dataclass(slots=True)
class CauseOutcome:
    """Listens to a run for one cause that an earlier run found."""

    name: str
    cause: Deviation
    _shown: set[Cell] = field(default_factory=set)
    _cells: int = 0
    _code: ExitCode = ExitCode.NOTHING_RAN

    def __call__(self, event: RunEvent) -> None:
        match event:
            case CellResult(cell=cell):
                self._cells += 1
                if event.diagnosis is not None and any(
                    is_same(self.cause, each.deviation.shown_in(cell.message, cell.version))
                    for each in event.diagnosis.causes
                ):
                    self._shown.add(cell)
            case RunFooter():
                self._code = event.exit_code
            case _:
                pass

    def line(self) -> str:
        """Return the sentence for the end of the run."""
        cells = counted(self._cells, "cell")
        if self._shown:
            return f"The cause {self.name} still shows in {len(self._shown)} of {cells}."
        if self._code is ExitCode.PROVEN:
            return f"The cause {self.name} is gone from {cells}. Without --cause a run tries the rest."
        return f"The cause {self.name} predicts no answer in {cells}, but the run is not green."


LAST_CAUSES: Final = Path(".wireproof/last-causes.ndjson")


@dataclass(slots=True)
class CauseRecord:
    """Records the failed cells of a run in a file at its end. A run without a cause writes nothing."""

    path: Path
    _lines: list[str] = field(default_factory=list)
    _is_needed: bool = False

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
                    ignore_folder(self.path.parent)
                    replace_file(self.path, "".join(self._lines))
            case _:
                pass

    def _add(self, event: ReportedEvent) -> None:
        self._lines.append(f"{json_text(as_json(event))}\n")
