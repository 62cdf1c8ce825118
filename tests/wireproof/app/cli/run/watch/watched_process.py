"""A `wireproof run --watch` as a process on a terminal of its own, which tests type into and read."""

import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psutil

WAIT_S: Final = 120.0
"""The longest wait for a line. A line ends it."""

_START: Final = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from wireproof.app.cli import main
sys.argv[0] = "wireproof"
main()
"""
_DEVELOPMENT: Final = ("PYTHONWARNINGS", "PYTHONDEVMODE")
_ESCAPE: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class WatchedProcess:
    """The process. Its output is read by a thread."""

    def __init__(self, process: "subprocess.Popen[bytes]", terminal: int) -> None:
        self.process = process
        self._terminal = terminal
        self._output = b""
        self._changed = threading.Condition()
        self._over = False
        self._read_to = 0
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    @property
    def raw(self) -> str:
        """All output with its escape sequences."""
        return self._output.decode("utf-8", "replace")

    def type(self, keys: bytes) -> None:
        """Type keys on the terminal."""
        os.write(self._terminal, keys)

    def wait_for(self, text: str) -> str:
        """Wait for a text after the last one; return the output between, without escape sequences."""
        with self._changed:
            found = self._changed.wait_for(lambda: self._over or self._find(text) >= 0, WAIT_S)
            end = self._find(text)
            assert found, f"no {text!r} in time: {self._since()}"
            assert end >= 0, f"the process ended without {text!r}: {self._since()}"
            shown, self._read_to = self._output[self._read_to : end], end
            return _ESCAPE.sub("", shown.decode("utf-8", "replace"))

    def ended(self) -> int:
        """Wait for the end; return the exit code. No process that it started may be left."""
        code = self.process.wait(WAIT_S)
        self._reader.join(WAIT_S)
        return code

    def children(self) -> list[psutil.Process]:
        """Return the processes that the run started itself."""
        return psutil.Process(self.process.pid).children()

    def descendants(self) -> list[psutil.Process]:
        """Return the processes below this one."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def _find(self, text: str) -> int:
        at = self._output.find(text.encode(), self._read_to)
        return at if at < 0 else at + len(text.encode())

    def _since(self) -> str:
        return self._output[self._read_to :].decode("utf-8", "replace")

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._terminal, 65536)
            except OSError:  # Linux: the last process on the terminal has ended
                data = b""
            with self._changed:
                self._output += data
                self._over = not data
                self._changed.notify_all()
            if not data:
                return


@contextmanager
def watched(folder: Path, words: Sequence[str], **env: str) -> Iterator[WatchedProcess]:
    """Start `wireproof run --watch` with more words in a folder; it is killed at the end if it still runs."""
    terminal, its_side = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _START, "run", "--watch", *words],
        stdin=its_side,
        stdout=its_side,
        stderr=its_side,
        cwd=folder,
        start_new_session=True,
        env={**_environment(), "TERM": "xterm", **env},
    )
    os.close(its_side)
    watched_process = WatchedProcess(process, terminal)
    try:
        yield watched_process
    finally:
        process.kill()
        process.wait(WAIT_S)
        watched_process._reader.join(WAIT_S)
        os.close(terminal)


def _environment() -> dict[str, str]:
    """The environment of a user: Python's development mode warns of testees that end with a worker."""
    return {name: text for name, text in os.environ.items() if name not in _DEVELOPMENT}
