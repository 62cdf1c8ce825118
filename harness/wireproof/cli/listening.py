"""A run with its listeners, to its end or to Ctrl-C."""

import signal
from collections.abc import Callable, Sequence

from wireproof.model import Cell
from wireproof.run import Engine, ExitCode, RunEvent, RunFinished, RunStarted

__all__ = ["listen"]


def listen(
    engine: Engine,
    cells: Sequence[Cell],
    started: RunStarted,
    listeners: Sequence[Callable[[RunEvent], None]],
) -> int:
    """Run to the end, or to the first Ctrl-C: a second one ends it at once."""

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        engine.interrupt()

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    exit_code = ExitCode.BROKEN
    for listener in listeners:
        listener(started)
    for event in engine.run(cells):
        for listener in listeners:
            listener(event)
        if isinstance(event, RunFinished):
            exit_code = event.exit_code
    return int(exit_code)
