"""Ctrl-C in a program that calls Java through py4j: it is raised, once, and leaves no traceback.

What py4j makes of an interrupt that comes in one of its calls:

- It logs it, and again what follows from it.
- It closes its connection to Java. The next command may fail, because Java closes the new one too; PySpark
  itself may send that one, and its failure then takes the place of the interrupt.
- One that comes while an object is collected is lost: Python prints what a finalizer raises, and goes on.
"""

import logging
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOGGERS: Final = (None, "py4j.clientserver")
"""Those that py4j logs to: a filter of a logger does not see what goes to another one."""

_AGAIN_S: Final = 0.01
"""Seconds until an interrupt that was lost comes again. The finalizer has ended then."""

_TRIES: Final = 10
"""The second has always succeeded; each opens a connection of its own."""


@contextmanager
def own_interrupts() -> Iterator[None]:
    """Keep the program's handler of Ctrl-C while Spark starts, and let no interrupt be lost from then on.

    Spark's own handler sends a command inside the command that it interrupts, and py4j logs both failures.
    """
    before = signal.getsignal(signal.SIGINT)
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_not_interrupted)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)
            signal.signal(signal.SIGALRM, signal.default_int_handler)
            if sys.unraisablehook is not _interrupt_again:
                global _unraisable  # Python has one hook
                _unraisable, sys.unraisablehook = sys.unraisablehook, _interrupt_again


@contextmanager
def interrupts_first() -> Iterator[None]:
    """Raise the interrupt itself where the block ends with a failure that followed from one."""
    try:
        yield
    except Exception as error:
        if _follows_interrupt(error):
            raise KeyboardInterrupt from error
        raise


def stop(session: "SparkSession") -> None:
    """Stop a session, after an interrupt too."""
    connect_again(session)
    session.stop()


def connect_again(session: "SparkSession") -> None:
    """Send Java a command until one is answered, or Java is gone."""
    from py4j.protocol import Py4JNetworkError  # type: ignore[import-untyped]

    before = logging.root.manager.disable
    logging.disable()  # what py4j says of a command that is not answered
    try:
        for _ in range(_TRIES):
            try:
                session.sparkContext._jvm.System.nanoTime()  # type: ignore[union-attr]  # it runs
            except Py4JNetworkError:
                continue
            return
    finally:
        logging.disable(before)


_unraisable = sys.__unraisablehook__


def _interrupt_again(lost: "sys.UnraisableHookArgs") -> None:
    """Interrupt the program once more for an interrupt that a finalizer has raised."""
    if isinstance(lost.exc_value, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)
    else:
        _unraisable(lost)


def _not_interrupted(record: logging.LogRecord) -> bool:
    """Return False for py4j's traceback of a command that Ctrl-C ended, or of one that followed from it."""
    return not _follows_interrupt(record.exc_info[1] if record.exc_info else None)


def _follows_interrupt(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__context__
    return False
