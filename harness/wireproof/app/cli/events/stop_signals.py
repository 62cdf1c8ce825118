"""Ctrl-C, SIGTERM and SIGHUP during a run."""

import contextlib
import signal
from collections.abc import Callable, Iterator
from typing import Any, Final

__all__ = ["StopSignals"]

_STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopSignals:
    """Handles the signals that end the command. Use as a context manager, in the main thread.

    During a run the first signal ends the run, which keeps what it found. The second one, and any signal at
    another time, raises `KeyboardInterrupt`.

    Attributes:
        stopped: a signal came.
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
