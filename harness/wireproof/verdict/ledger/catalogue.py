"""The catalogue of all messages, their versions and the releases that have them."""

from collections.abc import Callable, Iterable, Iterator

from wireproof.model import Cell, release_number
from wireproof.verdict.ledger.entry import Entry
from wireproof.verdict.ledger.spans import Extent, Releases, Versions


class Catalogue:
    """All known cells, not only those of a run.

    Args:
        same_layout: tests if two releases define the layout of a message at a version identically.
    """

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
        """Test if a release was tried, or has the layout of a release that was.

        True if the catalogue knows none of the tried releases (any more).
        """
        there = [other for other in self._versions.get(message, {}) if tried.spans and other in tried]
        return not there or any(
            other == release or self._same_layout(message, version, release, other) for other in there
        )

    def without(self, entry: Entry, gone: Iterable[tuple[str, int]]) -> list[Extent]:
        """Return the rest of an entry's extent, as few extents; empty if nothing is left.

        The rest has no versions that no release has. It keeps releases that are not known yet, if the entry
        has no end.
        """
        lost = set(gone)
        there: dict[int, list[str]] = {}
        for release, version in self.places(entry):
            there.setdefault(version, []).append(release)
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
