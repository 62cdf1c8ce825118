"""The option that names a corpus, and the options that it excludes."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import click
from click.core import ParameterSource

from wireproof.model import Phase

__all__ = ["check_no_java", "no_java_option"]

_Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

no_java_option: _Decorator = click.option(
    "--no-java",
    "corpus",
    metavar="PATH",
    help="Ask no Java: prove the codec against the entries of a corpus (`wireproof corpus make`): a folder, "
    "a file, or - for standard input. The end says what that does not cover.",
)

_MEANINGLESS: Final = {
    "examples": "--examples",
    "cases": "--cases",
    "first_case": "--first-case",
    "jars": "--jars",
}
"""Options that say something about cases which a run without Java does not make."""
_WRONG: Final = Phase.MUTATIONS.value


def check_no_java(options: Mapping[str, Any]) -> None:
    """Refuse options that have no effect in a run without Java.

    Raises:
        click.UsageError: the command line has one of them beside ``--no-java``.
    """
    if options["corpus"] is None:
        return
    context = click.get_current_context()
    for name, word in _MEANINGLESS.items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{word} has no effect with --no-java: leave it out")
    phases = options["phases"]
    if context.get_parameter_source("phases") is ParameterSource.COMMANDLINE and set(phases) != {_WRONG}:
        words = f"--no-java takes no --phase but {_WRONG}, which adds the malformed entries"
        raise click.UsageError(words)
