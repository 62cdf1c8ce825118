"""Causes that a ledger knows: deviations that predict the codec's answers, and excuse nothing else."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import product
from typing import Final

from wireproof.base.grouping import grouped
from wireproof.model.agreement import LedgerProblem
from wireproof.model.cell import CaseId, Cell, Phase
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.scopes import scope_text
from wireproof.proof.deviations.search.cell_diagnosis import CellCause, KnownCause
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.verdict.ledger.entry import ReasonKind, free_id
from wireproof.verdict.ledger.repairs import EntryFault, command_line

_LISTED: Final = 3
_WIDE: Final = 2
"""A deviation is assumed for every message if at least one message in this many shows it."""
_NARROW: Final = 10
"""At most one place in this many may be limited to some fields."""
_MANY_MALFORMED: Final = 6
"""The least number of messages that must show a deviation of every message on malformed bytes."""
_LEAST_MESSAGES: Final = 20


@dataclass(frozen=True, slots=True)
class LedgerCause:
    """An entry for a cause.

    Attributes:
        case: the id of a case that shows it; may be empty.
        subject: the codec; empty for any codec under test.
    """

    id: str
    deviation: Deviation
    reason_kind: ReasonKind
    reason: str
    owner: str
    since: date
    expires: date
    case: str = ""
    link: str = ""
    subject: str = ""

    @property
    def known(self) -> KnownCause:
        return KnownCause(self.id, self.deviation, self.subject)

    @property
    def terms(self) -> tuple[object, ...]:
        """The terms that are equal in two causes of one mistake: what the codec does, and why."""
        return self.deviation.operator, self.subject, self.reason_kind, self.reason, self.owner, self.link

    def excludes(self, other: "LedgerCause") -> bool:
        """Test if two causes contradict each other: one codec cannot do both at one place."""
        apart = self.subject and other.subject and self.subject != other.subject
        return not apart and contradicts(self.deviation, other.deviation)


def audit_causes(
    causes: Iterable[LedgerCause], source: str, done: Sequence[CellResult], phases: Collection[Phase]
) -> Iterator[LedgerProblem]:
    """Yield the faults of causes after a run: those that predicted nothing, and those that are too wide.

    Args:
        source: the ledger's file, as the user wrote it.
        phases: the phases that ran, and tried all of their cases.
    """
    for cause in causes:
        here = [each for each in done if cause.deviation.covers(each.cell.message, each.cell.version)]
        against = {each.cell: each.contradicted[cause.id] for each in here if cause.id in each.contradicted}
        if against:
            cell, request = next(iter(against.items()))
            words = f"the codec answers {request} in {cell.id} as Kafka does, against the entry"
            yield _without(cause, source, EntryFault.OVER_BROAD, words, against)
            continue
        if not any(cause.case.startswith(f"{each.cell.id}/") for each in here):
            continue  # only the cell of its case surely meets the trigger
        needed = CaseId.parse(cause.case).phase if cause.case else None
        whole = [each for each in here if not (each.failed_cases or each.not_asked or each.skipped)]
        if not whole or needed is None or needed not in phases or cause.reason_kind is ReasonKind.FLAKY:
            continue
        unused = [each.cell for each in whole if cause.id not in each.known]
        if unused and len(unused) == len(here):
            words = "it predicts no answer of the codec any more"
            repair = command_line("remove", source, cause.id)
            yield LedgerProblem(cause.id, EntryFault.PASSED, words, repair)


def repeated_causes(causes: Sequence[LedgerCause], source: str) -> Iterator[LedgerProblem]:
    """Yield a warning for each group of causes that differ only in their places and dates."""
    for first, *more in grouped((cause.terms, cause) for cause in causes).values():
        everywhere = {each.deviation.fields for each in (first, *more) if not each.deviation.scope}
        if not more or len(everywhere) > 1:
            continue
        merged = merged_causes([first, *more])
        if not any(merged.excludes(each) for each in causes if each not in (first, *more)):
            ids = [each.id for each in more]
            words = f"{' and '.join(ids)} {'do' if len(ids) > 1 else 'does'} the same for the same reason"
            repair = command_line("merge", source, first.id, *ids)
            yield LedgerProblem(first.id, EntryFault.DOUBLED, words, repair, fails=False)


def merged_causes(causes: Sequence[LedgerCause]) -> LedgerCause:
    """Return the first cause with the places of all.

    Raises ValueError if they differ in more than their places and dates, or are of every message in different
    fields.
    """
    first, *more = causes
    deviation = first.deviation
    for each in more:
        if each.terms != first.terms:
            raise ValueError(
                f"{each.id} does something else than {first.id}, or has another reason: "
                "merge causes that differ in their places alone"
            )
        deviation = deviation.united(each.deviation)
    return replace(first, deviation=deviation)


def _without(
    cause: LedgerCause, source: str, fault: EntryFault, words: str, cells: Collection[Cell]
) -> LedgerProblem:
    """Return the problem whose repair takes cells out of a cause's scope, or removes an emptied cause."""
    gone = grouped((cell.message, cell.version) for cell in cells)
    scope = {message: frozenset(versions) for message, versions in gone.items()}
    if cause.deviation.without(scope) is None:
        return LedgerProblem(cause.id, fault, words, command_line("remove", source, cause.id))
    options = [word for each in scope_text(scope) for word in ("--without-cells", each)]
    return LedgerProblem(cause.id, fault, words, command_line("narrow", source, cause.id, *options))


def contradicts(one: Deviation, other: Deviation) -> bool:
    """Test if two deviations contradict each other: the codec cannot do both at one place."""
    if not _excludes(one, other):
        return False
    if not (one.scope or other.scope):
        return one.all_fields == other.all_fields
    return any(_shared(one, other))


def _excludes(one: Deviation, other: Deviation) -> bool:
    """Test if two deviations have the same trigger and type, but different outcomes."""
    if (one.direction, one.trigger) != (other.direction, other.trigger):
        return False
    if one.types and other.types and not one.types & other.types:
        return False
    if (one.action, one.error, one.value) == (other.action, other.error, other.value):
        return False
    return one.value == other.value or one.action == "constant"  # else each is about another number


def _shared(one: Deviation, other: Deviation) -> Iterator[tuple[str, int]]:
    """Yield the cells in which two deviations are about the same fields."""
    if not one.scope:
        yield from _shared(other, one)
        return
    for message, versions in one.scope.items():
        for version in (each for each in versions if other.covers(message, each)):
            pairs = product(one.within(message, version), other.within(message, version))
            if any(
                mine.fields == its.fields and (mine.types & its.types or not (mine.types and its.types))
                for mine, its in pairs
            ):
                yield message, version


def beside(deviation: Deviation, others: Iterable[Deviation]) -> Deviation | None:
    """Return a deviation without the cells in which another one contradicts it; None if no cell is left."""
    for other in others:
        if contradicts(other, deviation):
            gone: dict[str, frozenset[int]] = {}
            for message, version in _shared(other, deviation):
                gone[message] = gone.get(message, frozenset()) | {version}
            left = deviation.without(gone) if gone else None
            if left is None:
                return None
            deviation = left
    return deviation


def merged_deviations(found: Iterable[tuple[Cell, CellCause]]) -> list[tuple[Deviation, CellCause]]:
    """Return each mistake once, over all cells that showed it, with its shortest case."""
    merged: dict[tuple[object, ...], tuple[Deviation, CellCause]] = {}
    for cell, cause in found:
        here = cause.deviation.shown_in(cell.message, cell.version)
        key = here.mistake(cell.message)
        wide, shortest = merged.get(key, (here, cause))
        merged[key] = wide.joined(here), min(shortest, cause, key=lambda each: each.size)
    return list(merged.values())


def is_same(known: Deviation, other: Deviation) -> bool:
    """Test if a deviation is the same mistake as a known one, in the same messages or in others."""
    if any(not known.covers(name, each) for name in known.outside for each in other.scope.get(name, ())):
        return False
    return other.repeats(known, next(iter(other.scope), ""))


def widened(
    deviation: Deviation, others: Iterable[Deviation], judged: Collection[Cell], phase: Phase
) -> Deviation:
    """Return a deviation for every message if many messages show it; the next run tries it everywhere.

    On malformed bytes, fewer messages show a deviation than have it: a run asks only one question for all
    places with the same bytes, and skips the questions that would hang a codec.

    Args:
        others: deviations of the same codec. The result leaves out the cells in which they contradict it.
        judged: the cells that the run judged.
        phase: the phase of the case that shows it.
    """
    messages = len({each.message for each in judged})
    places = sum(map(len, deviation.scope.values()))
    with_fields = sum(any(fields for _, fields in each) for each in deviation.narrow.values())
    many = _MANY_MALFORMED if phase is Phase.MUTATIONS else messages / _WIDE
    if len(deviation.scope) < many or _NARROW * with_fields > places or messages < _LEAST_MESSAGES:
        return deviation
    if deviation.fields or not deviation.scope:
        return deviation
    wide = deviation.everywhere({})
    against = [each for each in others if _excludes(wide, each)]
    if any(not each.scope or len(each.scope) >= len(deviation.scope) for each in against):
        return deviation
    outside: dict[str, frozenset[int]] = {}
    for other in against:
        for message, versions in other.scope.items():
            outside[message] = outside.get(message, frozenset()) | versions
    return deviation.everywhere(outside)


def cause_id(deviation: Deviation, taken: Iterable[str]) -> str:
    """Make the id of a cause from its contents: ``decode-string-null-not-allowed-null``."""
    kinds = sorted({each.removeprefix("compact ").removeprefix("nullable ") for each in deviation.all_types})
    compact = "compact" if any(each.startswith("compact") for each in deviation.all_types) else ""
    fields = [each.rpartition(".")[2] for each in sorted(deviation.fields)][:1]
    words = (
        "reads" if deviation.direction is CodecDirection.DECODE else "writes",
        compact,
        *(kinds if len(kinds) <= _LISTED else ["any"]),
        *fields,
        deviation.trigger,
        deviation.action,
    )
    slug = re.sub(r"[^a-z0-9]+", "-", "-".join(filter(None, words)).lower()).strip("-")
    return free_id(slug, taken)
