"""The judge of a cell's values: it records what it finds, and shrinks the first failure of each cause."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from kafkawire.schema.layout import MessageLayout
from wireproof.model.case_source import CaseSource
from wireproof.model.cell import Case, Phase
from wireproof.model.coverage.cell_coverage import Coverage
from wireproof.model.divergence import Divergence
from wireproof.proof.checks.values.message_value import ValueEvidence
from wireproof.proof.run.attribution.reference_opinions import add_reference_opinions
from wireproof.proof.run.comparing.answer_comparison import Comparison, JudgedAnswer
from wireproof.proof.run.context.value_judgement import judge_batch
from wireproof.proof.run.core.cell_recorder import CellRecorder
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.prepared_cases import CellTarget, PreparedCase, ProvenBatch, prepare


@dataclass(slots=True)
class FailureShrinker:
    """Shrinks the failures of one cell.

    Attributes:
        left_s: the wall-clock seconds that are left for all failures of the cell together.
    """

    layout: MessageLayout
    source: CaseSource
    recorder: CellRecorder
    left_s: float

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


Announce: TypeAlias = Callable[[Phase, Sequence[str]], None]
"""Called with the cases about to be tried, so that a case that kills the process can be named."""


@dataclass(frozen=True, slots=True)
class CaseJudge:
    """Judges values through the codecs and the oracle of a cell.

    Attributes:
        shrinker: shrinks failures; None where a case must not be asked again.
        comparison: who answers what, where the codecs are held side by side; else None.
        deviants: there, of each case the codecs with a divergence: the others have proven it.
    """

    environment: WorkerEnvironment
    target: CellTarget
    recorder: CellRecorder
    coverage: Coverage
    announce: Announce
    shrinker: FailureShrinker | None
    comparison: Comparison | None = None
    deviants: dict[str, frozenset[str]] = field(default_factory=dict)

    def batch(
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
            self.shrink(phase, case.name, case.value, divergences, self._judge_one(divergences[0].subject))
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
        """Shrink a reported failure to a smaller value with the same cause, and report that."""
        if self.shrinker is not None and self.shrinker.left_s > 0:
            self.announce(phase, [name])
            self.shrinker.shrink(phase, name, value, divergences, judge)

    def _judge_one(self, name: str) -> Callable[[dict[str, Any]], tuple[Divergence, ...]]:
        """The function that judges a value by the codec of this name; by all codecs where none has it."""
        adapters = [each for each in self.target.adapters if each.name == name]
        target = replace(self.target, adapters=adapters or self.target.adapters)

        def judge(value: dict[str, Any]) -> tuple[Divergence, ...]:
            case = Case(self.target.cell, Phase.ENUMERATED, "", value)
            return judge_batch(target, [prepare(self.target.layout, case)])[0]

        return judge
