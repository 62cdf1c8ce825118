"""The only way to standard output and standard error for commands and what they call."""

import shutil
import sys
import textwrap
from typing import Final

from wireproof.base.text.foreign_text import indented

_MARGIN: Final = "    "
_NARROWEST: Final = 20
"""Columns that a row of a wrapped line has at least."""


def echo(text: str = "", *, err: bool = False) -> None:
    """Write a line that may contain foreign text.

    Lines after a line break in the text begin with a margin: they cannot imitate a line of wireproof.

    Args:
        err: write to standard error, which people read.
    """
    _write(f"{indented(text, _MARGIN)}\n", err=err)


def echo_wrapped(text: str) -> None:
    """Write a line as `echo` does. In a terminal it is wrapped at words; its next rows are indented."""
    plain = indented(text, _MARGIN)
    if sys.stdout.isatty() and "\n" not in plain:
        spaces = len(plain) - len(plain.lstrip(" ")) + 2
        width = max(shutil.get_terminal_size().columns, spaces + _NARROWEST)
        plain = "\n".join(textwrap.wrap(plain, width, subsequent_indent=spaces * " ", break_on_hyphens=False))
    _write(f"{plain}\n", err=False)


def echo_labelled(label: str, colour: str, text: str) -> None:
    """Write a line that begins with a label of wireproof's own, in colour where the output is a terminal.

    Args:
        colour: as rich names it, such as ``green``.
        text: the rest of the line, as `echo` takes it.
    """
    from rich.console import Console
    from rich.text import Text

    Console(file=sys.stdout).print(Text(label, colour), end="")
    echo(text)


def document(text: str) -> None:
    """Write the content of a file to standard output as it is; its form has escapes of its own."""
    _write(text, err=False)


def _write(text: str, *, err: bool) -> None:
    stream = sys.stderr if err else sys.stdout
    stream.write(text)
    stream.flush()
