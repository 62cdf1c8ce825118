"""Cells proven in this process, one after the other: where the codec under test is an object in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from wireproof.model import CannotWorkError, Cell
from wireproof.run.core.environment import Bench, MakeBench
from wireproof.run.core.plan import RunOptions
from wireproof.run.core.run_events import CellDone, CellLost, ProverEvent
from wireproof.run.engine.cell_worker import Assignment, Broken, prove_one

__all__ = ["Inline"]


@dataclass(slots=True)
class Inline:
    """Does what a `Pool` does, without processes: whatever takes this one down takes the run with it."""

    make_bench: MakeBench
    options: RunOptions
    _bench: Bench | None = None
    _shrunk_s: float = 0.0
    _told: list[ProverEvent] = field(default_factory=list)
    _stopping: bool = False

    def stop(self) -> None:
        """End `run` behind the cell that is being proven."""
        self._stopping = True

    def run(self, cells: Sequence[Cell]) -> Iterator[ProverEvent | CellDone | CellLost | Broken | None]:
        """What happened in each cell, when it is done; None before each, so that the caller can look at the
        clock."""
        self._stopping = False
        for cell in cells:
            yield None
            if self._stopping:
                return
            try:
                done = self._prove(cell)
            except CannotWorkError as error:
                yield Broken(error.message, error.advice)
                return
            yield from self._told
            yield done

    def _prove(self, cell: Cell) -> CellDone | CellLost:
        if self._bench is None:
            self._bench = self.make_bench()
        self._told.clear()
        left_s = max(0.0, min(self.options.shrink_s, self.options.shrink_all_s - self._shrunk_s))
        options = replace(self.options, shrink_s=left_s)
        done, shrunk_s = prove_one(self._bench, options, Assignment(cell), self._told.append, lambda *_: None)
        self._shrunk_s += shrunk_s
        return done
