"""The downgrade matrix as text, and as JSON."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from kafkawire.annotate import annotate, hexdump
from kafkawire.schema import MessageLayout
from wireproof.base.grouping import grouped
from wireproof.base.text.typed_json import TypedJson
from wireproof.base.text.wording import counted, runs
from wireproof.definitions.downgrade.downgrade_matrix import (
    BEFORE_THE_KIP,
    DowngradeCell,
    DowngradeRow,
    FamilyGrid,
    LogReader,
    RecordWriter,
)
from wireproof.definitions.downgrade.load_rules import DowngradeOutcome, LoadRule
from wireproof.definitions.downgrade.written_records import LATER

_LETTERS = {
    DowngradeOutcome.ACCEPTED: ".",
    DowngradeOutcome.DATA_LOST: "lost",
    DowngradeOutcome.REFUSED: "refused",
    DowngradeOutcome.CRASHED: "crashed",
}
_PREFIX_BYTES = 2


def grid_lines(grid: FamilyGrid) -> Iterator[str]:
    """Yield the pair matrix of a family: writers in lines, readers in columns."""
    yield grid.title
    width = max(map(len, _LETTERS.values()))
    yield "  writer  " + " ".join(f"{release:>{width}}" for release in grid.readers)
    for writer, outcomes in grid.lines:
        yield f"  {writer:7} " + " ".join(f"{_LETTERS[outcome]:>{width}}" for outcome in outcomes)


def row_lines(row: DowngradeRow, order: Sequence[str], annotated: bool) -> Iterator[str]:
    """Yield a record, its writers, its outcomes, and its frame unless all outcomes are accepted.

    Args:
        order: all releases, oldest first.
        annotated: show the frame with the name of each byte, in any case.
    """
    record = row.record
    yield f"{record.name}, {record.case}  (type {record.type} of {record.log})"
    yield from (f"  written by {text}" for text in writer_texts(row.writers, order))
    for cell, readers in grouped_cells(row, order):
        about = f"  {cell.words}" if cell.rule is not LoadRule.KNOWN else ""
        yield f"  {cell.outcome:9}  {readers}{about}  [{cell.rule.value}]"
    if annotated:
        yield from frame_lines(row)
    elif any(cell.outcome is not DowngradeOutcome.ACCEPTED for cell in row.cells.values()):
        yield f"    key    {record.key.hex(' ', -4)}"
        yield f"    value  {record.value.hex(' ', -4)}"


def frame_lines(row: DowngradeRow) -> Iterator[str]:
    """Yield the annotated bytes of key and value."""
    record = row.record
    yield "  key"
    yield from _annotated(record.key, f"type {record.type}", record.key_layout)
    yield "  value"
    yield from _annotated(record.value, f"version {record.version}", record.layout)


def _annotated(data: bytes, prefix: str, layout: MessageLayout | None) -> Iterator[str]:
    yield f"    {'0000'}  {data[:_PREFIX_BYTES].hex(' '):38}  {prefix}"
    if layout is None:
        yield f"    {_PREFIX_BYTES:04x}  {data[_PREFIX_BYTES:].hex(' ')}"
        return
    for offset, text, meaning in hexdump(annotate(layout, data, _PREFIX_BYTES), data):
        yield f"    {offset}  {text:38}  {meaning}"


def rule_lines(rules: Iterable[LoadRule]) -> Iterator[str]:
    """Yield each rule once, with its source."""
    yield "Rules"
    for rule in dict.fromkeys(rules):
        yield f"  {rule.value}: {rule.sentence} ({rule.source})"


def summary_line(rows: Sequence[DowngradeRow]) -> str:
    """Return the number of records, and of their outcomes, on one line."""
    counts = Counter(cell.outcome for row in rows for cell in row.cells.values())
    words = "".join(f"; {outcome}: {counts[outcome]}" for outcome in DowngradeOutcome if counts[outcome])
    return f"{counted(len(rows), 'record')}, {counted(sum(counts.values()), 'outcome')}{words}"


def writer_texts(writers: Sequence[RecordWriter], order: Sequence[str]) -> list[str]:
    """Return the releases that write a record, for each setting: ``4.1.2 to 4.4.0``."""
    by_condition = grouped((writer.condition, writer.release) for writer in writers)
    return [
        _ranges_or_later(releases, order) + (f" with {condition}" if condition else "")
        for condition, releases in by_condition.items()
    ]


def _ranges_or_later(releases: Sequence[str], order: Sequence[str]) -> str:
    known = [release for release in order if release != BEFORE_THE_KIP[0]]  # it is a reader only
    return "a later release" if releases[0] == LATER else release_ranges(releases, known)


def grouped_cells(row: DowngradeRow, order: Sequence[str]) -> list[tuple[DowngradeCell, str]]:
    """Return each different cell of a row with its readers as text."""
    readers = grouped((_comparable(cell), reader) for reader, cell in row.cells.items())
    return [(cell, _readers_text(each, order)) for cell, each in readers.items()]


def _comparable(cell: DowngradeCell) -> DowngradeCell:
    """Return the cell without its words if its rule does not need them."""
    if cell.rule is LoadRule.KNOWN:
        return DowngradeCell(cell.outcome, cell.rule, "")
    return cell


def _readers_text(readers: Sequence[LogReader], order: Sequence[str]) -> str:
    texts = []
    for coordinator, each in groupby(sorted(readers, key=_option), _option):
        ranges = release_ranges([reader.release for reader in each], order)
        texts.append(f"{ranges} ({coordinator})" if coordinator else ranges)
    return ", ".join(texts)


def _option(reader: LogReader) -> str:
    """Return the group coordinator that needs a setting; empty for the default one."""
    return "" if reader.is_default else reader.coordinator


def release_ranges(releases: Sequence[str], order: Sequence[str]) -> str:
    """Return releases as text, consecutive ones as a range: ``2.8.2 to 3.4.0, 4.0.2``.

    A release that is not in `order` is listed alone.
    """
    places = [place for place, release in enumerate(order) if release in releases]
    ranges = [order[one] if one == last else f"{order[one]} to {order[last]}" for one, last in runs(places)]
    return ", ".join([*ranges, *(release for release in releases if release not in order)])


_JSON: Final = TypedJson({})


def as_plain(row: DowngradeRow) -> dict[str, Any]:
    """Return the row as JSON has it."""
    record = row.record
    return {
        "log": str(record.log),
        "record": record.record,
        "type": record.type,
        "version": record.version,
        "case": record.case,
        "writers": [each._asdict() for each in row.writers],
        "key": record.key.hex(),
        "value": record.value.hex(),
        "cells": [{**reader._asdict(), **_JSON.write(cell)} for reader, cell in row.cells.items()],
    }
