"""The event loop of a run: it passes each event to the listeners and returns the exit code."""

import contextlib
import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from wireproof.app.cli.events.stop_signals import StopSignals
from wireproof.base.fatal import FatalError
from wireproof.model import Cell
from wireproof.proof.run import Engine, ExitCode, RunEvent, RunFooter, RunHeader

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
    """Run to the end, or to the first Ctrl-C, SIGTERM or SIGHUP. A second one ends the process at once."""

    with StopSignals() as signals, signals.interrupting(engine.interrupt):
        return dispatch(engine, cells, started, listeners)


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
