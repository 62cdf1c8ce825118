"""GitHub's workflow commands: what a pull request shows above its checks.

A step shows at most ten errors and ten warnings. The syntax is GitHub's "Workflow commands for GitHub
Actions".
"""

from collections.abc import Iterable
from itertools import islice
from typing import Final

from wireproof.foreign_text import printable

__all__ = ["workflow_commands"]

_MOST: Final = 10
_WIDTH: Final = 2_000


def workflow_commands(errors: Iterable[tuple[str, str]], warnings: Iterable[tuple[str, str]] = ()) -> str:
    """A line for each, given title and text; the first ten of each kind."""
    lines = [_command("error", title, text) for title, text in islice(errors, _MOST)]
    lines += [_command("warning", title, text) for title, text in islice(warnings, _MOST)]
    return "".join(f"{line}\n" for line in lines)


def _command(word: str, title: str, text: str) -> str:
    """One command in one line: what would end a line or a property is written as GitHub reads it."""
    cut = text if len(text) <= _WIDTH else f"{text[:_WIDTH]}..."
    name = _escaped(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{word} title={name}::{_escaped(cut)}"


def _escaped(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\n", "%0A")
