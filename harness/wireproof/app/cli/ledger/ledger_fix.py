"""``wireproof ledger fix`` and ``bound``."""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from difflib import unified_diff
from pathlib import Path

import click

from wireproof.app.assembly.ledger_in_use import catalogue, ledger_text, open_ledger, read_current, write_text
from wireproof.app.cli.ledger.ledger_accept import ledger_option, read_causes, written_ledger_option
from wireproof.app.cli.options import documented_command
from wireproof.app.cli.run.event_commands import misread_events
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.text.wording import counted, document, echo
from wireproof.kafka.releases.release_table import table
from wireproof.model.agreement import LedgerProblem
from wireproof.proof.run.core.run_events import LedgerFinding
from wireproof.verdict.ledger.audit import check_alone
from wireproof.verdict.ledger.bounds import STRICTER_OF_ALL, named_counts
from wireproof.verdict.ledger.files.event_reading import merged_causes
from wireproof.verdict.ledger.files.ledger_reading import LedgerError, read_ledger
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.report.events.event_reader import RunFiles


@documented_command(
    "fix",
    {
        ExitCode.PROVEN: "The ledger has no fault, or every fault has its repair.",
        ExitCode.USAGE: "Standard input is not a terminal that can answer, and --yes is missing.",
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
    with misread_events():
        for event in RunFiles([path]).events():
            if isinstance(event, LedgerFinding):
                yield event.problem


def _repaired(text: str, path: str, command: str) -> str:
    from wireproof.verdict.ledger.files.repairing import LedgerRepair

    try:
        repair = LedgerRepair.parse(command)
        if os.path.realpath(repair.ledger) != os.path.realpath(path):
            raise LedgerError(f"the run was about {repair.ledger}, not {path}: {command}")
        return repair.apply(text, read_ledger(text, path), [each.version for each in table().choose("all")])
    except LedgerError as error:
        raise LedgerError(error.message, "Run again to get its present faults.") from error


def _confirmed(path: str, *, yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin.isatty():
        raise FatalError(
            f"{path} is not written: standard input is not a terminal",
            "Type it again and add --yes, or --dry-run.",
        )
    return click.confirm(f"Write {path}?", err=True)


@documented_command(
    "bound",
    {
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
    changed = _lowered(text, known, lower) if lower else _counted(text, known, events)
    before, after = known.bounds or {}, read_ledger(changed, path).bounds or {}
    for name in sorted({*before, *after}):
        if before.get(name, 0) != after.get(name, 0):
            echo(f"{name}: {before.get(name, 0):,} becomes {after.get(name, 0):,}", err=True)
    if dry_run:
        document(changed)
    elif changed != text:
        write_text(path, changed)
    return int(ExitCode.PROVEN)


def _counted(text: str, known: Ledger, events: tuple[str, ...]) -> str:
    """Return the file with the counts of runs. A count of all mutations is kept beside that of the slice."""
    from wireproof.verdict.ledger.files.repairing import with_bounds

    runs = [read_causes(each) for each in events]
    for name, run in zip(events, runs, strict=True):
        gaps = " and ".join(gap for scope in run.scopes for gap in scope.gaps())
        if gaps or not run.complete:
            raise FatalError(
                f"{name}: these counts are no bounds: the run {gaps or 'was interrupted'}",
                "Run all cells of the release in the default phases: wireproof run --events FILE, without "
                "--message, --cell, --shard, --phase and --profile pr.",
            )
    merged = merged_causes(runs)
    if len({scope.mutations for scope in merged.scopes}) > 1:
        raise FatalError(
            "the runs tried different sets of mutations", "Give events of runs with the same --mutations."
        )
    releases = {release for scope in merged.scopes for release in scope.releases}
    scope = replace(merged.scopes[0], releases=tuple(releases))
    counts = named_counts(merged.counts, known.bounds_of or str(scope), scope)
    before = known.bounds or {}
    if STRICTER_OF_ALL in counts:
        return with_bounds(text, {**before, STRICTER_OF_ALL: counts[STRICTER_OF_ALL]}, known.bounds_of)
    kept = {name: each for name, each in before.items() if name == STRICTER_OF_ALL}
    return with_bounds(text, {**counts, **kept}, str(scope))


def _lowered(text: str, ledger: Ledger, words: tuple[str, ...]) -> str:
    from wireproof.verdict.ledger.files.repairing import lowered, parse_lower

    with as_fatal(ValueError, LedgerError):
        return lowered(text, ledger, parse_lower(words))
