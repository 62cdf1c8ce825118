"""The sum of a cell's blocks: the events that one machine would have reported for the cell."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from wireproof.model import Cell, FramePart, ObservedCause, ObservedDeviation, Phase
from wireproof.pipeline.campaign.campaign_blocks import Block, Outcome
from wireproof.proof.run import CellProgress, CellResult, FailedCase, LostCell
from wireproof.proof.run.core.cell_events import ProverEvent
from wireproof.proof.run.core.cell_recorder import REPORTED_EACH
from wireproof.proof.run.phases.bulk_phase import number_in

__all__ = ["CellSum"]

_Key = TypeVar("_Key")
_Number = TypeVar("_Number", int, float)


@dataclass(slots=True)
class CellSum:
    """A cell under way: its blocks are taken in in their order, so that the sum does not depend on who was
    faster.

    Args:
        blocks: those that are to come, the next one first.
    """

    cell: Cell
    blocks: list[Block]
    done: CellResult | None = None
    lost: LostCell | None = None
    large: list[int] = field(default_factory=list)
    _reported: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def take(self, outcome: Outcome) -> Iterator[ProverEvent | CellResult | LostCell]:
        """Take the next block's outcome: yield its events, and after the last block the cell's end."""
        self.blocks.pop(0)
        yield from (event for event in outcome.events if self._is_reported(event))
        match outcome.done:
            case LostCell():
                self.lost = self.lost or outcome.done
            case CellResult():
                self.done = outcome.done if self.done is None else _together(self.done, outcome.done)
        if not self.blocks:
            yield self.lost or self._end()
        elif self.done is not None:
            yield CellProgress(self.cell, dict(self.done.cases), self.done.data_bytes, self.done.failed_cases)

    def _end(self) -> CellResult:
        assert self.done is not None
        return self.done

    def _is_reported(self, event: ProverEvent) -> bool:
        """Return True if one machine would report the event; note the failures still to shrink."""
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
    """Add two parts of a cell; the part whose cases come first is the first."""
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
    )


def _added(one: Mapping[_Key, _Number], other: Mapping[_Key, _Number]) -> dict[_Key, _Number]:
    return {key: one.get(key, 0) + other.get(key, 0) for key in [*one, *other]}


def _places(
    one: Sequence[ObservedDeviation], other: Sequence[ObservedDeviation]
) -> tuple[ObservedDeviation, ...]:
    """Each place once."""
    cases: Counter[tuple[str, FramePart, str]] = Counter()
    for each in (*one, *other):
        cases[each.entry, each.part, each.field] += each.cases
    return tuple(ObservedDeviation(*place, count) for place, count in cases.items())


def _causes(one: Sequence[ObservedCause], other: Sequence[ObservedCause]) -> tuple[ObservedCause, ...]:
    """Each cause once, with the first case that met it."""
    seen: dict[tuple[str, ...], ObservedCause] = {}
    for each in (*one, *other):
        key = each.phase, each.check, each.subject, each.part, each.field, each.type, each.kind
        seen[key] = replace(seen[key], cases=seen[key].cases + each.cases) if key in seen else each
    return tuple(seen.values())
