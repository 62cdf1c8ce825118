"""A process that proves one cell after the other, with an oracle of its own."""

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

from wireproof.base.fatal import harness_failure
from wireproof.model import (
    EMBEDDED_MODULE,
    PRIMITIVES_MODULE,
    RECORDS_MODULE,
    CannotWorkError,
    Cell,
    CodecEnd,
    Phase,
)
from wireproof.proof.run.context.cell_context import Announce
from wireproof.proof.run.core.cell_events import CellResult, EndedCodec, LostCell, ProverEvent
from wireproof.proof.run.core.environment import MakeEnvironment, WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.engine.announcement import AnnouncementSlot
from wireproof.proof.run.engine.worker_pool import Send, WorkerBroken
from wireproof.proof.run.provers.message_prover import CellProver
from wireproof.proof.run.provers.primitive_prover import PrimitiveProver
from wireproof.proof.run.provers.record_set_prover import RecordSetProver
from wireproof.proof.run.provers.schemaless_prover import SchemalessProver

__all__ = [
    "Assignment",
    "WorkerBroken",
    "HangTime",
    "Message",
    "prove_one",
    "prover_for",
    "make_cell_handler",
]


@dataclass(frozen=True, slots=True)
class Assignment:
    """A cell to prove.

    Attributes:
        careful: one case at a time, each announced: so that the one that kills is known.
        skip: case ids known to kill.
        ended: what ended the codec in other processes since this one was given its last cell.
        hangs_s: what all other processes spent on hangs so far.
        again: a process that had it died before its first case.
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


_YOUNG_OBJECTS: Final = 100_000
"""Python looks for garbage in cycles after so many new containers, in place of 700: values have no cycles."""


def make_cell_handler(
    make_environment: MakeEnvironment, options: RunOptions, send: Send, announced: AnnouncementSlot
) -> Callable[[Assignment], None]:
    """The function that proves a cell in a worker, and sends its events.

    Raises:
        CannotWorkError: no cell can be proven here.
    """
    environment = make_environment()
    # Schemas and tables live as long as the process: the collector need not walk them again and again.
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS, 10, 10)
    shrink_left_s = options.shrink_all_s

    def announce(phase: Phase, names: Sequence[str]) -> None:
        if names:
            announced.put(phase, names[0], names[-1])

    def handle(assignment: Assignment) -> None:
        nonlocal shrink_left_s
        shrink_s = max(0.0, min(options.shrink_s, shrink_left_s))
        result, shrunk_s = prove_one(
            environment, replace(options, shrink_s=shrink_s), assignment, send, announce
        )
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
    """One cell, and the seconds that went into making its failures smaller.

    Raises:
        CannotWorkError: no cell can be proven here.
        EOFError, BrokenPipeError: of `emit` and `announce`.
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
    """The class of prover for a cell: a message, record sets, a primitive or a protocol without schemas."""
    own = {
        RECORDS_MODULE: RecordSetProver,
        EMBEDDED_MODULE: SchemalessProver,
        PRIMITIVES_MODULE: PrimitiveProver,
    }
    return own.get(cell.module, CellProver)
