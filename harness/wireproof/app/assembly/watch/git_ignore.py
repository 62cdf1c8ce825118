"""The rules of `.gitignore` files, as `gitignore(5)` describes them: those of outer folders first."""

from pathlib import Path

from pathspec import GitIgnoreSpec

__all__ = ["GitIgnoreRules"]

_FILE = ".gitignore"


class GitIgnoreRules:
    """The `.gitignore` files that apply to the files of a folder.

    Args:
        folder: an absolute path. Files of the folders above it count up to the root of the repository.
    """

    def __init__(self, folder: Path) -> None:
        repository = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)
        self._root = repository
        self._specs: dict[Path, tuple[float, GitIgnoreSpec]] = {}

    def ignores(self, path: Path) -> bool:
        """Return whether git ignores a file, for its own name or for a folder above it."""
        if not path.is_relative_to(self._root):
            return False
        parents = [each for each in reversed(path.parents) if each.is_relative_to(self._root)]
        folders = [*parents[1:], path]
        return any(self._is_named(each, is_folder=each is not path) for each in folders)

    def _is_named(self, path: Path, *, is_folder: bool) -> bool:
        """Return the verdict of the innermost rule that names the path; False if none does."""
        verdict = False
        for folder in reversed(path.parents):
            if not folder.is_relative_to(self._root):
                continue
            name = path.relative_to(folder).as_posix()
            found = self._spec(folder).check_file(f"{name}/" if is_folder else name).include
            if found is not None:
                verdict = found
        return verdict

    def _spec(self, folder: Path) -> GitIgnoreSpec:
        """Return the rules of one file, read again when the file has changed."""
        file = folder / _FILE
        try:
            time = file.stat().st_mtime
            if folder not in self._specs or self._specs[folder][0] != time:
                text = file.read_text(encoding="utf-8", errors="replace")
                self._specs[folder] = (time, GitIgnoreSpec.from_lines(text.splitlines()))
        except OSError:
            return GitIgnoreSpec.from_lines([])
        return self._specs[folder][1]
