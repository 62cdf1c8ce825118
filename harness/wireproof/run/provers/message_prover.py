"""One cell, proven from its layout to its last random instance."""

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kafkawire.canonical import canonical
from kafkawire.schema.model import MessageKind
from wireproof.checks import (
    judge_claims,
)
from wireproof.coverage import CellCoverage
from wireproof.model import (
    Case,
    Cell,
    Claimant,
    CodecTask,
    OracleError,
    Perishable,
    Phase,
    framing_of,
)
from wireproof.run.attribution.fault_evidence import blame_of
from wireproof.run.comparing.comparison import Said
from wireproof.run.context.cell_context import CLAIM_CASES, Announce, Trial
from wireproof.run.core.cell_recorder import Recorder
from wireproof.run.core.environment import Bench
from wireproof.run.core.plan import RunOptions
from wireproof.run.core.prepared_cases import prepare
from wireproof.run.core.run_events import CaseFailed, CellCompared, CellDone, CellLost, ProverEvent
from wireproof.run.phases.bulk_phase import case_at, number_in, prove_bulk
from wireproof.run.phases.corpus_phase import prove_corpus
from wireproof.run.phases.embedded_phase import prove_embedded, try_embedded
from wireproof.run.phases.enumerated_phase import prove_enumerated
from wireproof.run.phases.evolution_phase import has_evolution, prove_evolution
from wireproof.run.phases.frame_phase import prove_frames, try_frames
from wireproof.run.phases.mutations_phase import prove_mutations
from wireproof.run.phases.oracle_phase import prove_oracle
from wireproof.run.phases.random_phase import prove_random
from wireproof.run.phases.records_phase import carries_records, prove_contents, try_contents
from wireproof.run.phases.shape_phase import prove_shape
from wireproof.run.properties.call_states import another_version_watched, try_states
from wireproof.run.properties.equality_probe import CHANGED, OBJECTS, try_changed, try_kin
from wireproof.run.properties.fallback_cases import try_version_fallback
from wireproof.run.properties.linear_growth import GROWTH_CASES, try_growth
from wireproof.run.properties.refused_values import try_refusals
from wireproof.run.properties.state_scripts import Scripted

__all__ = ["CellProver"]


class CellProver:
    """Runs every phase of one cell and tells what happened.

    Args:
        emit: called with each failure as soon as it is found.
        announce: called before each batch.
        careful: one case a batch, so that an announcement names exactly one.
        skip: case ids to leave out, because they took a process down before.
    """

    def __init__(
        self,
        bench: Bench,
        options: RunOptions,
        cell: Cell,
        emit: Callable[[ProverEvent], None],
        announce: Announce,
        *,
        careful: bool = False,
        skip: frozenset[str] = frozenset(),
    ) -> None:
        recorder = Recorder(
            cell, canonical(bench.layouts.of(cell)).to_json, self._tell, options.known, bench.kafka_release
        )
        self._emit = emit
        self._trial = Trial(bench, options, cell, recorder, announce, careful, skip)

    def _tell(self, event: ProverEvent) -> None:
        """Pass an event on; a failure with whose fault it is."""
        if isinstance(event, CaseFailed):
            event = replace(event, blame=blame_of(self._trial.bench, self._trial.subject, event))
        self._emit(event)

    @property
    def cases(self) -> int:
        """Cases judged so far, of all phases; while a failure is told, its own case is not among them."""
        return self._trial.recorder.all_cases

    @property
    def shrunk_s(self) -> float:
        """Seconds that went into making failures smaller."""
        return self._trial.options.shrink_s - self._trial.shrink_left_s

    @property
    def answers(self) -> Mapping[CodecTask, tuple[bytes, Mapping[str, Said | None]]]:
        """Where codecs are compared: what each said in the latest case in which any of them differed."""
        return {} if self._trial.comparison is None else self._trial.comparison.latest

    def prove(self) -> CellDone | CellLost:
        """All phases asked for, in order; lost where one of them tried nothing at all.

        A phase whose cases have no names of their own is left out whole once one took a process down.

        Raises:
            OracleError: the oracle cannot work at all, and no layout of ours is to blame.
        """
        started = time.monotonic()
        trial = self._trial
        before, skipped = self._not_asked(), self._skipped()
        phases = self.phases()
        misread = False
        for phase in trial.options.phases:
            if phase not in phases or (phase not in _NAMED and trial.skips(phase)) or not trial.asks(phase):
                continue
            try:
                phases[phase](trial)
            except OracleError:
                if not misread:
                    raise
                break  # what the class cannot be asked for follows from what was told of the layout
            misread = misread or (phase is Phase.SHAPE and trial.recorder.found_any)
            if not trial.recorder.cases(phase) and trial.recorder.whole and _must_run(trial, phase):
                return CellLost(trial.cell, f"the {phase} phase has no case here")
        tried = {
            phase
            for phase in trial.options.phases
            if phase in phases and trial.asks(phase) and not trial.skips(phase)
        }
        trial.recorder.not_asked(self._not_asked() - before)
        trial.recorder.skipped(self._skipped() - skipped)
        _judge_claims(trial, tried)
        if trial.comparison is not None:
            self._emit(CellCompared(trial.cell, trial.comparison.result()))
        done = trial.recorder.done(time.monotonic() - started, self._coverage())
        exercise = trial.subject.exercise
        return replace(done, claimed=tuple(sorted(exercise.claimed)), exercised=exercise.met)

    @property
    def _perishable(self) -> Sequence[Perishable]:
        return [each for each in self._trial.subject.adapters if isinstance(each, Perishable)]

    def _not_asked(self) -> int:
        """Questions that the codecs were not asked, in all cells so far."""
        return sum(adapter.not_asked for adapter in self._perishable)

    def _skipped(self) -> Counter[str]:
        """Questions that were skipped for the cause of another, in all cells so far, by that other."""
        skipped: Counter[str] = Counter()
        for adapter in self._perishable:
            skipped.update(adapter.skipped)
        return skipped

    def _coverage(self) -> CellCoverage | None:
        """What was met; all of it must be where every case was tried and none failed."""
        trial = self._trial
        if trial.coverage is None:
            return None
        tried = {phase for phase in trial.options.phases if not trial.skips(phase)}
        if trial.recorder.failed_any or not trial.recorder.whole:
            tried.clear()  # what is missing then is the failure's doing
        return trial.coverage.result(
            body=Phase.ENUMERATED in tried, absent=Phase.EVOLUTION in tried, header=Phase.FRAME in tried
        )

    def phases(self) -> Mapping[Phase, Callable[[Trial], object]]:
        """What is done for each phase; the others have nothing here."""
        return _PHASES

    def try_value(
        self, phase: Phase, name: str, value: dict[str, Any], header: dict[str, Any] | None
    ) -> None:
        """One value through every check of values, or of frames where it has a header.

        Where a named case has this value, the case is tried: which keys it lacks is part of it, and a record
        of the value does not show it.
        """
        if phase is Phase.ENUMERATED and name.endswith(CHANGED):
            try_changed(self._trial, name)
            return
        case = Case(self._trial.cell, phase, name, value, header)
        named = self._named(name) if phase is Phase.ENUMERATED and header is None else None
        if named is not None:
            mine, own = (prepare(self._trial.layout, each) for each in (case, named))
            case = named if mine.expected == own.expected else case
        self._try_case(case)

    def _named(self, name: str) -> Case | None:
        return next((case for case in self._trial.cases() if case.name == name), None)

    def _try_case(self, case: Case) -> None:
        trial, phase = self._trial, case.phase
        if case.header is not None:
            try_frames(trial, [case])
        else:
            with another_version_watched(trial):
                proven = trial.judge(phase, [prepare(trial.layout, case)])
                scripted = Scripted(trial.layout)
                scripted.note(proven, largest_bytes=math.inf)
                try_states(trial, scripted)
                if phase is Phase.ENUMERATED:
                    try_kin(trial, proven)

    def try_named(self, name: str) -> bool:
        """The enumerated case of this name; False where there is none."""
        found = self._named(name)
        if found is not None:
            self._try_case(found)
            return True
        if name.startswith(GROWTH_CASES):
            return try_growth(self._trial, only=name) > 0
        if name.endswith(CHANGED):
            return try_changed(self._trial, name) > 0
        return try_refusals(self._trial, only=name) + try_version_fallback(self._trial, only=name) > 0

    def try_number(self, name: str) -> bool:
        """The seeded case of this name, made again; False where it names none."""
        number = number_in(name)
        if number is not None:
            self.try_value(Phase.BULK, name, case_at(self._trial, number).value, None)
        return number is not None

    def try_mutation(self, name: str, after: Sequence[str] = ()) -> bool:
        """The mutation of this name, asked after others; False where there is none."""
        prove_mutations(self._trial, name, after)
        return self._trial.recorder.cases(Phase.MUTATIONS) > 0

    def try_entry(self, name: str) -> bool:
        """The entry of this id; False where the bench's corpus has none."""
        prove_corpus(self._trial, name)
        return self._trial.recorder.cases(Phase.CORPUS) > 0

    def try_fields(self, name: str) -> bool:
        """The message with record sets of this name; False where there is none."""
        return try_contents(self._trial, name) > 0

    def try_blob(self, name: str) -> bool:
        """The embedded message of this name, in its framing; False where there is none."""
        return try_embedded(self._trial, name) > 0


def _judge_claims(trial: Trial, tried: set[Phase]) -> None:
    """Whether every operation that a codec claims was answered right once, where all questions were asked."""
    if not trial.recorder.whole:
        return
    for adapter in trial.subject.adapters:
        if isinstance(adapter, Claimant):
            never = OBJECTS if trial.comparison is not None else frozenset()
            idle = {each for each in adapter.idle(trial.cell) - never if _proven_by(each) <= tried}
            for divergence in judge_claims(
                adapter.name, frozenset(idle), trial.recorder.unanswered(adapter.name)
            ):
                told = trial.recorder.excused((divergence,))
                if told:
                    trial.recorder.failed(Phase.ENUMERATED, f"{CLAIM_CASES}{divergence.path}", told)
                trial.recorder.count(Phase.ENUMERATED, 1, 0, len(told))


def _proven_by(operation: str) -> frozenset[Phase]:
    """The phases whose cases try an operation."""
    if operation.startswith("embedded-"):
        return frozenset({Phase.EMBEDDED})
    framed = {Phase.FRAME} if operation in ("frame", "unframe") else set()
    return frozenset({Phase.ENUMERATED, *framed})


_PHASES: dict[Phase, Callable[[Trial], object]] = {
    Phase.SHAPE: prove_shape,
    Phase.ENUMERATED: prove_enumerated,
    Phase.ORACLE: prove_oracle,
    Phase.FRAME: prove_frames,
    Phase.RECORDS: prove_contents,
    Phase.EMBEDDED: prove_embedded,
    Phase.EVOLUTION: prove_evolution,
    Phase.RANDOM: prove_random,
    Phase.MUTATIONS: prove_mutations,
    Phase.BULK: prove_bulk,
    Phase.CORPUS: prove_corpus,
}

_NAMED = (Phase.ENUMERATED, Phase.BULK, Phase.CORPUS)
"""The phases whose cases can be left out one by one."""


def _must_run(trial: Trial, phase: Phase) -> bool:
    """Whether the phase has to have cases here: only requests and responses travel in frames."""
    match phase:
        case Phase.FRAME:
            return trial.layout.kind in (MessageKind.REQUEST, MessageKind.RESPONSE)
        case Phase.EVOLUTION:
            return has_evolution(trial.layout)
        case Phase.RECORDS:
            return carries_records(trial.layout)
        case Phase.EMBEDDED:
            return framing_of(trial.cell, trial.layout) is not None
        case Phase.MUTATIONS:
            return not trial.bench.foreign  # it may well read nothing of this message
        case _:
            return True
