"""What is wrong with a ledger: by itself, and by what a run has met."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from wireproof.ledger.catalogue import Catalogue
from wireproof.ledger.entry import CIRCUMSTANCES, Entry, Ledger, ReasonKind
from wireproof.ledger.reading import command_line
from wireproof.ledger.spans import Extent, Releases, Versions
from wireproof.model import Cell, LedgerProblem, Phase
from wireproof.run import CellDone

__all__ = ["LIFETIME", "Asked", "Fault", "audit", "check_alone"]

LIFETIME: Final = timedelta(days=180)
"""How long an entry is good for, unless it says otherwise."""

_NOTICE: Final = timedelta(days=30)


class Fault(StrEnum):
    """What can be wrong with an entry."""

    PASSED = "passed"
    """What it says fails has passed, wherever it was tried."""
    OVER_BROAD = "over-broad"
    """It says more versions or releases than those that show it."""
    STALE = "stale"
    """It is about something that does not exist."""
    OTHER_KIND = "other-kind"
    """Its place fails, but in another way."""
    DOUBLED = "doubled"
    """Another entry says the same."""
    EXPIRED = "expired"
    EXPIRES_SOON = "expires-soon"
    """A warning."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run was about.

    Attributes:
        subjects: the codecs under test; empty for all that a ledger speaks for. Entries of others are not
            held against what they did.
        claimed: whether they deal with a (message, version) at all.
    """

    subjects: Collection[str] = ()
    claimed: Callable[[str, int], bool] = lambda message, version: True


def check_alone(ledger: Ledger, catalogue: Catalogue, today: date) -> tuple[LedgerProblem, ...]:
    """What is wrong with a ledger that can be said without a run."""
    return audit(ledger, (), phases=(), catalogue=catalogue, today=today)


def audit(
    ledger: Ledger,
    done: Sequence[CellDone],
    *,
    phases: Collection[Phase],
    catalogue: Catalogue,
    today: date,
    asked: Asked | None = None,
) -> tuple[LedgerProblem, ...]:
    """What is wrong with a ledger after a run; at most one fault of an entry besides its date.

    Args:
        done: the cells that were judged to their end, none of their cases lost.
        phases: those that ran.
        catalogue: all cells there are, so that what was not tried is not taken for what does not exist.
        asked: who was under test, and with what; None where that was everybody, and everything.
    """
    auditor = _Auditor(ledger, done, frozenset(phases), catalogue, asked or Asked())
    return tuple(problem for entry in ledger.entries for problem in auditor.of(entry, today))


@dataclass(frozen=True, slots=True)
class _Auditor:
    ledger: Ledger
    done: Sequence[CellDone]
    phases: frozenset[Phase]
    catalogue: Catalogue
    asked: Asked

    def of(self, entry: Entry, today: date) -> Iterator[LedgerProblem]:
        problem = self._doubled(entry) or self._stale(entry) or self._met(entry)
        if problem is not None:
            yield problem
        if problem is None or " remove " not in problem.repair:
            yield from self._dated(entry, today)

    # Said without a run.

    def _doubled(self, entry: Entry) -> LedgerProblem | None:
        """An entry before it that explains some of the same."""
        for other in self.ledger.entries[: self.ledger.entries.index(entry)]:
            if not _same_cause(entry, other):
                continue
            shared = {place for place in self.catalogue.places(entry) if place in other.extent}
            if shared or entry.extent == other.extent:
                left = self.catalogue.without(entry, shared)
                message = f"{other.id} says the same of {_places(shared) or 'every message'}"
                return self._narrow(entry, Fault.DOUBLED, message, left)
        return None

    def _stale(self, entry: Entry) -> LedgerProblem | None:
        if entry.any_message:
            return None
        left = self.catalogue.without(entry, ())
        if not self.catalogue.knows(entry.message):
            return self._narrow(entry, Fault.STALE, f"no release has a message {entry.message}", [])
        if not left:
            known = self.catalogue.versions(entry.message, entry.releases)
            has = f"has the versions {known}" if known.ranges else "is not"
            message = f"{entry.message} {has} in releases {entry.releases}, and not {entry.versions}"
            return self._narrow(entry, Fault.STALE, message, [])
        return None

    def _beyond(self, entry: Entry) -> LedgerProblem | None:
        """Versions that do not exist."""
        known = self.catalogue.versions(entry.message, entry.releases)
        if all(end in known for each in entry.versions.ranges for end in (each.lowest, each.highest)):
            return None
        message = f"{entry.message} has the versions {known}, the entry says {entry.versions}"
        return self._narrow(entry, Fault.OVER_BROAD, message, self.catalogue.without(entry, ()))

    def _dated(self, entry: Entry, today: date) -> Iterator[LedgerProblem]:
        left = entry.expires - today
        if left > _NOTICE:
            return
        until = (today + LIFETIME).isoformat()
        repair = command_line("amend", self.ledger.source, entry.id, "--expires", until)
        if left.days < 0:
            message = f"it was good until {entry.expires}: look at the deviation again, then renew it"
            yield LedgerProblem(entry.id, Fault.EXPIRED, message, repair)
        else:
            message = f"it is good until {entry.expires}, {left.days} days more"
            yield LedgerProblem(entry.id, Fault.EXPIRES_SOON, message, repair, fails=False)

    # Said by a run.

    def _met(self, entry: Entry) -> LedgerProblem | None:
        if entry.subject and self.asked.subjects and entry.subject not in self.asked.subjects:
            return None
        if entry.any_message:
            return self._other_kind(entry) or self._primitive_passed(entry)
        return self._other_kind(entry) or self._passed(entry) or self._beyond(entry)

    def _other_kind(self, entry: Entry) -> LedgerProblem | None:
        """Its cells fail at its place in another way, and nowhere in its own."""
        if entry.reason_kind is ReasonKind.FLAKY or any(entry.id in event.known for event in self.done):
            return None
        kinds: Counter[str] = Counter()
        for event in self.done:
            if entry.covers(event.cell):
                for cause in event.causes:
                    if entry.is_at(cause.check, cause.subject, cause.field, cause.type):
                        kinds[cause.kind] += cause.cases
        if not kinds:
            return None
        kind = kinds.most_common(1)[0][0]
        message = f"its place fails with kind {' and '.join(kinds)}; the entry says {entry.kind}"
        repair = command_line("amend", self.ledger.source, entry.id, "--kind", kind)
        return LedgerProblem(entry.id, Fault.OTHER_KIND, message, repair)

    def _passed(self, entry: Entry) -> LedgerProblem | None:
        """Versions, or releases, in which it was tried and did not show."""
        events = [event for event in self.done if entry.covers(event.cell)]
        seen = {_place(event.cell) for event in events if entry.id in event.known}
        passed = {_place(event.cell) for event in events if self._tried(entry, event)} - seen
        if not passed:
            return None
        held = {place for place in passed if self._holds(entry, place)}
        # A version that shows it nowhere is taken to be right in the releases that were not tried, too: the
        # layout of a version hardly ever differs.
        right = {version for _, version in held} - {version for _, version in seen}
        gone = passed | {place for place in self.catalogue.places(entry) if place[1] in right}
        left = self.catalogue.without(entry, gone)
        if seen:
            message = f"it shows in {_places(seen)}, and not in {_places(passed)}"
            return self._narrow(entry, Fault.OVER_BROAD, message, left, fails=bool(held))
        wider = self._wider(entry, events)
        if wider:
            message = f"{wider} says the same of every message: this explains nothing in {_places(passed)}"
            return self._narrow(entry, Fault.DOUBLED, message, left)
        message = f"all is right in {_places(passed)} of {entry.message}"
        if held:
            return self._narrow(entry, Fault.PASSED, message, left)
        message += f", whose layout is another than in {entry.tried}, where it was tried"
        return self._narrow(entry, Fault.OVER_BROAD, message, left, fails=False)

    def _holds(self, entry: Entry, place: tuple[str, int]) -> bool:
        """Whether the entry says that it shows at a place, and does not merely presume it."""
        release, version = place
        return self.catalogue.like_tried(entry.message, version, release, entry.tried)

    def _wider(self, entry: Entry, events: Sequence[CellDone]) -> str:
        """The entry of a primitive that was met in its cells in its stead: such a one comes first."""
        met = {known for event in events for known in event.known}
        alike = (other for other in self.ledger.entries if other.any_message and other.id in met)
        same = (other.id for other in alike if (other.check, other.kind) == (entry.check, entry.kind))
        return next(same, "")

    def _primitive_passed(self, entry: Entry) -> LedgerProblem | None:
        """Where every cell of a release was tried, a primitive's cause would have shown in one."""
        if any(entry.id in event.known for event in self.done):
            return None
        tried: dict[str, set[tuple[str, int]]] = {}
        for event in self.done:
            if entry.covers(event.cell) and self._tried(entry, event):
                tried.setdefault(event.cell.release, set()).add((event.cell.message, event.cell.version))
        whole = [release for release, cells in tried.items() if self._claimed_of(release) <= cells]
        if not whole:
            return None
        return self._narrow(entry, Fault.PASSED, f"all is right in every message of {', '.join(whole)}", [])

    def _claimed_of(self, release: str) -> set[tuple[str, int]]:
        return {place for place in self.catalogue.of_release(release) if self.asked.claimed(*place)}

    def _tried(self, entry: Entry, event: CellDone) -> bool:
        """Whether the cause would have shown in a cell if it were there.

        Not where chance alone shows it, where a phase that does was left out, where a new failure may hide
        it, or where not everything was asked. What is asked of values that are proven is hidden by any
        deviation.
        """
        judged = entry.judged_phases
        if entry.reason_kind is ReasonKind.FLAKY or not judged or judged - self.phases:
            return False
        if event.failed_cases or event.not_asked:
            return False
        hidden = entry.check in CIRCUMSTANCES and bool(set(event.known) - {entry.id})
        return not hidden and any(event.cases.get(phase) for phase in judged)

    def _narrow(
        self, entry: Entry, fault: Fault, message: str, left: Sequence[Extent], *, fails: bool = True
    ) -> LedgerProblem:
        """The problem whose repair leaves this much of the entry."""
        command = "narrow" if left else "remove"
        words = [word for extent in left for word in ("--to", str(extent))]
        repair = command_line(command, self.ledger.source, entry.id, *words)
        return LedgerProblem(entry.id, fault, message, repair, fails)


def _same_cause(one: Entry, other: Entry) -> bool:
    """Whether both explain the same divergences, where their extents meet."""
    *place, subject = one.cause
    *other_place, other_subject = other.cause
    if one.names and other.names and not set(one.names) & set(other.names):
        return False
    return place == other_place and (not subject or not other_subject or subject == other_subject)


def _place(cell: Cell) -> tuple[str, int]:
    return cell.release, cell.version


def _places(places: Collection[tuple[str, int]]) -> str:
    """``versions 1-2, 4 (1.0.0)``; the releases apart where they do not have the same versions."""
    by_release: dict[str, set[int]] = {}
    for release, version in places:
        by_release.setdefault(release, set()).add(version)
    groups: dict[str, list[str]] = {}
    for release, versions in by_release.items():
        groups.setdefault(str(Versions.of(versions)), []).append(release)
    known = sorted(by_release, key=lambda release: [int(part) for part in release.split(".")])
    return " and ".join(
        f"version{'' if versions.isdecimal() else 's'} {versions} ({Releases.of(releases, known)})"
        for versions, releases in groups.items()
    )
