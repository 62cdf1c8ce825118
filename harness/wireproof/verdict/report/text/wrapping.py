"""Long lines in a terminal: wrapped at words, under their own text; those that a reader copies stay whole."""

import re
from typing import Final

from rich.console import Console
from rich.text import Text

_COPIED: Final = re.compile(r"  (case|value|replay) |  type: ")
"""Rows that a reader copies: a terminal wraps them itself, and copies them as one line."""

_LABELLED: Final = re.compile(
    r"  (?=(check|subject|blame|field|at byte|codec|Kafka|agrees|kind|ledger|alike) ).{8} "
)
"""The margin of a row of a finding: its name, in columns 2 to 10."""

_NARROWEST: Final = 20
"""Columns that a row has at least; in a terminal with fewer the line is not wrapped."""


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
