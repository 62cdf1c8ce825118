"""The exit codes of a command: declared with the command as data, shown in its help and in the reference."""

from collections.abc import Mapping
from typing import Any, Final

import click

from wireproof.base.exit_codes import ExitCode

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
        """Take the arguments of a click command.

        Args:
            exit_codes: a sentence for each code; an empty one for the meaning in the table of exit codes.
        """
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


class CommandGroup(click.Group):
    """A group whose commands declare their exit codes."""

    command_class = DocumentedCommand
