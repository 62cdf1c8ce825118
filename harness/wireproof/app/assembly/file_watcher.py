"""Watching files: the requests of a watched run, and the watcher that makes them."""

import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from fnmatch import fnmatch
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final, TypeAlias

import watchfiles
from pathspec import GitIgnoreSpec

from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.files.own_folders import TEMPORARY
from wireproof.proof.testees.build.testee_build import EXCLUDED_FOLDERS


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """Files that were written, renamed or removed. Never empty."""

    paths: frozenset[Path]


class KeyPress(Enum):
    """A key, and its meaning."""

    AGAIN = "run again"
    ALL = "all"
    FAILED = "only failed"
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class WatchFailure:
    """The files can no longer be watched.

    Attributes:
        reason: the words of the operating system.
    """

    reason: str


WatchRequest: TypeAlias = ChangedFiles | KeyPress | WatchFailure


class RequestInbox:
    """A queue of requests. `put` may be called from any thread, and from a signal handler."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[WatchRequest] = SimpleQueue()
        self._notify: Callable[[], object] = _nothing

    @property
    def is_empty(self) -> bool:
        return self._queue.empty()

    def put(self, request: WatchRequest) -> None:
        """Add a request, and notify the round under way."""
        self._queue.put(request)
        self._notify()

    def take(self) -> list[WatchRequest]:
        """Wait for a request. Return it and all requests that already follow it."""
        requests = [self._queue.get()]
        with contextlib.suppress(Empty):
            while True:
                requests.append(self._queue.get_nowait())
        return requests

    @contextlib.contextmanager
    def notifying(self, notify: Callable[[], object]) -> Iterator[None]:
        """Call a function for each new request, and at once if a request already waits."""
        self._notify = notify
        try:
            if not self.is_empty:
                notify()
            yield
        finally:
            self._notify = _nothing


def _nothing() -> None:
    pass


_QUIET_MS: Final = 100
"""Changes that follow each other within this time are one request: editors and formatters write often."""
_LONGEST_MS: Final = 2_000
"""The longest time that a request waits for further changes."""
_POLL_MS: Final = 200
_READY_S: Final = 30.0
_ADVICE: Final = (
    "On Linux, raise fs.inotify.max_user_watches; or set WATCHFILES_FORCE_POLLING=1, which needs no watches."
)


@dataclass
class FileWatcher:
    """Watches a folder and all below it. Use as a context manager: it watches when the block begins.

    Args:
        folder: an absolute path without symbolic links. If it is removed, the watcher waits for it to return.
        is_ignored: tests if changes of a file are ignored.
        only: the one file to report; None for all files.

    Raises:
        FatalError: on entry: the folder cannot be watched.
    """

    folder: Path
    inbox: RequestInbox
    is_ignored: Callable[[Path], bool]
    only: Path | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _ready: threading.Event = field(default_factory=threading.Event)
    _failure: str = ""

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._watch, name="file watcher", daemon=True)

    def __enter__(self) -> "FileWatcher":
        self._thread.start()
        if not self._ready.wait(_READY_S) or self._failure:
            self.__exit__()
            reason = self._failure or "the operating system does not answer"
            raise FatalError(f"cannot watch {self.folder}: {reason}", _ADVICE, ExitCode.MISSING)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.is_set():
            try:
                self._report_changes()
            except Exception as error:  # noqa: BLE001 - errors of the watching library end the loop, not the thread
                if self.folder.exists():
                    self._fail(str(error))
                    return
            if not self._wait_for_folder():
                return

    def _report_changes(self) -> None:
        """Report changes until the folder is removed or replaced, or the watcher ends."""
        watched = os.open(self.folder, os.O_RDONLY)  # while it is open, no new folder gets its inode
        try:
            for batch in self._changes():
                self._ready.set()  # the first batch may be empty: from now on nothing is missed
                self._report(batch)
                if not _is_at(watched, self.folder):
                    return  # a new folder of the same name needs a new watch
        finally:
            os.close(watched)

    def _changes(self) -> Iterator[set[tuple[watchfiles.Change, str]]]:
        found: Iterator[set[tuple[watchfiles.Change, str]]] = watchfiles.watch(
            self.folder,
            watch_filter=None,
            step=_QUIET_MS,
            debounce=_LONGEST_MS,
            rust_timeout=_POLL_MS,
            yield_on_timeout=True,
            stop_event=self._stop,
            raise_interrupt=False,
        )
        return found

    def _report(self, batch: set[tuple[watchfiles.Change, str]]) -> None:
        paths = {Path(name) for _, name in batch}
        for change, name in batch:
            if change is watchfiles.Change.added:
                paths.update(self._files_below(Path(name)))
        wanted = frozenset(path for path in paths if not self.is_ignored(path) and self._is_wanted(path))
        if wanted:
            self.inbox.put(ChangedFiles(wanted))

    def _files_below(self, folder: Path) -> Iterator[Path]:
        """Yield the files of a new folder. Files that were made before its watch began give no event."""
        for place, folders, names in os.walk(folder):
            folders[:] = [name for name in folders if not self.is_ignored(Path(place) / name)]
            yield from (Path(place) / name for name in names)

    def _is_wanted(self, path: Path) -> bool:
        if self.only is not None:
            return path == self.only
        return not path.is_dir()  # a changed folder: its files are reported

    def _wait_for_folder(self) -> bool:
        """Report that the folder is gone, and that it is there again; return whether the watcher goes on."""
        folder = ChangedFiles(frozenset({self.folder}))
        if not self._stop.is_set() and not self.folder.exists():
            self.inbox.put(folder)
        while not self.folder.exists():
            if self._stop.wait(_POLL_MS / 1000):
                return False
        if self._stop.is_set():
            return False
        self.inbox.put(folder)
        return True

    def _fail(self, reason: str) -> None:
        self._failure = reason
        if self._ready.is_set():
            self.inbox.put(WatchFailure(reason))
        self._ready.set()


def _is_at(descriptor: int, folder: Path) -> bool:
    """Return whether a path still leads to the open folder."""
    try:
        return os.path.samestat(os.fstat(descriptor), folder.stat())
    except OSError:
        return False


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


_FOLDERS: Final = EXCLUDED_FOLDERS | {
    ".cache", ".coverage", ".eggs", ".gradle", ".hg", ".hypothesis", ".idea", ".nox", ".ruff_cache", ".svn",
    ".tox", ".venv", ".vs", ".vscode",
}  # fmt: skip
"""Folders of builds, caches, version control and editor settings."""

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
    """The files that start no round: build output, caches, temporary files, reports, files that git ignores.

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
