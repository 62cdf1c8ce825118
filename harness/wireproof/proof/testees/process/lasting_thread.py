"""The thread that starts testees. It lasts as long as any of them: a command without testees has one thread.

Linux ends a testee with its parent (prctl(2), PR_SET_PDEATHSIG), and the parent is the thread that started
it. A testee that a short-lived thread started would end with that thread.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Final, ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


class LastingThread:
    """A thread that runs while a testee holds it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process = 0
        self._held = 0
        self._pool: ThreadPoolExecutor | None = None

    def call_and_hold(self, function: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Call a function on the thread; return or raise what it does. `release` it if it returns."""
        with self._lock:
            process = os.getpid()
            if self._process != process:  # a forked process inherits the object but not the thread
                self._process, self._held, self._pool = process, 0, None
            if self._pool is None:
                self._pool = ThreadPoolExecutor(1, thread_name_prefix=f"testees-of-{process}")
            self._held += 1
            pool = self._pool
        try:
            return pool.submit(function, *args, **kwargs).result()
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Release the thread; it ends when no testee holds it."""
        with self._lock:
            if self._process != os.getpid():
                return
            self._held -= 1
            if self._held == 0 and self._pool is not None:
                self._pool.shutdown()
                self._pool = None


LASTING_THREAD: Final = LastingThread()
"""The thread of this process."""
