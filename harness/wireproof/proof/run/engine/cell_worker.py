"""A process that proves one cell after the other, with an oracle of its own, and announces what it tries."""

from collections.abc import Callable, Sequence
from ctypes import c_char
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.sharedctypes import RawArray
from typing import Any, Final, TypeAlias

from wireproof.base.exit_codes import harness_failure
from wireproof.model.cell import RECORDS_MODULE, Cell, Phase
from wireproof.model.codec_ends import CodecEnd
from wireproof.model.oracle import CannotWorkError
from wireproof.proof.run.context.cell_context import Announce
from wireproof.proof.run.core.cell_events import CellResult, EndedCodec, LostCell, ProverEvent
from wireproof.proof.run.core.environment import MakeEnvironment, WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.engine.worker_pool import Send, WorkerBroken
from wireproof.proof.run.provers.message_prover import CellProver
from wireproof.proof.run.provers.record_set_prover import RecordSetProver

_SIZE: Final = 1 << 14
_LENGTH: Final = 4
"""Bytes before the text that hold its length, little-endian; 0 while nothing was announced."""
_NAME: Final = 2000
_BETWEEN: Final = "\0"


@dataclass(frozen=True, slots=True)
class AnnouncedCases:
    """The cases about to be tried: one of them is at fault if the worker dies."""

    phase: Phase
    first: str
    last: str


class AnnouncementSlot:
    """The latest announcement of one worker. The worker is handed the slot when its process starts.

    A worker announces every batch of cases, thousands a second. A message for each would cost the parent and
    the worker a twentieth of a run; memory that both map costs nothing, and is read only when the worker has
    died.
    """

    def __init__(self) -> None:
        self._memory: Any = RawArray(c_char, _SIZE)

    def put(self, phase: Phase, first: str, last: str) -> None:
        """Announce cases; a name of more than 2,000 characters is cut off."""
        text = _BETWEEN.join((phase, first[:_NAME], last[:_NAME])).encode(errors="replace")
        self.clear()
        self._memory[_LENGTH : _LENGTH + len(text)] = text
        self._memory[:_LENGTH] = len(text).to_bytes(_LENGTH, "little")

    def clear(self) -> None:
        """Withdraw the announcement."""
        self._memory[:_LENGTH] = bytes(_LENGTH)

    def get(self) -> AnnouncedCases | None:
        """The latest announcement; None if there is none."""
        length = int.from_bytes(self._memory[:_LENGTH], "little")
        if length == 0:
            return None
        text = self._memory[_LENGTH : _LENGTH + length].decode(errors="replace")
        phase, first, last = text.split(_BETWEEN)
        return AnnouncedCases(Phase(phase), first, last)


@dataclass(frozen=True, slots=True)
class Assignment:
    """A cell to prove.

    Attributes:
        careful: whether cases are tried and announced one at a time, so that a case that kills is known.
        skip: ids of the cases that are known to kill a process.
        ended: what ended the codec in other processes since this process was given its last cell.
        hangs_s: the seconds that all other processes have spent on hangs so far.
        again: whether a process that had this cell died before its first case.
    """

    cell: Cell
    careful: bool = False
    skip: frozenset[str] = frozenset()
    ended: tuple[EndedCodec, ...] = ()
    hangs_s: float = 0.0
    again: bool = False


@dataclass(frozen=True, slots=True)
class HangTime:
    """The time that this process has spent on hangs, in seconds."""

    seconds: float


Message: TypeAlias = HangTime | ProverEvent | CellResult | LostCell | WorkerBroken


def make_cell_handler(
    make_environment: MakeEnvironment,
    options: RunOptions,
    send: Send,
    announced: AnnouncementSlot | None = None,
) -> Callable[[Assignment], None]:
    """The function that proves a cell in a worker, and sends its events.

    Args:
        announced: gets the first and the last name of each batch; None if the engine does not name the case
            that ends the process.

    Raises:
        CannotWorkError: no cell can be proven here.
    """
    environment = make_environment()
    shrink_left_s = options.shrink_all_s

    def announce(phase: Phase, names: Sequence[str]) -> None:
        if announced is not None and names:
            announced.put(phase, names[0], names[-1])

    def handle(assignment: Assignment) -> None:
        nonlocal shrink_left_s
        shrink_s = max(0.0, min(options.shrink_s, shrink_left_s))
        result, shrunk_s = prove_one(
            environment, replace(options, shrink_s=shrink_s), assignment, send, announce
        )
        if announced is not None:
            announced.clear()
        send(HangTime(environment.hangs.spent_s))
        send(result)
        shrink_left_s -= shrunk_s

    return handle


def prove_one(
    environment: WorkerEnvironment,
    options: RunOptions,
    assignment: Assignment,
    emit: Callable[[ProverEvent], None],
    announce: Announce,
) -> tuple[CellResult | LostCell, float]:
    """Prove one cell; return its result and the seconds spent on shrinking its failures.

    Raises:
        CannotWorkError: no cell can be proven here.
        EOFError, BrokenPipeError: raised by `emit` and `announce`.
    """
    hangs = environment.hangs
    hangs.total_s, hangs.every_place = options.hang_budget_s, options.every_hang
    hangs.elsewhere_s, hangs.cell = assignment.hangs_s, assignment.cell
    hangs.expect(options.known.expected_ends if options.known is not None else ())
    hangs.notify = partial(_notify, assignment.cell, emit)
    for ended in assignment.ended:
        hangs.learn(ended.end, ended.cell)
    prover = prover_for(assignment.cell)(
        environment,
        options,
        assignment.cell,
        emit,
        announce,
        careful=assignment.careful,
        skip=assignment.skip,
    )
    try:
        return prover.prove(), prover.shrunk_s
    except (CannotWorkError, EOFError, BrokenPipeError):
        raise
    except Exception as error:  # noqa: BLE001 - a fault of the harness costs one cell, with its place in the code
        return LostCell(assignment.cell, harness_failure(error)), prover.shrunk_s


def _notify(cell: Cell, emit: Callable[[ProverEvent], None], end: CodecEnd) -> None:
    emit(EndedCodec(cell, f"{cell.id}/{end.case}" if end.case else "", end))


def prover_for(cell: Cell) -> type[CellProver]:
    """Return the class of prover for a cell."""
    return RecordSetProver if cell.module == RECORDS_MODULE else CellProver
