"""``wireproof schema``: the definitions of messages."""

import click

from wireproof.app.cli.options import CommandGroup
from wireproof.app.cli.schema.check_command import check
from wireproof.app.cli.schema.downgrade_command import downgrade
from wireproof.app.cli.schema.fuzz_command import fuzz
from wireproof.app.cli.schema.krammar_command import convert_command, krammar_command
from wireproof.app.cli.schema.sizes_command import command as sizes_command
from wireproof.app.cli.schema.try_command import command as try_command


@click.group("schema", cls=CommandGroup)
def command() -> None:
    """Examine the definitions of messages: Kafka's JSON files, and those of its releases."""


for each in (downgrade, fuzz, check, sizes_command, try_command, krammar_command, convert_command):
    command.add_command(each)
