"""Folders for what brokers keep on disk and for captures that nobody asked to keep.

They are gone when the capture is, or swept by the next one.

A folder in use holds a lock that the system lets go of when its process ends, however it ends. So what a
killed capture left is told from what another one is using.
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
"""A folder without a lock is being made, if it is younger."""


class NodeWorkspace:
    """A folder of this process's own below the system's folder for temporary files."""

    def __init__(self) -> None:
        sweep()
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        making = self.folder / "making"
        self._lock = os.open(making, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        making.rename(self.folder / _LOCK)

    def close(self) -> None:
        """Take it away with all that is in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # closed before
            os.close(self._lock)


def sweep() -> None:
    """Take away what captures left that were killed."""
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
    except OSError:  # somebody else's
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True
