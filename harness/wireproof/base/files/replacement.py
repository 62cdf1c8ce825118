"""Files that appear whole or not at all, and the removal of a file.

A new file gets an unpredictable name first, and is created: a link or a file that another program planted is
never opened. The functions raise `OSError` where the file system refuses.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import BinaryIO, Final, Literal

from wireproof.base.files.own_folders import fresh_name, opened_folder

_NEW: Final = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
_ANY_USER: Final = 0o666
"""Permissions of a new file, before the process's umask is applied."""


@contextlib.contextmanager
def replacing(path: Path, *, mode: int | None = None) -> Iterator[BinaryIO]:
    """Yield a new file that takes the place of another when the context ends without an exception.

    A link at the path is replaced; its target is not changed.

    Args:
        mode: permissions; those of the replaced file if None.

    Raises:
        OSError: it cannot be written; `filename` is the path, unless it happened in the context.
    """
    with _named(path), opened_folder(path.parent) as folder:
        name = fresh_name("file")
        descriptor = os.open(name, _NEW, _mode_of(path.name, folder) if mode is None else mode, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        with _named(path), opened_folder(path.parent) as folder:
            os.rename(name, path.name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError), opened_folder(path.parent) as folder:
            os.unlink(name, dir_fd=folder)
        raise


def replace_file(path: Path, content: str | bytes, *, mode: int | None = None) -> None:
    """Write a file in one step; see `replacing`.

    Raises:
        OSError: it cannot be written; the old file is unchanged.
    """
    with replacing(path, mode=mode) as file, _named(path):
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()


def write_output(path: Path, text: str) -> None:
    """Write a file that the user named: replace a regular file in one step, and write to a device or a pipe.

    A symbolic link at the path is kept, and leads to the new content.
    """
    place = Path(os.path.realpath(path))
    if place.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if place.exists() and not place.is_file():
        with place.open("w", encoding="utf-8") as file:
            file.write(text)
    else:
        replace_file(place, text)


def create_file(path: Path, content: str) -> bool:
    """Create a file; return False if there is one, or a link, and leave it as it is."""
    try:
        descriptor = os.open(path, _NEW, _ANY_USER)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(content)
    return True


def ignore_folder(folder: Path) -> None:
    """Make a folder that git ignores; leave a ``.gitignore`` that is there."""
    folder.mkdir(parents=True, exist_ok=True)
    create_file(folder / ".gitignore", "*\n")


def open_private(path: Path, mode: Literal["ab", "xb"]) -> FileIO:
    """Open a file that its owner alone may read, to add to it or as a new one. A link is refused."""
    return FileIO(path, mode, opener=lambda name, flags: os.open(name, flags | os.O_NOFOLLOW, 0o600))


def move_file(source: Path, target: Path) -> None:
    """Move a file that wireproof made to its place, in one step and without following a link there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(source, target)


def remove_file(path: Path) -> None:
    """Remove a regular file, if it exists. A link, a folder or a device stays."""
    with contextlib.suppress(FileNotFoundError), opened_folder(path.parent) as folder:
        if stat.S_ISREG(os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mode):
            os.unlink(path.name, dir_fd=folder)


def _mode_of(name: str, folder: int) -> int:
    with contextlib.suppress(FileNotFoundError):
        found = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISREG(found):
            return stat.S_IMODE(found) & _ANY_USER
    return _ANY_USER


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Give an error the path that the caller knows."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise
