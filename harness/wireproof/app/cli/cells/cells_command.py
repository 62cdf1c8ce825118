"""``wireproof cells``."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from kafkawire.schema.model import VersionRange
from wireproof.app.assembly.inputs.cell_lookup import no_cell
from wireproof.app.assembly.inputs.run_inputs import snapshots, wanted_releases
from wireproof.app.cli.cells.cell_diff import print_diff
from wireproof.app.cli.cells.non_ignorable import print_non_ignorable
from wireproof.app.cli.cells.uncovered import print_uncovered
from wireproof.app.cli.exit_code_help import DocumentedCommand
from wireproof.app.cli.options import run_options, selection_of, selection_options, source_of
from wireproof.base.fatal import FatalError
from wireproof.base.text.output import echo
from wireproof.base.text.wording import counted
from wireproof.kafka.releases import Fork, ReleaseError, diff_releases, table
from wireproof.model import Cell
from wireproof.proof.run import ExitCode, all_cells, retired, select

__all__ = ["command"]


@click.command(
    "cells",
    cls=DocumentedCommand,
    exit_codes={
        ExitCode.PROVEN: "The list is complete.",
        ExitCode.NOTHING_RAN: "No cell matches.",
        ExitCode.MISSING: "The schemas of a release cannot be read, or --diff names an unknown release.",
        ExitCode.BELOW_FLOOR: "With --uncovered: a reason is missing or false.",
    },
)
@run_options("release", "schemas")
@selection_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "tsv"]),
    default="text",
    show_default=True,
    help="Choose the form. tsv: one cell per line, no header: release, module, message, version, then the "
    "columns of the list.",
)
@click.option(
    "--diff",
    "pair",
    nargs=2,
    metavar="OLD NEW",
    help="List the cells that were added, removed or changed between two releases.",
)
@click.option(
    "--non-ignorable",
    "non_ignorable",
    is_flag=True,
    help="List the fields that a version lacks and must not ignore: a codec refuses values that set one.",
)
@click.option(
    "--uncovered",
    is_flag=True,
    help="List the classes of values that no case of a cell meets, with the reasons. Tab-separated: release, "
    "module, message, version, path, class, reason.",
)
def command(**options: Any) -> int:
    """List the cells: every message of a release at every version.

    The command reads the schemas that come with wireproof. It does not need jars, Java or a network.

    With --diff, the report has a section for each version that was released as stable and whose bytes changed
    later. That is a finding about Kafka, not about a codec: the exit code stays 0.

    \b
    wireproof cells --release all --module raft
    wireproof cells --diff 3.9 4.0
    wireproof cells --message FetchRequest --non-ignorable --format tsv
    wireproof cells --release all --uncovered
    """
    non_ignorable, uncovered = options["non_ignorable"], options["uncovered"]
    if (options["pair"] is not None) + non_ignorable + uncovered > 1:
        raise click.UsageError("--diff, --non-ignorable and --uncovered exclude each other: give one")
    if options["pair"] is not None:
        return _diff(options)
    try:
        source = source_of(options)
        releases = wanted_releases(table(), options["release"], options["cell"], source)
        schemas = snapshots(releases)
    except ReleaseError as error:
        raise FatalError(error.message, error.advice, ExitCode.MISSING) from error
    form = options["form"]
    selection = selection_of(options)
    cells = [cell for each in schemas.values() for cell in select(all_cells(each), selection)]
    if not cells:
        raise no_cell((cell for each in schemas.values() for cell in all_cells(each)), selection)
    if non_ignorable:
        count = print_non_ignorable(cells, schemas, form)
        echo(f"{count} pairs of a cell and a field that it refuses", err=True)
        return 0
    if uncovered:
        return int(ExitCode.BELOW_FLOOR if print_uncovered(cells, schemas) else ExitCode.PROVEN)
    if form == "tsv":
        for cell in cells:
            echo(f"{cell.release}\t{cell.module}\t{cell.message}\t{cell.version}")
        return 0
    _print_text(cells, [each.fork for each in releases if each.fork is not None])
    for each in schemas.values():
        names = sorted(spec.name for _, spec in retired(each))
        if names:
            echo(f"{each.release}: {len(names)} retired messages, without a valid version:", err=True)
            echo(f"  {', '.join(names)}", err=True)
    return 0


def _diff(options: dict[str, Any]) -> int:
    """Print the differences of two releases in the selected cells."""
    if options["schemas"] is not None:
        raise click.UsageError("--diff compares releases: for definitions, type `wireproof schema check`")
    if options["release"]:
        raise click.UsageError("--diff excludes --release: leave --release out")
    try:
        before, after = (table().find(word) for word in options["pair"])
        schemas = snapshots([before, after])
    except ReleaseError as error:
        raise FatalError(error.message, error.advice, ExitCode.MISSING) from error
    form = options["form"]
    diff = diff_releases(schemas[before.version], schemas[after.version])
    if not print_diff(diff, selection_of(options), form):
        echo("no difference among the cells selected", err=True)
    return 0


def _print_forks(forks: Sequence[Fork], cells: list[Cell]) -> None:
    """Print the messages that are of the forks' definitions, to standard error."""
    selected = {cell.message for cell in cells}
    for fork in forks:
        own = [name for name in fork.messages if name in selected]
        changed = [name for name in own if name in fork.changed]
        echo(
            f"{fork.folder}: {counted(len(own), 'message')}, of these {len(changed)} in place of Kafka's: "
            f"{', '.join(own)}",
            err=True,
        )


def _print_text(cells: list[Cell], forks: Sequence[Fork]) -> None:
    """Print a line per message with its versions; sums per module go to standard error."""
    messages: dict[tuple[str, str, str], list[int]] = {}
    for cell in cells:
        messages.setdefault((cell.release, cell.module, cell.message), []).append(cell.version)
    for (release, module, message), versions in messages.items():
        span = VersionRange(versions[0], versions[-1])
        echo(f"{release}  {module:24} {message:44} {span}")
    sums = Counter((cell.release, cell.module) for cell in cells)
    count = Counter((release, module) for release, module, _ in messages)
    for (release, module), number in sums.items():
        held = counted(count[release, module], "message")
        echo(f"{release} {module}: {held}, {counted(number, 'cell')}", err=True)
    _print_forks(forks, cells)
    releases = Counter(cell.release for cell in cells)
    for release, number in releases.items():
        held = counted(sum(key[0] == release for key in messages), "message")
        echo(f"{release}: {held}, {counted(number, 'cell')}", err=True)
    if len(releases) > 1:
        echo(f"{counted(len(releases), 'release')}, {counted(len(cells), 'cell')}", err=True)
