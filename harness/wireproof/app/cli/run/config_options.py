"""The configuration of a command, from its command line, the configuration file and ``--profile``."""

from collections.abc import Mapping
from typing import Any, Final

import click
from click.core import ParameterSource

from wireproof.app.cli.options import Decorator
from wireproof.base.text.output import echo
from wireproof.proof.config import OPTIONS, PROFILES, OptionLayer, RunConfig, file_layer

CONFIG_EPILOG: Final = (
    "Options can also be set in wireproof.toml, or in the table [tool.wireproof] of pyproject.toml. Names "
    "there have underscores instead of dashes, such as message_version. The command line overrides the file."
)

_TYPED: Final = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def given_options(context: click.Context) -> dict[str, Any]:
    """The options of `RunConfig` that the user typed, and the profile."""
    return {
        name: value
        for name, value in context.params.items()
        if name in (*OPTIONS, "profile") and context.get_parameter_source(name) in _TYPED
    }


def config_of(context: click.Context, defaults: Mapping[str, Any] | None = None) -> RunConfig:
    """The configuration of a command: the command line, then the file, then the defaults.

    Args:
        defaults: those of the command, where they differ from `RunConfig`.

    Raises:
        ConfigError: an option of the file does not exist, or cannot have its value.
    """
    file = file_layer()
    config = RunConfig.merged([OptionLayer(defaults or {}), file, OptionLayer(given_options(context))])
    if file.values:
        echo(f"{file.origin} sets {', '.join(file.values)}", err=True)
    return config


profile_option: Decorator = click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    help="Use a set of options; options on the command line override it. pr: the same cases in each run, no "
    "random phase, --edges, --shrink-total 5, --budget 300. nightly: --mutations all, --examples 500, the "
    "day as --seed. release: --release all, --mutations all.",
)
