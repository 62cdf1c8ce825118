"""Definitions in krammar as the commands take them: a file, a folder, or franz-go's own."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kafkawire.schema import Severity
from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError
from wireproof.definitions.franz_go import FRANZ_GO_VERSION, fetch_definitions
from wireproof.definitions.krammar import KrammarDefinitions, KrammarProblem, read_files
from wireproof.definitions.krammar.parsing.definition_reader import ENUMS_FILE
from wireproof.kafka.releases import cache_folder

__all__ = ["KrammarOperand", "read_krammar", "read_krammar_file"]

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class KrammarOperand:
    """Definitions that were read.

    Attributes:
        text: the words for reports: a file, a folder, or franz-go with its version.
        files: the number of files.
        warnings: what franz-go's generator accepts, though the author hardly meant it.
    """

    text: str
    files: int
    definitions: KrammarDefinitions
    warnings: tuple[KrammarProblem, ...]


def read_krammar(folder: Path | None, *, offline: bool = False) -> KrammarOperand:
    """Read all files of a folder, or franz-go's definitions of the pinned version.

    Raises:
        FatalError: the folder has no files, the definitions cannot be had, or a file has errors.
    """
    if folder is None:
        return _read(
            f"franz-go {FRANZ_GO_VERSION}", _files(fetch_definitions(cache_folder(), offline=offline))
        )
    if not folder.is_dir():
        raise FatalError(f"there is no folder {folder}", "Name one with definition files.", ExitCode.USAGE)
    paths = _files(folder)
    if not paths:
        raise FatalError(f"{folder} has no files", "Name a folder with definition files.", ExitCode.USAGE)
    return _read(str(folder), paths)


def read_krammar_file(path: Path) -> KrammarOperand:
    """Read one file, with the enums beside it.

    Raises:
        FatalError: the file has errors.
    """
    enums = path.with_name(ENUMS_FILE)
    beside = [enums] if enums.is_file() and enums != path else []
    return _read(str(path), [path, *beside])


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")]


def _read(text: str, paths: Iterable[Path]) -> KrammarOperand:
    files = sorted(paths)
    try:
        definitions, problems = read_files(files)
    except OSError as error:
        raise FatalError(f"cannot read {error.filename}: {error.strerror}", "", ExitCode.USAGE) from error
    if definitions is None:
        errors = [str(each) for each in problems if each.severity is Severity.ERROR]
        shown = errors[:_SHOWN] + ([f"and {len(errors) - _SHOWN} more"] if len(errors) > _SHOWN else [])
        raise FatalError("\n".join(shown), "Correct these errors.", ExitCode.USAGE)
    return KrammarOperand(text, len(files), definitions, tuple(problems))
