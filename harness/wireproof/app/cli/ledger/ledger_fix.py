"""``wireproof ledger fix``."""

import os
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from difflib import unified_diff
from pathlib import Path

import click

from wireproof.app.assembly.ledgers.ledger_in_use import (
    catalogue,
    ledger_text,
    open_ledger,
    read_current,
    write_text,
)
from wireproof.app.cli.events.event_arguments import misread_events
from wireproof.app.cli.exit_code_help import DocumentedCommand
from wireproof.app.cli.ledger.ledger_options import ledger_option
from wireproof.base.fatal import FatalError
from wireproof.base.text.output import document, echo
from wireproof.base.text.wording import counted
from wireproof.kafka.releases import table
from wireproof.model import LedgerProblem
from wireproof.proof.run import ExitCode, LedgerFinding
from wireproof.verdict.ledger import Ledger, LedgerError, check_alone, read_ledger


@click.command(
    "fix",
    cls=DocumentedCommand,
    exit_codes={
        ExitCode.PROVEN: "The ledger has no fault, or every fault has its repair.",
        ExitCode.LEDGER: "The ledger is not valid, or a fault is left that only a person can remove.",
    },
)
@ledger_option
@click.option(
    "--from",
    "events",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="EVENTS",
    help="Apply the repairs that this run printed. May be repeated. Default: those of `ledger check`.",
)
@click.option("--yes", is_flag=True, help="Write the file without a question.")
@click.option("--dry-run", is_flag=True, help="Show the difference and write nothing.")
def fix_command(path: str, events: tuple[Path, ...], *, yes: bool, dry_run: bool) -> int:
    """Apply every repair that a run, or `ledger check`, printed.

    The command shows the difference and asks before it writes. Each repair removes an entry, makes it
    explain less, or merges causes: the command never excuses a failure. A fault without a repair is listed,
    because a person has to decide.

    \b
    wireproof run --testee ./my-codec --events events.ndjson
    wireproof ledger fix --ledger my-codec/ledger.toml --from events.ndjson
    """
    ledger = open_ledger(path)
    problems = _problems(ledger, events)
    before = ledger_text(path)
    text = read_current(path)[0]
    left = [each for each in problems if not each.repair and each.fails]
    applied = 0
    for repair in dict.fromkeys(each.repair for each in problems if each.repair):
        text = _repaired(text, path, repair)
        applied += 1
    difference = "".join(
        unified_diff(
            before.splitlines(keepends=True), text.splitlines(keepends=True), path, f"{path} (repaired)"
        )
    )
    document(difference)
    for each in left:
        echo(f"no repair for {each.entry}: {each.fault}: {each.message}", err=True)
    if difference and not dry_run and _confirmed(path, yes=yes):
        write_text(path, text, before)
        echo(f"{path}: applied {counted(applied, 'repair')}", err=True)
    else:
        echo(f"{path}: {counted(applied, 'repair')}, nothing written", err=True)
    return int(ExitCode.LEDGER if left else ExitCode.PROVEN)


def _problems(ledger: Ledger, events: Sequence[Path]) -> list[LedgerProblem]:
    if not events:
        return list(check_alone(ledger, catalogue(), date.today()))
    return [problem for path in events for problem in _reported(path)]


def _reported(path: Path) -> Iterator[LedgerProblem]:
    from wireproof.verdict.report.events.merged_runs import RunFiles

    with misread_events():
        for event in RunFiles([path]).events():
            if isinstance(event, LedgerFinding):
                yield event.problem


def _repaired(text: str, path: str, command: str) -> str:
    """Return the ledger with a repair.

    Raises:
        FatalError: the command is not a repair of this ledger.
    """
    from wireproof.verdict.ledger.files.repairing import LedgerRepair

    try:
        repair = LedgerRepair.parse(command)
        if os.path.realpath(repair.ledger) != os.path.realpath(path):
            raise LedgerError(f"the run was about {repair.ledger}, not {path}: {command}")
        return repair.apply(text, read_ledger(text, path), [each.version for each in table().choose("all")])
    except LedgerError as error:
        raise FatalError(str(error), "Run again to get its present faults.", ExitCode.LEDGER) from error


def _confirmed(path: str, *, yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin.isatty():
        echo("not written: standard input is not a terminal; add --yes", err=True)
        return False
    return click.confirm(f"Write {path}?", err=True)
