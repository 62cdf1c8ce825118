"""The segment files that a command line names, by folder or one by one."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from wireproof.base.fatal import FatalError
from wireproof.proof.run import ExitCode

__all__ = ["captures_in", "file_names", "segment_files"]

_SEGMENTS: Final = "segments/*.wpseg"


def captures_in(folder: Path) -> list[Path]:
    """The captures of a folder, by name: the folder itself, or those of several clusters in it."""
    if any(folder.glob(_SEGMENTS)):
        return [folder]
    return sorted({path.parent.parent for path in folder.glob(f"*/{_SEGMENTS}")})


def segment_files(*captures: Path) -> list[Path]:
    """All segment files of captures, of folders of captures, and single files.

    Raises:
        FatalError: a folder has none, or a file does not exist.
    """
    files: list[Path] = []
    for path in captures:
        found = [path]
        if path.is_dir():
            found = [each for capture in captures_in(path) for each in sorted(capture.glob(_SEGMENTS))]
        if not found:
            words = f"{path} has no {_SEGMENTS}"
            raise FatalError(words, "`wireproof capture` writes such a folder.", ExitCode.USAGE)
        if not path.exists():
            raise FatalError(
                f"{path} does not exist", "Name a capture, or one of its segment files.", ExitCode.USAGE
            )
        files += found
    return files


def file_names(paths: Sequence[Path]) -> list[str]:
    """Unique names of files: their own, with as many parent folders as needed."""
    parts = 1
    while len({path.parts[-parts:] for path in paths}) < len(set(paths)):
        parts += 1
    return ["/".join(path.parts[-parts:]) for path in paths]
