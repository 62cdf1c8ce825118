"""The progress of a run: a bar on a terminal, else a line now and then."""

import time
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from wireproof.model import Cell
from wireproof.proof.run import CellProgress, CellResult

_PLAIN_EVERY_S: Final = 10.0
"""Seconds between two progress lines if the output is not a terminal."""


class CellsProgress:
    """Cells and cases so far, those of cells under way with them."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._cells = self._cells_done = self._cases_done = 0
        self._under_way: dict[Cell, int] = {}
        self._started = self._last_plain = time.monotonic()
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def begin(self, cells: int) -> None:
        """So many are to come."""
        self._cells = cells
        if self._console.is_terminal:
            self._bar = Progress(
                BarColumn(),
                TextColumn("{task.completed}/{task.total} cells"),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(compact=True),
                TextColumn("{task.description}"),
                console=self._console,
                transient=True,
            )
            self._task = self._bar.add_task("", total=cells, rate="")
            self._bar.start()

    def advance(self, event: CellResult | CellProgress) -> None:
        """A cell went on, or is done."""
        cases = sum(event.cases.values())
        done = isinstance(event, CellResult)
        if done:
            self._under_way.pop(event.cell, None)
            self._cells_done += 1
            self._cases_done += cases
        else:
            self._under_way[event.cell] = cases
        self._show(event.cell, 1 if done else 0)

    def stop(self) -> None:
        """The run is over."""
        if self._bar is not None:
            self._bar.stop()

    def _show(self, cell: Cell, done: int) -> None:
        now = time.monotonic()
        cases = self._cases_done + sum(self._under_way.values())
        rate = f"{cases:,} cases, {cases / max(now - self._started, 0.001):,.0f}/s"
        if self._bar is not None:
            self._bar.update(
                self._task, advance=done, description=f"{cell.message} v{cell.version}", rate=rate
            )
        elif now - self._last_plain >= _PLAIN_EVERY_S:
            self._last_plain = now
            words = f"{self._cells_done}/{self._cells} cells, {rate}"
            self._console.print(words, emoji=False, highlight=False, soft_wrap=True)
