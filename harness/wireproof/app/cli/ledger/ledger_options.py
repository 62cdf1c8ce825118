"""The options for a ledger, and for the events of the runs that it is written from."""

from collections.abc import Callable
from typing import Any, TypeAlias

import click

from wireproof.base.exit_codes import ExitCode

__all__ = ["events_option", "ledger_option", "written_ledger_option"]

_Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

ledger_option: _Decorator = click.option(
    "--ledger",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Use this ledger of known deviations: failures that it explains are counted, and do not fail the "
    f"run. Exit code {ExitCode.LEDGER:d} if an entry is wrong or outdated: the report prints the command "
    "that repairs it. Default: ledger.toml in the folder of the testee. none: no ledger.",
)

events_option: _Decorator = click.option(
    "--from",
    "events",
    required=True,
    multiple=True,
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="EVENTS",
    help="Read the file that `wireproof run --events EVENTS` wrote; - is standard input. May be repeated, "
    "for the runs of a codec's variants.",
)

written_ledger_option: _Decorator = click.option(
    "--ledger",
    "path",
    required=True,
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write this ledger. It is created if it does not exist.",
)
