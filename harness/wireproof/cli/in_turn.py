"""Several of a kind one after the other, and the one exit code that they come to."""

from collections.abc import Callable, Collection, Sequence
from typing import Final

import click

from wireproof.run import ExitCode

__all__ = ["gravest", "one_after_the_other"]

_PRECEDENCE: Final = (
    ExitCode.INTERRUPTED,
    ExitCode.USAGE,
    ExitCode.MISSING,
    ExitCode.BROKEN,
    ExitCode.NOTHING_RAN,
    ExitCode.DIVERGENCE,
    ExitCode.LEDGER,
    ExitCode.BELOW_FLOOR,
)


def gravest(codes: Collection[int]) -> int:
    """Where several apply, the first kind in the order of the public surface."""
    return int(next((code for code in _PRECEDENCE if code in codes), ExitCode.PROVEN))


def one_after_the_other(words: Sequence[str], do: Callable[[str], int]) -> int:
    """Do something with each; whatever becomes of one, the next has its turn.

    Where they are several, the end says how each ended.

    Returns:
        the exit code.
    """
    if len(words) == 1:
        return do(words[0])
    ends: dict[str, ExitCode] = {}
    for word in words:
        click.echo(f"\n{word}", err=True)
        try:
            ends[word] = ExitCode(do(word))
        except click.ClickException as error:
            error.show()
            ends[word] = ExitCode(error.exit_code)
        if ends[word] is ExitCode.INTERRUPTED:
            break
    click.echo("", err=True)
    for word, code in ends.items():
        click.echo(f"{int(code):3}  {word}", err=True)
    return gravest(ends.values())
