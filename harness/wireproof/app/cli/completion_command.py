"""``wireproof completion``."""

import click

from wireproof.app.cli.completion import SHELLS, completion_script
from wireproof.app.cli.exit_code_help import DocumentedCommand
from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.output import document


@click.command(
    "completion", cls=DocumentedCommand, exit_codes={ExitCode.PROVEN: "The script is on standard output."}
)
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> int:
    """Print the script by which a shell completes commands, options, messages, modules, cells and testees.

    Source it where the shell starts, such as in ~/.bashrc or ~/.zshrc.

    \b
    eval "$(wireproof completion bash)"
    eval "$(wireproof completion zsh)"
    wireproof completion fish > ~/.config/fish/completions/wireproof.fish
    """
    document(completion_script(shell) + "\n")
    return 0
