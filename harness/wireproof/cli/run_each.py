"""Several of a kind one after the other, and the one exit code that they come to."""

from collections.abc import Callable, Sequence

import click

from wireproof.exit_codes import ExitCode, worst
from wireproof.fatal import FatalError
from wireproof.output import echo

__all__ = ["one_after_the_other"]


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
        echo(err=True)
        echo(word, err=True)
        try:
            ends[word] = ExitCode(do(word))
        except click.ClickException as error:
            error.show()
            ends[word] = ExitCode(error.exit_code)
        except FatalError as error:
            echo(f"Error: {error}", err=True)
            ends[word] = error.exit_code
        if ends[word] is ExitCode.INTERRUPTED:
            break
    echo("", err=True)
    for word, code in ends.items():
        echo(f"{int(code):3}  {word}", err=True)
    return worst(ends.values())
