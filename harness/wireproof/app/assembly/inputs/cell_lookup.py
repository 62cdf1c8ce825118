"""Cells by the names that a person types, and the cells of the releases, cached for pytest."""

import contextlib
import fnmatch
import json
import os
import time
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Final

from kafkawire.schema.model import MessageSpec, SchemaSet
from wireproof.app.assembly.inputs.bundled_schemas import snapshots
from wireproof.app.assembly.inputs.run_inputs import wanted_releases
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.files.replacement import remove_file, replace_file
from wireproof.base.text.parsing import MISSHAPEN
from wireproof.base.text.wording import did_you_mean
from wireproof.base.version import own_version
from wireproof.kafka.releases.jar_store import cache_folder
from wireproof.kafka.releases.release_table import ReleaseError, table
from wireproof.model.cell import Cell, CellId, full_pattern
from wireproof.proof.config.run_config import RunConfig
from wireproof.proof.config.selection import SchemaSource, Selection
from wireproof.proof.run.core.environment import Layouts
from wireproof.proof.testees.build.launch import claims_key
from wireproof.proof.testees.testee_errors import TesteeError


def find_cell(text: str, source: SchemaSource | None = None) -> tuple[Cell, Layouts]:
    """Find ``RELEASE/MESSAGE/VERSION``, or ``MESSAGE/VERSION`` of the newest release, with the layouts.

    Raises:
        FatalError: there is no such cell; the message names what there is.
    """
    try:
        wanted = CellId.parse_short(text)
    except ValueError as error:
        advice = "Write RELEASE/MESSAGE/VERSION: 4.4.0/FetchRequest/12."
        raise FatalError(f"{text!r} is not a cell", advice) from error
    (found,) = wanted_releases(table(), [wanted.release] if wanted.release else [], (), source)
    schemas = snapshots([found])
    cell = cell_in(schemas[found.version], wanted.message, wanted.version)
    return cell, Layouts(schemas)


def find_message(schemas: SchemaSet, message: str) -> tuple[str, MessageSpec]:
    """The module and the definition of a message. `FatalError`, with similar names, if there is none."""
    try:
        return schemas.find(message)
    except KeyError:
        names = (spec.name for _, spec in schemas)
        advice = did_you_mean(message, names, "`wireproof cells` lists them.")
        raise FatalError(f"{schemas.release} has no message {message!r}", advice) from None


def cell_in(schemas: SchemaSet, message: str, version: int) -> Cell:
    """The cell of a message at a version.

    Raises:
        FatalError: there is no such cell; the message names what there is.
    """
    module, spec = find_message(schemas, message)
    if version not in spec.valid_versions:
        raise FatalError(
            f"{message} has no version {version} in {schemas.release}",
            f"Its valid versions are {spec.valid_versions}.",
        )
    return Cell(schemas.release, module, message, version)


def no_cell(cells: Iterable[Cell], selection: Selection) -> FatalError:
    """The failure of a command whose selection leaves no cell; it suggests names like those typed."""
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


_UNUSED_S: Final = 7 * 86_400
"""Seconds after which an unused entry is removed: each edit of an adapter makes a new entry."""


def cell_file(config: RunConfig) -> Path | None:
    """Return the file of the cells that a configuration selects; None if they cannot be kept."""
    if config.testee is None or config.schemas or config.no_java or config.last_failed or config.cause:
        return None
    try:
        folder = cache_folder()
        key = claims_key(config.testee, folder)
        releases = files("wireproof.kafka.releases").joinpath("table.toml").read_bytes()
    except (OSError, ReleaseError, TesteeError):
        return None  # the run itself says what is wrong
    if key is None:
        return None
    hashed = sha256(f"{key}\0{own_version()}\0{config!r}\0".encode() + releases)
    return folder / "cells" / f"{hashed.hexdigest()}.json"


def kept_cells(file: Path) -> tuple[Cell, ...]:
    """Return the cells of an entry, in their order; empty if no entry can be read."""
    try:
        cells = tuple(
            Cell(str(release), str(module), str(message), int(version))
            for release, module, message, version in json.loads(file.read_bytes())
        )
        os.utime(file)
    except (OSError, *MISSHAPEN):
        return ()
    return cells


def keep_cells(file: Path, cells: Sequence[Cell]) -> None:
    """Write an entry, and remove entries that no session used for a week. A read-only cache stays."""
    rows = [[cell.release, cell.module, cell.message, cell.version] for cell in cells]
    oldest = time.time() - _UNUSED_S
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, json.dumps(rows), mode=0o600)
        for other in file.parent.glob("*.json"):
            if other.lstat().st_mtime < oldest:
                remove_file(other)
