"""``wireproof ledger bound``."""

from pathlib import Path

import click

from wireproof.app.assembly.ledger_in_use import open_ledger, read_current, write_text
from wireproof.app.cli.exit_code_help import DocumentedCommand
from wireproof.app.cli.ledger.ledger_accept import read_causes
from wireproof.app.cli.ledger.ledger_options import events_option, written_ledger_option
from wireproof.base.text.output import document, echo
from wireproof.proof.run import ExitCode
from wireproof.verdict.ledger import merged_causes

__all__ = ["bound_command"]


@click.command(
    "bound",
    cls=DocumentedCommand,
    exit_codes={
        ExitCode.PROVEN: "The bounds were written, or are the same.",
        ExitCode.LEDGER: "The ledger is not valid.",
    },
)
@events_option
@written_ledger_option
@click.option("--dry-run", is_flag=True, help="Print the ledger to standard output and write nothing.")
def bound_command(events: tuple[str, ...], path: str, *, dry_run: bool) -> int:
    """Write the bounds of what a run counts and does not judge.

    A run excuses three kinds of cases without a look at each: values that a version cannot hold and that the
    codec writes, because it promises no refusal; malformed bytes that it refuses, by no leniency that is
    known; cases that a limit of its types leaves out. The table [bounds] has the most of each in one
    release. A run that counts more ends as one with a wrong ledger does. Look at the new cases in its events
    before you write higher bounds.

    \b
    wireproof ledger bound --from events.ndjson --ledger ledger.toml
    """
    from wireproof.verdict.ledger.files.ledger_editing import with_bounds

    known = Path(path).exists()
    before = (open_ledger(path).bounds if known else None) or {}
    counts = merged_causes([read_causes(each) for each in events]).counts
    text = read_current(path)[0] if known else ""
    changed = with_bounds(text, counts)
    for name in sorted({*before, *counts}):
        if before.get(name, 0) != counts.get(name, 0):
            echo(f"{name}: {before.get(name, 0):,} becomes {counts.get(name, 0):,}", err=True)
    if dry_run:
        document(changed)
    elif changed != text:
        write_text(path, changed)
    return int(ExitCode.PROVEN)
