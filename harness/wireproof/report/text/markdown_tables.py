"""Tables and bounds of text for a comment on a pull request."""

from collections.abc import Iterator, Sequence
from typing import Final

__all__ = ["MOST_CHARACTERS", "bounded", "cut", "table"]

MOST_CHARACTERS: Final = 60_000
"""A comment on a pull request may have 65,536; the summary of a step 1 MiB."""

_ROWS: Final = 40
_WIDTH: Final = 300
"""Characters of one piece of evidence."""


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table, cut where it is too long; nothing where there is no line."""
    if not lines:
        return
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join('---:' if lines[0][column][:1].isdigit() else '---' for column in range(len(head)))}|"
    for line in lines[:_ROWS]:
        yield f"| {' | '.join(line)} |"
    if len(lines) > _ROWS:
        yield f"| and {len(lines) - _ROWS:,} more |{' |' * (len(head) - 1)}"


def bounded(text: str) -> str:
    """The text, cut at the end of a line where it is too long."""
    note = "\n\nCut here: it was too long.\n"
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[: MOST_CHARACTERS - len(note)].rpartition(chr(10))[0]}{note}"


def cut(text: str) -> str:
    """A piece of evidence, cut where it is too long."""
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}..."
