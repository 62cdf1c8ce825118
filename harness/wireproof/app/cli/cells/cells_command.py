"""``wireproof cells``."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import click

from kafkawire.schema import Absence, LayoutChange, SchemaSet, VersionRange, absences
from wireproof.app.assembly.inputs.bundled_schemas import not_compared_words, snapshots, unpublished_messages
from wireproof.app.assembly.inputs.cell_lookup import no_cell
from wireproof.app.assembly.inputs.run_inputs import wanted_releases
from wireproof.app.cli.options import (
    documented_command,
    format_option,
    run_options,
    selection_of,
    selection_options,
    source_of,
)
from wireproof.base.exit_codes import ExitCode
from wireproof.base.grouping import grouped
from wireproof.base.text.wording import counted, echo
from wireproof.kafka.releases.release_schemas import ChangedCell, ReleaseDiff, diff_releases
from wireproof.kafka.releases.release_table import Fork, table
from wireproof.model.cell import RECORDS_MODULE, Cell
from wireproof.proof.config.selection import Selection
from wireproof.proof.run.core.environment import Layouts, all_cells
from wireproof.proof.run.core.plan import over_releases, retired, select
from wireproof.proof.run.core.uncovered_classes import UncoveredClass, UncoveredClassFinder


def print_diff(diff: ReleaseDiff, selection: Selection, form: str) -> bool:
    """Print the differences in the selected cells; true if there is one.

    Args:
        form: ``text``, or ``tsv``: came, went, finding, changed or unstable; module, message, version; and
            for each change of a layout its path, what, before, after and effect.
    """
    chosen = set(select([each.cell for each in diff.changed], selection))
    changed = [each for each in diff.changed if each.cell in chosen]
    came, went = select(diff.came, selection), select(diff.went, selection)
    if form == "tsv":
        _print_tsv(came, went, changed)
    else:
        _print_diff(diff, came, went, changed)
    return bool(came or went or changed)


def _word(each: ChangedCell) -> str:
    if not each.stable:
        return "unstable"
    return "finding" if each.on_the_wire else "changed"


def _print_tsv(came: Sequence[Cell], went: Sequence[Cell], changed: Sequence[ChangedCell]) -> None:
    for word, cells in (("came", came), ("went", went)):
        for cell in cells:
            echo(f"{word}\t{cell.module}\t{cell.message}\t{cell.version}")
    for each in changed:
        for change in each.changes:
            cell = each.cell
            row = (change.path, change.what, change.before, change.after, change.effect)
            echo("\t".join((_word(each), cell.module, cell.message, str(cell.version), *row)))


_HEADINGS = {
    "finding": "Changed on the wire though released as stable",
    "changed": "Names or defaults changed, the bytes did not",
    "unstable": "Changed while unstable",
}


def _print_diff(
    diff: ReleaseDiff, came: Sequence[Cell], went: Sequence[Cell], changed: Sequence[ChangedCell]
) -> None:
    for title, cells in (("Came", came), ("Went", went)):
        _print_list(f"{title}: {counted(len(cells), 'cell')}", _spans((cell, ()) for cell in cells))
    moved = [f"{each.message:44} {each.before} -> {each.after}" for each in diff.moved]
    _print_list(f"Moved to another module: {counted(len(moved), 'message')}", moved)
    for word, title in _HEADINGS.items():
        chosen = [each for each in changed if _word(each) == word]
        _print_list(
            f"{title}: {counted(len(chosen), 'cell')}", _spans((each.cell, each.changes) for each in chosen)
        )
    findings = sum(_word(each) == "finding" for each in changed)
    echo(
        f"{counted(len(came), 'cell')} came, {len(went)} went, {len(changed)} changed, "
        f"{diff.alike} are alike; {counted(findings, 'finding')}",
        err=True,
    )


def _print_list(title: str, lines: Iterable[str]) -> None:
    listed = list(lines)
    if listed:
        echo(title)
        for line in listed:
            echo(f"  {line}")


def _spans(cells: Iterable[tuple[Cell, tuple[LayoutChange, ...]]]) -> Iterator[str]:
    """A line for each run of versions with the same changes, and one for each change."""
    for _, group in groupby(enumerate(cells), _alike):
        members = [each for _, each in group]
        first, changes = members[0]
        span = VersionRange(first.version, members[-1][0].version)
        yield f"{first.module:24} {first.message:44} {span}"
        for change in changes:
            tagged = "  (an unknown tag to the other side)" if change.effect == "tagged" else ""
            yield f"    {change}{tagged}"


def _alike(numbered: tuple[int, tuple[Cell, tuple[LayoutChange, ...]]]) -> object:
    """A key that is equal for consecutive versions of a message with the same changes."""
    index, (cell, changes) = numbered
    return cell.module, cell.message, cell.version - index, changes


def print_non_ignorable(cells: Iterable[Cell], schemas: Mapping[str, SchemaSet], form: str) -> int:
    """Print the fields that cells lack and must not ignore; return the number of these fields.

    Args:
        form: ``tsv``: a cell and a field per line: release, module, message, version, path, type, the
            versions that have the field; ``text``: a line for all versions that lack a field.
    """
    rows = list(_rows(cells, Layouts(schemas)))
    if form == "tsv":
        for cell, absence in rows:
            what = f"{absence.path}\t{absence.field.type}\t{absence.field.versions}"
            echo(f"{cell.release}\t{cell.module}\t{cell.message}\t{cell.version}\t{what}")
    else:
        _print_absences(rows)
    return len(rows)


def _rows(cells: Iterable[Cell], layouts: Layouts) -> Iterator[tuple[Cell, Absence]]:
    for cell in cells:
        if cell.module == RECORDS_MODULE:
            continue
        for absence in absences(layouts.of(cell)):
            if absence.refused:
                yield cell, absence


def _print_absences(rows: Iterable[tuple[Cell, Absence]]) -> None:
    """Print a line per field; two if both lower and higher versions lack it."""
    lines: dict[tuple[str, str, str, str, bool], list[int]] = {}
    for cell, absence in rows:
        below = cell.version < absence.field.versions.lowest
        what = f"{absence.path} ({absence.field.type}, versions {absence.field.versions})"
        lines.setdefault((cell.release, cell.module, cell.message, what, below), []).append(cell.version)
    for (release, module, message, what, _), versions in lines.items():
        echo(f"{release}  {module:24} {message:44} {VersionRange(versions[0], versions[-1])!s:8} {what}")


def print_uncovered(cells: Iterable[Cell], schemas: Mapping[str, SchemaSet]) -> int:
    """Print the classes of values that no case of a cell meets; return the number without a valid reason.

    Each line has release, module, message, version, path, class, and the reason that the layout shows.
    """
    from wireproof.proof.strategies.layout_source import LayoutSource
    from wireproof.proof.strategies.records.record_source import RecordSets

    seeker = UncoveredClassFinder(Layouts(schemas), LayoutSource(lambda cell: ""), RecordSets())
    count = reachable = sound = unsound = 0
    # Cells with equal layouts come one after the other.
    for cell in (each for group in over_releases(cells) for each in group):
        count += 1
        reachable += seeker.reachable(cell)
        for found in seeker.of(cell):
            place = f"{cell.release}\t{cell.module}\t{cell.message}\t{cell.version}"
            echo(f"{place}\t{found.point.path}\t{found.point.name}\t{_why(found)}")
            sound += found.sound
            unsound += not found.sound
    echo(
        f"{counted(count, 'cell')}, {counted(reachable, 'class', 'classes')} that values can meet; "
        f"{sound:,} more that no value can meet, each with a valid reason; {unsound:,} without",
        err=True,
    )
    return unsound


def _why(found: UncoveredClass) -> str:
    if not found.reason:
        return "NO REASON: values can meet it, and no case does; add one in strategies/"
    return f"FALSE REASON: {found.reason}, but {found.disproof}" if found.disproof else found.reason


@documented_command(
    "cells",
    {
        ExitCode.PROVEN: "The list is complete.",
        ExitCode.NOTHING_RAN: "No cell matches.",
        ExitCode.MISSING: "The schemas of a release cannot be read, or --diff names an unknown release.",
        ExitCode.BELOW_FLOOR: "With --uncovered: a reason is missing or false.",
    },
)
@run_options("release", "schemas")
@selection_options
@format_option(
    "tsv",
    details="tsv: one cell per line, no header: release, module, message, version, then the "
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
    source = source_of(options)
    releases = wanted_releases(table(), options["release"], options["cell"], source)
    schemas = snapshots(releases)
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
    if options["schemas"] is not None:
        raise click.UsageError("--diff compares releases: for definitions, type `wireproof schema check`")
    if options["release"]:
        raise click.UsageError("--diff excludes --release: leave --release out")
    before, after = (table().find(word) for word in options["pair"])
    schemas = snapshots([before, after])
    form = options["form"]
    diff = diff_releases(schemas[before.version], schemas[after.version])
    unseen = unpublished_messages(before, schemas[after.version])
    unseen |= unpublished_messages(after, schemas[before.version])
    came, went = (
        tuple(cell for cell in side if cell.message not in unseen) for side in (diff.came, diff.went)
    )
    diff = replace(diff, came=came, went=went)
    if unseen:
        echo(not_compared_words(unseen), err=True)
    if not print_diff(diff, selection_of(options), form):
        echo("no difference among the cells selected", err=True)
    return 0


def _print_forks(forks: Sequence[Fork], cells: list[Cell]) -> None:
    """Print the messages that the forks define, to standard error."""
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
    messages = grouped(((cell.release, cell.module, cell.message), cell.version) for cell in cells)
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
