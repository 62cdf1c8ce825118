"""A campaign in a Python worker of Spark: a worker environment, made once, and one block after the other.

It has Kafka's classes in a JVM of the worker's own (JPype), not in the executor's (ARCHITECTURE). The
worker is forked off a process that has none, so that it may start one; it lives as long as the worker.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from wireproof.model import CannotWorkError, Cell, OracleError, Phase
from wireproof.pipeline.campaign.campaign_blocks import Block, Outcome, Results
from wireproof.pipeline.runtime.worker_memory import bound_memory
from wireproof.proof.run import CellResult, FailedCase, RunOptions, WorkerEnvironment
from wireproof.proof.run.core.cell_events import ProverEvent
from wireproof.proof.run.engine.cell_worker import Assignment, prove_one

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]

WORKER_MB: Final = 2048
"""Of data in a worker, beyond what it holds when it begins (`bound_memory`): 300 MiB are Python's; the rest
is for the JVM: a heap of 512 MiB at most, classes, code. 340 MiB were seen resident."""

Find: TypeAlias = Callable[[Path], Path]
"""Where the machine has a file that was shipped from this place."""

MakeRemoteEnvironment: TypeAlias = Callable[[Find], WorkerEnvironment]
"""Made by the driver, pickled, called in each worker."""


@dataclass(frozen=True, slots=True)
class Work:
    """The instructions for a worker.

    Attributes:
        name: the name of this start of the campaign: a worker makes its environment once for each.
        options: the phases as one machine would run them; the number of cases is the block's.
        shipped: whether files came by Spark; else they are where they were.
        careful: one case at a time, so that the one that kills is known.
    """

    name: str
    cells: Sequence[Cell]
    options: RunOptions
    make_environment: MakeRemoteEnvironment
    results: Path
    shipped: bool
    careful: bool = False


_environment: tuple[str, WorkerEnvironment] | None = None


def prove_rows(
    work: Work,
) -> "Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]":
    """Prove the blocks of rows, for `mapInArrow`; a row comes back when its block is on disk."""

    def prove(batches: "Iterator[pyarrow.RecordBatch]") -> "Iterator[pyarrow.RecordBatch]":
        bound_memory(WORKER_MB)
        results = Results(work.results)
        for batch in batches:
            for number, row in enumerate(batch.to_pylist()):
                block = Block(**row)
                if not results.has(work.cells[block.cell], block):
                    _prove_block(work, results, block)
                yield batch.slice(number, 1)

    return prove


def _prove_block(work: Work, results: Results, block: Block) -> None:
    cell = work.cells[block.cell]
    results.trying(cell, block, [])
    try:
        outcome = _outcome(_environment_of(work), work, results, block)
    except CannotWorkError as error:
        results.say_broken(error.message, error.advice)
        results.tried(cell, block)
        raise
    results.write(cell, block, outcome)
    results.tried(cell, block)


def _environment_of(work: Work) -> WorkerEnvironment:
    """Made when it is first needed; that of another campaign is let go."""
    global _environment  # a worker has one JVM, and keeps no other state between two tasks
    if _environment is None or _environment[0] != work.name:
        _environment = work.name, work.make_environment(_find if work.shipped else _stay)
    return _environment[1]


def _find(path: Path) -> Path:
    from pyspark import SparkFiles

    return Path(SparkFiles.get(path.name))


def _stay(path: Path) -> Path:
    return path


def _outcome(environment: WorkerEnvironment, work: Work, results: Results, block: Block) -> Outcome:
    """Raises CannotWorkError: no cell can be proven here."""
    phases = work.options.phases
    if not block.cases:
        named = tuple(phase for phase in phases if phase is not Phase.BULK)
        return _proven(environment, work, results, block, named)
    try:
        return _proven(environment, work, results, block, (Phase.BULK,))
    except OracleError:
        if Phase.SHAPE not in phases:
            raise
        # Where the layout is not what the class has, questions fail that follow from it: as in a run, the
        # worker reports the layout, with the enumerated cases, and asks nothing else of the cell.
        return _without_shape(_proven(environment, work, results, block, (Phase.SHAPE, Phase.BULK)))


def _proven(
    environment: WorkerEnvironment, work: Work, results: Results, block: Block, phases: tuple[Phase, ...]
) -> Outcome:
    cell = work.cells[block.cell]
    options = replace(work.options, phases=phases)
    if block.cases:
        # Classes of values are those that the enumerated cases meet: all that can be met.
        options = replace(
            options, first_case=block.first, cases=block.cases, shrink_s=block.smaller_s, classes=False
        )
    events: list[ProverEvent] = []

    def announce(phase: Phase, names: Sequence[str]) -> None:
        if names:
            results.trying(cell, block, [cell.case_id(phase, name) for name in (names[0], names[-1])])

    done, _ = prove_one(environment, options, Assignment(cell, careful=work.careful), events.append, announce)
    return Outcome(tuple(events), done)


def _without_shape(outcome: Outcome) -> Outcome:
    """The outcome without findings about the layout, which the enumerated cases report."""
    events = tuple(
        each for each in outcome.events if not (isinstance(each, FailedCase) and each.phase is Phase.SHAPE)
    )
    done = outcome.done
    if isinstance(done, CellResult):
        cases = dict(done.cases)
        cases.pop(Phase.SHAPE, None)
        causes = tuple(each for each in done.causes if each.phase is not Phase.SHAPE)
        layouts = int(len(causes) < len(done.causes))
        failed = done.failed_cases - layouts
        done = replace(done, cases=cases, causes=causes, failed_cases=failed)
        done = replace(done, errata={}, known={}, known_at=())
    return Outcome(events, done)
