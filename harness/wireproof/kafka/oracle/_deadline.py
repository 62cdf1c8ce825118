"""A deadline for one call into Java, which cannot be broken off: the worker process ends itself.

The pool starts another one and finds the case that did it (docs/decisions, 7).
"""

import faulthandler
import multiprocessing
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

CALL_S: Final = 300.0
"""Seconds that one call may take. It carries a batch of a few hundred values, and takes some milliseconds."""

_STDERR: Final = 2


@contextmanager
def deadline(seconds: float = CALL_S) -> Iterator[None]:
    """End this process, if it is a worker, when the block takes longer; Python's frames are printed before.

    The kernel keeps the time and SIGALRM ends the process, so neither the interpreter nor Java has to run. A
    watchdog thread for each call would cost a tenth of a run. The main process has no deadline, because no
    other process would start it again. Blocks are not nested.
    """
    if multiprocessing.parent_process() is None:
        yield
        return
    faulthandler.register(signal.SIGALRM, file=_STDERR, chain=True)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.unregister(signal.SIGALRM)
