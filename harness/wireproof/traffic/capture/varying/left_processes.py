"""Processes that a program left running in sessions of their own."""

import os
import select
import signal
from pathlib import Path
from typing import Final

__all__ = ["end_left_processes"]

_END_S: Final = 5.0
_PROC: Final = Path("/proc")


def end_left_processes(variable: str, value: str) -> int:
    """Kill all processes whose environment has the variable with this value; return their number.

    Returns when they have ended. Does nothing where the system has no `/proc` with environments.
    """
    wanted = f"{variable}={value}".encode()
    ended = 0
    for folder in _PROC.glob("[0-9]*"):
        try:
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                _kill(int(folder.name))
                ended += 1
        except OSError:
            continue  # it ended, or is of another user
    return ended


def _kill(process: int) -> None:
    descriptor = os.pidfd_open(process)
    try:
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        select.select([descriptor], [], [], _END_S)
    finally:
        os.close(descriptor)
