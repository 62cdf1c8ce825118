"""Tables and bounds of text for a comment on a pull request."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

MOST_CHARACTERS: Final = 60_000
"""A comment on a pull request may have 65,536; the summary of a step 1 MiB."""

_OPEN: Final = "<details"
_CLOSED: Final = "\n\n</details>"
_CUT: Final = "\n\nCut here: it was too long.\n"
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
    """The text, cut at the end of a line where it is too long. A fold that the cut leaves open is closed."""
    if len(text) <= MOST_CHARACTERS:
        return text
    shown = text[: MOST_CHARACTERS - len(_CLOSED) - len(_CUT)].rpartition("\n")[0]
    closed = _CLOSED if shown.count(_OPEN) > shown.count(_CLOSED.strip()) else ""
    return f"{shown}{closed}{_CUT}"


def folded(title: str, lines: Iterable[str], *, is_open: bool = False) -> Iterator[str]:
    """Yield lines that a reader unfolds by a click.

    Args:
        title: HTML on one line, which is shown when they are folded.
    """
    yield f"{_OPEN}{' open' if is_open else ''}><summary>{title}</summary>"
    yield ""
    yield from lines
    yield ""
    yield _CLOSED.strip()


def cut(text: str) -> str:
    """A piece of evidence, cut where it is too long."""
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}..."
