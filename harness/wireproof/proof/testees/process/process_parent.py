"""The thread that starts all testees of this process, and lives as long as the process.

Linux ends a testee with its parent (prctl(2), PR_SET_PDEATHSIG), and the parent is the thread that started
it. A testee that a short-lived thread started would end with that thread.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import ParamSpec, TypeVar

__all__ = ["on_lasting_thread"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def on_lasting_thread(function: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
    """Call a function on that thread; return or raise what it does."""
    return _thread(os.getpid()).submit(function, *args, **kwargs).result()


@lru_cache(maxsize=1)
def _thread(process: int) -> ThreadPoolExecutor:
    """Return the thread of a process; a forked process inherits the object but not the thread."""
    return ThreadPoolExecutor(1, thread_name_prefix=f"testees-of-{process}")
