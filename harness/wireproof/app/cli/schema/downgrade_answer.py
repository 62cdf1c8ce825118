"""The answer for an operator: whether a cluster can go back, what it loses, what to do first."""

from collections.abc import Iterator, Sequence
from typing import Final

from wireproof.definitions.downgrade import LATER, DowngradeCell, DowngradeOutcome, DowngradeRow, LoadRule
from wireproof.model import release_line

__all__ = ["answer_lines", "goes_back"]

_STOPS: Final = (DowngradeOutcome.REFUSED, DowngradeOutcome.CRASHED)
_WHOLE: Final = (LoadRule.UNKNOWN_TYPE_SKIPPED, LoadRule.LOG_NOT_READ)
_KINDS: Final = {
    "ConsumerGroup": "consumer groups of KIP-848",
    "StreamsGroup": "streams groups of KIP-1071",
    "Share": "share groups of KIP-932",
    "Transaction": "transactions",
    "GroupMetadata": "groups",
    "OffsetCommit": "committed offsets",
}
"""The data that records hold, by the beginnings of their names."""

_FEATURES_SINCE: Final = (4, 0)
"""The first line whose kafka-features.sh lowers all features by the name of a release (KIP-1022)."""
_LEAST_FEATURES: Final = (3, 3)
"""The oldest line whose features such a cluster can have (MetadataVersion.MINIMUM_VERSION)."""


def answer_lines(rows: Sequence[DowngradeRow], writer: str, reader: str) -> Iterator[str]:
    """Yield whether a cluster can go back, what is lost, and what to do first.

    Args:
        rows: all records that the writer writes, with their outcomes in the reader.
    """
    stopped = sorted({_kind(row) for row, cell in _by_default(rows) if cell.outcome in _STOPS})
    lost = _lost_data(rows)
    fields = dict.fromkeys(
        f"{row.record.name}: {cell.words}"
        for row, cell in _by_default(rows)
        if cell.outcome is DowngradeOutcome.DATA_LOST and not _is_whole(cell)
    )
    question = f"Can a cluster go back from {writer} to {reader}?"
    if stopped:
        yield f"{question} No: the coordinators do not load their logs."
        yield f"  they stop at records of: {', '.join(stopped)}"
    elif lost:
        yield f"{question} Not without loss: it starts, and data are gone."
    else:
        yield f"{question} Yes{', but fields of records are lost' if fields else ''}."
    if lost:
        yield f"  lost: {', '.join(lost)}"
    for words in fields:
        yield f"  lost in {words}"
    if writer != LATER and (stopped or lost or fields):
        yield from _first_steps(rows, writer, reader)


def goes_back(rows: Sequence[DowngradeRow]) -> bool:
    """Return whether the default coordinator of the reader loads every log and loses no group."""
    return not _lost_data(rows) and not any(cell.outcome in _STOPS for _, cell in _by_default(rows))


def _by_default(rows: Sequence[DowngradeRow]) -> Iterator[tuple[DowngradeRow, DowngradeCell]]:
    """Yield the records that need no setting, each with its outcome in the default coordinator."""
    for row in rows:
        if any(not each.condition for each in row.writers):
            yield from ((row, cell) for reader, cell in row.cells.items() if reader.is_default)


def _lost_data(rows: Sequence[DowngradeRow]) -> list[str]:
    """Return the data whose records are skipped or deleted as a whole."""
    return sorted({_kind(row) for row, cell in _by_default(rows) if _is_whole(cell)})


def _is_whole(cell: DowngradeCell) -> bool:
    return cell.outcome is DowngradeOutcome.DATA_LOST and cell.rule in _WHOLE


def _kind(row: DowngradeRow) -> str:
    name = row.record.record
    return next((words for start, words in _KINDS.items() if name.startswith(start)), f"records {name}")


def _first_steps(rows: Sequence[DowngradeRow], writer: str, reader: str) -> Iterator[str]:
    yield "  first:"
    if release_line(writer) >= _FEATURES_SINCE and release_line(reader) >= _LEAST_FEATURES:
        line = ".".join(map(str, release_line(reader)))
        yield f"    lower the features: kafka-features.sh ... downgrade --release-version {line} (KIP-1022)"
    lost = _lost_data(rows)
    if _KINDS["ConsumerGroup"] in lost:
        yield "    restart the members of consumer groups with group.protocol=classic: when the last other"
        yield "    member has left, the coordinator converts the group (KIP-848)"
    for each in sorted(_keepers(rows)):
        yield f"    or start {each} with group.coordinator.new.enable=true, which keeps consumer groups"
    if others := [words for words in lost if words != _KINDS["ConsumerGroup"]]:
        yield f"    end the use of {' and '.join(others)}: no setting of {reader} keeps them"


def _keepers(rows: Sequence[DowngradeRow]) -> set[str]:
    """Return the releases whose optional coordinator keeps records that the default one skips."""
    return {
        reader.release
        for row, cell in _by_default(rows)
        for reader, other in row.cells.items()
        if _is_whole(cell) and not reader.is_default and not _is_whole(other)
    }
