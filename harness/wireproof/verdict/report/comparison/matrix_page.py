"""The matrix in Markdown: a page of its own."""

import shlex
from collections.abc import Iterator, Sequence

from wireproof.base.text.wording import counted
from wireproof.verdict.report.comparison.matrix_tables import (
    LEGEND,
    SHOWN,
    VERDICTS,
    Matrix,
    asides,
    named,
    numbers,
    plain_mark,
    summary,
)
from wireproof.verdict.report.text.escaping import code, words


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
    for verdict in VERDICTS:
        if any(total.verdicts.get(verdict) for total in totals.values()):
            counts = [f"{totals[each.name].verdicts.get(verdict, 0):,}" for each in matrix.columns]
            yield f"| *wrong bytes: {verdict}* | | {' | '.join(counts)} |"
    for row in matrix.standings.rows():
        name = row.message if len(matrix.releases) == 1 else f"{row.release} {row.message}"
        cells = [_cell(numbers(row.standings[each.name], plain_mark)) for each in matrix.columns]
        yield f"| {words(name)} | {len(row.versions)} | {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """Text of a table's cell: its bars are none, and ``~`` strikes nothing out."""
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
