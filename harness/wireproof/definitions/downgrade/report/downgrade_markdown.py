"""The downgrade matrix as Markdown: tables of pairs, of each record, and of the run with real brokers."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from wireproof.definitions.downgrade import (
    BEFORE_THE_KIP,
    BrokerEvidence,
    DowngradeOutcome,
    DowngradeRow,
    FamilyGrid,
    LoadRule,
    version_choices,
)
from wireproof.definitions.downgrade.report.downgrade_answer import DowngradeAnswer
from wireproof.definitions.downgrade.report.downgrade_text import grouped_cells, release_ranges, writer_texts

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
        writers: dict[tuple[int, str], list[str]] = {}
        for release in written:
            for choice in version_choices(release, record):
                writers.setdefault((choice.version, choice.condition), []).append(release)
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
    """Yield the table of rules."""
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
