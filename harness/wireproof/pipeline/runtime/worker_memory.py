"""The memory limit of Spark's Python workers: ours, because each task reports Spark's own on stderr."""

import gc
import resource
from pathlib import Path
from typing import Final

import pyarrow  # type: ignore[import-untyped]

PYTHON_WORKER_MB: Final = 1024
"""Of data (RLIMIT_DATA), beyond what a worker holds when it begins: modules, and what pyarrow sets aside.
32 MiB are two batches; the rest is for the objects of one frame, which take ten times its bytes where its
fields are small. A frame of 100 MiB of records fits."""

_STATUS: Final = Path("/proc/self/status")
_COUNTED: Final = "VmData:"


_COLLECTED_AFTER: Final = 100_000
"""Objects made: a frame's values hold no cycle, and to look for one after each 700 objects, as Python does,
takes a tenth of a worker's time."""


def begin_partition() -> None:
    """Begin a partition: limit the worker's memory, and freeze cached releases for the garbage collector."""
    bound_memory()
    gc.freeze()
    gc.set_threshold(_COLLECTED_AFTER)


def bound_memory(limit_mb: int = PYTHON_WORKER_MB) -> None:
    """Let this process take no more than that beyond what it holds now, so that what asks for more is a
    `MemoryError` and not the machine's end.

    To be called where a worker begins with a partition; a bound that is there is never widened.
    """
    pyarrow.allocate_buffer(1)  # its first one sets a GiB aside, which is not touched, but counted
    limit = _held_bytes() + (limit_mb << 20)
    now, most = resource.getrlimit(resource.RLIMIT_DATA)
    if now == resource.RLIM_INFINITY or limit < now:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, most))


def _held_bytes() -> int:
    """The bytes that the limit counts now; 0 where the system does not report them."""
    try:
        lines = _STATUS.read_text("utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith(_COUNTED)), 0)
