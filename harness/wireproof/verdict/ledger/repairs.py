"""The cells that are known, and the repairs that an audit prints.

Each repair removes an entry, or narrows it so that it explains less. So no printed command excuses a failure.
`wireproof ledger accept` does that, for a user who has looked at the finding.
"""

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wireproof.base.grouping import grouped
from wireproof.model.agreement import LedgerProblem
from wireproof.model.cell import Cell
from wireproof.model.kafka.releases import release_number
from wireproof.verdict.ledger.entry import Entry
from wireproof.verdict.ledger.evidence import Evidence
from wireproof.verdict.ledger.spans import Extent, Releases, Versions


def command_line(command: str, source: str, *words: str) -> str:
    """Return ``wireproof ledger COMMAND --ledger FILE WORDS``, quoted for a shell."""
    return shlex.join(["wireproof", "ledger", command, "--ledger", source, *words])


_AT_ONCE: Final = 40
"""The most lines of evidence that one command removes."""


class EntryFault(StrEnum):
    """The kinds of faults of an entry."""

    PASSED = "passed"
    """Its cause was tried and showed nowhere."""
    OVER_BROAD = "over-broad"
    """It covers more versions or releases than those that show its cause."""
    STALE = "stale"
    """It is about a message or version that does not exist."""
    OTHER_KIND = "other-kind"
    """Its place fails, but in another way."""
    NO_EVIDENCE = "no-evidence"
    """It is for all messages and has no evidence of any place: it explains nothing."""
    DOUBLED = "doubled"
    """Another entry explains the same."""
    EXPIRED = "expired"
    EXCEEDED = "exceeded"
    """A run counts more of what it does not judge than the bounds allow."""
    SLACK = "slack"
    """A warning: a run of the same scope counts less than the bounds allow."""
    EXPIRES_SOON = "expires-soon"
    """A warning."""


@dataclass(frozen=True, slots=True)
class Repairs:
    """Makes the problems of a ledger, each with its repair; `source` is its file as the user wrote it."""

    source: str

    def narrow(
        self, entry: Entry, fault: EntryFault, message: str, left: Sequence[Extent], *, fails: bool = True
    ) -> LedgerProblem:
        """Return the problem whose repair keeps only these extents of the entry."""
        command = "narrow" if left else "remove"
        words = [word for extent in left for word in ("--to", str(extent))]
        return LedgerProblem(
            entry.id, fault, message, command_line(command, self.source, entry.id, *words), fails
        )

    def without(
        self, entry: Entry, fault: EntryFault, message: str, gone: Evidence, *, fails: bool = True
    ) -> LedgerProblem:
        """Return the problem whose repair removes these places, or the first of many, from the evidence."""
        words = gone.words()
        if not entry.seen - gone:
            repair = command_line("remove", self.source, entry.id)
            return LedgerProblem(entry.id, fault, message, repair, fails)
        if len(words) > _AT_ONCE:
            message += f"; the command removes {_AT_ONCE} of {len(words)} lines: type it, then run again"
        options = [word for each in words[:_AT_ONCE] for word in ("--without", each)]
        repair = command_line("narrow", self.source, entry.id, *options)
        return LedgerProblem(entry.id, fault, message, repair, fails)


class Catalogue:
    """All known cells, not only those of a run; `same_layout` compares a message in two releases."""

    def __init__(
        self,
        cells: Iterable[Cell],
        same_layout: Callable[[str, int, str, str], bool] = lambda message, version, one, other: True,
    ) -> None:
        self._same_layout = same_layout
        self._versions: dict[str, dict[str, set[int]]] = {}
        for cell in cells:
            self._versions.setdefault(cell.message, {}).setdefault(cell.release, set()).add(cell.version)
        known = {release for releases in self._versions.values() for release in releases}
        self.releases = sorted(known, key=release_number)
        self._versions_of: dict[tuple[str, Releases], Versions] = {}
        self._places: dict[tuple[str, Extent], tuple[tuple[str, int], ...]] = {}

    def knows(self, message: str) -> bool:
        """Test if any release has the message."""
        return message in self._versions

    def versions(self, message: str, releases: Releases) -> Versions:
        """Return the versions of the message in these releases."""
        if (message, releases) not in self._versions_of:
            there = self._versions.get(message, {})
            found = {v for release, versions in there.items() if release in releases for v in versions}
            self._versions_of[message, releases] = Versions.of(found)
        return self._versions_of[message, releases]

    def places(self, entry: Entry) -> tuple[tuple[str, int], ...]:
        """Return each release and version that an entry of one message covers, in order."""
        key = entry.message, entry.extent
        if key not in self._places:
            self._places[key] = tuple(self._find_places(*key))
        return self._places[key]

    def _find_places(self, message: str, extent: Extent) -> Iterator[tuple[str, int]]:
        there = self._versions.get(message, {})
        for release in self.releases:
            if release in there and release in extent.releases:
                yield from ((release, each) for each in sorted(there[release]) if each in extent.versions)

    def like_tried(self, message: str, version: int, release: str, tried: Releases) -> bool:
        """Test if a release was tried, or has the same layout as a release that was tried.

        True if the catalogue knows none of the tried releases (any more).
        """
        there = [other for other in self._versions.get(message, {}) if tried.spans and other in tried]
        return not there or any(
            other == release or self._same_layout(message, version, release, other) for other in there
        )

    def without(self, entry: Entry, gone: Iterable[tuple[str, int]]) -> list[Extent]:
        """Return an entry's extent without some places, in as few extents as possible; may be empty.

        Versions that no release has are left out. Releases that are not known yet stay, if the entry has no
        last release.
        """
        lost = set(gone)
        there = grouped((version, release) for release, version in self.places(entry))
        groups: dict[tuple[str, ...], list[int]] = {}
        for version in sorted(there):
            left = tuple(release for release in there[version] if (release, version) not in lost)
            if left:
                whole = len(left) == len(there[version])
                groups.setdefault(() if whole else left, []).append(version)
        return [
            Extent(Releases.of(left, self.releases) if left else entry.releases, Versions.of(versions))
            for left, versions in groups.items()
        ]
