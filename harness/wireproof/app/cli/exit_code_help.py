"""The exit codes of a command: data of the command, for its help and the reference."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import click

from wireproof.base.exit_codes import ExitCode, FatalError, worst
from wireproof.base.text.wording import echo

_EVERY_COMMAND: Final = {
    ExitCode.USAGE: "",
    ExitCode.BROKEN: "wireproof itself failed, or a disk is full.",
    ExitCode.INTERRUPTED: "Ctrl-C, SIGTERM or SIGHUP ended the command.",
}
"""The codes that each command can return, with the meaning where the command declares none."""


class DocumentedCommand(click.Command):
    """A command that declares its exit codes. Its help has a section for them.

    Attributes:
        exit_codes: the meaning of each code, by ascending code. The codes that each command can return are
            among them.
    """

    def __init__(self, *args: Any, exit_codes: Mapping[ExitCode, str], **kwargs: Any) -> None:
        """Take the arguments of a click command."""
        super().__init__(*args, **kwargs)
        if self.help is not None:  # in a raw docstring click's mark of a block is two characters
            self.help = self.help.replace("\\b\n", "\b\n")
        declared = {**_EVERY_COMMAND, **exit_codes}
        self.exit_codes = {code: declared[code] or code.meaning for code in sorted(declared)}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, then the exit codes."""
        super().format_options(ctx, formatter)
        with formatter.section("Exit codes"):
            formatter.write_dl([(f"{code:d}", meaning) for code, meaning in self.exit_codes.items()])


def documented_command(
    name: str, exit_codes: Mapping[ExitCode, str], **words: Any
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a command that declares its exit codes."""
    return click.command(name, cls=DocumentedCommand, exit_codes=exit_codes, **words)


class CommandGroup(click.Group):
    """A group whose commands declare their exit codes."""

    command_class = DocumentedCommand


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
