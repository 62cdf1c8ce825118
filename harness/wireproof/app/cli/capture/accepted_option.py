"""The option ``--accepted`` of the commands that judge programs and brokers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from wireproof.base.accepted_findings import NOTHING_ACCEPTED, AcceptedFindings, read_accepted
from wireproof.proof.client_judge import RequestFault

accepted_option: Final = click.option(
    "--accepted",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TOML file of findings that do not fail: a table [[accepted]] for each, with message, field, rule "
    "(the fault), reason and date. An entry that matches no finding fails.",
)


def accepted_of(options: Mapping[str, Any], *rules: str) -> AcceptedFindings:
    """Read the file that the option names; without one nothing is accepted.

    Args:
        rules: of the command, besides the faults of requests.

    Raises:
        FatalError: the file cannot be read, or an entry is wrong.
    """
    path = options["accepted"]
    known = [each.value for each in RequestFault] + [str(each) for each in rules]
    return read_accepted(path, known) if path else NOTHING_ACCEPTED
