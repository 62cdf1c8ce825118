"""The operands of the `wireproof schema` commands: a release, a folder, a file, or a message at a version."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kafkawire.schema import MessageSpec, SchemaProblem, SchemaSet, Severity, read_message
from wireproof.assembly.cell_lookup import find_cell
from wireproof.assembly.run_inputs import snapshots, wanted_releases
from wireproof.fatal import FatalError
from wireproof.model import Cell
from wireproof.releases import table
from wireproof.run import ExitCode
from wireproof.wording import counted

__all__ = ["FILES_MODULE", "SchemaOperand", "read_operand"]

FILES_MODULE: Final = "files"
"""The module of messages that were read from files."""

_CELL: Final = re.compile(r"(?:[^/]+/)?[A-Za-z]+/\d+")
_MOST_BYTES: Final = 16 << 20
"""Of one file. Kafka's longest is 20 kB."""
_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class SchemaOperand:
    """Definitions to compare.

    Attributes:
        text: the operand as the user gave it, or the release that it names.
        schemas: the definitions.
        cell: the one version that is meant; None where all are.
        partial: whether the operand names only some messages of a release, as a file does.
        warnings: what Kafka's generator accepts in the files, though their author hardly meant it.
    """

    text: str
    schemas: SchemaSet
    cell: Cell | None = None
    partial: bool = False
    warnings: tuple[SchemaProblem, ...] = ()


def read_operand(text: str) -> SchemaOperand:
    """Read an operand: a file or a folder that exists, else a message at a version, else a release.

    Raises:
        FatalError: it is none of these, or a file has errors. Each error has its file, line and rule.
    """
    path = Path(text)
    if path.is_dir():
        found = sorted(path.rglob("*.json"))
        if not found:
            raise FatalError(
                f"{text} has no message file", "Kafka's are named such as FetchRequest.json.", ExitCode.USAGE
            )
        schemas, warnings = _read_files(text, found)
        return SchemaOperand(text, schemas, warnings=warnings)
    if path.is_file():
        schemas, warnings = _read_files(text, [path])
        return SchemaOperand(text, schemas, partial=True, warnings=warnings)
    if path.suffix == ".json" or text.startswith((".", "/")):
        raise FatalError(f"{text} does not exist", "Name a file or a folder that exists.", ExitCode.USAGE)
    if _CELL.fullmatch(text):
        cell, _ = find_cell(text)
        return SchemaOperand(cell.id, _release(cell.release).schemas, cell, partial=True)
    return _release(text)


def _release(text: str) -> SchemaOperand:
    releases = wanted_releases(table(), [text], ())
    if len(releases) != 1:
        advice = "Name one: 4.4, or 4.4.0."
        raise FatalError(f"{text} is {counted(len(releases), 'release')}", advice, ExitCode.USAGE)
    return SchemaOperand(releases[0].version, snapshots(releases)[releases[0].version])


def _read_files(text: str, paths: Sequence[Path]) -> tuple[SchemaSet, tuple[SchemaProblem, ...]]:
    """Read message files, and return the warnings with them; each message may be defined once."""
    messages: dict[str, MessageSpec] = {}
    problems: list[str] = []
    warnings: list[SchemaProblem] = []
    sources: dict[str, Path] = {}
    for path in paths:
        spec, found = _read_file(path)
        problems += (str(each) for each in found if each.severity is Severity.ERROR)
        warnings += (each for each in found if each.severity is Severity.WARNING)
        if spec is None:
            continue
        if spec.name in messages:
            problems.append(f"{path}: error: {spec.name} is defined in {sources[spec.name]} already")
        messages[spec.name], sources[spec.name] = spec, path
    if problems:
        raise FatalError("\n".join(_some(problems)), "Correct these errors.", ExitCode.USAGE)
    return SchemaSet(text, {FILES_MODULE: messages}), tuple(warnings)


def _read_file(path: Path) -> tuple[MessageSpec | None, list[SchemaProblem]]:
    try:
        size = path.stat().st_size
        if size > _MOST_BYTES:
            words = f"{size:,} bytes; a message file has at most {_MOST_BYTES:,}"
            return None, [SchemaProblem(str(path), 0, "", Severity.ERROR, words)]
        return read_message(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError as error:
        words = f"byte {error.start} is not UTF-8"
        return None, [SchemaProblem(str(path), 0, "", Severity.ERROR, words)]
    except OSError as error:
        raise FatalError(f"cannot read {path}: {error.strerror}", "", ExitCode.USAGE) from error


def _some(problems: Sequence[str]) -> Iterator[str]:
    yield from problems[:_SHOWN]
    if len(problems) > _SHOWN:
        yield f"and {len(problems) - _SHOWN} more"
