"""The context of one cell, which its phases share: its cases in batches, and the judge of its values."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, repeat
from typing import Any, Final, TypeAlias, TypeVar

from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import Claimant, ClaimExercise
from wireproof.model.case_source import CaseSource, RecordSource
from wireproof.model.cell import RECORDS_MODULE, Case, Cell, Phase
from wireproof.model.coverage.cell_coverage import Coverage
from wireproof.model.coverage.layout_model import coverage_model, frame_coverage_model
from wireproof.model.coverage.record_set_model import record_coverage_model
from wireproof.model.coverage.value_nodes import CoverageModel
from wireproof.model.divergence import Divergence
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.checks.values.message_value import ValueEvidence
from wireproof.proof.run.attribution.reference_opinions import add_reference_opinions
from wireproof.proof.run.comparing.answer_comparison import Comparison, JudgedAnswer
from wireproof.proof.run.context.value_judgement import judge_batch
from wireproof.proof.run.core.cell_recorder import CellRecorder
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.prepared_cases import CellTarget, PreparedCase, ProvenBatch, prepare

Announce: TypeAlias = Callable[[Phase, Sequence[str]], None]
"""Called with the cases about to be tried, so that a case that kills the process can be named."""


@dataclass(slots=True)
class FailureShrinker:
    """Shrinks the failures of one cell.

    Attributes:
        left_s: the wall-clock seconds that are left for all failures of the cell together.
        idle: whether nothing is shrunk, because a case must not be asked again.
    """

    layout: MessageLayout
    source: CaseSource
    recorder: CellRecorder
    announce: Announce
    left_s: float
    idle: bool

    def shrink(
        self,
        phase: Phase,
        name: str,
        value: dict[str, Any],
        divergences: tuple[Divergence, ...],
        judge: Callable[[dict[str, Any]], tuple[Divergence, ...]],
    ) -> None:
        """Shrink a reported failure to a smaller value with the same cause, and report that.

        Args:
            divergences: those of the failure; the cause of the first is kept.
            judge: returns the divergences of another value.
        """
        if self.idle or self.left_s <= 0:
            return
        self.announce(phase, [name])
        latest = divergences
        cause = divergences[0].cause

        def still_fails(smaller: dict[str, Any]) -> bool:
            nonlocal latest
            found = [each for each in self.recorder.explained(judge(smaller)) if not each.excused]
            # The same cause at the front: a failure with another cause is another finding.
            found.sort(key=lambda each: each.cause != cause)
            if not found or found[0].cause != cause:
                return False
            latest = tuple(found)
            return True

        started = time.monotonic()
        smallest = self.source.shrink(self.layout, value, still_fails, budget_s=self.left_s)
        self.left_s -= time.monotonic() - started
        if smallest is not value:
            self.recorder.shrunk(phase, name, latest, smallest)


@dataclass(frozen=True, slots=True)
class CaseJudge:
    """Judges values through the codecs and the oracle of a cell.

    Attributes:
        coverage: the classes of values that proven cases met.
        shrinker: shrinks the failures of the cell, within the time that the options give.
        comparison: the comparison of the codecs' answers; None if codecs are not compared.
        deviants: the codecs with a divergence in each compared case; the other codecs have proven it.
    """

    environment: WorkerEnvironment
    target: CellTarget
    recorder: CellRecorder
    announce: Announce
    coverage: Coverage
    shrinker: FailureShrinker
    comparison: Comparison | None
    deviants: dict[str, frozenset[str]] = field(default_factory=dict)

    def batch(
        self,
        phase: Phase,
        batch: Sequence[PreparedCase],
        keep: Callable[[ProvenBatch], None] | None = None,
        others: Callable[[PreparedCase], bool] | None = None,
    ) -> list[PreparedCase]:
        """Judge the values of a batch and record them; return the proven ones.

        A failure is reported as it is; then the first failure of each cause is shrunk. If codecs are
        compared, a case that any codec proves is proven; `deviants` names the other codecs.

        Args:
            keep: called with the oracle's answers, which another release with an equal layout may reuse.
            others: selects the cases for the codecs after the first; None selects every case.
        """
        proven, new = [], []
        self.announce(phase, [item.case.name for item in batch])
        judged = self._judged(phase, batch, keep, others)
        self.recorder.set_aside(judged)
        for item, found in zip(batch, judged, strict=True):
            divergences = self.recorder.excused(phase, item.case.name, found, item.case.value)
            if divergences:
                if self.recorder.reports(phase, divergences):
                    divergences = add_reference_opinions(self.environment, self.target, item, divergences)
                if self.recorder.failed(phase, item.case.name, divergences, item.case.value):
                    new.append((item.case, divergences))
            elif not found:
                proven.append(item)
                if self._is_excused(item):
                    self.coverage.excused(item.case.value)
                else:
                    self.coverage.met(item.case.value, len(item.expected))
            else:
                self.coverage.excused(item.case.value)
            if found and self.comparison is not None:
                self.deviants[item.case.name] = frozenset(each.subject for each in found)
                proven.append(item)
            self.recorder.count(phase, 1, len(item.expected), 1 if divergences else 0)
        self.recorder.progress()
        for case, divergences in new:
            judge = self._judge_one(divergences[0].subject)
            self.shrinker.shrink(phase, case.name, case.value, divergences, judge)
        return proven

    def _is_excused(self, item: PreparedCase) -> bool:
        """Test if the case is proven only because a known cause predicts the codec's answer."""
        observer = self.environment.observer
        return observer is not None and observer.excused(item.case.value)

    def _judged(
        self,
        phase: Phase,
        batch: Sequence[PreparedCase],
        keep: Callable[[ProvenBatch], None] | None,
        others: Callable[[PreparedCase], bool] | None,
    ) -> list[tuple[Divergence, ...]]:
        """The divergences of each case; the codecs' answers are noted if codecs are compared."""
        if self.comparison is None:
            return judge_batch(self.target, batch, keep, others)
        seen: dict[int, list[JudgedAnswer]] = {}

        def notice(index: int, evidence: ValueEvidence, divergences: tuple[Divergence, ...]) -> None:
            seen.setdefault(index, []).append((evidence, divergences))

        found = judge_batch(self.target, batch, keep, notice=notice)
        self.comparison.values(phase, batch, seen)
        return found

    def _judge_one(self, name: str) -> Callable[[dict[str, Any]], tuple[Divergence, ...]]:
        """Return a function that judges a value by the codec of this name, or by all if none has it."""
        adapters = [each for each in self.target.adapters if each.name == name]
        target = replace(self.target, adapters=adapters or self.target.adapters)

        def judge(value: dict[str, Any]) -> tuple[Divergence, ...]:
            case = Case(self.target.cell, Phase.ENUMERATED, "", value)
            return judge_batch(target, [prepare(self.target.layout, case)])[0]

        return judge


_Item = TypeVar("_Item")

_BATCH_CASES = 256
_BATCH_BYTES = 4 << 20
"""A batch ends at the first of two limits: the number of cases, and the number of canonical bytes."""


def batch_sizes(first: int | None, most: int = _BATCH_CASES) -> Iterator[int]:
    """Yield the case limit of each batch: four times the limit of the batch before, up to `most`."""
    while first is not None and first < most:
        yield first
        first *= 4
    yield from repeat(most)


def in_batches(items: Iterable[_Item], sizes: Iterator[int]) -> Iterator[list[_Item]]:
    """The items in batches of these sizes, which are never empty."""
    left = iter(items)
    while batch := list(islice(left, next(sizes))):
        yield batch


def prepared_batches(
    layout: MessageLayout, cases: Iterable[Case], sizes: Iterator[int]
) -> Iterator[list[PreparedCase]]:
    """The cases with their canonical binaries, in batches that are never empty."""
    batch: list[PreparedCase] = []
    size, most = 0, next(sizes)
    for case in cases:
        item = prepare(layout, case)
        batch.append(item)
        size += len(item.expected)
        if len(batch) >= most or size >= _BATCH_BYTES:
            yield batch
            batch, size, most = [], 0, next(sizes)
    if batch:
        yield batch


_UNCOUNTED = frozenset({Phase.SHAPE, Phase.EMBEDDED, Phase.MUTATIONS})
"""Phases whose cases meet no class: they are about layouts, framings and wrong bytes, not about values."""


def coverage_of(environment: WorkerEnvironment, options: RunOptions, target: CellTarget) -> Coverage:
    """The coverage of the classes that the selected phases may meet; empty if codecs are compared."""
    cell, phases = target.cell, options.phases
    counted = {phase for phase in phases if target.asks(phase)} - _UNCOUNTED
    if environment.compared or not options.classes or not counted:
        return Coverage()
    if cell.module == RECORDS_MODULE:
        domain = target.record_domain
        return Coverage(record_coverage_model(cell.version, domain.magics, domain.compressions))
    frames = _frames(environment, options, target)
    return Coverage(coverage_model(target.layout), frames, absent=Phase.EVOLUTION in phases)


def _frames(environment: WorkerEnvironment, options: RunOptions, target: CellTarget) -> CoverageModel | None:
    """The coverage model of the header; None if no frames are tried or the cell has no header."""
    header = environment.layouts.header(target.cell)
    if header is None or not {Phase.FRAME, Phase.CORPUS} & set(options.phases):
        return None
    return frame_coverage_model(header, target.layout.api_key, target.cell.version)


CLAIM_CASES: Final = "claim/"
"""The prefix of cases that judge a claim: they have no value, but depend on all cases of the cell."""


@dataclass(frozen=True, slots=True)
class CellContext:
    """One cell under test, with all that its phases share.

    Attributes:
        coverage: the classes of values that proven cases met.
        shrinker: shrinks the failures of the cell, within the time that the options give.
        careful: whether each batch has one case only, so that an announcement names exactly one case.
        skip: ids of cases to leave out, because they killed a process before.
        only: the name of the one case to try; empty for all cases.
        after: the names of malformed bytes that are asked before the one case, and not judged.
    """

    environment: WorkerEnvironment
    options: RunOptions
    target: CellTarget
    recorder: CellRecorder
    announce: Announce
    coverage: Coverage
    shrinker: FailureShrinker
    judge: CaseJudge
    careful: bool
    skip: frozenset[str]
    only: str = ""
    after: Collection[str] = ()

    @property
    def cell(self) -> Cell:
        """The cell."""
        return self.target.cell

    @property
    def layout(self) -> MessageLayout:
        """The layout of its message."""
        return self.target.layout

    @property
    def comparison(self) -> Comparison | None:
        """The comparison of the codecs' answers; None if codecs are not compared."""
        return self.judge.comparison

    @property
    def record_source(self) -> RecordSource:
        """The source of record sets of the environment.

        Raises:
            LookupError: the environment has none.
        """
        if self.environment.record_source is None:
            raise LookupError("the environment has no source of record sets")
        return self.environment.record_source

    def wants(self, name: str) -> bool:
        """Return whether the case of this name is tried: it is the only one to try, or all are."""
        return self.only in ("", name)

    def tries(self, phase: Phase, name: str) -> bool:
        """True if the case of this name is wanted, and did not kill a process before."""
        return self.wants(name) and not (self.skip and self.cell.case_id(phase, name) in self.skip)

    def skips(self, phase: Phase) -> bool:
        """True if a case of the phase killed a process before."""
        return any(case_id.startswith(self.cell.case_id(phase, "")) for case_id in self.skip)

    def cases(self) -> Iterator[Case]:
        """The enumerated cases, without those to skip."""
        cases = self.environment.source.enumerated(self.cell, self.layout)
        return (case for case in cases if case.id not in self.skip) if self.skip else cases

    def batches(self, cases: Iterable[Case]) -> Iterator[list[PreparedCase]]:
        """The cases in batches; each batch has one case if the context is careful."""
        sizes = repeat(1) if self.careful else batch_sizes(self.options.first_batch)
        return prepared_batches(self.layout, cases, sizes)

    @property
    def shares(self) -> bool:
        """True if another release may define the same layout, and no case of the cell is left out."""
        return len(self.environment.oracles) > 1 and not self.careful and not self.skip


def context_of(
    environment: WorkerEnvironment,
    options: RunOptions,
    cell: Cell,
    recorder: CellRecorder,
    announce: Announce,
    *,
    careful: bool = False,
    skip: frozenset[str] = frozenset(),
) -> CellContext:
    """Make the context of a cell."""
    target = _target_of(environment, cell)
    coverage = coverage_of(environment, options, target)
    shrinker = FailureShrinker(
        target.layout, environment.source, recorder, announce, options.shrink_s, idle=careful
    )
    names = [adapter.name for adapter in target.adapters]
    comparison = Comparison(cell, names) if environment.compared else None
    judge = CaseJudge(environment, target, recorder, announce, coverage, shrinker, comparison)
    return CellContext(
        environment, options, target, recorder, announce, coverage, shrinker, judge, careful, skip
    )


def _target_of(environment: WorkerEnvironment, cell: Cell) -> CellTarget:
    adapters = environment.records if cell.module == RECORDS_MODULE else environment.adapters
    claimed = (each.ways(cell) for each in adapters if isinstance(each, Claimant))
    exercise = ClaimExercise(frozenset[CodecDirection]().union(*claimed))
    layout, oracle = environment.layouts.of(cell), environment.oracles.get(cell.release)
    return CellTarget(cell, layout, adapters, oracle, exercise)
