"""The options for a ledger, and for the events of the runs that it is written from."""

import click

from wireproof.app.cli.options import Decorator

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


def _ledger_option(help_text: str) -> Decorator:
    return click.option(
        "--ledger",
        "path",
        required=True,
        type=click.Path(dir_okay=False),
        metavar="FILE",
        help=help_text,
    )


ledger_option: Decorator = _ledger_option("Use this ledger.")
written_ledger_option: Decorator = _ledger_option("Write this ledger. It is created if it does not exist.")
