"""One cell, proven from its layout to its last random instance."""

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from kafkawire.canonical import canonical
from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import MessageKind
from wireproof.model.adapter import Claimant, Perishable, Reply, Request
from wireproof.model.agreement import CodecTask
from wireproof.model.cell import EMBEDDED_MODULE, PRIMITIVES_MODULE, Case, Cell, Phase
from wireproof.model.coverage.cell_coverage import CellCoverage
from wireproof.model.embedding import framing_of
from wireproof.model.oracle import CannotWorkError, OracleError
from wireproof.proof.run.attribution.case_bytes import with_bytes
from wireproof.proof.run.attribution.fault_evidence import attribute_fault
from wireproof.proof.run.comparing.answer_comparison import ComparableAnswer
from wireproof.proof.run.context.cell_context import Announce, CellContext, context_of
from wireproof.proof.run.core.cell_events import (
    CellResult,
    ComparedCell,
    DeviantCase,
    FailedCase,
    LostCell,
    ProverEvent,
    ShrunkCase,
)
from wireproof.proof.run.core.cell_recorder import CellRecorder
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.prepared_cases import prepare
from wireproof.proof.run.phases.bulk_phase import case_at, number_in, prove_bulk
from wireproof.proof.run.phases.corpus_phase import prove_corpus, record_claims
from wireproof.proof.run.phases.embedded_phase import try_embedded
from wireproof.proof.run.phases.enumerated_phase import prove_enumerated
from wireproof.proof.run.phases.evolution_phase import has_evolution, prove_evolution
from wireproof.proof.run.phases.frame_phase import prove_frames, try_frames
from wireproof.proof.run.phases.mutations_phase import prove_mutations
from wireproof.proof.run.phases.oracle_phase import prove_oracle
from wireproof.proof.run.phases.random_phase import prove_random
from wireproof.proof.run.phases.records_phase import carries_records, try_messages_with_records
from wireproof.proof.run.phases.shape_phase import prove_schema, prove_shape
from wireproof.proof.run.properties.call_states import ScriptedValues, another_version_watched, try_states
from wireproof.proof.run.properties.equality_probe import (
    CHANGED,
    OBJECTS,
    probe_changed_values,
    probe_equality,
)
from wireproof.proof.run.properties.fallback_cases import try_version_fallback
from wireproof.proof.run.properties.linear_growth import GROWTH_CASES, try_growth
from wireproof.proof.run.properties.stream_feeding import STREAMS
from wireproof.proof.run.properties.value_refusals import try_refusals

Phases: TypeAlias = Mapping[Phase, Callable[[CellContext], object]]
"""The function of each phase."""


class CellProver:
    """Runs every phase of one cell and reports what happened.

    Args:
        careful: whether each batch has one case only, so that an announcement names exactly one case.
        skip: ids of cases to leave out, because they killed a process before.
    """

    def __init__(
        self,
        environment: WorkerEnvironment,
        options: RunOptions,
        cell: Cell,
        emit: Callable[[ProverEvent], None],
        announce: Announce,
        *,
        careful: bool = False,
        skip: frozenset[str] = frozenset(),
    ) -> None:
        layout = environment.layouts.of(cell)
        recorder = CellRecorder(
            cell,
            canonical(layout).to_json,
            self._report,
            options.known,
            environment.kafka_releases,
            environment.compared,
            environment.observer,
            options.reported_each,
        )
        if environment.observer is not None:
            known = () if options.known is None else options.known.known_causes
            names = [adapter.name for adapter in environment.adapters]
            known = [each for each in known if each.concerns(*names)]
            environment.observer.begin(cell, known, sets=carries_records(layout))
        self._emit = emit
        self._context = context_of(environment, options, cell, recorder, announce, careful=careful, skip=skip)

    def _report(self, event: ProverEvent) -> None:
        """Emit an event; add the bytes and the fault attribution to a failure."""
        if isinstance(event, FailedCase | DeviantCase | ShrunkCase):
            found = with_bytes(self._context.environment, self._context.target, event)
            event = replace(event, divergences=found)
        if isinstance(event, FailedCase):
            event = replace(
                event, blame=attribute_fault(self._context.environment, self._context.target, event)
            )
        self._emit(event)

    @property
    def cases(self) -> int:
        """Cases of all phases judged so far; a case is counted only after its failure is reported."""
        return self._context.recorder.all_cases

    @property
    def shrunk_s(self) -> float:
        """Seconds spent on shrinking failures."""
        return self._context.options.shrink_s - self._context.shrinker.left_s

    @property
    def answers(self) -> Mapping[CodecTask, tuple[bytes, Mapping[str, ComparableAnswer | None]]]:
        """The answers of compared codecs in the latest case in which any of them differed."""
        return {} if self._context.comparison is None else self._context.comparison.latest

    def prove(self) -> CellResult | LostCell:
        """Run the selected phases in order; the cell is lost if a phase that must have cases tried none.

        A phase whose cases cannot be left out one by one is left out whole once a case killed a process.

        Raises:
            OracleError: the oracle cannot answer at all, and no error in our layout explains it.
        """
        started = time.monotonic()
        context = self._context
        before = self._unasked()
        phases = self.phases
        misread = False
        for phase in context.options.phases:
            if (
                phase not in phases
                or (phase not in _NAMED and context.skips(phase))
                or not context.target.asks(phase)
            ):
                continue
            try:
                with context.recorder.timed(phase):
                    phases[phase](context)
            except OracleError:
                if not misread:
                    raise
                break  # the error follows from the layout's divergence, which is reported already
            misread = misread or (phase is Phase.SHAPE and context.recorder.found_any)
            if not context.recorder.cases(phase) and context.recorder.whole and _must_run(context, phase):
                return LostCell(context.cell, f"the {phase} phase has no case here")
        tried = {
            phase
            for phase in context.options.phases
            if phase in phases and context.target.asks(phase) and not context.skips(phase)
        }
        unasked = {name: counts - before[name] for name, counts in self._unasked().items()}
        every = sum(unasked.values(), Counter[str]())
        context.recorder.unasked(every.pop("", 0), every)
        _judge_claims(context, tried)
        if context.comparison is not None:
            not_asked = {name: counts.total() for name, counts in unasked.items() if counts}
            compared = replace(context.comparison.result(), not_asked=not_asked)
            self._emit(ComparedCell(context.cell, compared))
        done = context.recorder.done(time.monotonic() - started, self._coverage())
        exercise = context.target.exercise
        observer = context.environment.observer
        return replace(
            done,
            claimed=tuple(sorted(exercise.claimed)),
            exercised=exercise.met,
            diagnosis=None if observer is None else observer.finish(self._ask),
            known={**done.known, **({} if observer is None else observer.used)},
            contradicted={} if observer is None else dict(observer.contradicted),
        )

    def _ask(self, layout: MessageLayout, requests: Sequence[Request]) -> Sequence[Reply]:
        """Ask the codec further questions; no reply if it does not start any more: the next cell says so."""
        target = self._context.target
        try:
            return target.adapters[0].ask(target.cell, layout, requests)
        except CannotWorkError:
            return ()

    def _unasked(self) -> dict[str, Counter[str]]:
        """The questions that each codec was not asked in all cells so far, by the name of the codec.

        They are by the case that ended the codec for the same cause; those without such a case are under "".
        """
        return {
            adapter.name: Counter({"": adapter.not_asked, **adapter.skipped})
            for adapter in self._context.target.adapters
            if isinstance(adapter, Perishable)
        }

    def _coverage(self) -> CellCoverage | None:
        """The coverage; all classes are required if every case was tried and none failed."""
        context = self._context
        if not context.coverage.counts:
            return None
        tried = {phase for phase in context.options.phases if not context.skips(phase)}
        if context.recorder.failed_any or not context.recorder.whole:
            tried.clear()  # a class may be missing because of the failure
        return context.coverage.result(
            body=Phase.ENUMERATED in tried, absent=Phase.EVOLUTION in tried, header=Phase.FRAME in tried
        )

    @property
    def phases(self) -> Phases:
        """The function of each phase; other phases have no cases here."""
        return _PHASES_OF_MODULES.get(self._context.cell.module, _PHASES)

    def try_value(
        self, phase: Phase, name: str, value: dict[str, Any], header: dict[str, Any] | None
    ) -> None:
        """Try one value with every check of values, or of frames if there is a header.

        If a named case has this value, that case is tried: the case may lack keys on purpose, which the
        recorded value does not show.
        """
        if phase is Phase.ENUMERATED and name.endswith(CHANGED):
            probe_changed_values(self._alone(name))
            return
        case = Case(self._context.cell, phase, name, value, header)
        named = self._named(name) if phase is Phase.ENUMERATED and header is None else None
        if named is not None:
            mine, own = (prepare(self._context.layout, each) for each in (case, named))
            case = named if mine.expected == own.expected else case
        self._try_case(case)

    def _named(self, name: str) -> Case | None:
        return next((case for case in self._context.cases() if case.name == name), None)

    def _try_case(self, case: Case) -> None:
        context, phase = self._context, case.phase
        if case.header is not None:
            try_frames(context, [case])
        else:
            with another_version_watched(context):
                proven = context.judge.batch(phase, [prepare(context.layout, case)])
                scripted = ScriptedValues(context.layout)
                scripted.note(proven, largest_bytes=math.inf)
                try_states(context, scripted)
                if phase is Phase.ENUMERATED:
                    probe_equality(context, proven)

    def try_named(self, name: str) -> bool:
        """Try the enumerated case of this name; return False if there is none."""
        found = self._named(name)
        if found is not None:
            self._try_case(found)
            return True
        context = self._alone(name)
        if name.startswith(GROWTH_CASES):
            return try_growth(context) > 0
        if name.endswith(CHANGED):
            return probe_changed_values(context) > 0
        return try_refusals(context) + try_version_fallback(context) > 0

    def try_number(self, name: str) -> bool:
        """Generate the seeded case of this name again and try it; return False if it names none."""
        number = number_in(name)
        if number is not None:
            self.try_value(Phase.BULK, name, case_at(self._context, number).value, None)
        return number is not None

    def try_again(self, phase: Phase, name: str, after: Sequence[str] = ()) -> bool:
        """Generate the case of this name again and try it; return False if there is none.

        Args:
            after: the names of malformed bytes that are asked before it.
        """
        if phase is Phase.ENUMERATED:
            return self.try_named(name)
        if phase is Phase.BULK:
            return self.try_number(name)
        if phase in self.phases:
            self.phases[phase](self._alone(name, after))
        return self._context.recorder.cases(phase) > 0

    def _alone(self, name: str, after: Sequence[str] = ()) -> CellContext:
        """The context of the one case of this name."""
        return replace(self._context, only=name, after=after)


def _judge_claims(context: CellContext, tried: set[Phase]) -> None:
    """Judge the claims if all questions were asked: each claimed operation must be answered right once."""
    if not context.recorder.whole:
        return
    never = OBJECTS | STREAMS if context.comparison is not None else frozenset()
    for adapter in context.target.adapters:
        if isinstance(adapter, Claimant):
            idle = {each for each in adapter.idle(context.cell) - never if _proven_by(each) <= tried}
            record_claims(context, Phase.ENUMERATED, adapter.name, frozenset(idle))


def _proven_by(operation: str) -> frozenset[Phase]:
    """The phases whose cases try an operation."""
    if operation.startswith("embedded-"):
        return frozenset({Phase.EMBEDDED})
    framed = {Phase.FRAME} if operation in ("frame", "unframe", *STREAMS) else set()
    return frozenset({Phase.ENUMERATED, *framed})


_PHASES: Phases = {
    Phase.SHAPE: prove_shape,
    Phase.ENUMERATED: prove_enumerated,
    Phase.ORACLE: prove_oracle,
    Phase.FRAME: prove_frames,
    Phase.RECORDS: try_messages_with_records,
    Phase.EMBEDDED: try_embedded,
    Phase.EVOLUTION: prove_evolution,
    Phase.RANDOM: prove_random,
    Phase.MUTATIONS: prove_mutations,
    Phase.BULK: prove_bulk,
    Phase.CORPUS: prove_corpus,
}

_ALONE: Phases = {
    phase: _PHASES[phase] for phase in (Phase.ENUMERATED, Phase.RANDOM, Phase.MUTATIONS, Phase.BULK)
}
_PHASES_OF_MODULES: Mapping[str, Phases] = {
    PRIMITIVES_MODULE: _ALONE,
    EMBEDDED_MODULE: {
        **_ALONE,
        Phase.SHAPE: prove_schema,
        Phase.EMBEDDED: try_embedded,
        Phase.CORPUS: prove_corpus,
    },
}
"""The phases of cells without a class of their own: primitives, and messages with hand-written schemas."""

_NAMED = (Phase.ENUMERATED, Phase.BULK, Phase.CORPUS)
"""The phases whose cases can be left out one by one."""


def _must_run(context: CellContext, phase: Phase) -> bool:
    """True if the phase must have cases here: only requests and responses travel in frames."""
    match phase:
        case Phase.FRAME:
            return context.layout.kind in (MessageKind.REQUEST, MessageKind.RESPONSE)
        case Phase.EVOLUTION:
            return has_evolution(context.layout)
        case Phase.RECORDS:
            return carries_records(context.layout)
        case Phase.EMBEDDED:
            return framing_of(context.cell, context.layout) is not None
        case Phase.MUTATIONS:
            return not context.environment.foreign  # it may well read nothing of this message
        case _:
            return True
