"""Workers that ignore Ctrl-C: a terminal sends it to all processes, and the parent alone acts on it.

A process that ignores a signal only once it runs prints a traceback where the signal comes while it is still
importing. So the parent blocks the signal while it starts a worker, who inherits that.
"""

import signal
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess

__all__ = ["ignore_interrupts", "start_ignoring_interrupts"]

_CTRL_C = frozenset({signal.SIGINT})


def start_ignoring_interrupts(process: BaseProcess) -> None:
    """Start a worker that hears no Ctrl-C; its body has to call `ignore_interrupts` first of all."""
    resource_tracker.ensure_running()  # its first start takes the signal from the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _CTRL_C)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Ignore Ctrl-C from now on, and what came of it since the start; so do the programs it starts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _CTRL_C)
