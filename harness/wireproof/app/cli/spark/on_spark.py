"""The options that commands on Spark share."""

from pathlib import Path

import click

from wireproof.app.cli.options import Decorator

master_option: Decorator = click.option(
    "--master", metavar="URL", help="Use this Spark master. Default: all cores of this machine."
)

event_log_option: Decorator = click.option(
    "--event-log",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write Spark's event log to this folder, for its history server.",
)
