"""A deadline for one call into Java, which cannot be broken off: the worker process ends itself.

The pool starts another one and finds the case that did it (ARCHITECTURE, decision 7).
"""

import faulthandler
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["CALL_S", "deadline"]

CALL_S: Final = 300.0
"""Seconds that one call may take. It carries a batch of a few hundred values, and takes some milliseconds."""

_STDERR: Final = 2


@contextmanager
def deadline(seconds: float = CALL_S) -> Iterator[None]:
    """End this process, if it is a worker, when the block takes longer; Python's frames are printed before.

    The watchdog is a thread of C: it needs neither the interpreter nor Java. A process that nobody would
    start again has no deadline. Blocks are not nested.
    """
    if multiprocessing.parent_process() is None:
        yield
        return
    faulthandler.dump_traceback_later(seconds, exit=True, file=_STDERR)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
