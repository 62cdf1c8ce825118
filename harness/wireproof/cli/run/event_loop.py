"""The event loop of a run: it passes each event to the listeners and returns the exit code."""

import contextlib
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from wireproof.fatal import FatalError
from wireproof.model import Cell
from wireproof.run import Engine, ExitCode, RunEvent, RunFooter, RunHeader

__all__ = ["dispatch", "listen", "opened"]


def opened(stack: contextlib.ExitStack, path: str) -> TextIO:
    """Open a text file for writing; ``-`` is standard output.

    Raises:
        FatalError: the file cannot be written.
    """
    if path == "-":
        return sys.stdout
    try:
        return stack.enter_context(open(path, "w", encoding="utf-8"))
    except OSError as error:
        raise FatalError(f"cannot write {path}: {error.strerror}", "", ExitCode.USAGE) from error


def listen(
    engine: Engine,
    cells: Sequence[Cell],
    started: RunHeader,
    listeners: Sequence[Callable[[RunEvent], None]],
) -> ExitCode:
    """Run to the end, or to the first Ctrl-C. A second Ctrl-C ends the process at once."""

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        engine.interrupt()

    before = signal.signal(signal.SIGINT, stop), signal.signal(signal.SIGTERM, stop)
    try:
        return dispatch(engine, cells, started, listeners)
    finally:
        signal.signal(signal.SIGINT, before[0] or signal.SIG_DFL)
        signal.signal(signal.SIGTERM, before[1] or signal.SIG_DFL)


def dispatch(
    engine: Engine,
    cells: Sequence[Cell],
    started: RunHeader,
    listeners: Sequence[Callable[[RunEvent], None]],
) -> ExitCode:
    """Run, and pass each event to the listeners. Signals are those of the caller.

    Returns:
        the exit code of the run.
    """
    exit_code = ExitCode.BROKEN
    for listener in listeners:
        listener(started)
    for event in engine.run(cells):
        for listener in listeners:
            listener(event)
        if isinstance(event, RunFooter):
            exit_code = event.exit_code
    return exit_code
