"""The segment files that a command is given: by the folder of a capture, or one by one."""

from pathlib import Path

from wireproof.cli.options import Fatal
from wireproof.run import ExitCode

__all__ = ["segment_files"]


def segment_files(*captures: Path) -> list[Path]:
    """All segment files of captures; a file is taken for one itself.

    Raises:
        Fatal: a folder has none, or there is nothing.
    """
    files: list[Path] = []
    for path in captures:
        found = sorted(path.glob("segments/*.wpseg")) if path.is_dir() else [path]
        if not found:
            words = f"{path} holds no segments/*.wpseg"
            raise Fatal(words, "`wireproof capture` writes such a folder.", ExitCode.USAGE)
        if not path.exists():
            raise Fatal(
                f"{path} is not there", "Name a capture, or one of its segment files.", ExitCode.USAGE
            )
        files += found
    return files
