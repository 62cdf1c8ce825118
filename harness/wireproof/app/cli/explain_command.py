"""``wireproof explain``."""

from itertools import groupby

import click

from wireproof.app.assembly.explanations import all_explanations, explanations_of
from wireproof.app.cli.exit_code_help import DocumentedCommand
from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError
from wireproof.base.text.output import echo
from wireproof.base.text.wording import did_you_mean


@click.command("explain", cls=DocumentedCommand, exit_codes={ExitCode.PROVEN: "The name is explained."})
@click.argument("name", required=False)
def command(name: str | None) -> int:
    """Explain NAME: a word of a report, a check, a phase, a kind of difference, an exit code, a fault or a
    known Kafka bug.

    Reports, ledgers and events use these names. Without NAME the command lists all of them. It does not need
    Java.

    \b
    wireproof explain bytes
    wireproof explain refused:TypeError
    wireproof explain 7
    """
    if name is None:
        for sort, group in groupby(all_explanations(), lambda each: each.sort):
            echo(f"{sort}: {', '.join(each.name for each in group)}")
        return int(ExitCode.PROVEN)
    found = explanations_of(name)
    if not found:
        names = {text for each in all_explanations() for text in (each.name, *each.aliases)}
        advice = did_you_mean(name, sorted(names), "`wireproof explain` lists all names.")
        raise FatalError(f"{name!r} is not a known name", advice, ExitCode.USAGE)
    for each in found:
        echo(f"{each.name} ({each.sort})")
        for line in each.lines:
            if line:
                echo(f"  {line}")
    return int(ExitCode.PROVEN)
