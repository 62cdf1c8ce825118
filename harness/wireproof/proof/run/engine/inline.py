"""Cells proven in this process, one after the other: the codec under test is an object in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from wireproof.model.cell import Cell
from wireproof.model.oracle import CannotWorkError
from wireproof.proof.run.core.cell_events import CellResult, LostCell, ProverEvent
from wireproof.proof.run.core.environment import MakeEnvironment, WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.engine.cell_worker import Assignment, prove_one
from wireproof.proof.run.engine.worker_pool import WorkerBroken


@dataclass(slots=True)
class InlineProver:
    """Does what a `CellPool` does, without processes: a crash of this process ends the run."""

    make_environment: MakeEnvironment
    options: RunOptions
    _environment: WorkerEnvironment | None = None
    _shrunk_s: float = 0.0
    _reported: list[ProverEvent] = field(default_factory=list)
    _stopping: bool = False

    def stop(self) -> None:
        """End `run` after the cell that is being proven."""
        self._stopping = True

    def run(
        self, cells: Sequence[Cell]
    ) -> Iterator[ProverEvent | CellResult | LostCell | WorkerBroken | None]:
        """Yield the events of each cell when it is done, and None before each cell: the caller can look at
        the clock then."""
        self._stopping = False
        for cell in cells:
            yield None
            if self._stopping:
                return
            try:
                done = self._prove(cell)
            except CannotWorkError as error:
                yield WorkerBroken(error.message, error.advice)
                return
            yield from self._reported
            yield done

    def _prove(self, cell: Cell) -> CellResult | LostCell:
        if self._environment is None:
            self._environment = self.make_environment()
        self._reported.clear()
        left_s = max(0.0, min(self.options.shrink_s, self.options.shrink_all_s - self._shrunk_s))
        options = replace(self.options, shrink_s=left_s)
        done, shrunk_s = prove_one(
            self._environment, options, Assignment(cell), self._reported.append, lambda *_: None
        )
        self._shrunk_s += shrunk_s
        return done
