"""Judging one mutant of our codec: run the plan on the cells that it changes, until a case kills it."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias, assert_never

from kafkawire.caching import BoundedCache
from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.records import MissingLibraryError, RecordSet, record_set_layout, record_set_spec, to_value
from kafkawire.schema import MessageLayout, SchemaSet
from wireproof.model.adapter import (
    Adapter,
    Decode,
    Decoded,
    DecodedFrame,
    DecodeFrame,
    Encode,
    Encoded,
    EncodeFrame,
    Reply,
    Request,
    Size,
    Sized,
)
from wireproof.model.cell import RECORDS_MODULE, Cell
from wireproof.model.malformed_input import LimitedAdapter
from wireproof.model.oracle import OracleError
from wireproof.power.mutants.codec_operator import CodecOperator
from wireproof.power.mutants.generation import MessageCodecs, Mutant, NotApplicableError, RecordCodecs
from wireproof.power.mutants.mutant_recipe import MakeOperators, MutantRecipe
from wireproof.power.summary import (
    EquivalentSite,
    MutantDescription,
    MutantOutcome,
    MutantVerdict,
    killing_case,
)
from wireproof.proof.config.selection import MutationSet
from wireproof.proof.run.core.cell_events import FailedCase, LostCell, ProverEvent
from wireproof.proof.run.core.environment import Layouts, WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.shared_layouts import LayoutMemory
from wireproof.proof.run.engine.cell_worker import prover_for


@dataclass(frozen=True, slots=True)
class PowerEnvironment:
    """The environment that all mutants of a worker share.

    Attributes:
        environment: the environment of a run over one release; its adapters are not used.
        adapt: makes an adapter for a mutant's codecs under a name, with the headers of the release.
        limit: makes an adapter that runs the mutant in a process of its own, with limits.
    """

    environment: WorkerEnvironment
    schemas: SchemaSet
    adapt: Callable[[str, MessageCodecs | RecordCodecs], Adapter]
    limit: Callable[[str, MutantRecipe], LimitedAdapter]


MakePowerEnvironment: TypeAlias = Callable[[], PowerEnvironment]
"""A function that the parent process pickles, and each worker calls."""


class _Misread(Layouts):
    """Layouts of a harness whose schema reader has the same bug as the mutant."""

    def __init__(
        self, schemas: Mapping[str, SchemaSet], believed: Callable[[MessageLayout], MessageLayout]
    ) -> None:
        super().__init__(schemas)
        self._believed: BoundedCache[MessageLayout, MessageLayout] = BoundedCache(believed)

    def of(self, cell: Cell) -> MessageLayout:
        return self._believed(super().of(cell))

    def headers(self, cell: Cell) -> Mapping[int, MessageLayout]:
        return {version: self._believed(layout) for version, layout in super().headers(cell).items()}


@contextmanager
def environment_of(shared: PowerEnvironment, recipe: MutantRecipe) -> Iterator[WorkerEnvironment]:
    """The run's environment with the mutant in place of our codec, and with empty memories."""
    mutant = recipe.mutant
    name = f"kafkawire[{mutant.operator.name}]"
    adapter, limited = shared.adapt(name, mutant.codecs), shared.limit(name, recipe)
    environment = replace(
        shared.environment,
        alike=LayoutMemory(),
        mutations=LayoutMemory(),
        limited=[limited],
        other_definitions=None,
    )
    match mutant.codecs:
        case MessageCodecs(believed=believed):
            environment = replace(environment, adapters=[adapter])
            if mutant.operator.shared:
                misread = _Misread({shared.schemas.release: shared.schemas}, believed)
                environment = replace(environment, layouts=misread)
        case RecordCodecs():
            environment = replace(environment, records=[adapter])
        case _:
            assert_never(mutant.codecs)
    try:
        yield environment
    finally:
        limited.close()


OWN_CODEC: Final = "kafkawire"
"""The name of our codec in verdicts."""


_FIRST_BATCH: Final = 8
"""The number of cases in a cell's first batch. They kill a third of the mutants."""


class _FirstFailure(BaseException):
    """Ends the proof of a cell at the first failure, past all handlers of `Exception`. One is enough."""

    def __init__(self, failure: FailedCase) -> None:
        self.failure = failure


@dataclass(frozen=True, slots=True)
class _Outcome:
    cases: int
    failure: FailedCase | None = None
    lost: str = ""


def make_codec_judge(
    make_environment: MakePowerEnvironment, make_operators: MakeOperators, seed: int
) -> Callable[[str], MutantVerdict]:
    """Return a worker's judge of the mutants of our codec, given the names of their operators."""
    environment = make_environment()
    return lambda name: judge_mutant(environment, make_operators, name, seed)


def lost_mutant(make_operators: MakeOperators, name: str, reason: str) -> MutantVerdict:
    """The verdict on a mutant of our codec that the harness could not judge."""
    return MutantVerdict(_described(make_operators()[name]), MutantOutcome.LOST, evidence=reason)


def judge_mutant(
    shared: PowerEnvironment, make_operators: MakeOperators, name: str, seed: int
) -> MutantVerdict:
    """Make the mutant at the site that the seed chooses, and run the plan on it.

    Raises:
        OracleError: the oracle cannot work at all.
    """
    started = time.monotonic()
    operator, recipe = make_operators()[name], MutantRecipe(make_operators, name, shared.schemas, seed)
    try:
        mutant = recipe.mutant
    except NotApplicableError as error:
        return _without_effect(operator, error.equivalents)
    options = RunOptions(
        operator.phases,
        seed=seed,
        shrink_s=0,
        mutations=MutationSet.SLICE,
        fresh_retries=False,
        first_batch=_FIRST_BATCH,
    )
    with environment_of(shared, recipe) as environment:
        outcome = _try(environment, options, mutant.cells)
        if outcome.lost:
            return lost_mutant(make_operators, name, outcome.lost)
        (adapter,) = environment.adapters if isinstance(mutant.codecs, MessageCodecs) else environment.records
        description = _described(operator, mutant, passes_its_own_round_trip(shared, mutant, adapter))
    duration_s = time.monotonic() - started
    if outcome.failure is None:
        return MutantVerdict(description, MutantOutcome.SURVIVED, outcome.cases, duration_s)
    first = outcome.failure.divergences[0]
    if not operator.shared and first.subject != adapter.name:
        words = f"{outcome.failure.case_id}: {first.check} fails {first.subject}, not the mutant"
        return lost_mutant(make_operators, name, words)
    case = killing_case(outcome.failure)
    return MutantVerdict(description, MutantOutcome.KILLED, outcome.cases, duration_s, case)


def _described(
    operator: CodecOperator, mutant: Mutant | None = None, symmetric: bool = False
) -> MutantDescription:
    words = OWN_CODEC, "", operator.name, operator.bug_class.value, operator.description
    described = MutantDescription(*words)
    if mutant is None:
        return described
    return replace(
        described,
        source=mutant.made_of,
        place=mutant.place,
        cells=len(mutant.cells),
        symmetric=symmetric,
        equivalents=mutant.equivalents,
    )


def _without_effect(operator: CodecOperator, sites: tuple[EquivalentSite, ...]) -> MutantVerdict:
    described = replace(_described(operator), equivalents=sites)
    if not sites:
        return MutantVerdict(described, MutantOutcome.NO_SITE, evidence="this release has no site for it")
    words = f"at none of {len(sites)} sites has it an effect"
    return MutantVerdict(described, MutantOutcome.EQUIVALENT, evidence=words)


def _try(environment: WorkerEnvironment, options: RunOptions, cells: Sequence[Cell]) -> _Outcome:
    """Run the plan on one cell after the other."""
    cases = 0
    for cell in cells:
        prover = prover_for(cell)(environment, options, cell, _stop_at_failure, lambda phase, names: None)
        try:
            done = prover.prove()
        except _FirstFailure as found:
            return _Outcome(cases + prover.cases + 1, found.failure)
        if isinstance(done, LostCell):
            return _Outcome(cases, lost=f"{cell.id}: {done.reason}")
        cases += prover.cases
    return _Outcome(cases)


def _stop_at_failure(event: ProverEvent) -> None:
    if isinstance(event, FailedCase):
        raise _FirstFailure(event)


def passes_its_own_round_trip(shared: PowerEnvironment, mutant: Mutant, adapter: Adapter) -> bool:
    """Test if a round trip of the mutant with itself finds no error, as its author would test it.

    The mutant encodes, sizes and decodes every boundary case of its own layout. A mutant of record sets does
    so with every named set.
    """
    if not isinstance(mutant.codecs, MessageCodecs):
        return _sets_come_back(shared, mutant, mutant.codecs)
    for cell in mutant.cells:
        layout = shared.environment.layouts.of(cell)
        own = mutant.codecs.believed(layout)
        for case in shared.environment.source.enumerated(cell, own):
            if not _comes_back(cell, layout, own, adapter, case.value):
                return False
        if own.header_version is not None and not _frame_comes_back(cell, layout, own, adapter):
            return False
    return True


def _sets_come_back(shared: PowerEnvironment, mutant: Mutant, codecs: RecordCodecs) -> bool:
    """Try the sets of the cells that the mutant changes; sets of every magic if it changes a message."""
    source = shared.environment.record_source
    changed = {cell.version for cell in mutant.cells if cell.module == RECORDS_MODULE}
    for magic in (changed or record_set_spec().valid_versions) if source is not None else ():
        cell = Cell(shared.schemas.release, RECORDS_MODULE, record_set_spec().name, magic)
        for case in source.cases(cell) if source is not None else ():
            if case.foreign is None and not _set_comes_back(magic, codecs, case.records):
                return False
    return True


def _set_comes_back(magic: int, codecs: RecordCodecs, held: RecordSet) -> bool:
    try:
        data = codecs.encode(held)
        if codecs.size(held) != len(data):
            return False
        decoded = codecs.decode(data)
    except MissingLibraryError as error:
        raise OracleError(str(error)) from error
    except Exception:  # noqa: BLE001 - a codec that fails in any way has brought nothing back
        return False
    return decoded == held or _is_same(record_set_layout(magic), to_value(held), to_value(decoded))


def _comes_back(
    cell: Cell, layout: MessageLayout, own: MessageLayout, adapter: Adapter, value: dict[str, Any]
) -> bool:
    encoded = _ask(adapter, cell, layout, Encode(value))
    if not isinstance(encoded, Encoded):
        return False
    if _ask(adapter, cell, layout, Size(value)) != Sized(len(encoded.data)):
        return False
    decoded = _ask(adapter, cell, layout, Decode(encoded.data))
    return isinstance(decoded, Decoded) and _is_same(own, value, decoded.value)


def _frame_comes_back(cell: Cell, layout: MessageLayout, own: MessageLayout, adapter: Adapter) -> bool:
    framed = _ask(adapter, cell, layout, EncodeFrame({}, {}))
    if not isinstance(framed, Encoded):
        return False
    decoded = _ask(adapter, cell, layout, DecodeFrame(framed.data))
    return isinstance(decoded, DecodedFrame) and _is_same(own, {}, decoded.value)


def _ask(adapter: Adapter, cell: Cell, layout: MessageLayout, request: Request) -> Reply:
    (reply,) = adapter.ask(cell, layout, [request])
    return reply


def _is_same(own: MessageLayout, one: dict[str, Any], other: dict[str, Any]) -> bool:
    try:
        return canonical(own).to_binary(one) == canonical(own).to_binary(other)
    except CodecError:
        return False
