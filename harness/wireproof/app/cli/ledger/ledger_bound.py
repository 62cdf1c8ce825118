"""``wireproof ledger bound``."""

from dataclasses import replace
from pathlib import Path

import click

from wireproof.app.assembly.ledgers.ledger_in_use import open_ledger, read_current, write_text
from wireproof.app.cli.exit_code_help import DocumentedCommand
from wireproof.app.cli.ledger.ledger_accept import read_causes
from wireproof.app.cli.ledger.ledger_options import written_ledger_option
from wireproof.base.fatal import FatalError
from wireproof.base.text.output import document, echo
from wireproof.proof.run import ExitCode
from wireproof.verdict.ledger import Ledger, LedgerError, merged_causes, read_ledger


@click.command(
    "bound",
    cls=DocumentedCommand,
    exit_codes={
        ExitCode.PROVEN: "The bounds were written, or are the same.",
        ExitCode.USAGE: "The events are of a partial run, or a bound would not be lower.",
        ExitCode.LEDGER: "The ledger is not valid.",
    },
)
@click.option(
    "--from",
    "events",
    multiple=True,
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="EVENTS",
    help="Write the counts of the run whose events these are; - is standard input. May be repeated, for the "
    "runs of a codec's variants, or of single releases. Each run has to judge every cell of its releases.",
)
@click.option(
    "--lower",
    "lower",
    multiple=True,
    metavar="NAME=N",
    help="Lower this bound, as a run printed. May be repeated.",
)
@written_ledger_option
@click.option("--dry-run", is_flag=True, help="Print the ledger to standard output and write nothing.")
def bound_command(events: tuple[str, ...], lower: tuple[str, ...], path: str, *, dry_run: bool) -> int:
    """Write the bounds of what a run counts and does not judge.

    A run excuses three kinds of cases without a look at each: values that a version cannot hold and that the
    codec writes, because it promises no refusal; malformed bytes that it refuses, by no leniency that is
    known; cases that a limit of its types leaves out. The table [bounds] has the most of each in one
    release. A run that counts more ends as one with a wrong ledger does. Look at the new cases in its events
    before you write higher bounds. A run that counts less prints the command that lowers the bound.

    \b
    wireproof ledger bound --from events.ndjson --ledger ledger.toml
    wireproof ledger bound --lower written=12 --ledger ledger.toml
    """
    if bool(events) == bool(lower):
        raise click.UsageError("Give one of --from EVENTS and --lower NAME=N.")
    known = open_ledger(path) if lower or Path(path).exists() else Ledger((), path)
    text = read_current(path)[0] if Path(path).exists() else ""
    changed = _lowered(text, known, lower) if lower else _counted(text, events)
    before, after = known.bounds or {}, read_ledger(changed, path).bounds or {}
    for name in sorted({*before, *after}):
        if before.get(name, 0) != after.get(name, 0):
            echo(f"{name}: {before.get(name, 0):,} becomes {after.get(name, 0):,}", err=True)
    if dry_run:
        document(changed)
    elif changed != text:
        write_text(path, changed)
    return int(ExitCode.PROVEN)


def _counted(text: str, events: tuple[str, ...]) -> str:
    """Return the file with the counts of runs.

    Raises:
        FatalError: a run judged a part of its releases, or the runs tried different mutations.
    """
    from wireproof.verdict.ledger.files.ledger_editing import with_bounds

    runs = [read_causes(each) for each in events]
    for name, run in zip(events, runs, strict=True):
        gaps = " and ".join(gap for scope in run.scopes for gap in scope.gaps())
        if gaps or not run.complete:
            raise FatalError(
                f"{name}: these counts are no bounds: the run {gaps or 'was interrupted'}",
                "Run all cells of the release in the default phases: wireproof run --events FILE, without "
                "--message, --cell, --shard, --phase and --profile pr.",
                ExitCode.USAGE,
            )
    merged = merged_causes(runs)
    if len({scope.mutations for scope in merged.scopes}) > 1:
        raise FatalError(
            "the runs tried different sets of mutations",
            "Give events of runs with the same --mutations.",
            ExitCode.USAGE,
        )
    releases = {release for scope in merged.scopes for release in scope.releases}
    return with_bounds(text, merged.counts, str(replace(merged.scopes[0], releases=tuple(releases))))


def _lowered(text: str, ledger: Ledger, words: tuple[str, ...]) -> str:
    from wireproof.verdict.ledger.files.repairing import lowered, parse_lower

    try:
        return lowered(text, ledger, parse_lower(words))
    except (ValueError, LedgerError) as error:
        raise FatalError(str(error), "", ExitCode.USAGE) from error
