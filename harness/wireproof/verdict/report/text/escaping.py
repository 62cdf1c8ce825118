"""Text of reports: foreign text in Markdown, tables, and lines wrapped to the terminal."""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from wireproof.base.text.wording import indented, one_line

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]>#|!@])")
_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", "~": "&#126;"})
"""Characters that a backslash does not escape in every renderer of Markdown."""
_MARGIN: Final = "    "


def words(text: str) -> str:
    """Markdown that shows the text on one line, without mentions and links."""
    return _SPECIAL.sub(r"\\\1", one_line(text)).translate(_ENTITIES)


def code(text: str) -> str:
    """Markdown that shows the text as code, whatever ticks it has itself."""
    plain = one_line(text)
    longest = max((len(run) for run in re.findall("`+", plain)), default=0)
    fence = "`" * (longest + 1)
    space = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{space}{plain}{space}{fence}" if plain else ""


def html_words(text: str) -> str:
    """HTML that shows the text on one line, for the places in which Markdown is not read."""
    return html.escape(one_line(text))


def html_code(text: str) -> str:
    """HTML that shows the text as code; a name in it is not a mention."""
    return f"<code>{html_words(text)}</code>" if text else ""


def plain_text(line: str) -> str:
    """The text of a line with rich's markup."""
    return Text.from_markup(line, emoji=False).plain


def marked(text: str, margin: str = _MARGIN) -> str:
    """Rich's markup that shows the text; its second and later lines begin with the margin."""
    return escape(indented(text, margin))


MOST_CHARACTERS: Final = 60_000
"""A comment on a pull request may have 65,536; the summary of a step 1 MiB."""

_OPEN: Final = "<details"
_CLOSED: Final = "\n\n</details>"
_CUT: Final = "\n\nCut here: it was too long.\n"
_ROWS: Final = 40
_WIDTH: Final = 300
"""Characters of one piece of evidence."""


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table, cut if there are too many; nothing if there are none."""
    if not lines:
        return
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join('---:' if lines[0][column][:1].isdigit() else '---' for column in range(len(head)))}|"
    for line in lines[:_ROWS]:
        yield f"| {' | '.join(line)} |"
    if len(lines) > _ROWS:
        yield f"| and {len(lines) - _ROWS:,} more |{' |' * (len(head) - 1)}"


def bounded(text: str) -> str:
    """The text, cut at the end of a line where it is too long. A fold that the cut leaves open is closed."""
    if len(text) <= MOST_CHARACTERS:
        return text
    shown = text[: MOST_CHARACTERS - len(_CLOSED) - len(_CUT)].rpartition("\n")[0]
    closed = _CLOSED if shown.count(_OPEN) > shown.count(_CLOSED.strip()) else ""
    return f"{shown}{closed}{_CUT}"


def folded(title: str, lines: Iterable[str], *, is_open: bool = False) -> Iterator[str]:
    """Yield lines that a reader unfolds by a click; the title is HTML on one line."""
    yield f"{_OPEN}{' open' if is_open else ''}><summary>{title}</summary>"
    yield ""
    yield from lines
    yield ""
    yield _CLOSED.strip()


def cut(text: str, most: int = _WIDTH) -> str:
    """A piece of evidence, cut where it is longer than `most` characters."""
    return text if len(text) <= most else f"{text[:most]}..."


_COPIED: Final = re.compile(r"  (case|value|replay) |  type: ")
"""Rows that a reader copies: a terminal wraps them itself, and copies them as one line."""

_LABELLED: Final = re.compile(
    r"  (?=(check|subject|blame|field|at byte|codec|Kafka|agrees|kind|ledger|alike) ).{8} "
)
"""The margin of a row of a finding: its name, in columns 2 to 10."""

_NARROWEST: Final = 20
"""The least number of columns of a row. In a narrower terminal, lines are not wrapped."""


def wrapped(console: Console, line: str) -> Text | str:
    """Return a line of markup, wrapped to the width of a terminal; unchanged for a file or a pipe."""
    if not console.is_terminal:
        return line
    text = Text.from_markup(line, emoji=False)
    plain = text.plain
    if text.cell_len <= console.width or "\n" in plain or _COPIED.match(plain):
        return line
    start, margin = _margins(plain)
    if margin + _NARROWEST > console.width:
        return line
    rows = text[start:].wrap(console, console.width - margin)
    for row in rows:
        row.rstrip()
    return text[:start] + Text(f"\n{' ' * margin}").join(rows)


def _margins(plain: str) -> tuple[int, int]:
    """Return the columns at which the text of a line begins, and continues on its next row."""
    labelled = _LABELLED.match(plain)
    if labelled:
        return labelled.end(), labelled.end()
    spaces = len(plain) - len(plain.lstrip(" "))
    return spaces, spaces + 2
