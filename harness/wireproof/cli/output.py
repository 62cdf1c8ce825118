"""The commands' way to standard output and standard error."""

import click

from wireproof.foreign_text import printable

__all__ = ["document", "echo"]


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Write text that may have foreign text in it; click's own function writes that as it is.

    Args:
        err: to standard error, which people read.
        nl: whether a line break follows.
    """
    click.echo(printable(text), err=err, nl=nl)


def document(text: str) -> None:
    """Write a file's content, whose form has its own escapes, to standard output as it is."""
    click.echo(text, nl=False)
