"""``wireproof cells``."""

from collections import Counter
from typing import Any

import click

from kafkawire.schema.model import VersionRange
from wireproof.cli.options import Fatal, release_option, selection_of, selection_options
from wireproof.cli.wiring import snapshots, wanted_releases
from wireproof.model import Cell
from wireproof.releases import ReleaseError, table
from wireproof.run import ExitCode, all_cells, retired, select

__all__ = ["command"]


@click.command("cells")
@release_option
@selection_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "tsv"]),
    default="text",
    show_default=True,
    help="tsv: release, module, message, version, one cell a line, no header.",
)
def command(**options: Any) -> int:
    """List the cells: every message of a release at every version.

    Needs no jar, no Java and no network: it reads the project's own schema snapshots.
    """
    try:
        releases = wanted_releases(table(), options.pop("releases"), options["patterns"])
        schemas = snapshots(releases)
    except ReleaseError as error:
        raise Fatal(error.message, error.advice, ExitCode.MISSING) from error
    form = options.pop("form")
    selection = selection_of(options)
    cells = [cell for each in schemas.values() for cell in select(all_cells(each), selection)]
    if not cells:
        raise Fatal("no cell matches", "Drop an option to see more.", ExitCode.NOTHING_RAN)
    if form == "tsv":
        for cell in cells:
            click.echo(f"{cell.release}\t{cell.module}\t{cell.message}\t{cell.version}")
        return 0
    _print_text(cells)
    for each in schemas.values():
        names = sorted(spec.name for _, spec in retired(each))
        if names:
            click.echo(
                f"{each.release}: {len(names)} retired messages, no version of them is valid:", err=True
            )
            click.echo(f"  {', '.join(names)}", err=True)
    return 0


def _print_text(cells: list[Cell]) -> None:
    """One line a message with its versions; the sums by module go to standard error."""
    messages: dict[tuple[str, str, str], list[int]] = {}
    for cell in cells:
        messages.setdefault((cell.release, cell.module, cell.message), []).append(cell.version)
    for (release, module, message), versions in messages.items():
        span = VersionRange(versions[0], versions[-1])
        click.echo(f"{release}  {module:24} {message:44} {span}")
    sums = Counter((cell.release, cell.module) for cell in cells)
    count = Counter((release, module) for release, module, _ in messages)
    for (release, module), number in sums.items():
        click.echo(f"{release} {module}: {count[release, module]} messages, {number} cells", err=True)
    click.echo(f"{len(messages)} messages, {len(cells)} cells", err=True)
