"""The operands of the `wireproof schema` commands: a release, a folder, a file, or a message at a version."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from kafkawire.schema import TODAY, Dialect, SchemaProblem, SchemaSet
from wireproof.app.assembly.inputs.cell_lookup import find_cell
from wireproof.app.assembly.inputs.run_inputs import find_release
from wireproof.app.assembly.inputs.schema_snapshots import snapshots
from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError, as_fatal
from wireproof.definitions.evolution import SchemaFinding, check_releases, check_versions
from wireproof.kafka.releases import ReleaseError, definition_paths, read_definitions
from wireproof.model import Cell
from wireproof.proof.config import SchemaSource

FILES_MODULE: Final = "files"
"""The module of messages that were read from files."""

_CELL: Final = re.compile(r"(?:[^/]+/)?[A-Za-z]+/\d+")


@dataclass(frozen=True, slots=True)
class SchemaOperand:
    """Definitions to compare.

    Attributes:
        text: the operand as the user gave it, or the release that it names.
        schemas: the definitions.
        cell: the one version that is meant; None where all are.
        partial: whether the operand names only some messages of a release, as a file does.
        warnings: what Kafka's generator accepts in the files, though their author hardly meant it.
        not_checked_out: how many files a sparse checkout leaves out.
    """

    text: str
    schemas: SchemaSet
    cell: Cell | None = None
    partial: bool = False
    warnings: tuple[SchemaProblem, ...] = ()
    not_checked_out: int = 0


def read_operand(text: str, source: SchemaSource | None = None, dialect: Dialect = TODAY) -> SchemaOperand:
    """Read an operand: a file or a folder that exists, else a message at a version, else a release.

    Args:
        source: the definitions of a fork of the release that the operand names.
        dialect: of files.

    Raises:
        FatalError: it is none of these, or a file has errors. Each error has its file, line and rule.
    """
    path = Path(text)
    if path.is_dir():
        schemas, warnings = _read_files(text, path, dialect)
        return SchemaOperand(text, schemas, warnings=warnings)
    if path.exists():
        schemas, warnings = _read_files(text, path, dialect)
        return SchemaOperand(text, schemas, partial=True, warnings=warnings)
    if path.suffix == ".json" or text.startswith((".", "/")):
        _refuse_missing(path)
    if _CELL.fullmatch(text):
        cell, _ = find_cell(text, source)
        return SchemaOperand(cell.id, _release(cell.release, source).schemas, cell, partial=True)
    return _release(text, source)


def _refuse_missing(path: Path) -> NoReturn:
    """Raise the error about a file that cannot be opened.

    Raises:
        FatalError: always.
    """
    try:
        path.stat()
    except FileNotFoundError:
        words = f"{path} does not exist"
    except OSError as error:
        words = f"{path}:1: error: the file cannot be read: {error.strerror}"
    raise FatalError(words, "Name a file or a folder that exists.", ExitCode.USAGE)


def _release(text: str, source: SchemaSource | None) -> SchemaOperand:
    release = find_release(text, source)
    return SchemaOperand(release.version, snapshots([release])[release.version])


def _read_files(text: str, path: Path, dialect: Dialect) -> tuple[SchemaSet, tuple[SchemaProblem, ...]]:
    """Read a message file or a folder of them, and return the warnings with them."""
    with as_fatal(ReleaseError, exit_code=ExitCode.USAGE):
        found = read_definitions(definition_paths(path) if path.is_dir() else [path], dialect)
    messages = {name: file.spec for name, file in found.files.items()}
    return SchemaSet(text, {FILES_MODULE: messages}), found.warnings


def findings_between(before: SchemaOperand, after: SchemaOperand, message: str | None) -> list[SchemaFinding]:
    """Return the changes from one operand to another.

    Args:
        message: only this message; None for all that both have.

    Raises:
        FatalError: the operands cannot be compared, or have no message in common.
    """
    if (before.cell is None) != (after.cell is None):
        raise FatalError(
            f"{before.text} and {after.text} cannot be compared: one is a version of a message",
            "Name two versions, such as FetchRequest/16 and FetchRequest/17.",
            ExitCode.USAGE,
        )
    if before.cell is not None and after.cell is not None:
        if before.cell.message != after.cell.message:
            raise FatalError(
                f"{before.cell.message} and {after.cell.message} are two messages",
                "Name two versions of one message.",
                ExitCode.USAGE,
            )
        module, spec = after.schemas.find(after.cell.message)
        _, older = before.schemas.find(before.cell.message)
        return check_versions(module, (older, before.cell.version), (spec, after.cell.version))
    chosen = compared_messages(before, after, message)
    if not chosen & _names(before) & _names(after):
        raise FatalError(
            f"{before.text} and {after.text} have no message in common"
            + (f" named {message}" if message else ""),
            "`wireproof cells` lists the messages of a release.",
            ExitCode.NOTHING_RAN,
        )
    return [each for each in check_releases(before.schemas, after.schemas) if each.message in chosen]


def compared_messages(before: SchemaOperand, after: SchemaOperand, message: str | None) -> frozenset[str]:
    """Return the names of the messages that a comparison of two operands is about."""
    chosen = _names(before) | _names(after)
    for each in (before, after):
        chosen &= _names(each) if each.partial else chosen
    return chosen if message is None else chosen & {message}


def _names(operand: SchemaOperand) -> frozenset[str]:
    return frozenset(spec.name for _, spec in operand.schemas)
