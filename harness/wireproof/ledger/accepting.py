"""Entries out of what a run has written down."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final, TypeAlias

from wireproof.checks import Check
from wireproof.ledger.catalogue import Catalogue
from wireproof.ledger.entry import (
    ANY_MESSAGE,
    PRIMITIVES,
    Entry,
    Ledger,
    ReasonKind,
    free_id,
    generated_id,
    is_circumstance,
    own_name,
)
from wireproof.ledger.migrations import Names
from wireproof.ledger.phases import steady
from wireproof.ledger.reading import LedgerError
from wireproof.ledger.spans import Extent, Releases, Versions
from wireproof.model import CauseSeen, Cell, Phase

__all__ = ["Accepted", "Seen", "Terms", "accept", "all_seen", "read_events"]

_MANY: Final = 3
"""Messages that have to show a primitive's cause before one entry speaks for all."""

Met: TypeAlias = tuple[Cell, CauseSeen]


@dataclass(frozen=True, slots=True)
class Seen:
    """What an event file says.

    Attributes:
        subjects: the codecs that were under test.
        done: the cells that were judged to their end.
        causes: of their failures, with the cell.
        complete: whether the file has its footer.
        known: the ids of entries that explained something, each with the release.
    """

    subjects: tuple[str, ...]
    done: frozenset[Cell]
    causes: tuple[Met, ...]
    complete: bool
    known: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Terms:
    """What a person says of the causes that are accepted; where the reason is empty, the summary is it."""

    reason_kind: ReasonKind
    owner: str
    since: date
    expires: date
    reason: str = ""
    link: str = ""


@dataclass(slots=True)
class Accepted:
    """What came of it.

    Attributes:
        new: to be added.
        widened: entries that were there, as they are to be, by id.
        left: causes that no ledger of a testee speaks for.
    """

    new: list[Entry] = field(default_factory=list)
    widened: dict[str, Entry] = field(default_factory=dict)
    left: list[Met] = field(default_factory=list)


def read_events(lines: Iterable[str]) -> Seen:
    """The causes in an event file.

    Raises:
        LedgerError: it is none, or one of a wireproof that told no causes.
    """
    subjects: tuple[str, ...] = ()
    done: set[Cell] = set()
    causes: list[Met] = []
    complete = False
    known: set[tuple[str, str]] = set()
    for number, line in enumerate(lines, 1):
        try:
            event = json.loads(line)
            match event["event"]:
                case "header":
                    subjects = tuple(event["subjects"])
                case "cell":
                    release, message, version = event["cell"].split("/")
                    cell = Cell(release, event["module"], message, int(version))
                    done.add(cell)
                    causes += [(cell, _cause(each)) for each in event["causes"]]
                    known.update((entry, release) for entry in event["known"])
                case "footer":
                    complete = True
        except (ValueError, KeyError, TypeError) as error:
            raise LedgerError(f"line {number} is no event of this wireproof: {error!r}") from error
    return Seen(subjects, frozenset(done), tuple(causes), complete, frozenset(known))


def all_seen(seen: Sequence[Seen]) -> Seen:
    """What several runs saw, as if one had: of the variants of a codec, or of releases one by one."""
    return Seen(
        tuple(dict.fromkeys(subject for each in seen for subject in each.subjects)),
        frozenset().union(*(each.done for each in seen)),
        tuple(met for each in seen for met in each.causes),
        all(each.complete for each in seen),
        frozenset().union(*(each.known for each in seen)),
    )


def _cause(each: Mapping[str, Any]) -> CauseSeen:
    parts = {name: each[name] for name in ("subject", "field", "type", "cases")}
    check, kind = Names().check(each["check"]), Names().kind(each["kind"])
    phase, case, summary = Phase(each["phase"]), each["case"], each["summary"]
    return CauseSeen(phase, check=check, kind=kind, **parts, case_id=case, summary=summary)


def accept(
    ledger: Ledger,
    seen: Seen,
    terms: Terms,
    catalogue: Catalogue,
    *,
    wanted: Callable[[Cell, CauseSeen], bool] = lambda cell, cause: True,
    primitives: bool = False,
) -> Accepted:
    """Entries for the causes that no entry explains.

    Args:
        wanted: which causes to take.
        primitives: whether one entry may speak for all messages, where several show what sits in a primitive.
    """
    return _Accepting(ledger, seen, terms, catalogue).all(wanted, primitives)


@dataclass(slots=True)
class _Accepting:
    ledger: Ledger
    seen: Seen
    terms: Terms
    catalogue: Catalogue
    result: Accepted = field(default_factory=Accepted)

    def all(self, wanted: Callable[[Cell, CauseSeen], bool], primitives: bool) -> Accepted:
        met: list[Met] = []
        for cell, cause in self.seen.causes:
            if not wanted(cell, cause) or self._explained(cell, cause):
                continue
            (self.result.left if cause.subject in ("layout", "oracle") else met).append((cell, cause))
        if primitives:
            met = self._primitives(met)
        for group in _grouped(met, lambda cell, cause: (cell.message, cause.check, cause.field, cause.kind)):
            self._accept_group(group)
        self._note_tried()
        return self.result

    def _note_tried(self) -> None:
        """Write down the releases in which entries without an end explained something."""
        for entry in self.ledger.entries:
            shown = {release for name, release in self.seen.known if self.ledger.resolved(name) == entry.id}
            known = self.result.widened.get(entry.id, entry)
            if known.tried.spans and not all(release in known.tried for release in shown):
                tried = self._joined(known.tried, shown)
                self.result.widened[entry.id] = replace(known, tried=tried)

    def _joined(self, tried: Releases, more: Iterable[str]) -> Releases:
        """The releases that were tried, and more; those that are not known any more stay."""
        known = self.catalogue.releases
        spans = tuple(span for span in tried.spans if not set(span) <= set(known))
        return Releases((*spans, *Releases.of(tried.named(known) | set(more), known).spans))

    def _explained(self, cell: Cell, cause: CauseSeen) -> bool:
        at = self.ledger.at(cell.message, cause.check, cause.subject, cause.field, cause.type)
        return any(entry.kind == cause.kind and entry.covers(cell) for entry in at)

    def _primitives(self, met: list[Met]) -> list[Met]:
        """Make entries of what many messages share; the rest is given back."""
        left: list[Met] = []
        for group in _grouped(met, lambda cell, cause: (cause.check, cause.kind, _primitive(cause))):
            cause = group[0][1]
            primitive = _primitive(cause)
            if primitive is None:
                left += group
            elif not self._named(group, primitive):
                if len({cell.message for cell, _ in group}) < _MANY:
                    left += group
                else:
                    self._add_primitive(group, primitive)
        return left

    def _add_primitive(self, group: list[Met], primitive: str) -> None:
        entry = self._entry(group, Extent(Releases(), Versions.ALL))
        names = self._names(group, primitive)
        self._add(replace(entry, message=ANY_MESSAGE, field="", type=primitive, names=names), primitive)

    def _named(self, group: list[Met], primitive: str) -> bool:
        """Give the names to an entry of the same primitive that is there already; whether there is one."""
        cause = group[0][1]
        wanted = (ANY_MESSAGE, cause.check, "", primitive, cause.kind)
        for each in self.ledger.entries:
            known = self.result.widened.get(each.id, each)
            if known.names and known.cause[:-1] == wanted and known.subject in ("", cause.subject):
                names = {*known.names, *(own_name(met.field) for _, met in group)}
                self.result.widened[known.id] = replace(known, names=tuple(sorted(names)))
                return True
        return False

    def _names(self, group: list[Met], primitive: str) -> tuple[str, ...]:
        """What the fields that show it are called; none where every field like them in those cells does.

        Nor are there any for wrong bytes: of fields alike only some are spoiled in each way, so none is known
        to pass.
        """
        if group[0][1].check == Check.MALFORMED:
            return ()
        shown: dict[Cell, set[str]] = {}
        for cell, cause in group:
            shown.setdefault(cell, set()).add(cause.field)
        names = {own_name(field) for fields in shown.values() for field in fields}
        for cell, fields in shown.items():
            alike = {
                path: nullable for path, type_, nullable in self.catalogue.fields(cell) if type_ == primitive
            }
            null = {alike[field] for field in fields if field in alike}
            if any(nullable in null and own_name(path) not in names for path, nullable in alike.items()):
                return tuple(sorted(names))
        return ()

    def _accept_group(self, group: list[Met]) -> None:
        """One cause in one message: what shows in every run apart from what chance has shown."""
        sure = {cell for cell, cause in group if steady([cause.phase])}
        for part in (
            [(cell, cause) for cell, cause in group if cell in sure and steady([cause.phase])],
            [(cell, cause) for cell, cause in group if cell not in sure],
        ):
            for same in _by_subject(part):
                self._accept_part(same)

    def _accept_part(self, part: list[Met]) -> None:
        for extent in self._extents({cell for cell, _ in part}):
            inside = [(cell, cause) for cell, cause in part if (cell.release, cell.version) in extent]
            entry = self._entry(inside, extent)
            if not self._widen(entry):
                self._add(entry, entry.field)

    def _extents(self, cells: set[Cell]) -> list[Extent]:
        """The versions, grouped by the releases that show them; all of them where every one tried does."""
        groups: dict[Releases, list[int]] = {}
        for version in sorted({cell.version for cell in cells}):
            message = next(iter(cells)).message
            tried = {
                cell.release for cell in self.seen.done if (cell.message, cell.version) == (message, version)
            }
            shown = {cell.release for cell in cells if cell.version == version}
            releases = Releases() if shown == tried else Releases.of(shown, self.catalogue.releases)
            groups.setdefault(releases, []).append(version)
        return [Extent(releases, Versions.of(versions)) for releases, versions in groups.items()]

    def _widen(self, entry: Entry) -> bool:
        """Give the versions to an entry of the same cause that is there already."""
        for each in self.ledger.entries:
            known = self.result.widened.get(each.id, each)
            same = known.cause == entry.cause and known.releases == entry.releases
            if same and bool(known.judged_phases) == bool(entry.judged_phases):
                ranges = (*known.versions.ranges, *entry.versions.ranges)
                versions = Versions.of(version for span in ranges for version in span)
                phases = tuple(dict.fromkeys((*known.phases, *entry.phases))) if known.phases else ()
                tried = known.tried
                if tried.spans:
                    tried = self._joined(tried, entry.tried.named(self.catalogue.releases))
                self.result.widened[known.id] = replace(known, versions=versions, phases=phases, tried=tried)
                return True
        return False

    def _entry(self, group: list[Met], extent: Extent) -> Entry:
        cell, cause = group[0]
        subjects = {each.subject for _, each in group}
        shown = {each.release for each, _ in group if each.version in extent.versions}
        alone = len(subjects) == 1 and len(self.seen.subjects) > 1
        return Entry(
            id="",
            message=cell.message,
            versions=extent.versions,
            releases=extent.releases,
            check=cause.check,
            kind=cause.kind,
            reason_kind=self.terms.reason_kind,
            reason=self.terms.reason or cause.summary,
            owner=self.terms.owner,
            since=self.terms.since,
            expires=self.terms.expires,
            field=cause.field,
            subject=cause.subject if alone else "",
            phases=tuple(phase for phase in Phase if any(each.phase is phase for _, each in group)),
            case=cause.case_id,
            link=self.terms.link,
            tried=Releases() if extent.releases.spans else self._joined(Releases(), shown),
        )

    def _add(self, entry: Entry, place: str) -> None:
        wanted = generated_id(entry.message, place, entry.check, entry.kind)
        taken = [known.id for known in (*self.ledger.entries, *self.result.new)]
        self.result.new.append(replace(entry, id=free_id(wanted, taken)))


def _by_subject(met: list[Met]) -> Iterator[list[Met]]:
    """All of it where each codec shows it in the same cells, else that of each."""
    parts = [*_grouped(met, lambda _cell, cause: cause.subject)]
    alike = all({cell for cell, _ in part} == {cell for cell, _ in met} for part in parts)
    yield from [met] if alike and met else parts


def _primitive(cause: CauseSeen) -> str | None:
    """The primitive that a cause may sit in: a type, ``""`` where no field has to do with it; else None."""
    if is_circumstance(cause.check, cause.kind):
        return ""
    return cause.type if cause.type in PRIMITIVES else None


def _grouped(met: Iterable[Met], key: Callable[[Cell, CauseSeen], object]) -> Iterator[list[Met]]:
    groups: dict[object, list[Met]] = {}
    for cell, cause in met:
        groups.setdefault(key(cell, cause), []).append((cell, cause))
    yield from groups.values()
