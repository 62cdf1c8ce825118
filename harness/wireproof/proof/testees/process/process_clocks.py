"""The processor time of a process and its descendants, and whether any of their threads wants a processor."""

import contextlib
from pathlib import Path
from typing import Final

import psutil

__all__ = ["find_clocks", "is_asleep", "tree_cpu_s"]

_TASKS: Final = Path("/proc/self/task")


def _tree(pid: int) -> list[psutil.Process]:
    launched = psutil.Process(pid)
    return [launched, *launched.children(recursive=True)]


def tree_cpu_s(pid: int) -> float:
    """Return the processor time of a process and its descendants so far, in seconds."""
    spent = 0.0
    with contextlib.suppress(psutil.Error):
        for each in _tree(pid):
            with contextlib.suppress(psutil.Error):
                times = each.cpu_times()
                spent += times.user + times.system + times.children_user + times.children_system
    return spent


def find_clocks(pid: int) -> list[int]:
    """Return the clocks of a process and its descendants, as clock_getcpuclockid(3) makes them on Linux.

    Empty on other systems.
    """
    if not _TASKS.is_dir():
        return []
    with contextlib.suppress(psutil.Error):
        return [~each.pid << 3 | 2 for each in _tree(pid)]
    return []


def is_asleep(pid: int) -> bool:
    """Return whether no thread of a process or its descendants runs, is ready, or waits for a disk."""
    with contextlib.suppress(psutil.Error):
        return not any(map(_wants_processor, _tree(pid)))
    return True


def _wants_processor(process: psutil.Process) -> bool:
    if not _TASKS.is_dir():  # not Linux: only the state of the main thread is known
        with contextlib.suppress(psutil.Error):
            return bool(process.status() in (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP))
        return False
    with contextlib.suppress(OSError):
        for stat in Path(f"/proc/{process.pid}/task").glob("*/stat"):
            # The state follows the name, which is in parentheses and may contain any character (proc(5)).
            if stat.read_text(errors="replace").rpartition(")")[2].split()[0] in "RD":
                return True
    return False
