"""A campaign on Spark: the executors prove every cell with the requested number of seeded instances.

It proves cells for an `Engine`, as `CellPool` does with processes: reports, totals and exit codes are those
of a run. Each row is a block of a cell (`campaign_worker`); a task takes several rows. Results are on disk,
in a folder that every machine sees. So a campaign continues where it stopped, and its reports depend only on
these results.

If a worker dies, its task fails, and Spark tries the task again if it is configured so. If the job fails,
each unfinished block is proven alone, and at last case by case, so that the report names the case that kills.
"""

import math
import uuid
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from wireproof.model.agreement import ObservedCause, ObservedDeviation
from wireproof.model.cell import Cell, FramePart, Phase
from wireproof.pipeline.campaign.campaign_worker import (
    BLOCK_CASES,
    Block,
    MakeRemoteEnvironment,
    Outcome,
    Results,
    Work,
    blocks_of,
    prove_rows,
)
from wireproof.pipeline.runtime.code_distribution import Action, cause_of, distribute_code, distribute_files
from wireproof.pipeline.runtime.spark_session import is_alone
from wireproof.proof.deviations.search.cell_diagnosis import CellDiagnosis
from wireproof.proof.run.core.cell_events import (
    CellProgress,
    CellResult,
    FailedCase,
    LostCase,
    LostCell,
    ProverEvent,
    ShrunkCase,
)
from wireproof.proof.run.core.plan import REPORTED_EACH, RunOptions, over_releases
from wireproof.proof.run.engine.cell_pool import PoolEvent
from wireproof.proof.run.engine.worker_pool import WorkerBroken
from wireproof.proof.run.phases.bulk_phase import number_in

_Key = TypeVar("_Key")
_Number = TypeVar("_Number", int, float)


@dataclass(slots=True)
class CellSum:
    """The sum of an unfinished cell. Blocks are added in their order, so that the sum does not depend on the
    speed of workers.

    Args:
        blocks: the blocks that are still missing, the next one first.
    """

    cell: Cell
    blocks: list[Block]
    done: CellResult | None = None
    lost: LostCell | None = None
    large: list[int] = field(default_factory=list)
    _reported: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def take(self, outcome: Outcome) -> Iterator[ProverEvent | CellResult | LostCell]:
        """Add the outcome of the next block: yield its events, and after the last block the cell's result."""
        self.blocks.pop(0)
        yield from (event for event in outcome.events if self._is_reported(event))
        match outcome.done:
            case LostCell():
                self.lost = self.lost or outcome.done
            case CellResult():
                self.done = outcome.done if self.done is None else _together(self.done, outcome.done)
        if not self.blocks:
            found = self.lost or self.done
            assert found is not None
            yield found
        elif self.done is not None:
            yield CellProgress(self.cell, dict(self.done.cases), self.done.data_bytes, self.done.failed_cases)

    def _is_reported(self, event: ProverEvent) -> bool:
        """Return True if a run on one machine would report the event; note failures that are to be shrunk."""
        if not isinstance(event, FailedCase):
            return True
        cause = event.phase, *event.divergences[0].cause
        self._reported[cause] += 1
        if self._reported[cause] == 1 and event.phase is Phase.BULK and event.value is not None:
            number = number_in(event.case_id)
            if number is not None:
                self.large.append(number)
        return self._reported[cause] <= REPORTED_EACH


def _together(one: CellResult, other: CellResult) -> CellResult:
    """Add two parts of a cell; `one` has the earlier cases."""
    return replace(
        one,
        cases=_added(one.cases, other.cases),
        data_bytes=one.data_bytes + other.data_bytes,
        failed_cases=one.failed_cases + other.failed_cases,
        duration_s=one.duration_s + other.duration_s,
        errata=_added(one.errata, other.errata),
        unsupported=_added(one.unsupported, other.unsupported),
        known=_added(one.known, other.known),
        known_at=_places(one.known_at, other.known_at),
        causes=_causes(one.causes, other.causes),
        claimed=tuple(sorted({*one.claimed, *other.claimed})),
        exercised=tuple(sorted({*one.exercised, *other.exercised})),
        not_asked=one.not_asked + other.not_asked,
        trust={
            subject: _added(one.trust.get(subject, {}), other.trust.get(subject, {}))
            for subject in {**one.trust, **other.trust}
        },
        skipped=_added(one.skipped, other.skipped),
        phase_s=_added(one.phase_s, other.phase_s),
        hidden_causes=_causes(one.hidden_causes, other.hidden_causes),
        diagnosis=_diagnosis(one.diagnosis, other.diagnosis),
        contradicted={**other.contradicted, **one.contradicted},
        passed=one.passed | other.passed,
    )


def _diagnosis(one: CellDiagnosis | None, other: CellDiagnosis | None) -> CellDiagnosis | None:
    return one.joined(other) if one is not None and other is not None else one or other


def _added(one: Mapping[_Key, _Number], other: Mapping[_Key, _Number]) -> dict[_Key, _Number]:
    return {key: one.get(key, 0) + other.get(key, 0) for key in [*one, *other]}


def _places(
    one: Sequence[ObservedDeviation], other: Sequence[ObservedDeviation]
) -> tuple[ObservedDeviation, ...]:
    """Return each place once, with the sum of its cases."""
    cases: Counter[tuple[str, FramePart, str]] = Counter()
    for each in (*one, *other):
        cases[each.entry, each.part, each.field] += each.cases
    return tuple(ObservedDeviation(*place, count) for place, count in cases.items())


def _causes(one: Sequence[ObservedCause], other: Sequence[ObservedCause]) -> tuple[ObservedCause, ...]:
    """Return each cause once, with the first case that met it."""
    seen: dict[tuple[str, ...], ObservedCause] = {}
    for each in (*one, *other):
        key = each.phase, each.check, each.subject, each.part, each.field, each.type, each.kind
        seen[key] = replace(seen[key], cases=seen[key].cases + each.cases) if key in seen else each
    return tuple(seen.values())


_RESULTS: Final = "results"
_ROW: Final = "cell int, first long, cases long, smaller_s double"
_POLL_S: Final = 0.5
_BLOCKS_A_TASK: Final = 16
"""A task costs Spark some 20 ms, a block takes seconds: larger tasks save nothing and end less evenly."""
_TASKS_A_CORE: Final = 4
"""The least number of tasks for each core, if there are enough blocks: cores wait less for the last task."""
_SHARED: Final = "The output folder must be the same one on every machine, such as a shared disk."

_Events: TypeAlias = Generator[PoolEvent | None, None, Exception | None]


@dataclass(frozen=True, slots=True)
class CampaignPlan:
    """The plan of a campaign.

    Attributes:
        options: the phases and the number of instances are those of one machine.
        make_environment: called in each worker.
        files: files of this machine that worker environments on other machines need.
        code_dir: the folder for the archive of wireproof's code, for a cluster.
        tasks: the number of tasks; None to derive it from blocks and cores. Results do not depend on it.
        block_cases: the number of instances in a block.
    """

    options: RunOptions
    make_environment: MakeRemoteEnvironment
    files: Sequence[Path]
    code_dir: Path
    tasks: int | None = None
    block_cases: int = BLOCK_CASES


class Campaign:
    """Proves cells on Spark; a `wireproof.proof.run.engine.engine.Prover`.

    Args:
        folder: an output folder that this process has locked (`output.open_output`).
    """

    def __init__(self, spark: SparkSession, plan: CampaignPlan, folder: Path) -> None:
        self._spark = spark
        self._plan = plan
        self._folder = folder / _RESULTS
        self._results = Results(self._folder.resolve())
        self._shipped = _distribute(spark, plan)
        self._name = uuid.uuid4().hex
        self._cells: list[Cell] = []
        self._open: dict[int, CellSum] = {}
        self._large: list[Block] = []
        self._given_up: list[int] = []
        self._stopping = False

    @property
    def whole(self) -> bool:
        """Return True if nothing is left to do."""
        return not (self._stopping or self._open or self._given_up)

    def stop(self) -> None:
        """End `run` soon; the results on disk stay there. Safe to call from a signal handler."""
        self._stopping = True

    def run(self, cells: Sequence[Cell]) -> Iterator[PoolEvent | None]:
        """Yield events as they happen, and None between them, so that the caller can check the time."""
        cases, size = self._plan.options.cases, self._plan.block_cases
        # Cells with equal layouts in several releases are side by side, so that a worker prepares them once.
        self._cells = [cell for group in over_releases(cells) for cell in group]
        self._open = {
            number: CellSum(cell, list(blocks_of(number, cases, size)))
            for number, cell in enumerate(self._cells)
        }
        self._results.broken()  # drop the message of an earlier start
        yield from self._gathered()
        while not self._over:
            left = self._left()
            error = yield from self._watched(self._every_block(), "instances")
            if error is not None and not self._over:
                yield from self._tried_alone(error)
            elif self._left() == left and not self._over:
                yield self._broken(f"no result of any block arrived in {self._folder}", _SHARED)
        yield from self._made_smaller()

    @property
    def _over(self) -> bool:
        """Return True if no more blocks have to be proven."""
        return self._stopping or not self._open

    def _left(self) -> int:
        return sum(len(each.blocks) for each in self._open.values())

    def _broken(self, message: str, advice: str = "") -> WorkerBroken:
        self._stopping = True
        return WorkerBroken(message, advice)

    # Jobs.

    def _every_block(self) -> DataFrame:
        """All blocks of all cells, the blocks of a cell side by side. Workers skip finished blocks."""
        cases, size = self._plan.options.cases, self._plan.block_cases
        each = 1 + math.ceil(cases / size)
        every = each * len(self._cells)
        cell, block = f.expr(f"cast(id div {each} as int)"), f.expr(f"id % {each}")
        first = f.greatest(block - 1, f.lit(0)) * size
        count = f.when(block == 0, 0).otherwise(f.least(f.lit(size), f.lit(cases) - first))
        rows = self._spark.range(0, every, 1, self._tasks(every)).select(
            cell.alias("cell"),
            first.cast("long").alias("first"),
            count.cast("long").alias("cases"),
            f.lit(0.0).alias("smaller_s"),
        )
        return rows.where(~f.col("cell").isin(self._given_up)) if self._given_up else rows

    def _tasks(self, blocks: int) -> int:
        cores = self._spark.sparkContext.defaultParallelism
        fits = max(math.ceil(blocks / _BLOCKS_A_TASK), _TASKS_A_CORE * cores)
        return min(self._plan.tasks or fits, blocks)

    def _these(self, blocks: Iterable[Block]) -> DataFrame:
        rows = [(each.cell, each.first, each.cases, each.smaller_s) for each in blocks]
        return self._spark.createDataFrame(rows, _ROW)

    def _watched(self, rows: DataFrame, words: str, *, careful: bool = False) -> _Events:
        """Prove blocks, and report the new ones on disk; return the reason if the job failed."""
        work = Work(
            self._name,
            self._cells,
            self._plan.options,
            self._plan.make_environment,
            self._folder.resolve(),
            self._shipped,
            careful,
        )
        action = Action(rows.mapInArrow(prove_rows(work), _ROW), f"wireproof campaign: {words}")
        while not action.wait(_POLL_S):
            yield None
            yield from self._gathered()
            if self._stopping:
                action.cancel()
        yield from self._gathered()
        if (said := self._results.broken()) is not None:
            yield self._broken(*said)
        return action.error

    # What is on disk.

    def _gathered(self) -> Iterator[PoolEvent]:
        """The results of finished blocks, cell by cell in the order of the blocks."""
        for number, cell_sum in list(self._open.items()):
            while cell_sum.blocks and self._results.has(cell_sum.cell, cell_sum.blocks[0]):
                outcome = self._read(cell_sum.cell, cell_sum.blocks[0])
                if outcome is None:
                    break
                yield from cell_sum.take(outcome)
            if not cell_sum.blocks:
                del self._open[number]
                if cell_sum.lost is not None:
                    self._given_up.append(number)
                each_s = self._plan.options.shrink_s / max(1, len(cell_sum.large))
                self._large += [Block(number, failure, 1, each_s) for failure in cell_sum.large]

    def _read(self, cell: Cell, block: Block) -> Outcome | None:
        """Return the result of a block; None if its file is damaged: the block is proven again. A block in
        which the harness failed is proven again at the next start."""
        try:
            outcome = self._results.read(cell, block)
        except (OSError, ValueError):
            self._results.forget(cell, block)
            return None
        if isinstance(outcome.done, LostCell):
            self._results.forget(cell, block)
        return outcome

    # Workers that died, and failures that are large.

    def _tried_alone(self, error: Exception) -> Iterator[PoolEvent | None]:
        """Prove the blocks that were in progress when the job failed, each in a job of its own."""
        begun = [
            (each.cell, block)
            for each in self._open.values()
            for block in each.blocks
            if self._results.begun(each.cell, block) is not None
        ]
        if not begun:
            yield self._broken(f"Spark's job failed: {cause_of(error)}")
        for cell, block in begun:
            if block.cell in self._open and not self._stopping:
                yield from self._alone(cell, block)

    def _alone(self, cell: Cell, block: Block) -> Iterator[PoolEvent | None]:
        """Prove a block that may kill a worker: whole, then case by case; give up its cell if both fail."""
        words = ""
        for careful in (False, True):
            error = yield from self._watched(self._these([block]).coalesce(1), str(cell), careful=careful)
            if error is None or self._stopping:
                return
            words = cause_of(error)
        names = self._results.begun(cell, block)
        self._results.tried(cell, block)
        if names:
            yield LostCase(cell, names[-1], f"the worker ended: {words}")
        del self._open[block.cell]
        self._given_up.append(block.cell)
        yield LostCell(cell, f"a worker ended in its block {block.name} again and again: {words}")

    def _made_smaller(self) -> Iterator[PoolEvent | None]:
        """Shrink the first failure of each cause of a cell. A worker that dies meanwhile costs no verdict."""
        blocks = [block for block in self._large if block.smaller_s > 0]
        if blocks and not self._stopping:
            yield from self._watched(self._these(blocks), "failures made smaller")
        for block in blocks:
            cell = self._cells[block.cell]
            outcome = self._read(cell, block) if self._results.has(cell, block) else None
            if outcome is not None:
                yield from (each for each in outcome.events if isinstance(each, ShrunkCase))


def _distribute(spark: SparkSession, plan: CampaignPlan) -> bool:
    """Send code and files to the machines of a cluster; return False if Spark runs only on this machine."""
    if is_alone(str(spark.sparkContext.getConf().get("spark.master"))):
        return False
    distribute_code(spark, plan.code_dir)
    distribute_files(spark, plan.files)
    return True
