"""The processors that this process may use: the default number of worker processes."""

import math
import os
from pathlib import Path
from typing import Final

_CGROUPS: Final = Path("/sys/fs/cgroup")


def available_processors(cgroups: Path = _CGROUPS) -> int:
    """Return the number of processors that the scheduler and the control group grant, at least 1.

    A container with ``--cpus 2`` on a machine of 64 processors sees all 64 of them. Its control group grants
    it the time of two (Linux: *CFS bandwidth control*), and its memory is usually enough for two workers.

    Args:
        cgroups: the file system of control groups, of version 1 or 2.
    """
    granted = len(os.sched_getaffinity(0))
    quota, period = _bandwidth(cgroups)
    return min(granted, max(1, math.ceil(quota / period))) if quota > 0 and period > 0 else granted


def _bandwidth(cgroups: Path) -> tuple[int, int]:
    """The microseconds of processor time in a period, and those of the period; 0 or below without a limit."""
    try:
        quota, period = (cgroups / "cpu.max").read_text("ascii").split()
    except (OSError, ValueError):
        quota, period = (_line(cgroups / "cpu" / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
    return (int(quota), int(period)) if quota.lstrip("-").isdigit() and period.isdigit() else (0, 0)


def _line(path: Path) -> str:
    try:
        return path.read_text("ascii").strip()
    except (OSError, ValueError):
        return ""
