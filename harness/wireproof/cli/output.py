"""The commands' way to standard output and standard error."""

from typing import Final

import click

from wireproof.foreign_text import indented

__all__ = ["document", "echo"]


_MARGIN: Final = "    "


def echo(text: str = "", *, err: bool = False) -> None:
    """Write a line that may have foreign text in it; click's own function writes that as it is.

    What follows a line break in it begins behind a margin, so that it passes for no line of wireproof's.

    Args:
        err: to standard error, which people read.
    """
    click.echo(indented(text, _MARGIN), err=err)


def document(text: str) -> None:
    """Write a file's content, whose form has its own escapes, to standard output as it is."""
    click.echo(text, nl=False)
