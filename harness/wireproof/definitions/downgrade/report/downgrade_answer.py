"""The answer for an operator: whether a cluster can go back, what it loses, what to do first."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from wireproof.definitions.downgrade import LATER, DowngradeCell, DowngradeOutcome, DowngradeRow, LoadRule
from wireproof.model import release_line

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
_WIDTH: Final = 110


class ClusterOutcome(StrEnum):
    """The answer for a cluster: can it go back, with the settings that both releases have by default."""

    YES = "yes"
    FIELDS_LOST = "fields-lost"
    """The older release loads all records, and drops fields of some."""
    DATA_LOST = "data-lost"
    """The older release starts, and whole records are gone."""
    NO = "no"
    """A coordinator does not load its log."""

    @property
    def goes_back(self) -> bool:
        return self in (ClusterOutcome.YES, ClusterOutcome.FIELDS_LOST)


_WORDS: Final = {
    ClusterOutcome.YES: "Yes.",
    ClusterOutcome.FIELDS_LOST: "Yes, but fields of records are lost.",
    ClusterOutcome.DATA_LOST: "Not without loss: it starts, and data are gone.",
    ClusterOutcome.NO: "No: the coordinators do not load their logs.",
}


@dataclass(frozen=True, slots=True)
class DowngradeAnswer:
    """The answer about a pair of releases.

    Attributes:
        sentence: question and answer.
        stops_at: the data at whose records the coordinators stop.
        lost: the data whose records are skipped or deleted as a whole.
        lost_fields: (record, fields) of records that lose fields.
        first: what to do before the downgrade, a sentence each.
    """

    outcome: ClusterOutcome
    sentence: str
    stops_at: tuple[str, ...]
    lost: tuple[str, ...]
    lost_fields: tuple[tuple[str, str], ...]
    first: tuple[str, ...]


def downgrade_answer(rows: Sequence[DowngradeRow], writer: str, reader: str) -> DowngradeAnswer:
    """Return the answer about a pair of releases.

    Args:
        rows: all records that the writer writes, with their outcomes in the reader.
    """
    stopped = sorted({_kind(row) for row, cell in _by_default(rows) if cell.outcome in _STOPS})
    lost = _lost_data(rows)
    fields = dict.fromkeys(
        (row.record.name, cell.words)
        for row, cell in _by_default(rows)
        if cell.outcome is DowngradeOutcome.DATA_LOST and not _is_whole(cell)
    )
    if stopped:
        outcome = ClusterOutcome.NO
    elif lost:
        outcome = ClusterOutcome.DATA_LOST
    else:
        outcome = ClusterOutcome.FIELDS_LOST if fields else ClusterOutcome.YES
    sentence = f"Can a cluster go back from {writer} to {reader}? {_WORDS[outcome]}"
    has_steps = writer != LATER and outcome is not ClusterOutcome.YES
    first = tuple(_first_steps(rows, writer, reader)) if has_steps else ()
    return DowngradeAnswer(outcome, sentence, tuple(stopped), tuple(lost), tuple(fields), first)


def answer_lines(answer: DowngradeAnswer) -> Iterator[str]:
    """Yield the answer as text."""
    yield answer.sentence
    if answer.stops_at:
        yield f"  they stop at records of: {', '.join(answer.stops_at)}"
    if answer.lost:
        yield f"  lost: {', '.join(answer.lost)}"
    for record, fields in answer.lost_fields:
        yield f"  lost in {record}: {fields}"
    if answer.first:
        yield "  first:"
    for step in answer.first:
        yield from textwrap.wrap(step, _WIDTH, initial_indent="    ", subsequent_indent="    ")


def answer_plain(answer: DowngradeAnswer) -> dict[str, Any]:
    """Return the answer as JSON has it."""
    return {
        "outcome": str(answer.outcome),
        "sentence": answer.sentence,
        "stopsAt": list(answer.stops_at),
        "lost": list(answer.lost),
        "lostFields": [{"record": record, "fields": fields} for record, fields in answer.lost_fields],
        "first": list(answer.first),
    }


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
    if release_line(writer) >= _FEATURES_SINCE and release_line(reader) >= _LEAST_FEATURES:
        line = ".".join(map(str, release_line(reader)))
        yield f"lower the features: kafka-features.sh ... downgrade --release-version {line} (KIP-1022)"
    lost = _lost_data(rows)
    if _KINDS["ConsumerGroup"] in lost:
        yield (
            "restart the members of consumer groups with group.protocol=classic: when the last other member "
            "has left, the coordinator converts the group (KIP-848)"
        )
    for each in sorted(_keepers(rows)):
        yield f"or start {each} with group.coordinator.new.enable=true, which keeps consumer groups"
    if others := [words for words in lost if words != _KINDS["ConsumerGroup"]]:
        yield f"end the use of {' and '.join(others)}: no setting of {reader} keeps them"


def _keepers(rows: Sequence[DowngradeRow]) -> set[str]:
    """Return the releases whose optional coordinator keeps records that the default one skips."""
    return {
        reader.release
        for row, cell in _by_default(rows)
        for reader, other in row.cells.items()
        if _is_whole(cell) and not reader.is_default and not _is_whole(other)
    }
