"""The pair matrix: for each family of records, the worst outcome of one release's records in another one."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from wireproof.definitions.downgrade.downgrade_matrix import DowngradeRow, only_writer, worst_outcome
from wireproof.definitions.downgrade.load_rules import DowngradeOutcome, default_coordinator
from wireproof.definitions.downgrade.written_records import LATER

RECORD_FAMILIES: Final = (
    ("Classic groups and committed offsets", ("OffsetCommit", "GroupMetadata")),
    ("Transactions", ("TransactionLog",)),
    ("Consumer groups (KIP-848)", ("ConsumerGroup",)),
    ("Share groups (KIP-932)", ("ShareGroup", "ShareSnapshot", "ShareUpdate")),
    ("Streams groups (KIP-1071)", ("StreamsGroup",)),
)
"""Titles, and the starts of the names of the records."""


class FamilyGrid(NamedTuple):
    """The pair matrix of a family.

    Attributes:
        readers: the releases that read, by their default coordinators, oldest first.
        lines: each release that writes such records, with its outcomes in the order of `readers`.
    """

    title: str
    readers: tuple[str, ...]
    lines: tuple[tuple[str, tuple[DowngradeOutcome, ...]], ...]


def family_grids(rows: Iterable[DowngradeRow], releases: Sequence[str]) -> list[FamilyGrid]:
    """Return the pair matrix of each family that has rows.

    The records of a release are those that it writes by default; where it writes none of a family by default,
    those that it writes with a setting.

    Args:
        releases: the releases that read, oldest first.
    """
    known = [row for row in rows if all(writer.release != LATER for writer in row.writers)]
    grids = []
    for title, starts in RECORD_FAMILIES:
        family = [row for row in known if row.record.record.startswith(starts)]
        lines = [(writer, _outcomes(family, writer, releases)) for writer in _writers(family, releases)]
        if lines:
            grids.append(FamilyGrid(title, tuple(releases), tuple(lines)))
    return grids


def _writers(family: Iterable[DowngradeRow], releases: Sequence[str]) -> list[str]:
    writers = {writer.release for row in family for writer in row.writers}
    return sorted(writers, key=list(releases).index)


def _outcomes(
    family: Iterable[DowngradeRow], writer: str, releases: Sequence[str]
) -> tuple[DowngradeOutcome, ...]:
    written = only_writer(family, writer)
    by_default = [row for row in written if any(not each.condition for each in row.writers)]
    found = []
    for release in releases:
        cells = [
            cell
            for row in by_default or written
            for reader, cell in row.cells.items()
            if reader.release == release and reader.coordinator is default_coordinator(release)
        ]
        outcome = worst_outcome(cells)
        assert outcome is not None
        found.append(outcome)
    return tuple(found)
