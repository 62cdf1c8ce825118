"""``wireproof completion``, and the words that a shell completes: messages, modules, cells and so on.

click itself completes commands and options. The names come from the definitions in the wheel: no jar, Java
or network is needed.
"""

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import click
from click.shell_completion import CompletionItem, get_completion_class

from wireproof.app.cli.exit_code_help import documented_command
from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.wording import document

SHELLS: Final = ("bash", "zsh", "fish")

_VARIABLE: Final = "_WIREPROOF_COMPLETE"
"""The variable by which a shell asks for completions; click derives the name from that of the command."""

_Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def completion_script(shell: str) -> str:
    """Return the text that a shell sources to complete the words of `wireproof`."""
    from wireproof.app.cli.app import command_line

    found = get_completion_class(shell)
    assert found is not None, shell
    return found(command_line, {}, "wireproof", _VARIABLE).source()


def _completer(names: Callable[[str], Iterable[str]]) -> _Completer:
    """Return the completion of a word by names."""

    def complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
        found = dict.fromkeys(name for name in names(incomplete) if name.startswith(incomplete))
        return [CompletionItem(name) for name in found]

    return complete


def _cells(incomplete: str) -> Iterable[str]:
    """The cells of the newest release; the releases, while none is typed."""
    if "/" not in incomplete:
        return [f"{release}/" for release in _releases("")]
    release = incomplete.partition("/")[0]
    return [f"{release}/{message}/{version}" for _, message, version in _cells_of(release)]


def _releases(_: str) -> Iterable[str]:
    from wireproof.kafka.releases.release_table import table

    return [each.version for each in table().choose("all")]


def _testees(_: str) -> Iterable[str]:
    from wireproof.proof.testees.description.manifest import shipped

    return shipped()


def _newest_cells() -> list[tuple[str, str, int]]:
    return _cells_of("newest")


def _cells_of(word: str) -> list[tuple[str, str, int]]:
    """Module, message and version of each cell of a release; none if the release does not exist."""
    from wireproof.app.assembly.inputs.bundled_schemas import snapshots, with_primitives
    from wireproof.kafka.releases import ReleaseError, table
    from wireproof.app.assembly.inputs.run_inputs import snapshots, with_primitives
    from wireproof.kafka.releases.release_table import ReleaseError, table
    from wireproof.proof.run.core.layouts import all_cells

    try:
        (release,) = table().choose(word)
    except ReleaseError:
        return []
    schemas = with_primitives(snapshots([release])[release.version])
    return [(cell.module, cell.message, cell.version) for cell in all_cells(schemas)]


complete_message: Final = _completer(lambda _: sorted({message for _, message, _ in _newest_cells()}))
complete_module: Final = _completer(lambda _: sorted({module for module, _, _ in _newest_cells()}))
complete_cell: Final = _completer(_cells)
complete_release: Final = _completer(lambda _: ["newest", "all", *_releases("")])
complete_testee: Final = _completer(_testees)


@documented_command("completion", {ExitCode.PROVEN: "The script is on standard output."})
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
