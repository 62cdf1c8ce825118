"""Several subjects of a command, one after the other, with one exit code."""

from collections.abc import Callable, Sequence

import click

from wireproof.base.exit_codes import ExitCode, worst
from wireproof.base.fatal import FatalError
from wireproof.base.text.output import echo


def one_after_the_other(words: Sequence[str], do: Callable[[str], int]) -> int:
    """Call a function with each word. A failure does not stop the others; Ctrl-C does.

    If there are several words, the exit code of each is listed at the end.

    Returns:
        the exit code that takes precedence.
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
