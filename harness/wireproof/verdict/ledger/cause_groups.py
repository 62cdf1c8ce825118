"""Observed causes in groups: those that one entry of a ledger explains."""

from collections.abc import Iterator

from wireproof.base.grouping import grouped
from wireproof.model.agreement import ObservedCause
from wireproof.model.cell import Cell
from wireproof.verdict.ledger.entry import PRIMITIVES, Symptom, is_circumstance, steady
from wireproof.verdict.ledger.evidence import Location
from wireproof.verdict.ledger.files.event_reading import CauseInCell


def steady_and_random(group: list[CauseInCell]) -> Iterator[list[CauseInCell]]:
    """Yield the causes at places that every run shows, then those at places of random cases only."""
    sure = {location_of(met) for met in group if steady([met[1].phase])}
    yield [met for met in group if location_of(met) in sure and steady([met[1].phase])]
    yield [met for met in group if location_of(met) not in sure]


def by_subject(met: list[CauseInCell]) -> Iterator[list[CauseInCell]]:
    """Yield all causes together if each codec shows them at the same places, else those of each codec."""
    parts = grouped((each[1].subject, each) for each in met).values()
    places = set(map(location_of, met))
    alike = all(set(map(location_of, part)) == places for part in parts)
    yield from [met] if alike and met else parts


def location_of(met: CauseInCell) -> Location:
    return Symptom.of_cause(*met).location


def place_of(cell: Cell, cause: ObservedCause) -> tuple[str, ...]:
    """Return the key that all observations of one cause in one message share."""
    return cell.message, cause.check, cause.part, cause.field, cause.kind


def primitive_of(cause: ObservedCause) -> str | None:
    """Return the primitive of a cause: a type, or ``""`` for a cause without a field; None if it has none."""
    if is_circumstance(cause.check, cause.kind):
        return ""
    return cause.type if cause.type in PRIMITIVES else None
