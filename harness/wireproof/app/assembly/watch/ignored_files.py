"""Files in a watched folder whose changes start no round."""

from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from wireproof.app.assembly.watch.git_ignore import GitIgnoreRules
from wireproof.base.files import TEMPORARY
from wireproof.proof.testees import EXCLUDED_FOLDERS

__all__ = ["IgnoredFiles"]

_FOLDERS: Final = EXCLUDED_FOLDERS | {
    ".cache", ".coverage", ".eggs", ".gradle", ".hg", ".hypothesis", ".idea", ".nox", ".ruff_cache", ".svn",
    ".tox", ".venv", ".vs", ".vscode",
}  # fmt: skip
"""Caches, version control and the settings of editors, beside the folders that builds write."""

_TEMPORARY: Final = (
    "*~", ".#*", "#*#",  # Emacs, and the backups of many
    "*.sw?", ".*.sw?", "4913",  # Vim: swap files, and the file by which it tries a folder
    "*.tmp", "*.bak", "*.orig", "*.rej",
    "*___jb_tmp___", "*___jb_old___",  # JetBrains
    ".goutputstream-*", "*.kate-swp", ".*.kate-swp", ".sb-*", ".DS_Store", "Thumbs.db",
    "*.pyc", "*.pyo",
)  # fmt: skip
"""The names of temporary files of editors, tools and interpreters."""


class IgnoredFiles:
    """The files that start no round: build output, caches, temporary files, reports, those of `.gitignore`.

    Args:
        folder: the watched folder, an absolute path.
        outputs: the files that the run writes itself.
    """

    def __init__(self, folder: Path, outputs: Iterable[Path] = ()) -> None:
        self._folder = folder
        self._outputs = [each.resolve() for each in outputs]
        self._rules = GitIgnoreRules(folder)

    def ignores(self, path: Path) -> bool:
        """Return whether a changed file, an absolute path, starts no round."""
        parts = path.relative_to(self._folder).parts if path.is_relative_to(self._folder) else (path.name,)
        return (
            not _FOLDERS.isdisjoint(parts)
            or any(fnmatch(path.name, pattern) for pattern in _TEMPORARY)
            or any(part.startswith(TEMPORARY) for part in parts)
            or path in self._outputs
            or self._rules.ignores(path)
        )
