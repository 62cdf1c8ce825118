"""The matrix: message by codec, and who disagrees with whom; for a terminal, for programs and as Markdown."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Final, TypeAlias

from rich.console import Console
from rich.table import Table

from wireproof.base.text.wording import counted, printable
from wireproof.model.agreement import AgreementGroup, CodecTask
from wireproof.model.malformed_input import MalformedVerdict
from wireproof.verdict.report.comparison.scoreboard import (
    CellStatus,
    CodecColumn,
    CodecScore,
    PairAgreement,
    Scoreboard,
    StatusRow,
)
from wireproof.verdict.report.text.escaping import code, marked, words

SHOWN: Final = 20
"""Kinds of disagreement on the page; JSON has all."""
_NARROWEST: Final = 150
"""The least width of a line, in characters, if the output is not a terminal."""
VERDICTS: Final = tuple(MalformedVerdict)


@dataclass(frozen=True, slots=True)
class LimitedCases:
    """A testee that is not in the matrix, and why."""

    testee: str
    reason: str


@dataclass(frozen=True, slots=True)
class DeviationRow:
    """The known deviations of a codec with one reason.

    Attributes:
        kind: the kind of the reason: ``bug``, ``by-design``, ``unsupported``, ``flaky``.
        messages: the messages of its entries; ``*`` for all.
    """

    codec: str
    kind: str
    reason: str
    messages: Sequence[str]


@dataclass(frozen=True, slots=True)
class EntryTerms:
    """The terms of a ledger's entry: the kind as in `DeviationRow`, the first and last day as ISO 8601."""

    kind: str
    reason: str
    owner: str
    since: str
    expires: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The result of a run of several codecs.

    Attributes:
        asked: the testees that the user named; empty for all testees that come with wireproof.
        command: the arguments of the command that made it, without the program's own name.
        unclaimed: messages that only our own codec claims; they were not tried.
        terms: the entries of the ledgers, by their names in events.
    """

    standings: Scoreboard
    releases: Sequence[str]
    asked: Sequence[str] = ()
    command: Sequence[str] = ()
    left_out: Sequence[LimitedCases] = ()
    unclaimed: Sequence[str] = ()
    deviations: Sequence[DeviationRow] = ()
    terms: Mapping[str, EntryTerms] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Return whether every cell was reached."""
        return self.standings.reached == len(self.standings.cells)

    @property
    def columns(self) -> Sequence[CodecColumn]:
        return self.standings.columns


def as_tsv(matrix: Matrix) -> Iterator[str]:
    """A line for each message and codec."""
    for row in matrix.standings.rows():
        for column in matrix.columns:
            standing = row.standings[column.name]
            counts = [
                str(standing.count(question, status)) for question in CodecTask for status in CellStatus
            ]
            verdicts = [str(standing.verdicts.get(verdict, 0)) for verdict in VERDICTS]
            named = [row.release, row.message, str(len(row.versions)), column.name, column.version]
            yield "\t".join([*named, *counts, *verdicts])


# For people.


_Mark: TypeAlias = Callable[[CellStatus, int], str]
"""A function that formats the number of versions with a status."""

_SIGNS: Final[Mapping[CellStatus, str]] = MappingProxyType(
    {CellStatus.PROVEN: "", CellStatus.KNOWN: "~", CellStatus.FAILED: "!", CellStatus.UNREACHED: "?"}
)
LEGEND: Final = (
    "Versions that a codec encodes / decodes as Kafka does / refuses wrong bytes of; ~ with known "
    "deviations, ! with others, ? not reached; - not claimed."
)


def plain_mark(status: CellStatus, count: int) -> str:
    return f"{_SIGNS[status]}{count}"


def _coloured(status: CellStatus, count: int) -> str:
    text = plain_mark(status, count)
    colours = {CellStatus.KNOWN: "yellow", CellStatus.FAILED: "red", CellStatus.UNREACHED: "dim"}
    return f"[{colours[status]}]{text}[/]" if status in colours else text


def numbers(standing: CodecScore, mark: _Mark) -> str:
    """``12~2 / 14 / ~14``; ``-`` where nothing is claimed."""
    parts = []
    for question in CodecTask:
        counts = [(status, standing.count(question, status)) for status in CellStatus]
        parts.append("".join(mark(status, count) for status, count in counts if count) or "-")
    return " / ".join(parts) if set(parts) != {"-"} else "-"


def print_matrix(matrix: Matrix, console: Console) -> None:
    """The table, the sums and the disagreements."""
    if not console.is_terminal:
        console.width = max(console.width, _NARROWEST)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("message", no_wrap=True)
    table.add_column("all", justify="right")
    for column in matrix.columns:
        table.add_column(f"{marked(column.name)}\n{marked(column.version)}")
    for row in matrix.standings.rows():
        cells = [numbers(row.standings[column.name], _coloured) for column in matrix.columns]
        table.add_row(_name(matrix, row), str(len(row.versions)), *cells)
    totals = matrix.standings.totals()
    table.add_section()
    every = str(len(matrix.standings.cells))
    table.add_row("all", every, *(numbers(totals[each.name], _coloured) for each in matrix.columns))
    for verdict, counts in _wrong_bytes(matrix):
        table.add_row(f"wrong bytes: {verdict}", "", *counts)
    console.print(table)
    say = partial(console.print, emoji=False, highlight=False, soft_wrap=True)
    for line in (LEGEND, *map(marked, asides(matrix)), "", *_disagreements(matrix)):
        say(line)


def _name(matrix: Matrix, row: StatusRow) -> str:
    return row.message if len(matrix.releases) == 1 else f"{row.release} {row.message}"


def _wrong_bytes(matrix: Matrix) -> Iterator[tuple[MalformedVerdict, list[str]]]:
    """Yield each verdict on wrong bytes that a codec has, with the number of each codec."""
    totals = matrix.standings.totals()
    for verdict in VERDICTS:
        if any(total.verdicts.get(verdict) for total in totals.values()):
            yield verdict, [f"{totals[each.name].verdicts.get(verdict, 0):,}" for each in matrix.columns]


def asides(matrix: Matrix) -> Iterator[str]:
    """Yield what the table leaves out."""
    if matrix.unclaimed:
        count = len(matrix.unclaimed)
        such = matrix.unclaimed[0]
        yield f"Not tried, for no testee claims them: {counted(count, 'message')}, such as {such}."
    for each in matrix.left_out:
        yield f"Left out: {each.testee}: {each.reason}"
    if not matrix.complete:
        yield f"{matrix.standings.reached} of {len(matrix.standings.cells)} cells were reached."


def _disagreements(matrix: Matrix) -> Iterator[str]:
    agreements = matrix.standings.agreements()
    yield from map(printable, summary(matrix, agreements))
    for each in agreements[:SHOWN]:
        kind = each.kind
        about = f", {kind.about}" if kind.about else ""
        seen = f"{counted(kind.cases, 'case')} of {counted(each.messages, 'message')}"
        yield f"[bold]{kind.question}{marked(about)}[/]: {seen}"
        for group, does in named(kind.groups):
            yield f"  {marked(', '.join(group.parties))}: {printable(does)}"
        yield f"  {marked(_again(matrix, each))}"
    if len(agreements) > SHOWN:
        yield f"and {counted(len(agreements) - SHOWN, 'more kind')}; --format json has all"


def summary(matrix: Matrix, agreements: Sequence[PairAgreement]) -> Iterator[str]:
    for question in CodecTask:
        asked = matrix.standings.asked.get(question, 0)
        if asked:
            differ = sum(each.kind.cases for each in agreements if each.kind.question is question)
            yield f"{question}: all agree in {asked - differ:,} of {counted(asked, 'case')}"


def named(groups: Sequence[AgreementGroup]) -> list[tuple[AgreementGroup, str]]:
    """Return the groups with their verbs. Groups with the same verb get numbers."""
    named_groups: list[tuple[AgreementGroup, str]] = []
    verbs = [group.does for group in groups]
    for index, group in enumerate(groups):
        number = verbs[: index + 1].count(group.does)
        named_groups.append(
            (group, group.does if verbs.count(group.does) == 1 else f"{group.does} ({number})")
        )
    return named_groups


def _again(matrix: Matrix, each: PairAgreement) -> str:
    """Return the command that shows the answers of all codecs to the first case of a kind."""
    named = (word for testee in matrix.asked for word in ("--testee", testee))
    return shlex.join(["wireproof", "matrix", *named, "--case", each.kind.case_id])


def as_markdown(matrix: Matrix) -> str:
    """The table, the sums and the first disagreements."""
    sections = (_head(matrix), _table(matrix), _asides(matrix), _kinds(matrix), _known(matrix))
    return "\n\n".join("\n".join(lines) for section in sections if (lines := list(section))) + "\n"


def _head(matrix: Matrix) -> Iterator[str]:
    yield f"# Codecs beside Kafka {', '.join(matrix.releases)}"
    yield ""
    yield f"Written by {code(shlex.join(['wireproof', *matrix.command]))}."
    yield ""
    yield words(LEGEND)


def _table(matrix: Matrix) -> Iterator[str]:
    heads = [f"{_cell(code(each.name))} {_cell(words(each.version))}" for each in matrix.columns]
    yield f"| message | all | {' | '.join(heads)} |"
    yield f"|---|--:|{'---|' * len(heads)}"
    totals = matrix.standings.totals()
    sums = [_cell(numbers(totals[each.name], plain_mark)) for each in matrix.columns]
    yield f"| **all** | {len(matrix.standings.cells)} | {' | '.join(sums)} |"
    for verdict, counts in _wrong_bytes(matrix):
        yield f"| *wrong bytes: {verdict}* | | {' | '.join(counts)} |"
    for row in matrix.standings.rows():
        cells = [_cell(numbers(row.standings[each.name], plain_mark)) for each in matrix.columns]
        yield f"| {words(_name(matrix, row))} | {len(row.versions)} | {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """Text of a table's cell, in which ``|`` does not end the cell and ``~`` does not strike out text."""
    return text.replace("|", r"\|").replace("~", "&#126;")


def _asides(matrix: Matrix) -> Iterator[str]:
    for line in asides(matrix):
        yield f"- {words(line)}"


def _kinds(matrix: Matrix) -> Iterator[str]:
    agreements = matrix.standings.agreements()
    yield from (f"- {words(line)}" for line in summary(matrix, agreements))
    if agreements:
        yield ""
        yield "| asked | about | cases | messages | who does what | a case |"
        yield "|---|---|--:|--:|---|---|"
    for each in agreements[:SHOWN]:
        kind = each.kind
        groups = "; ".join(f"{words(', '.join(each.parties))}: {does}" for each, does in named(kind.groups))
        about = _cell(code(kind.about))
        counts = f"{kind.cases:,} | {each.messages:,}"
        yield f"| {kind.question} | {about} | {counts} | {groups} | {_cell(code(kind.case_id))} |"
    if len(agreements) > SHOWN:
        yield ""
        yield f"and {counted(len(agreements) - SHOWN, 'more kind')}; `--format json` has all."


def _known(matrix: Matrix) -> Iterator[str]:
    """Yield the known deviations, codec by codec."""
    codec = ""
    for each in matrix.deviations:
        if each.codec != codec:
            codec = each.codec
            yield from ("", f"## Known of {code(codec)}", "")
        where = "every message" if "*" in each.messages else _some(each.messages)
        yield f"- *{each.kind}*: {words(each.reason)} ({where})"


def _some(messages: Sequence[str]) -> str:
    more = f" and {len(messages) - 2} more" if len(messages) > 3 else ""
    return ", ".join(map(words, messages[: 2 if more else 3])) + more
