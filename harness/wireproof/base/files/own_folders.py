"""Temporary folders, and their removal by descriptor. A lock of the marker shows that a folder is in use.

The functions raise `OSError` where the file system refuses.
"""

import contextlib
import fcntl
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO, Final

TEMPORARY: Final = ".wireproof-"
"""The beginning of the name of each temporary file and folder."""
MARKER: Final = ".wireproof-marker"
"""The name of the file that shows that wireproof made the folder."""
MARK: Final = b"wireproof made this folder, and removes it.\n"

_REAL_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW


def fresh_name(kind: str) -> str:
    """Return a new name of a temporary file or folder; `kind` is a word."""
    return f"{TEMPORARY}{kind}-{token_hex(8)}"


@contextlib.contextmanager
def opened_folder(path: "Path | str", parent: int | None = None) -> Iterator[int]:
    """Yield the descriptor of a folder.

    Args:
        parent: the descriptor of the folder that `path` is a name in. With it, a link is refused; without it,
            the user named the path, and links lead to the folder.

    Raises:
        OSError: there is no such folder, or it is a link.
    """
    flags = _REAL_FOLDER if parent is not None else _REAL_FOLDER & ~os.O_NOFOLLOW
    descriptor = os.open(path, flags, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def is_marked(folder: int) -> bool:
    """Return True if wireproof made the folder for this user."""
    user = os.geteuid()
    try:
        marker = os.open(MARKER, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return False
    try:
        found = os.fstat(marker)
        own = stat.S_ISREG(found.st_mode) and found.st_nlink == 1 and found.st_uid == user
        return own and os.fstat(folder).st_uid == user and os.read(marker, len(MARK) + 1) == MARK
    finally:
        os.close(marker)


def remove_marked(parent: int, name: str) -> bool:
    """Remove a folder with its content; return False if wireproof did not make it. The marker goes last.

    Raises:
        OSError: a part cannot be removed, such as a mount point. The marker stays.
    """
    try:
        with opened_folder(name, parent) as folder:
            if not is_marked(folder):
                return False
            _empty(folder)
            os.unlink(MARKER, dir_fd=folder)
    except (FileNotFoundError, NotADirectoryError):  # a link is not a directory, either
        return False
    os.rmdir(name, dir_fd=parent)
    return True


def remove_tree(parent: int, name: str) -> None:
    """Remove a folder with its content from a folder whose marker the caller has checked."""
    moved = fresh_name("removed")
    os.rename(name, moved, src_dir_fd=parent, dst_dir_fd=parent)  # a mount point cannot be renamed
    with opened_folder(moved, parent) as folder:
        _empty(folder)
    os.rmdir(moved, dir_fd=parent)


def _empty(folder: int) -> None:
    """Remove all but the marker. A link is removed, its target is not.

    Each inner folder is moved to the top before its files are removed. So the tree may have any depth, and a
    mount point, which cannot be moved, stays with its content.
    """
    while folders := _remove_files(folder, folder):
        for name in folders:
            with opened_folder(name, folder) as inner:
                with contextlib.suppress(PermissionError):
                    os.fchmod(inner, 0o700)  # Go's module cache has folders that nothing can be removed from
                _remove_files(inner, folder)
            os.rmdir(name, dir_fd=folder)


def _remove_files(folder: int, top: int) -> list[str]:
    """Remove the files of a folder and move its folders to the top; return their new names."""
    moved = []
    with os.scandir(folder) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in found:
        if is_folder:
            moved.append(fresh_name("removed"))
            os.rename(name, moved[-1], src_dir_fd=folder, dst_dir_fd=top)
        elif folder != top or name != MARKER:
            os.unlink(name, dir_fd=folder)
    return moved


_BLOCK_BYTES: Final = 4096


class OwnFolder:
    """A new folder of this process. Folders of its kind that killed processes left there are removed first.

    Attributes:
        path: the folder; after `publish` its new path.

    Args:
        kind: a word for the name.
        parent: the folder in which it is made; the system's folder for temporary files if None.
        mode: permissions, before the process's umask is applied.

    Raises:
        OSError: it cannot be made.
    """

    def __init__(self, kind: str, parent: Path | None = None, *, mode: int = 0o700) -> None:
        place = Path(tempfile.gettempdir()) if parent is None else parent
        sweep(kind, place)
        self.path = place / fresh_name(kind)
        with opened_folder(place) as outer:
            os.mkdir(self.path.name, mode, dir_fd=outer)
            try:
                with opened_folder(self.path.name, outer) as folder:
                    self._lock: int | None = _marked(folder)
            except OSError:  # a full disk
                os.rmdir(self.path.name, dir_fd=outer)
                raise

    def publish(self, target: Path, *, marked: bool = False) -> None:
        """Move the folder to its place, which must be free or an empty folder.

        Args:
            marked: keep the marker, so that `remove_own_folder` can remove the folder later.

        Raises:
            OSError: the place is taken, or cannot be written.
        """
        with contextlib.ExitStack() as stack:
            outer, other = (stack.enter_context(opened_folder(each.parent)) for each in (self.path, target))
            folder = stack.enter_context(opened_folder(self.path.name, outer))
            os.rename(self.path.name, target.name, src_dir_fd=outer, dst_dir_fd=other)
            if not marked:
                os.unlink(MARKER, dir_fd=folder)
        self.path = target
        self._release()

    def remove(self) -> None:
        """Remove the folder, unless it is published. What cannot be removed stays, with its marker."""
        if self._lock is not None:
            with contextlib.suppress(OSError), opened_folder(self.path.parent) as outer:
                remove_marked(outer, self.path.name)
        self._release()

    def remove_inside(self, path: Path) -> None:
        """Remove a folder below this one.

        Raises:
            OSError: it is a link, or cannot be removed.
            ValueError: it is not below this one.
        """
        *outer, name = path.relative_to(self.path).parts
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(opened_folder(self.path))
            for part in outer:
                folder = stack.enter_context(opened_folder(part, folder))
            remove_tree(folder, name)

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
        self._lock = None


@contextlib.contextmanager
def temporary_folder(kind: str, parent: Path | None = None) -> Iterator[Path]:
    """Yield the path of a new folder; remove it at the end. Raises `OSError` if it cannot be made."""
    folder = OwnFolder(kind, parent)
    try:
        yield folder.path
    finally:
        folder.remove()


def size_of(folder: Path, most: int) -> int:
    """Return the bytes of the files below a folder, at least a block each; stop above `most`."""
    total = 0
    for _, _, names, descriptor in os.fwalk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                total += max(_BLOCK_BYTES, found.st_blocks * 512)
        if total > most:
            break
    return total


def open_unnamed_file(folder: Path | None = None) -> BinaryIO:
    """Open a temporary file that has no name, so that it ends with its descriptor."""
    return tempfile.TemporaryFile(dir=folder)


def remove_own_folder(path: Path) -> bool:
    """Remove a published folder that kept its marker; return False if wireproof did not make it."""
    try:
        with opened_folder(path.parent) as outer:
            return remove_marked(outer, path.name)
    except FileNotFoundError:
        return False


def sweep(kind: str, parent: Path) -> None:
    """Remove the temporary folders of a kind whose process has ended. What cannot be removed stays."""
    pattern = re.compile(rf"{re.escape(TEMPORARY + kind)}-[0-9a-f]{{16}}")
    with contextlib.suppress(OSError), opened_folder(parent) as outer:
        for name in filter(pattern.fullmatch, os.listdir(outer)):
            with contextlib.suppress(OSError):
                _remove_abandoned(outer, name)


def _remove_abandoned(outer: int, name: str) -> None:
    with opened_folder(name, outer) as folder:
        if not is_marked(folder):
            return
        lock = os.open(MARKER, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, dir_fd=folder)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove_marked(outer, name)
    finally:
        os.close(lock)


def _marked(folder: int) -> int:
    """Write the marker of a folder; return its descriptor, locked before the marker has its name."""
    making = fresh_name("making")
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    lock = os.open(making, flags, 0o600, dir_fd=folder)
    try:
        os.write(lock, MARK)
        with contextlib.suppress(OSError):  # a file system without locks: the folder is never swept
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.rename(making, MARKER, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.close(lock)
        os.unlink(making, dir_fd=folder)
        raise
    return lock
