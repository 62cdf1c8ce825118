"""The context of one cell, which its phases share: codecs, oracle, skipped cases, recorder."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from kafkawire.schema.layout import MessageLayout
from wireproof.model import (
    RECORDS_MODULE,
    Case,
    Cell,
    Claimant,
    ClaimExercise,
    CodecDirection,
    Divergence,
    Phase,
    RecordDomain,
    RecordSource,
)
from wireproof.model.coverage import (
    Coverage,
    CoverageModel,
    coverage_model,
    frame_coverage_model,
    record_coverage_model,
)
from wireproof.proof.checks import ValueEvidence
from wireproof.proof.run.attribution.reference_opinions import add_reference_opinions
from wireproof.proof.run.comparing.answer_comparison import Comparison, JudgedAnswer
from wireproof.proof.run.context.batcher import prepared_batches
from wireproof.proof.run.context.shrinker import FailureShrinker
from wireproof.proof.run.context.value_judgement import judge_batch
from wireproof.proof.run.core.cell_recorder import CellRecorder
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.prepared_cases import CellTarget, PreparedCase, ProvenBatch, prepare

__all__ = ["CLAIM_CASES", "Announce", "CellContext"]

CLAIM_CASES: Final = "claim/"
"""The prefix of cases that judge a claim: they have no value, but depend on all cases of the cell."""

Announce: TypeAlias = Callable[[Phase, Sequence[str]], None]
"""Called with the cases about to be tried, so that a case that kills the process can be named."""

_UNCOUNTED = frozenset({Phase.SHAPE, Phase.EMBEDDED, Phase.MUTATIONS})
"""Phases whose cases meet no class: they are about layouts, framings and wrong bytes, not about values."""


@dataclass(slots=True)
class CellContext:
    """One cell under test, with all that its phases share.

    Attributes:
        recorder: counts cases and reports failures.
        announce: called before each batch.
        careful: one case a batch, so that an announcement names exactly one.
        skip: case ids to leave out, because they took a process down before.
        coverage: the classes of values that proven cases met; None where no phase counts them.
        comparison: who answers what, where the codecs are held side by side; else None.
        deviants: there, of each case the codecs with a divergence: the others have proven it.
        shrinker: shrinks the failures of the cell, within the time that the options give.
    """

    environment: WorkerEnvironment
    options: RunOptions
    cell: Cell
    recorder: CellRecorder
    announce: Announce
    careful: bool = False
    skip: frozenset[str] = frozenset()
    comparison: Comparison | None = field(init=False)
    shrinker: FailureShrinker = field(init=False)
    layout: MessageLayout = field(init=False)
    target: CellTarget = field(init=False)
    coverage: Coverage | None = field(init=False)
    deviants: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.layout = self.environment.layouts.of(self.cell)
        self.shrinker = FailureShrinker(
            self.layout, self.environment.source, self.recorder, self.options.shrink_s
        )
        adapters = self.environment.adapters_of(self.cell)
        claimed = (each.ways(self.cell) for each in adapters if isinstance(each, Claimant))
        exercise = ClaimExercise(frozenset[CodecDirection]().union(*claimed))
        oracle = self.environment.oracles.get(self.cell.release)
        self.target = CellTarget(self.cell, self.layout, adapters, oracle, exercise)
        self.coverage = self._coverage()
        names = [adapter.name for adapter in self.target.adapters]
        self.comparison = Comparison(self.cell, names) if self.environment.compared else None

    def _coverage(self) -> Coverage | None:
        """The account of what the options' phases may meet; no floor is held where codecs are compared."""
        phases = self.options.phases
        if self.environment.compared or not self.options.classes:
            return None
        if not {phase for phase in phases if self.asks(phase)} - _UNCOUNTED:
            return None
        if self.cell.module == RECORDS_MODULE:
            domain = self.record_domain
            return Coverage(record_coverage_model(self.cell.version, domain.magics, domain.compressions))
        return Coverage(coverage_model(self.layout), self._frames(), absent=Phase.EVOLUTION in phases)

    def _frames(self) -> CoverageModel | None:
        """The classes of the header, where frames are tried and the cell has one."""
        header = self.environment.layouts.header(self.cell)
        if header is None or not {Phase.FRAME, Phase.CORPUS} & set(self.options.phases):
            return None
        return frame_coverage_model(header, self.layout.api_key, self.cell.version)

    def met(self, value: Mapping[str, Any], canonical_bytes: int | None = None) -> None:
        """Count the classes that a proven value of the cell meets.

        Args:
            canonical_bytes: the length of its canonical binary, where it is at hand.
        """
        if self.coverage is not None and self.coverage.wanted:
            self.coverage.met(value, canonical_bytes)

    @property
    def record_source(self) -> RecordSource:
        """The source of record sets of the environment.

        Raises:
            LookupError: it was given none.
        """
        if self.environment.record_source is None:
            raise LookupError("the environment has no source of record sets")
        return self.environment.record_source

    @property
    def record_domain(self) -> RecordDomain:
        """The record sets that the codecs of a cell of the module ``records`` may be asked for.

        All where there are several, each of which is asked for its own: see `domain_of`.
        """
        adapters = self.target.adapters
        return self.domain_of(adapters[0]) if len(adapters) == 1 else RecordDomain()

    def domain_of(self, adapter: object) -> RecordDomain:
        """The record sets that a codec may be asked for in the cell."""
        return adapter.record_domain(self.cell) if isinstance(adapter, Claimant) else RecordDomain()

    def asks(self, phase: Phase) -> bool:
        """True if a codec can be asked in the phase: some claim only to frame a cell's message."""
        if phase in (Phase.SHAPE, Phase.EMBEDDED) or not self.target.adapters:
            return True
        return any(
            not isinstance(each, Claimant)
            or any(not claim.startswith("embedded-") for claim in each.claimed(self.cell))
            for each in self.target.adapters
        )

    def skips(self, phase: Phase) -> bool:
        """True if a case of the phase killed a process before."""
        return any(case_id.startswith(self.cell.case_id(phase, "")) for case_id in self.skip)

    def cases(self) -> Iterator[Case]:
        """The enumerated cases that are not to be left out."""
        cases = self.environment.source.enumerated(self.cell, self.layout)
        return (case for case in cases if case.id not in self.skip) if self.skip else cases

    def batches(self, cases: Iterable[Case]) -> Iterator[list[PreparedCase]]:
        """The cases in batches; one case a batch where the context is careful."""
        return prepared_batches(self.layout, cases, one_by_one=self.careful)

    @property
    def shares(self) -> bool:
        """True if another release may define the same layout, and no case of the cell is left out."""
        return len(self.environment.oracles) > 1 and not self.careful and not self.skip

    def judge(
        self,
        phase: Phase,
        batch: Sequence[PreparedCase],
        keep: Callable[[ProvenBatch], None] | None = None,
        others: Callable[[PreparedCase], bool] | None = None,
    ) -> list[PreparedCase]:
        """Judge the values of a batch and record them; those that are proven may be asked more.

        A failure is reported as it is; then the first failure of each cause is shrunk. Where codecs are
        compared, a case that any codec proves is proven; `deviants` names the other codecs.

        Args:
            keep: given what the oracle answered, for another release that defines the cell alike.
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
                self.met(item.case.value, len(item.expected))
            elif self.coverage is not None:
                self.coverage.excused(item.case.value)
            if found and self.comparison is not None:
                self.deviants[item.case.name] = frozenset(each.subject for each in found)
                proven.append(item)
            self.recorder.count(phase, 1, len(item.expected), 1 if divergences else 0)
        self.recorder.progress()
        for case, divergences in new:
            self.shrink(phase, case.name, case.value, divergences, self._judge_one(divergences[0].subject))
        return proven

    def _judged(
        self,
        phase: Phase,
        batch: Sequence[PreparedCase],
        keep: Callable[[ProvenBatch], None] | None,
        others: Callable[[PreparedCase], bool] | None,
    ) -> list[tuple[Divergence, ...]]:
        """The divergences of each; where codecs are compared, their answers are."""
        if self.comparison is None:
            return judge_batch(self.target, batch, keep, others)
        seen: dict[int, list[JudgedAnswer]] = {}

        def notice(index: int, evidence: ValueEvidence, divergences: tuple[Divergence, ...]) -> None:
            seen.setdefault(index, []).append((evidence, divergences))

        found = judge_batch(self.target, batch, keep, notice=notice)
        self.comparison.values(phase, batch, seen)
        return found

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
        if not self.careful and self.shrinker.left_s > 0:
            self.announce(phase, [name])
            self.shrinker.shrink(phase, name, value, divergences, judge)

    def _judge_one(self, name: str) -> Callable[[dict[str, Any]], tuple[Divergence, ...]]:
        """The function that judges a value by the codec of this name; by all codecs where none has it."""
        adapters = [each for each in self.target.adapters if each.name == name]
        target = replace(self.target, adapters=adapters or self.target.adapters)

        def judge(value: dict[str, Any]) -> tuple[Divergence, ...]:
            case = Case(self.cell, Phase.ENUMERATED, "", value)
            return judge_batch(target, [prepare(self.layout, case)])[0]

        return judge
