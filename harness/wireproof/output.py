"""The only way to standard output and standard error for commands and what they call."""

import sys
from typing import Final

from wireproof.foreign_text import indented

__all__ = ["document", "echo", "echo_labelled"]


_MARGIN: Final = "    "


def echo(text: str = "", *, err: bool = False) -> None:
    """Write a line that may contain foreign text.

    Lines after a line break in the text begin with a margin: they cannot imitate a line of wireproof.

    Args:
        err: write to standard error, which people read.
    """
    _write(f"{indented(text, _MARGIN)}\n", err=err)


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
