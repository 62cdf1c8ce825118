"""This process: whether it is wireproof's own, and its garbage collector.

In its own process wireproof knows every thread and every open file. Programs may also call wireproof as a
library.
"""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_OWN: Final[set[int]] = set()


def claim_process() -> None:
    """Note that this process is wireproof's own. Processes that are forked off it are not."""
    _OWN.add(os.getpid())


def is_own_process() -> bool:
    """Return true in a process that was claimed."""
    return os.getpid() in _OWN


@contextmanager
def collector_paused() -> Iterator[None]:
    """Return a context without the search for cyclic garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
