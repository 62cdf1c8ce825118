"""Record what commands print in a pseudo-terminal, with the time of each piece."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from docs.pictures.recipes import TypedCommand

ROWS: Final = 60
"""Rows of the pseudo-terminal: more than a picture has, so that nothing scrolls."""

_CHECKOUT: Final = str(Path(__file__).parents[2])

_UNWANTED: Final = ("CI", "GITHUB_ACTIONS", "GITLAB_CI", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
"""Variables that change what the commands print."""


@dataclass(frozen=True, slots=True)
class OutputChunk:
    """Bytes that a command printed at once.

    Attributes:
        seconds: time since the start of the command.
        data: the bytes.
    """

    seconds: float
    data: bytes


class CommandFailedError(Exception):
    """A command of a recipe ended with another exit code than the recipe gives."""


def environment() -> dict[str, str]:
    """Return the environment of the commands: this interpreter's programs first, UTF-8, colours,
    and the repository as `CHECKOUT`."""
    kept = {key: value for key, value in os.environ.items() if key not in _UNWANTED}
    path = f"{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', '')}"
    quiet = {"PYTHONWARNINGS": "", "PYTHONDEVMODE": ""}
    return {
        **kept,
        **quiet,
        "PATH": path,
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
        "CHECKOUT": _CHECKOUT,
    }


def prepare(lines: Sequence[str], folder: Path) -> None:
    """Run lines of bash in `folder`, without a terminal.

    Raises:
        CommandFailedError: a line ends with another code than 0.
    """
    for line in lines:
        run_quietly(TypedCommand(line), folder)


def run_quietly(command: TypedCommand, folder: Path) -> None:
    """Run one command in `folder`, without a terminal.

    Raises:
        CommandFailedError: it ends with another exit code than expected.
    """
    done = subprocess.run(
        ["bash", "-c", command.line],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    _expect(command, done.returncode, done.stdout)


def record(command: TypedCommand, folder: Path, *, columns: int) -> list[OutputChunk]:
    """Run one command in `folder` in a pseudo-terminal of `columns` by `ROWS` characters.

    Raises:
        CommandFailedError: it ends with another exit code than expected.
    """
    own, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    started = time.monotonic()
    process = _start(command.line, folder, environment(), theirs)
    os.close(theirs)
    chunks = []
    try:
        while data := _read(own):
            chunks.append(OutputChunk(time.monotonic() - started, data))
    finally:
        os.close(own)
        code = process.wait()
    _expect(command, code, b"".join(chunk.data for chunk in chunks).decode(errors="replace"))
    return chunks


def _start(line: str, folder: Path, env: Mapping[str, str], terminal: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["bash", "-c", line],
        cwd=folder,
        env=env,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )


def _read(terminal: int) -> bytes:
    """Read what is there; empty bytes once the other end is closed, which Linux reports as an error."""
    try:
        return os.read(terminal, 65_536)
    except OSError:
        return b""


def _expect(command: TypedCommand, code: int, printed: str) -> None:
    if code != command.exit_code:
        raise CommandFailedError(
            f"{command.line!r} ended with {code}: expected {command.exit_code}: "
            f"repair the command or its recipe\n{printed}"
        )
