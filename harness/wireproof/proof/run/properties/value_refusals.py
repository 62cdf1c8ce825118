"""Values that a version cannot hold: refused as promised, or written by a codec that trusts its caller.

Every codec is asked to write them, and directly afterwards a value that it can write.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final

from wireproof.model.adapter import (
    NOT_ASKED,
    Adapter,
    Claimant,
    Crashed,
    Decode,
    Encode,
    Encoded,
    Refused,
    Reply,
    Request,
    Unsupported,
)
from wireproof.model.cell import Phase
from wireproof.model.divergence import Divergence
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.evidence_text import field_at
from wireproof.proof.checks.state.call_scripts import ScriptStep, judge_step
from wireproof.proof.checks.values.other_versions import judge_ended, judge_refusal
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.properties.call_states import (
    ScriptedValues,
    WithBytes,
    bytes_of,
    deviates,
    sparse_with_bytes,
)

_BATCH_CASES: Final = 64


@dataclass(frozen=True, slots=True)
class _Impossible:
    """A value that the version cannot hold, because of the field at `path`."""

    name: str
    value: dict[str, Any]
    path: str


def try_refusals(context: CellContext, scripted: ScriptedValues | None = None) -> int:
    """Try the values that this version cannot hold; return how many were tried.

    Args:
        scripted: the proven values; one of them, or else the smallest instance, is written after each
            impossible value.
    """
    tried = 0
    known = {adapter.name: _known(context, adapter, scripted) for adapter in context.target.adapters}
    cases_left = _impossible(context)
    while cases := list(islice(cases_left, 1 if context.careful else _BATCH_CASES)):
        context.announce(Phase.ENUMERATED, [case.name for case in cases])
        held = [
            _try_batch(context, adapter, cases, known[adapter.name], tried)
            for adapter in context.target.adapters
        ]
        for index, case in enumerate(cases):
            _meet(context, case, [each[index] for each in held if each is not None])
        tried += len(cases)
    return tried


def promises_refusals(adapter: Adapter) -> bool:
    """True if a codec promises to refuse values that a version cannot hold. Our codec does."""
    return not isinstance(adapter, Claimant) or adapter.refuses


def record_trust(context: CellContext, adapter: Adapter, replies: Sequence[Reply]) -> None:
    """Count what a codec without the promise did with values that the version cannot hold."""
    if not promises_refusals(adapter):
        for reply in replies:
            if outcome := _outcome(reply):
                context.recorder.trusted(adapter.name, outcome)


def _impossible(context: CellContext) -> Iterator[_Impossible]:
    for name, value, path in context.environment.source.refused(context.layout):
        if context.tries(Phase.ENUMERATED, name):
            yield _Impossible(name, value, path)


@dataclass(frozen=True, slots=True)
class _Known:
    """Values with the codec's bytes, to be asked again.

    Attributes:
        proven: whether the values are proven; else only the codec's bytes of them are known.
    """

    items: Sequence[WithBytes]
    proven: bool


def _known(context: CellContext, adapter: Adapter, scripted: ScriptedValues | None) -> _Known:
    """The smallest and the fullest proven value; the smallest instance if none is proven."""
    items = [] if scripted is None else scripted.chosen(partial(deviates, context, adapter))[:2]
    found = [(item, bytes_of(context, adapter, item.case.value)) for item in items]
    proven = [(item, data) for item, data in found if data is not None]
    return _Known(proven or sparse_with_bytes(context, adapter), bool(proven))


@dataclass(slots=True)
class _Held:
    """The state of the promise in one case: kept, broken, or broken as the ledger knows."""

    kept: bool
    excused: bool


def _try_batch(
    context: CellContext, adapter: Adapter, cases: Sequence[_Impossible], known: _Known, first: int
) -> list[_Held] | None:
    """Ask one codec; return None if it promises no refusals.

    Args:
        first: the number of the first case in its cell, counted from 0.
    """
    afterwards = [_afterwards(first + number, known) for number in range(len(cases))]
    requests: list[Request] = []
    for case, steps in zip(cases, afterwards, strict=True):
        requests += [Encode(case.value), *(step.request for step in steps)]
    replies = iter(adapter.ask(context.cell, context.layout, requests))
    promised = promises_refusals(adapter)
    held = []
    for case, steps in zip(cases, afterwards, strict=True):
        reply = next(replies)
        found = _judge_reply(context, adapter, case, reply, promised)
        held.append(_Held(not found, not _record(context, case, found)))
        for step in steps:
            left = judge_step(context.layout, adapter.name, step, next(replies))
            _record(context, case, () if left is None else (left,))
    return held if promised else None


def _afterwards(number: int, known: _Known) -> list[ScriptStep]:
    """The questions directly after the impossible value with this number: one of the known values again.

    They do not depend on the batch, so a cell that is proven again case by case has the same cases.
    """
    if not known.items:
        return []
    item, data = known.items[number % len(known.items)]
    written = ScriptStep(Check.RECOVER, Encode(item.case.value), data)
    reads = known.proven and number % _BATCH_CASES == 0
    return [written, *([ScriptStep(Check.RECOVER, Decode(data), item.expected, data)] if reads else [])]


def _judge_reply(
    context: CellContext, adapter: Adapter, case: _Impossible, reply: Reply, promised: bool
) -> tuple[Divergence, ...]:
    """Judge a reply: with the promise, only a refusal is right; without it, only a process end is wrong."""
    field = field_at(context.layout, case.path)
    if promised:
        return judge_refusal(adapter.name, case.path, reply, field)
    record_trust(context, adapter, [reply])
    return judge_ended(adapter.name, case.path, reply, field)


def _record(context: CellContext, case: _Impossible, found: Sequence[Divergence]) -> bool:
    """Record one judgement; return whether the case failed."""
    return bool(context.recorder.record(Phase.ENUMERATED, case.name, found, case.value))


def _meet(context: CellContext, case: _Impossible, held: Sequence[_Held]) -> None:
    """Count the classes of a value that every codec refused as promised, or whose failures are excused."""
    if held and all(each.kept for each in held):
        context.coverage.met_refused(case.path, case.value)
    elif all(each.excused for each in held):
        context.coverage.excused_refused(case.path, case.value)


def _outcome(reply: Reply) -> str:
    """The outcome of a value that the version cannot hold, in one word; empty if it was not asked."""
    match reply:
        case Encoded():
            return "written"
        case Refused():
            return "refused"
        case Crashed():
            return "failed"
        case Unsupported(reason) if reason and reason != NOT_ASKED:
            return "unsupported"
        case _:
            return ""
