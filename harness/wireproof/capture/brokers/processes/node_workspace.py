"""Temporary folders for the brokers' data and for captures that the user did not ask to keep.

The capture removes its folder at its end; the next capture removes those of killed ones. A folder in use
holds a lock that the system releases when its process ends. So a folder in use differs from an abandoned one.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Final

__all__ = ["NodeWorkspace"]

_PREFIX: Final = "wireproof-brokers-"
_LOCK: Final = "in-use"
_YOUNG_S: Final = 600
"""A younger folder without a lock is still being made."""


class NodeWorkspace:
    """A folder of this process's own below the system's folder for temporary files."""

    def __init__(self) -> None:
        sweep()
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        temporary = self.folder / "making"
        self._lock = os.open(temporary, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        temporary.rename(self.folder / _LOCK)

    def close(self) -> None:
        """Remove the folder with its content."""
        shutil.rmtree(self.folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # closed before
            os.close(self._lock)


def sweep() -> None:
    """Remove the folders of killed captures."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        if _abandoned(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _abandoned(folder: Path) -> bool:
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR)
    except FileNotFoundError:
        with contextlib.suppress(OSError):
            return time.time() - folder.stat().st_mtime > _YOUNG_S
        return False
    except OSError:  # another user's
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True
