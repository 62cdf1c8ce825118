"""Cells proven in this process, one after the other: the codec under test is an object in it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from wireproof.model.cell import Cell
from wireproof.model.oracle import CannotWorkError
from wireproof.proof.run.core.cell_events import CellResult, LostCell, ProverEvent
from wireproof.proof.run.core.environment import MakeEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.engine.cell_worker import Assignment, HangTime, Message, make_cell_handler
from wireproof.proof.run.engine.worker_pool import WorkerBroken


@dataclass(slots=True)
class InlineProver:
    """Does what a `CellPool` does, without processes: a crash of this process ends the run."""

    make_environment: MakeEnvironment
    options: RunOptions
    _handle: Callable[[Assignment], None] | None = None
    _sent: list[Message] = field(default_factory=list)
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
            self._sent.clear()
            try:
                if self._handle is None:
                    self._handle = make_cell_handler(self.make_environment, self.options, self._sent.append)
                self._handle(Assignment(cell))
            except CannotWorkError as error:
                yield WorkerBroken(error.message, error.advice)
                return
            yield from (event for event in self._sent if not isinstance(event, HangTime))
