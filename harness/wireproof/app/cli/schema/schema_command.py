"""``wireproof schema``: the definitions of messages."""

import click

from wireproof.app.cli.exit_code_help import CommandGroup
from wireproof.app.cli.schema.checking.check_command import check
from wireproof.app.cli.schema.convert_command import command as convert_command
from wireproof.app.cli.schema.downgrade_command import downgrade
from wireproof.app.cli.schema.fuzzing.fuzz_command import fuzz
from wireproof.app.cli.schema.krammar_command import command as krammar_command
from wireproof.app.cli.schema.sizes_command import command as sizes_command
from wireproof.app.cli.schema.try_command import command as try_command


@click.group("schema", cls=CommandGroup)
def command() -> None:
    """Examine the definitions of messages: Kafka's JSON files, and those of its releases."""


command.add_command(downgrade)
command.add_command(fuzz)
command.add_command(check)
command.add_command(sizes_command)
command.add_command(try_command)
command.add_command(krammar_command)
command.add_command(convert_command)
