"""Replay of one case in this process."""

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from kafkawire.canonical import canonical
from wireproof.model.agreement import CodecTask
from wireproof.model.cell import CaseId, Cell, Phase
from wireproof.model.divergence import Divergence
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.checks.check_table import Check
from wireproof.proof.deviations.search.cell_diagnosis import KnownCause
from wireproof.proof.deviations.search.observing import AnswerObserver
from wireproof.proof.run.comparing.answer_comparison import ComparableAnswer
from wireproof.proof.run.context.cell_context import CLAIM_CASES, Announce
from wireproof.proof.run.core.cell_events import FailedCase, ProverEvent
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.engine.cell_worker import prover_for
from wireproof.proof.run.phases.records_phase import carries_records
from wireproof.proof.run.provers.message_prover import CellProver

_ALWAYS_BY_NAME: Final = (Phase.RECORDS, Phase.EMBEDDED, Phase.CORPUS)
"""The phases whose cases are more than a value."""
_BY_NAME: Final = (Phase.ENUMERATED, Phase.BULK, Phase.MUTATIONS, *_ALWAYS_BY_NAME)
"""The phases whose cases can be generated again one by one."""
_COMPARED: Final = (Phase.ENUMERATED, Phase.RECORDS, Phase.EMBEDDED, Phase.BULK, Phase.MUTATIONS)
"""The phases of `_BY_NAME` in which codecs are compared."""

_CLAIMED: Final = frozenset(
    {*CodecDirection, "reencode", "size", "equal", "copy", "frame", "unframe", "feed"}
)
"""The operations that a codec can claim."""


class NoSuchCaseError(LookupError):
    """The cell has no case of this name."""


def replay(
    environment: WorkerEnvironment,
    cell: Cell,
    case: CaseId,
    value: str | None = None,
    header: str | None = None,
    after: Sequence[str] = (),
    causes: Sequence[KnownCause] = (),
) -> Sequence[FailedCase]:
    """The failures that the case has now; none if its divergence is gone.

    Args:
        value, header: the recorded canonical JSON; without it, the case is generated again by its name.
        after: the ids of the cases that must be asked first to show a state fault.
        causes: the codec's known causes. A failure that one predicts has its id as the entry.

    Raises:
        NoSuchCaseError: the cell has no case of this name.
        kafkawire.errors.CodecError: the recorded value is not a value of the cell.
    """
    names = [adapter.name for adapter in environment.adapters]
    known = [each for each in causes if each.concerns(*names)]
    found = _failures(environment, cell, case, value, header, after, known)
    observer = environment.observer
    if not isinstance(observer, AnswerObserver) or not known:
        return found
    parts = {each.case_id: observer.cause_of(each.case_id, partly=True) for each in found}
    found = [_explained(failure, observer) for failure in found]
    if any(not each.entry for failure in found for each in failure.divergences):
        # Entries may explain what causes do not predict: try again as a run does.
        again = _failures(environment, cell, case, value, header, after, known, settles=True)
        left = {_key(each) for failure in again for each in failure.divergences}
        found = [_settled(failure, left, parts[failure.case_id]) for failure in found]
    return found


def _failures(
    environment: WorkerEnvironment,
    cell: Cell,
    case: CaseId,
    value: str | None,
    header: str | None,
    after: Sequence[str],
    known: Sequence[KnownCause],
    *,
    settles: bool = False,
) -> list[FailedCase]:
    """Try the case; the first arguments and the errors are those of `replay`.

    Args:
        known, settles: as `AnswerObserver.begin` takes them.
    """
    failures: list[FailedCase] = []

    def keep(event: ProverEvent) -> None:
        if isinstance(event, FailedCase):
            failures.append(event)

    claim = case.name.startswith(CLAIM_CASES)
    more = (Phase.FRAME,) if claim and case.phase is Phase.ENUMERATED else ()
    tried: set[str] = set()
    prover = _prover(environment, cell, case, keep, lambda phase, names: tried.update(names), more)
    layout = environment.layouts.of(cell)
    if isinstance(environment.observer, AnswerObserver):
        environment.observer.begin(cell, known, settles=settles, sets=carries_records(layout))
    if value is not None and case.phase not in _ALWAYS_BY_NAME:
        before = environment.layouts.headers(cell).get(layout.header_version or 0)
        header_value = canonical(before).from_json(header) if before and header is not None else None
        prover.try_value(case.phase, case.name, canonical(layout).from_json(value), header_value)
    elif case.phase in _BY_NAME and not claim:
        if not prover.try_again(case.phase, case.name, [CaseId.parse(each).name for each in after]):
            raise NoSuchCaseError(case.name)
    else:
        prover.prove()
        failures = [
            failure for failure in failures if case.phase is Phase.SHAPE or failure.case_id == str(case)
        ]
        if not failures and not _exists(case, tried):
            raise NoSuchCaseError(case.name)
    return [replace(failure, value=failure.value or value) for failure in failures]


def _explained(failure: FailedCase, observer: AnswerObserver) -> FailedCase:
    """The failure, with the known cause that predicts it as the entry of its divergences."""
    cause = observer.cause_of(failure.case_id)
    return replace(failure, divergences=tuple(replace(each, entry=cause) for each in failure.divergences))


def _settled(failure: FailedCase, left: Collection[tuple[str, ...]], cause: str) -> FailedCase:
    """The failure, with a known cause as the entry of the divergences that are not left over."""
    return replace(
        failure,
        divergences=tuple(
            each if each.entry or _key(each) in left else replace(each, entry=cause)
            for each in failure.divergences
        ),
    )


def _key(divergence: Divergence) -> tuple[str, ...]:
    return divergence.check, divergence.path, divergence.kind


def side_by_side(
    environment: WorkerEnvironment, cell: Cell, case: CaseId
) -> Mapping[CodecTask, tuple[bytes, Mapping[str, ComparableAnswer | None]]]:
    """The answers of the compared codecs and of the oracle to a case; empty if all agree.

    Returns:
        by question, the input (the canonical binary of a value, or bytes), and each one's action and result;
        None for a codec that was not asked.

    Raises:
        NoSuchCaseError: the cell has no such case, or its phase compares nothing.
    """
    prover = _prover(environment, cell, case, lambda event: None, lambda phase, names: None)
    if case.phase not in _COMPARED or not prover.try_again(case.phase, case.name):
        raise NoSuchCaseError(case.name)
    return prover.answers


def _prover(
    environment: WorkerEnvironment,
    cell: Cell,
    case: CaseId,
    keep: Callable[[ProverEvent], None],
    announce: Announce,
    more: tuple[Phase, ...] = (),
) -> CellProver:
    # The case may be the hundredth failure of its cause.
    options = RunOptions(phases=(case.phase, *more), seed=case.seed, shrink_s=0, reported_each=sys.maxsize)
    return prover_for(cell)(environment, options, cell, keep, announce)


def _exists(case: CaseId, tried: Collection[str]) -> bool:
    """True if the cell has a case of this name; used if a whole phase was tried and did not fail."""
    if case.name.startswith(CLAIM_CASES):
        return case.name.removeprefix(CLAIM_CASES).removeprefix("embedded-") in _CLAIMED
    if case.phase is Phase.SHAPE:
        return case.name.removeprefix("layout/").rpartition("-")[0] in list(Check)
    return case.name in tried or (case.phase is Phase.RANDOM and case.name.partition("/")[0] in tried)
