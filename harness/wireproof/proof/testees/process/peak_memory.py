"""The peak of the resident memory of processes, as Linux counts it.

There is no number on other systems, nor if the system does not permit reading it.
"""

import contextlib
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class PeakMemory:
    """The peak of a testee's memory, and the number of its process; each start has another number."""

    process: int
    peak_bytes: int


def peak_bytes(pid: int, *, begin: bool = False) -> int | None:
    """Return the peak of a process and its descendants, in bytes; None if it cannot be read.

    Args:
        begin: begin a new peak, so that the number is the memory resident now (proc(5): `clear_refs`, 5).
    """
    total = 0
    for each in _tree(pid):
        found = _peak(each, begin)
        if found is None:
            return None
        total += found
    return total or None


def _tree(pid: int) -> list[int]:
    """Return the process and its descendants."""
    found = [pid]
    for each in found:
        for children in (_PROC / str(each) / "task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += map(int, children.read_text(encoding="ascii").split())
    return found


def _peak(pid: int, begin: bool) -> int | None:
    folder = _PROC / str(pid)
    if begin:
        # If this is refused, the old peak stays: a growth above it is still seen.
        with contextlib.suppress(OSError):
            (folder / "clear_refs").write_text("5", encoding="ascii")
    with contextlib.suppress(OSError):
        for line in (folder / "status").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
        return 0  # it has just ended
    return None
