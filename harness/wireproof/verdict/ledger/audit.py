"""The audit of a ledger: faults of its entries, by themselves and against the results of a run."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final

from wireproof.base.grouping import grouped
from wireproof.model.agreement import LedgerProblem
from wireproof.model.cell import Cell, Phase
from wireproof.model.codec_ends import ExpectedEnd, skips_values
from wireproof.model.kafka.releases import release_number
from wireproof.proof.checks.check_table import Check
from wireproof.proof.config.selection import MutationSet
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.verdict.ledger.bounds import (
    BOUNDS,
    CountScope,
    bound_excess,
    bound_slack,
    bounds_in,
    counts_of,
    named_counts,
)
from wireproof.verdict.ledger.entry import CIRCUMSTANCES, Entry, ReasonKind, Symptom, phases_of
from wireproof.verdict.ledger.evidence import Evidence, Location
from wireproof.verdict.ledger.known_causes import LedgerCause, audit_causes, repeated_causes
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.ledger.repairs import Catalogue, EntryFault, Repairs, command_line
from wireproof.verdict.ledger.spans import Releases, Versions

LIFETIME: Final = timedelta(days=180)
"""The default lifetime of an entry."""

_NOTICE: Final = timedelta(days=30)

_LISTED: Final = 3
"""The most places that a sentence names."""


@dataclass(frozen=True, slots=True)
class AuditScope:
    """The scope of a run.

    Attributes:
        subjects: the codecs under test; empty for all codecs of the ledger. The audit skips entries of other
            codecs.
        counts: the scope of the run's counts; None if the audit must not report bounds that are too high.
        cells: all cells of that scope.
    """

    subjects: Collection[str] = ()
    counts: CountScope | None = None
    cells: Collection[Cell] = ()


def check_alone(ledger: Ledger, catalogue: Catalogue, today: date) -> tuple[LedgerProblem, ...]:
    """Return the faults of a ledger that need no run."""
    found = audit(ledger, (), phases=(), catalogue=catalogue, today=today)
    return (*found, *repeated_causes(ledger.causes, ledger.source))


def audit(
    ledger: Ledger,
    done: Sequence[CellResult],
    *,
    phases: Collection[Phase],
    catalogue: Catalogue,
    today: date,
    asked: AuditScope | None = None,
) -> tuple[LedgerProblem, ...]:
    """Return the faults of a ledger after a run: at most one for each entry, and one for its expiry date.

    Args:
        done: the cells that were judged completely, without lost cases.
        catalogue: all known cells: it separates cells that were not tried from cells that do not exist.
        asked: the scope of the run; None for all codecs, without its counts.
    """
    repairs = Repairs(ledger.source)
    auditor = _Auditor(ledger, done, frozenset(phases), catalogue, asked or AuditScope(), repairs)
    problems = (problem for entry in ledger.entries for problem in auditor.of(entry, today))
    subjects = [] if asked is None else asked.subjects
    judged = (each for each in ledger.causes if not subjects or each.known.concerns(*subjects))
    of_causes = audit_causes(judged, ledger.source, done, frozenset(phases))
    dated = (problem for cause in ledger.causes for problem in _dated(cause, today))
    return (*problems, *of_causes, *dated, *_of_bounds(ledger, done, asked or AuditScope()))


def _of_bounds(ledger: Ledger, done: Sequence[CellResult], asked: AuditScope) -> Iterator[LedgerProblem]:
    """Find counts above the bounds of the ledger; also counts below them, if all cells were judged.

    No printed command raises a bound.
    """
    if ledger.bounds is None:
        return
    scope = asked.counts or CountScope(mutations=MutationSet.SLICE)
    counts = named_counts(counts_of(done), ledger.bounds_of, scope)
    for words in bound_excess(ledger.bounds, counts):
        yield LedgerProblem(BOUNDS, EntryFault.EXCEEDED, words, "")
    judged = {each.cell for each in done if not (each.failed_cases or each.not_asked)}
    whole = asked.counts is not None and not scope.missing_phases and judged.issuperset(asked.cells)
    if whole:
        bounds = bounds_in(ledger.bounds, ledger.bounds_of, scope)
        for name, (count, words) in bound_slack(bounds, counts).items():
            repair = command_line("bound", ledger.source, "--lower", f"{name}={count}")
            yield LedgerProblem(BOUNDS, EntryFault.SLACK, words, repair, fails=False)


@dataclass(frozen=True, slots=True)
class _Auditor:
    ledger: Ledger
    done: Sequence[CellResult]
    phases: frozenset[Phase]
    catalogue: Catalogue
    asked: AuditScope
    repairs: Repairs
    earlier: dict[tuple[str, ...], list[tuple[Entry, frozenset[tuple[str, int]]]]] = field(
        default_factory=dict
    )
    """The entries that were audited before, with their places. The key is the cause without the subject."""

    def of(self, entry: Entry, today: date) -> Iterator[LedgerProblem]:
        problem = self._doubled(entry) or self._stale(entry) or self._met(entry)
        if problem is not None:
            yield problem
        if problem is None or " remove " not in problem.repair:
            yield from _dated(entry, today)

    # Faults that need no run.

    def _doubled(self, entry: Entry) -> LedgerProblem | None:
        """Find an earlier entry that explains some of the same divergences."""
        *place, subject = entry.cause
        alike = self.earlier.setdefault(tuple(place), [])
        places = frozenset(() if entry.any_message else self.catalogue.places(entry))
        before = [each for each in alike if not subject or each[0].subject in ("", subject)]
        alike.append((entry, places))
        for other, there in before:
            if entry.any_message:
                both = entry.seen & other.seen if _meet(entry, other) else Evidence()
                if both:
                    message = f"{other.id} explains the same at {both.summary()}"
                    return self.repairs.without(entry, EntryFault.DOUBLED, message, both)
                continue
            if not places.isdisjoint(there) or entry.extent == other.extent:
                shared = {*places & there}
                left = self.catalogue.without(entry, shared)
                message = f"{other.id} explains the same in {_places(shared) or 'every message'}"
                return self.repairs.narrow(entry, EntryFault.DOUBLED, message, left)
        return None

    def _stale(self, entry: Entry) -> LedgerProblem | None:
        if entry.any_message:
            return self._unobserved(entry) or self._stale_places(entry)
        if not self.catalogue.knows(entry.message):
            return self.repairs.narrow(
                entry, EntryFault.STALE, f"no release has a message {entry.message}", []
            )
        if not self.catalogue.places(entry):
            known = self.catalogue.versions(entry.message, entry.releases)
            has = f"has the versions {known}" if known.ranges else "is not"
            message = f"{entry.message} {has} in releases {entry.releases}, and not {entry.versions}"
            return self.repairs.narrow(entry, EntryFault.STALE, message, [])
        return None

    def _unobserved(self, entry: Entry) -> LedgerProblem | None:
        """Find an entry for all messages without evidence: of an older wireproof, or written by hand."""
        if entry.seen:
            return None
        message = (
            "it has no evidence of any place, so it explains nothing: `wireproof ledger accept` adds the "
            "places that the events of a run show"
        )
        return LedgerProblem(entry.id, EntryFault.NO_EVIDENCE, message, "")

    def _stale_places(self, entry: Entry) -> LedgerProblem | None:
        """Find evidence about messages, or versions, that no release has."""
        known = {name: self.catalogue.versions(name, entry.releases) for name in entry.seen.messages()}
        gone = entry.seen.where(lambda location: location.version not in known[location.message])
        if not gone:
            return None
        shown = f"{', '.join(gone.words()[:_LISTED])}{' ...' if len(gone.words()) > _LISTED else ''}"
        return self.repairs.without(
            entry, EntryFault.STALE, f"releases {entry.releases} do not have {shown}", gone
        )

    def _beyond(self, entry: Entry) -> LedgerProblem | None:
        """Find versions that do not exist."""
        known = self.catalogue.versions(entry.message, entry.releases)
        if all(end in known for each in entry.versions.ranges for end in (each.lowest, each.highest)):
            return None
        message = f"{entry.message} has the versions {known}, the entry has {entry.versions}"
        return self.repairs.narrow(entry, EntryFault.OVER_BROAD, message, self.catalogue.without(entry, ()))

    # Faults that a run shows.

    def _met(self, entry: Entry) -> LedgerProblem | None:
        if entry.subject and self.asked.subjects and entry.subject not in self.asked.subjects:
            return None
        if not self.phases & {Phase.MUTATIONS} and entry.judged_phases == {Phase.MUTATIONS}:
            return self._other_kind(entry) or self._case_passed(entry)
        if entry.expected_end is not None:
            return self._other_kind(entry) or self._end_passed(entry, entry.expected_end)
        if entry.any_message:
            return self._other_kind(entry) or self._places_passed(entry)
        return self._other_kind(entry) or self._passed(entry) or self._beyond(entry)

    def _other_kind(self, entry: Entry) -> LedgerProblem | None:
        """Find an entry whose cause shows nowhere, while its places fail in another way.

        The fault has no repair: the new failure is a finding, which its owner may accept.
        """
        if entry.reason_kind is ReasonKind.FLAKY or any(entry.id in event.known for event in self.done):
            return None
        symptoms = (Symptom.of_cause(event.cell, each) for event in self.done for each in event.causes)
        kinds = {each.kind for each in symptoms if entry.covers(each.cell) and entry.is_at(each)}
        if not kinds:
            return None
        message = (
            f"its place fails with kind {' and '.join(sorted(kinds))}; the entry says {entry.kind}. "
            "The new kind is a separate finding"
        )
        return LedgerProblem(entry.id, EntryFault.OTHER_KIND, message, "")

    def _passed(self, entry: Entry) -> LedgerProblem | None:
        """Find versions, or releases, in which the cause was tried and did not show."""
        events = [event for event in self.done if entry.covers(event.cell)]
        seen = {_place(event.cell) for event in events if entry.id in event.known}
        passed = {_place(event.cell) for event in events if self._tried(entry, event)} - seen
        if not passed:
            return None
        held = {place for place in passed if self._holds(entry, place)}
        # If a version passes in every release that was tried, it is assumed to pass in the other releases:
        # the layout of a version hardly ever differs between releases.
        right = {version for _, version in held} - {version for _, version in seen}
        gone = passed | {place for place in self.catalogue.places(entry) if place[1] in right}
        left = self.catalogue.without(entry, gone)
        if seen:
            message = f"it shows in {_places(seen)}, and not in {_places(passed)}"
            return self.repairs.narrow(entry, EntryFault.OVER_BROAD, message, left, fails=bool(held))
        wider = self._wider(entry, events)
        if wider:
            message = f"{wider} explains this place already: the entry explains nothing in {_places(passed)}"
            return self.repairs.narrow(entry, EntryFault.DOUBLED, message, left)
        message = f"{entry.message} passes in {_places(passed)}"
        if held:
            return self.repairs.narrow(entry, EntryFault.PASSED, message, left)
        message += f", whose layout differs from that in {entry.tried}, where it was tried"
        return self.repairs.narrow(entry, EntryFault.OVER_BROAD, message, left, fails=False)

    def _holds(self, entry: Entry, place: tuple[str, int]) -> bool:
        """Test if the entry states that the cause shows at a place, and does not only assume it."""
        release, version = place
        return self.catalogue.like_tried(entry.message, version, release, entry.tried)

    def _wider(self, entry: Entry, events: Sequence[CellResult]) -> str:
        """Return the id of an entry for all messages that explains the entry's place first; empty if none."""
        met = {known for event in events for known in event.known}
        alike = (other for other in self.ledger.entries if other.any_message and other.id in met)
        for other in alike:
            same = (other.check, other.kind) == (entry.check, entry.kind)
            if same and any(entry.field in fields for fields in other.seen.of_message(entry.message)):
                return other.id
        return ""

    def _end_passed(self, entry: Entry, end: ExpectedEnd) -> LedgerProblem | None:
        """Find a hang or crash entry whose case was asked and passed. A run asks no other case of it."""
        message, version, *_ = end.case.split("/")
        asked = [
            event
            for event in self.done
            if (event.cell.message, str(event.cell.version)) == (message, version)
            and entry.covers(event.cell)
        ]
        judged = entry.judged_phases
        tried = judged and not judged - self.phases and entry.reason_kind is not ReasonKind.FLAKY
        if not asked or not tried or any(entry.id in event.known for event in self.done):
            return None
        if any(event.failed_cases or event.not_asked for event in asked):
            return None
        if any(case.partition("/")[2] == end.case for event in asked for case in event.skipped):
            return None  # the case ended the codec before, so the run did not ask it again
        repair = command_line("remove", self.repairs.source, entry.id)
        words = f"its case ended nothing: {entry.case}"
        return LedgerProblem(entry.id, EntryFault.PASSED, words, repair)

    def _case_passed(self, entry: Entry) -> LedgerProblem | None:
        """Find an entry about malformed bytes whose own case passes. A subset of mutations proves no more."""
        shown = any(entry.id in event.known for event in self.done)
        if shown or entry.reason_kind is ReasonKind.FLAKY:
            return None
        if not any(entry.case in event.passed for event in self.done):
            return None
        repair = command_line("remove", self.repairs.source, entry.id)
        return LedgerProblem(entry.id, EntryFault.PASSED, f"its case passes: {entry.case}", repair)

    def _places_passed(self, entry: Entry) -> LedgerProblem | None:
        """Find places of an entry for all messages that were tried and did not show its cause."""
        shown: list[Location] = []
        passed: list[tuple[str, Location]] = []
        for event in self.done:
            cell = event.cell
            if not entry.covers(cell):
                continue
            known = entry.seen.fields_at(cell.message, cell.version)
            here = known & {(each.part, each.field) for each in event.known_at if each.entry == entry.id}
            shown += (Location(part, cell.message, cell.version, path) for part, path in here)
            if self._tried(entry, event):
                passed += (
                    (cell.release, Location(part, cell.message, cell.version, path))
                    for part, path in known - here
                )
        return self._say_passed(entry, Evidence.of(shown), passed)

    def _say_passed(
        self, entry: Entry, shown: Evidence, passed: Sequence[tuple[str, Location]]
    ) -> LedgerProblem | None:
        gone = Evidence.of(location for _, location in passed if location not in shown)
        if not gone:
            return None
        held = any(
            location in gone
            and self.catalogue.like_tried(location.message, location.version, release, entry.tried)
            for release, location in passed
        )
        if shown:
            message = f"it shows at {shown.summary()}, and not at {gone.summary()}"
            return self.repairs.without(entry, EntryFault.OVER_BROAD, message, gone, fails=held)
        message = f"its places pass: {gone.summary()}"
        return self.repairs.without(entry, EntryFault.PASSED, message, gone, fails=held)

    def _tried(self, entry: Entry, event: CellResult) -> bool:
        """Test if the cause, if it were present in a cell, would have shown there.

        False if only random cases show it, if a phase that shows it did not run, if a new failure may hide
        it, or if the run left requests out. A deviation in the same phase hides the checks that need proven
        values; one on malformed bytes, in another phase, does not.
        """
        judged = entry.judged_phases
        if entry.reason_kind is ReasonKind.FLAKY or not judged or judged - self.phases:
            return False
        if event.failed_cases or event.not_asked:
            return False
        if event.skipped and entry.check in {Check.MALFORMED, *CIRCUMSTANCES}:
            return False
        if any(map(skips_values, event.skipped)):
            return False
        hidden = entry.check in CIRCUMSTANCES and any(self._shows_in(known, judged) for known in event.known)
        return not hidden and any(event.cases.get(phase) for phase in judged)

    def _shows_in(self, entry_id: str, phases: frozenset[Phase], /) -> bool:
        """Test if a known deviation may hide checks in one of the phases; an unknown id counts as if it does.

        A cause hides no check, because the checks see the right answers in place of those it predicts.
        """
        if any(each.id == entry_id for each in self.ledger.causes):
            return False
        entry = self.ledger.find(entry_id)
        return entry is None or bool(phases & set(entry.phases or phases_of(entry.check)))


def _meet(one: Entry, other: Entry) -> bool:
    """Test if two entries have a release in common."""
    ends = [end for entry in (one, other) for span in entry.releases.spans for end in span if end]
    return not ends or any(end in one.releases and end in other.releases for end in ends)


def _place(cell: Cell) -> tuple[str, int]:
    return cell.release, cell.version


def _places(places: Collection[tuple[str, int]]) -> str:
    """Format places as ``versions 1-2, 4 (1.0.0)``; releases with the same versions share one group."""
    by_release = grouped(places)
    groups = grouped((str(Versions.of(versions)), release) for release, versions in by_release.items())
    known = sorted(by_release, key=release_number)
    return " and ".join(
        f"version{'' if versions.isdecimal() else 's'} {versions} ({Releases.of(releases, known)})"
        for versions, releases in groups.items()
    )


def _dated(entry: Entry | LedgerCause, today: date) -> Iterator[LedgerProblem]:
    """Find an entry at the end of its lifetime.

    No printed command extends it: its owner has to look at the deviation first.
    """
    left = entry.expires - today
    if left > _NOTICE:
        return
    advice = f"look at the deviation again{f': replay {entry.case}' if entry.case else ''}"
    if left.days < 0:
        message = f"it expired on {entry.expires}; {advice}"
        yield LedgerProblem(entry.id, EntryFault.EXPIRED, message, "")
    else:
        message = f"it expires on {entry.expires}, in {left.days} days; {advice}"
        yield LedgerProblem(entry.id, EntryFault.EXPIRES_SOON, message, "", fails=False)
