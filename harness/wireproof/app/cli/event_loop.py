"""The event loop of a run: it passes each event to the listeners and returns the exit code."""

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TextIO

from wireproof.base.exit_codes import ExitCode, as_fatal
from wireproof.model.cell import Cell
from wireproof.proof.run.core.run_events import RunEvent, RunFooter, RunHeader
from wireproof.proof.run.engine.engine import Engine

_STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopSignals:
    """Handles the signals that end the command. Use as a context manager, in the main thread.

    During a run the first signal ends the run, which keeps what it found. The second one, and any signal at
    another time, raises `KeyboardInterrupt`.

    Attributes:
        stopped: whether a signal came.
    """

    def __init__(self) -> None:
        self.stopped = False
        self._interrupt: Callable[[], object] | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "StopSignals":
        taken = (each for each in _STOPPING if signal.getsignal(each) is not signal.SIG_IGN)  # nohup
        self._before = {each: signal.signal(each, self._handle) for each in taken}
        return self

    def __exit__(self, *_: object) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler or signal.SIG_DFL)

    @contextlib.contextmanager
    def interrupting(self, interrupt: Callable[[], object]) -> Iterator[None]:
        """Call a function for the first signal in the block."""
        self._interrupt = interrupt
        try:
            yield
        finally:
            self._interrupt = None

    def _handle(self, *_: object) -> None:
        again, self.stopped = self.stopped, True
        if self._interrupt is None or again:
            raise KeyboardInterrupt
        self._interrupt()


def opened(path: str) -> contextlib.AbstractContextManager[TextIO]:
    """Open a text file for writing; ``-`` is standard output. `FatalError` if the file cannot be written."""
    if path == "-":
        return contextlib.nullcontext(sys.stdout)
    with as_fatal(OSError, what=f"cannot write {path}: "):
        return open(path, "w", encoding="utf-8")


def listen(
    engine: Engine, cells: Sequence[Cell], started: RunHeader, listeners: Sequence[Callable[[RunEvent], None]]
) -> ExitCode:
    """Run to the end, or to the first Ctrl-C, SIGTERM or SIGHUP. A second one ends the process at once."""

    with StopSignals() as signals, signals.interrupting(engine.interrupt):
        return dispatch(engine, cells, started, listeners)


def dispatch(
    engine: Engine, cells: Sequence[Cell], started: RunHeader, listeners: Sequence[Callable[[RunEvent], None]]
) -> ExitCode:
    """Run, pass each event to the listeners, and return the exit code. The caller handles signals."""
    exit_code = ExitCode.BROKEN
    for listener in listeners:
        listener(started)
    for event in engine.run(cells):
        for listener in listeners:
            listener(event)
        if isinstance(event, RunFooter):
            exit_code = event.exit_code
    return exit_code
