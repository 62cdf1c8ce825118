"""What a Python worker of Spark may take: a bound of ours, for Spark's own is told by each task on stderr."""

import resource
from typing import Final

__all__ = ["PYTHON_WORKER_MB", "bound_memory"]

PYTHON_WORKER_MB: Final = 1024
"""Of data (RLIMIT_DATA): 150 MiB are the modules, 32 MiB two batches; the rest is for the objects of one
frame, which take ten times its bytes where its fields are small. A frame of 100 MiB of records fits."""


def bound_memory(limit_mb: int = PYTHON_WORKER_MB) -> None:
    """Let this process take no more, so that what asks for more is a `MemoryError` and not the machine's end.

    To be called where a worker begins with a partition; a bound that is there is never widened.
    """
    limit = limit_mb << 20
    now, most = resource.getrlimit(resource.RLIMIT_DATA)
    if now == resource.RLIM_INFINITY or limit < now:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, most))
