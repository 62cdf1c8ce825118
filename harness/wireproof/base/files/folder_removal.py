"""Folders by descriptor: opened without following a link, recognised by their marker, emptied.

A marker is a file that wireproof alone writes. A folder without one, with a marker that is a link, or of
another user is left as it is.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from typing import Final

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
    """Remove a folder with its content from a folder whose marker the caller has checked.

    Raises:
        OSError: a part cannot be removed.
    """
    moved = fresh_name("removed")
    os.rename(name, moved, src_dir_fd=parent, dst_dir_fd=parent)  # a mount point cannot be renamed
    with opened_folder(moved, parent) as folder:
        _empty(folder)
    os.rmdir(moved, dir_fd=parent)


def _empty(folder: int) -> None:
    """Remove all but the marker. A link is removed, its target is not.

    Each inner folder is moved to the top before its files are removed: so the depth of the tree does not
    matter, and a mount point, which cannot be moved, stays with its content.
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
