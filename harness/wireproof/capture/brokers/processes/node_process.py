"""A node as a process: bound to this process, with its output in a file."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from wireproof.capture.capture_error import CaptureError

__all__ = ["NodeProcess", "log_excerpt", "die_with_parent_command"]

_DIE_WITH_PARENT: Final = str(Path(__file__).with_name("die_with_parent.py"))
_LAST_LINES: Final = 12
_COMPLAINTS: Final = (" ERROR ", " FATAL ", "Exception: ", "Error: ")
_MOST_COMPLAINTS: Final = 6


class NodeProcess:
    """A running process. It must be started by a thread that lives as long as it should.

    Args:
        command: the program, with its whole path, and arguments.
        log: what it says goes to the end of this file.

    Raises:
        CaptureError: the log cannot be written.
    """

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self.log = log
        try:
            with log.open("ab") as words:
                self._process = subprocess.Popen(
                    die_with_parent_command(command),
                    stdin=subprocess.DEVNULL,
                    stdout=words,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,  # Ctrl-C is for wireproof, which ends its nodes in order
                )
        except OSError as error:
            raise CaptureError(f"cannot start {command[0]}: {error}") from error

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def ended(self) -> str:
        """The end of the process as text; ``""`` while it runs."""
        code = self._process.poll()
        if code is None:
            return ""
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    def ask_to_stop(self) -> None:
        """Begin an orderly end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self._signal(signal.SIGKILL)
        self._process.wait()

    def wait(self, timeout_s: float) -> bool:
        """Wait for its end; whether it came."""
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _signal(self, number: signal.Signals) -> None:
        if self._process.poll() is None:
            self._process.send_signal(number)


def die_with_parent_command(command: Sequence[str]) -> list[str]:
    """Return the command with a wrapper that ends its process when this one ends."""
    return [sys.executable, "-I", "-S", _DIE_WITH_PARENT, str(os.getpid()), *command]


def log_excerpt(log: Path, count: int = _LAST_LINES) -> str:
    """What a message about the writer of a log ends with: its first complaints and its end, indented."""
    try:
        with log.open(encoding="utf-8", errors="replace") as words:
            lines = [line.rstrip() for line in words]
    except OSError as error:
        return f"  (its log cannot be read: {error.strerror})"
    end = lines[-count:]
    # A node that fails says why first, and then at length how it shuts down.
    complaints = [line for line in lines[:-count] if any(sign in line for sign in _COMPLAINTS)][
        :_MOST_COMPLAINTS
    ]
    if complaints:
        end = [*complaints, "...", *end]
    return "\n".join(f"  {line}" for line in end) or "  (it said nothing)"
