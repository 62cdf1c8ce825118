"""The options for a ledger, and for the events of the runs that it is written from."""

import click

from wireproof.app.cli.options import Decorator

__all__ = ["events_option", "written_ledger_option"]

events_option: Decorator = click.option(
    "--from",
    "events",
    required=True,
    multiple=True,
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="EVENTS",
    help="Read the file that `wireproof run --events EVENTS` wrote; - is standard input. May be repeated, "
    "for the runs of a codec's variants.",
)

written_ledger_option: Decorator = click.option(
    "--ledger",
    "path",
    required=True,
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write this ledger. It is created if it does not exist.",
)
