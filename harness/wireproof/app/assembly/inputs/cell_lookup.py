"""Cells by the names that a person types."""

import fnmatch
from collections.abc import Iterable

from kafkawire.schema.model import SchemaSet
from wireproof.app.assembly.inputs.run_inputs import wanted_releases
from wireproof.app.assembly.inputs.schema_snapshots import snapshots
from wireproof.base.fatal import FatalError
from wireproof.base.text.wording import did_you_mean
from wireproof.kafka.releases import table
from wireproof.model import Cell, CellId, full_pattern
from wireproof.proof.config import SchemaSource, Selection
from wireproof.proof.run import ExitCode, Layouts


def find_cell(text: str, source: SchemaSource | None = None) -> tuple[Cell, Layouts]:
    """Find ``RELEASE/MESSAGE/VERSION``, or ``MESSAGE/VERSION`` of the newest release, with the layouts.

    Args:
        source: the definitions of a fork of the release.

    Raises:
        FatalError: there is no such cell; the message names what there is.
    """
    try:
        wanted = CellId.parse_short(text)
    except ValueError as error:
        advice = "Write RELEASE/MESSAGE/VERSION: 4.4.0/FetchRequest/12."
        raise FatalError(f"{text!r} is not a cell", advice, ExitCode.USAGE) from error
    (found,) = wanted_releases(table(), [wanted.release] if wanted.release else [], (), source)
    schemas = snapshots([found])
    cell = cell_in(schemas[found.version], wanted.message, wanted.version)
    return cell, Layouts(schemas)


def cell_in(schemas: SchemaSet, message: str, version: int) -> Cell:
    """The cell of a message at a version.

    Raises:
        FatalError: there is no such cell; the message names what there is.
    """
    try:
        module, spec = schemas.find(message)
    except KeyError:
        names = (spec.name for _, spec in schemas)
        advice = did_you_mean(message, names, "`wireproof cells` lists them.")
        raise FatalError(f"{schemas.release} has no message {message!r}", advice, ExitCode.USAGE) from None
    if version not in spec.valid_versions:
        raise FatalError(
            f"{message} has no version {version} in {schemas.release}",
            f"Its valid versions are {spec.valid_versions}.",
            ExitCode.USAGE,
        )
    return Cell(schemas.release, module, message, version)


def no_cell(cells: Iterable[Cell], selection: Selection) -> FatalError:
    """The failure of a command whose selection leaves no cell; it suggests names like those that were typed.

    Args:
        cells: all cells of the releases, whatever is selected.
    """
    held = list(cells)
    modules, messages = {cell.module for cell in held}, {cell.message for cell in held}
    for typed, known in ((selection.modules, modules), (selection.messages, messages)):
        for name in typed:
            if not fnmatch.filter(known, name) and (advice := did_you_mean(name, sorted(known))):
                return FatalError(f"no cell matches: there is no {name!r}", advice, ExitCode.NOTHING_RAN)
    for pattern in selection.patterns:
        _, name, version = [*full_pattern(pattern).split("/", 2), "", ""][:3]
        if not fnmatch.filter(messages, name) and (advice := did_you_mean(name, sorted(messages))):
            return FatalError(f"no cell matches {pattern!r}", advice, ExitCode.NOTHING_RAN)
        has = sorted({cell.version for cell in held if cell.message == name})
        if has and version.isdecimal():
            versions = f"{name} has the versions {has[0]} to {has[-1]} in the chosen releases."
            return FatalError(f"no cell matches {pattern!r}", versions, ExitCode.NOTHING_RAN)
    advice = "`wireproof cells` lists them all, and takes the same options."
    whose = f" of shard {selection.shard[0]}/{selection.shard[1]}" if selection.shard[1] > 1 else ""
    return FatalError(f"no cell{whose} matches", advice, ExitCode.NOTHING_RAN)
