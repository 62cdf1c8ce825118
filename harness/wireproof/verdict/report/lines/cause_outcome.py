"""The sentence about a cause that a run tried again: it shows, or is gone."""

from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.wording import counted
from wireproof.model import Cell
from wireproof.proof.deviations import Deviation
from wireproof.proof.run import CellResult, RunEvent, RunFooter
from wireproof.verdict.ledger.known_causes import is_same


class CauseOutcome:
    """Listens for one cause.

    Args:
        name: the id of the cause.
        cause: as the run before found it.
    """

    def __init__(self, name: str, cause: Deviation) -> None:
        self._name = name
        self._cause = cause
        self._shown: set[Cell] = set()
        self._cells = 0
        self._code = ExitCode.NOTHING_RAN

    def __call__(self, event: RunEvent) -> None:
        match event:
            case CellResult(cell=cell):
                self._cells += 1
                if event.diagnosis is not None and any(
                    self._is_it(each.deviation, cell) for each in event.diagnosis.causes
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
            return f"The cause {self._name} still shows in {len(self._shown)} of {cells}."
        if self._code is ExitCode.PROVEN:
            return f"The cause {self._name} is gone from {cells}. Without --cause a run tries the rest."
        return f"The cause {self._name} predicts no answer in {cells}, but the run is not green."

    def _is_it(self, deviation: Deviation, cell: Cell) -> bool:
        return is_same(self._cause, deviation.shown_in(cell.message, cell.version))
