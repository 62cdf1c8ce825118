"""The option that names a ledger."""

from collections.abc import Callable
from typing import Any, TypeAlias

import click

from wireproof.exit_codes import ExitCode

__all__ = ["ledger_option"]

_Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

ledger_option: _Decorator = click.option(
    "--ledger",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="The codec's known deviations: what they explain is counted and does not fail. "
    f"Exit code {ExitCode.LEDGER:d} where "
    "the file says what is not so (any more); the command that repairs it is printed. Default: that "
    "of the testee, ledger.toml in its folder; none for no ledger at all.",
)
