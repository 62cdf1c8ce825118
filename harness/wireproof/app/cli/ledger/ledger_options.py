"""The option for a ledger."""

from collections.abc import Callable
from typing import Any, TypeAlias

import click

from wireproof.base.exit_codes import ExitCode

__all__ = ["ledger_option"]

_Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

ledger_option: _Decorator = click.option(
    "--ledger",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Use this ledger of known deviations: failures that it explains are counted, and do not fail the "
    f"run. Exit code {ExitCode.LEDGER:d} if an entry is wrong or outdated: the report prints the command "
    "that repairs it. Default: ledger.toml in the folder of the testee. none: no ledger.",
)
