"""The answer for an operator: whether a cluster can go back, what it loses, what to do first."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any, Final

from wireproof.base.grouping import grouped
from wireproof.definitions.downgrade.broker_evidence import BrokerEvidence
from wireproof.definitions.downgrade.downgrade_matrix import (
    BEFORE_THE_KIP,
    DowngradeCell,
    DowngradeRow,
    FamilyGrid,
)
from wireproof.definitions.downgrade.load_rules import DowngradeOutcome, LoadRule
from wireproof.definitions.downgrade.report.downgrade_text import grouped_cells, release_ranges, writer_texts
from wireproof.definitions.downgrade.written_records import LATER, version_choices
from wireproof.model.kafka.releases import release_line

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
"""The data that records hold, by the prefix of the record's name."""

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
        stops_at: the data whose records make the coordinators stop.
        lost: the data whose records are skipped or deleted as a whole.
        lost_fields: (record, fields) of records that lose fields.
        first: the steps before the downgrade, a sentence each.
    """

    outcome: ClusterOutcome
    sentence: str
    stops_at: tuple[str, ...]
    lost: tuple[str, ...]
    lost_fields: tuple[tuple[str, str], ...]
    first: tuple[str, ...]


def downgrade_answer(rows: Sequence[DowngradeRow], writer: str, reader: str) -> DowngradeAnswer:
    """Return the answer about two releases by all records that the writer writes, with their outcomes."""
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
    is_back = writer == LATER or (reader != LATER and release_line(reader) <= release_line(writer))
    sentence = f"Can a cluster go {'back' if is_back else 'on'} from {writer} to {reader}? {_WORDS[outcome]}"
    has_steps = writer != LATER and is_back and outcome is not ClusterOutcome.YES
    first = tuple(_first_steps(rows, writer, reader)) if has_steps else ()
    return DowngradeAnswer(outcome, sentence, tuple(stopped), tuple(lost), tuple(fields), first)


def answer_lines(answer: DowngradeAnswer) -> Iterator[str]:
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


_LETTERS = {
    DowngradeOutcome.ACCEPTED: "·",
    DowngradeOutcome.DATA_LOST: "L",
    DowngradeOutcome.REFUSED: "**R**",
    DowngradeOutcome.CRASHED: "**C**",
}
_CHOSEN = ("OffsetCommit", "GroupMetadata", "TransactionLog")


def answer_markdown(answer: DowngradeAnswer) -> Iterator[str]:
    """Yield the answer about a pair of releases: a sentence, what is lost, and what to do first."""
    yield f"**{_plain(answer.sentence)}**\n"
    lost = [(f"lost in {record}", fields) for record, fields in answer.lost_fields]
    parts = [
        ("they stop at records of", ", ".join(answer.stops_at)),
        ("lost", ", ".join(answer.lost)),
        *lost,
        *(("first", step) for step in answer.first),
    ]
    items = [f"- {_plain(name)}: {_plain(words)}" for name, words in parts if words]
    yield from [*items, ""] if items else ()


def grid_markdown(grids: Iterable[FamilyGrid]) -> Iterator[str]:
    """Yield a table of pairs for each family: writers in lines, readers in columns.

    Writers in a row with the same outcomes have one line.
    """
    for grid in grids:
        yield f"### {grid.title}\n"
        rows = []
        for outcomes, lines in groupby(grid.lines, lambda line: line[1]):
            writers = [writer for writer, _ in lines]
            text = writers[0] if len(writers) == 1 else f"{writers[0]} to {writers[-1]}"
            rows.append((text, *(_LETTERS[outcome] for outcome in outcomes)))
        yield from _table(("writer", *_short_names(grid.readers)), rows)


def _short_names(releases: Sequence[str]) -> list[str]:
    """Return the lines of releases; the release itself, if another one has its line."""
    lines = [release.rpartition(".")[0] for release in releases]
    return [release if lines.count(line) > 1 else line for release, line in zip(releases, lines, strict=True)]


def choice_markdown(releases: Sequence[str]) -> Iterator[str]:
    """Yield the table of the versions that writers choose."""
    rows = []
    written = [release for release in releases if release != BEFORE_THE_KIP[0]]
    for record in _CHOSEN:
        writers = grouped(
            ((choice.version, choice.condition), release)
            for release in written
            for choice in version_choices(release, record)
        )
        for (version, condition), found in sorted(writers.items()):
            ranges = release_ranges(found, written)
            rows.append((f"{record} v{version}", ranges, condition or "the defaults of a new cluster"))
    yield from _table(("record", "written by", "with"), rows)


def record_markdown(rows: Iterable[DowngradeRow], order: Sequence[str]) -> Iterator[str]:
    """Yield a section for each record, with its writers, its frame and its outcomes."""
    for (log, name), group in groupby(rows, lambda row: (row.record.log, row.record.record)):
        yield f"### {name} (`{log}`)\n"
        for row in group:
            yield from _row(row, order)


def _row(row: DowngradeRow, order: Sequence[str]) -> Iterator[str]:
    record = row.record
    writers = "; ".join(writer_texts(row.writers, order))
    yield f"**Version {record.version}, {record.case}**, written by {writers}.\n"
    cells = grouped_cells(row, order)
    if all(cell.outcome is DowngradeOutcome.ACCEPTED for cell, _ in cells):
        yield "All releases accept it.\n"
        return
    yield f"Key `{record.key.hex()}`, value `{record.value.hex()}`\n"
    yield from _table(
        ("outcome", "read by", "about", "rule"),
        ((str(cell.outcome), readers, _plain(cell.words), f"`{cell.rule.value}`") for cell, readers in cells),
    )


def rule_markdown() -> Iterator[str]:
    rows = ((f"`{rule.value}`", rule.sentence, _plain(rule.source)) for rule in LoadRule)
    yield from _table(("rule", "meaning", "source"), rows)


def broker_markdown(evidence: BrokerEvidence) -> Iterator[str]:
    """Yield the table of the run with real brokers."""
    rows = []
    for partition in evidence.partitions:
        added = partition.added if partition.added != "nothing" else f"nothing, in `{partition.log}`"
        for release, each in partition.readers.items():
            answers = "; ".join(_answer(answer) for answer in each.answers.values())
            message = "; ".join(each.messages) or "none"
            rows.append((added, release, answers, _plain(message)))
    yield from _table(("added record", "broker", "first id; second id", "message"), rows)


def _answer(answer: Any) -> str:
    if isinstance(answer, dict):
        return f"offset {answer['offset']}, members {answer['members']}"
    return str(answer)


def _plain(text: str) -> str:
    """Return text for one cell of a table."""
    for character in "\\|*_[]<":
        text = text.replace(character, f"\\{character}")
    return text


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""
