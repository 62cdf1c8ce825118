"""A campaign in a Python worker of Spark: it makes one worker environment, and proves block after block.

Kafka's classes are in the worker's own JVM (JPype), not in the executor's JVM (ARCHITECTURE). Spark forks the
worker from a process without a JVM, so that the worker can start one, which lives as long as the worker.
The result of each block is one small Parquet file:

    results/RELEASE/MESSAGE/VERSION/
        named.parquet              the layout and the enumerated cases
        cases-N-COUNT.parquet      seeded instances, from number N on
        smaller-N.parquet          the failure of instance N, made smaller
        *.trying                   the cases that a worker tries; the file stays if the worker died

A file appears complete or not at all, with the same content from any worker: a block may be proven twice.
"""

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

import pyarrow  # type: ignore[import-untyped]
from pyarrow import parquet

from wireproof.base.files.replacement import remove_file, replace_file, replacing
from wireproof.model.cell import Cell, Phase
from wireproof.model.oracle import CannotWorkError, OracleError
from wireproof.pipeline.runtime.worker_limits import bound_memory
from wireproof.proof.run.core.cell_events import CellProgress, CellResult, FailedCase, LostCell, ProverEvent
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.engine.cell_worker import Assignment, prove_one

BLOCK_CASES: Final = 8192
"""The seeded instances of one block: a few seconds of work, which is lost if the worker dies. It is a
multiple of the bulk source's blocks, so that nothing is drawn twice; the eighth of those ends with 1 MiB."""

OUTCOME: Final = pyarrow.schema(
    [
        ("release", pyarrow.string()),
        ("module", pyarrow.string()),
        ("message", pyarrow.string()),
        ("version", pyarrow.int32()),
        ("first", pyarrow.int64()),
        ("cases", pyarrow.int64()),
        ("bytes", pyarrow.int64()),
        ("failed", pyarrow.int64()),
        ("seconds", pyarrow.float64()),
        ("told", pyarrow.binary()),
    ]
)
"""A row for each file.

- first: the number of the first seeded instance; null for the enumerated cases.
- cases, bytes, failed: the number of judged cases, their encoded bytes, and the number of divergent cases.
- seconds: wall-clock time in the worker.
- told: the events and the sum, pickled; only the version of wireproof that wrote them reads them.
"""

_BROKEN: Final = "broken.txt"


@dataclass(frozen=True, slots=True)
class Block:
    """The cases that one call proves.

    Attributes:
        cell: the index of the cell in the campaign's list.
        first: the number of the first seeded instance.
        cases: the number of instances; 0 for the layout and the enumerated cases.
        smaller_s: the seconds to shrink the one failed case of this block; 0 for every other block.
    """

    cell: int
    first: int = 0
    cases: int = 0
    smaller_s: float = 0.0

    @property
    def name(self) -> str:
        if self.smaller_s:
            return f"smaller-{self.first}"
        return f"cases-{self.first}-{self.cases}" if self.cases else "named"


def blocks_of(cell: int, cases: int, size: int = BLOCK_CASES) -> Iterator[Block]:
    """The blocks of a cell, in the order in which one machine would prove them."""
    yield Block(cell)
    for first in range(0, cases, size):
        yield Block(cell, first, min(size, cases - first))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a block: its events, then its sum."""

    events: tuple[ProverEvent, ...]
    done: CellResult | LostCell


class Results:
    """The folder of results; every machine of the campaign sees the same."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def place(self, cell: Cell, block: Block) -> Path:
        return self._folder / cell.id / f"{block.name}.parquet"

    def has(self, cell: Cell, block: Block) -> bool:
        return self.place(cell, block).is_file()

    def read(self, cell: Cell, block: Block) -> Outcome:
        """The result of a finished block.

        Raises:
            OSError: it cannot be read.
            ValueError: it is damaged.
        """
        (pickled,) = parquet.read_table(self.place(cell, block), columns=["told"])["told"].to_pylist()
        try:
            outcome = pickle.loads(pickled)
        except (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError) as error:
            raise ValueError(f"{self.place(cell, block)} is damaged: {error}") from error
        assert isinstance(outcome, Outcome)
        return outcome

    def write(self, cell: Cell, block: Block, outcome: Outcome) -> None:
        """Write the outcome of a block; `OSError` if it cannot be written."""
        events = tuple(each for each in outcome.events if not isinstance(each, CellProgress))
        first = block.first if block.cases else None
        row = (cell.release, cell.module, cell.message, cell.version, first, *_sums(outcome.done))
        values = [*row, pickle.dumps(Outcome(events, outcome.done))]
        columns = [pyarrow.array([value], each.type) for value, each in zip(values, OUTCOME, strict=True)]
        place = self.place(cell, block)
        place.parent.mkdir(parents=True, exist_ok=True)
        with replacing(place) as file:
            parquet.write_table(pyarrow.Table.from_arrays(columns, schema=OUTCOME), file)

    def forget(self, cell: Cell, block: Block) -> None:
        """Remove the result of a block, so that the block is proven again."""
        remove_file(self.place(cell, block))

    def trying(self, cell: Cell, block: Block, names: Sequence[str]) -> None:
        """Record that a worker tries these cases of a block: the first and the last.

        Raises:
            OSError: the record cannot be written.
        """
        mark = self._mark(cell, block)
        mark.parent.mkdir(parents=True, exist_ok=True)
        replace_file(mark, "\n".join(names))

    def tried(self, cell: Cell, block: Block) -> None:
        """Remove the record of `trying`, because the worker has ended the block."""
        remove_file(self._mark(cell, block))

    def begun(self, cell: Cell, block: Block) -> list[str] | None:
        """The cases that a worker last recorded for the block; None if no worker has begun it."""
        try:
            return self._mark(cell, block).read_text("utf-8").splitlines()
        except FileNotFoundError:
            return None

    def _mark(self, cell: Cell, block: Block) -> Path:
        return self.place(cell, block).with_suffix(".trying")

    def say_broken(self, message: str, advice: str) -> None:
        """Announce to all workers that no cell can be proven."""
        self._folder.mkdir(parents=True, exist_ok=True)
        replace_file(self._folder / _BROKEN, f"{message}\n\n{advice}")

    def broken(self) -> tuple[str, str] | None:
        """The reason why no cell can be proven, and the advice; None without one. Each is returned once."""
        try:
            message, _, advice = (self._folder / _BROKEN).read_text("utf-8").partition("\n\n")
        except FileNotFoundError:
            return None
        remove_file(self._folder / _BROKEN)
        return message, advice


def _sums(done: CellResult | LostCell) -> tuple[int, int, int, float]:
    if isinstance(done, LostCell):
        return 0, 0, 0, 0.0
    return sum(done.cases.values()), done.data_bytes, done.failed_cases, done.duration_s


WORKER_MB: Final = 2048
"""The limit of a worker's data beyond its data at the start (`bound_memory`). Python takes 300 MiB; the rest
is for the JVM: a heap of at most 512 MiB, classes, code. The measured resident memory was 340 MiB."""

Find: TypeAlias = Callable[[Path], Path]
"""Returns the path on this machine of a file that was shipped from a path on the driver."""

MakeRemoteEnvironment: TypeAlias = Callable[[Find], WorkerEnvironment]
"""A function that the driver makes and pickles, and that each worker calls."""


@dataclass(frozen=True, slots=True)
class Work:
    """The instructions for a worker.

    Attributes:
        name: the name of this start of the campaign. A worker makes one environment for each start.
        options: the options of a run on one machine; the block determines the number of cases.
        shipped: whether Spark sent the files; else they have the same paths as on the driver.
        careful: whether to try one case at a time, so that a case that kills the worker is known.
    """

    name: str
    cells: Sequence[Cell]
    options: RunOptions
    make_environment: MakeRemoteEnvironment
    results: Path
    shipped: bool
    careful: bool = False


_environment: tuple[str, WorkerEnvironment] | None = None


def prove_rows(work: Work) -> Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    """Return a function for `mapInArrow` that proves the block of each row, and then yields the row."""

    def prove(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
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
    """Return the environment, made at its first use; the environment of another campaign is dropped."""
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
        # If the layout differs from Kafka's class, other questions fail for that reason. As in a run, the
        # worker reports the layout, with the enumerated cases, and asks nothing else about the cell.
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
    """The outcome without findings about the layout, which the block of enumerated cases reports."""
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
