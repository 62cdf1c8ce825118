"""One process of a testee: lines in, lines out, nothing of it left behind."""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import psutil

from wireproof.testees.errors import BreachError, TesteeError

__all__ = ["Death", "Limits", "TesteeProcess"]

_LAUNCHER: Final = str(Path(__file__).with_name("launcher.py"))
_READ_BYTES: Final = 1 << 18
_STDERR_BYTES: Final = 4096
"""How much of the end of standard error is kept."""
_GRACE_S: Final = 2.0
"""How long a testee has to exit by itself."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a testee may use.

    Attributes:
        memory_bytes: address space of each of its processes.
        processes: how many; root cannot be held to it.
        descriptors: open files.
        answer_bytes: the length of a line.
        cpu_s: processor time between two answers, its own and its children's; beyond it, it hangs.
        silent_s: wall-clock time between two answers if it does not even work.
    """

    memory_bytes: int = 4 << 30
    processes: int = 64
    descriptors: int = 256
    answer_bytes: int = 512 << 20
    cpu_s: float = 10.0
    silent_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Death:
    """How a process ended; `stderr` is the end of what it said."""

    words: str
    stderr: str


@dataclass(slots=True)
class TesteeProcess:
    """A running testee. Ends it, with all that it started, when closed.

    Args:
        command: program and arguments.
        folder: its working directory.
        environment: of the process, in place of wireproof's own.
    """

    command: Sequence[str]
    folder: Path | None
    limits: Limits
    environment: Mapping[str, str] | None = None
    enforced: Mapping[str, str] = field(default_factory=dict)
    _process: "subprocess.Popen[bytes]" = field(init=False)
    _selector: selectors.DefaultSelector = field(init=False)
    _unsent: deque[memoryview] = field(default_factory=deque)
    _partial: list[bytes] = field(default_factory=list)
    _partial_bytes: int = 0
    _stderr: bytes = b""
    _ended: bool = False

    def __post_init__(self) -> None:
        reader, writer = os.pipe()
        command = [
            sys.executable,
            "-I",
            "-S",
            _LAUNCHER,
            str(writer),
            json.dumps(asdict(self.limits)),
            *self.command,
        ]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.folder,
                env=None if self.environment is None else dict(self.environment),
                pass_fds=[writer],
                start_new_session=True,
            )
        except OSError as error:
            os.close(reader)
            raise TesteeError(f"cannot start {self.command[0]} in {self.folder}: {error.strerror}") from error
        finally:
            os.close(writer)
        with open(reader, "rb") as report:
            told = report.read()
        self.enforced = json.loads(told) if told else {}
        self._selector = selectors.DefaultSelector()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr_fd, selectors.EVENT_READ)

    @property
    def _stdin(self) -> int:
        assert self._process.stdin is not None
        return self._process.stdin.fileno()

    @property
    def _stdout(self) -> int:
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    @property
    def _stderr_fd(self) -> int:
        assert self._process.stderr is not None
        return self._process.stderr.fileno()

    def send(self, line: bytes) -> None:
        """Queue a line; it goes out while `read` waits."""
        if not self._unsent and not self._ended:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        self._unsent.append(memoryview(line))

    @property
    def unsent_bytes(self) -> int:
        """Bytes that the testee has not taken yet."""
        return sum(map(len, self._unsent))

    def read(self, timeout_s: float) -> list[bytes]:
        """The lines that come within a time, as soon as there is any; nothing more after the end.

        Raises:
            BreachError: a line is longer than an answer may be.
        """
        lines: list[bytes] = []
        for key, _ in self._selector.select(timeout_s):
            if key.fd == self._stdin:
                self._write()
            elif key.fd == self._stdout:
                lines = self._lines()
            else:
                self._listen()
        return lines

    @property
    def ended(self) -> bool:
        """Whether its standard output is closed: nothing more will come."""
        return self._ended

    def heard(self) -> str:
        """The end of what it said on standard error so far."""
        self._drain()
        return self._stderr.decode("utf-8", "replace")

    def cpu_s(self) -> float:
        """Processor time of the testee and what it started, so far."""
        spent = 0.0
        with contextlib.suppress(psutil.Error):
            launched = psutil.Process(self._process.pid)
            for each in [launched, *launched.children(recursive=True)]:
                with contextlib.suppress(psutil.Error):
                    times = each.cpu_times()
                    spent += times.user + times.system + times.children_user + times.children_system
        return spent

    def death(self) -> Death:
        """Ends what is left of it, and tells how it ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_S if self._ended else 0)
        code = self._process.returncode
        if code is None:
            words = "closed its standard output" if self._ended else "was ended by wireproof"
        elif code >= 128 or code < 0:
            words = f"was killed by {_signal(code - 128 if code >= 128 else -code)}"
        else:
            words = f"ended with exit code {code}"
        self.close()
        return Death(words, self._stderr.decode("utf-8", "replace"))

    def close(self) -> None:
        """End it and all that it started."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._drain()
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()
        self._ended = True

    def stop(self, line: bytes) -> bool:
        """Say the last line, and wait for the orderly end; whether it came."""
        self.send(line)
        until = time.monotonic() + _GRACE_S
        with contextlib.suppress(BreachError):
            while not self._ended and time.monotonic() < until:
                for _ in self.read(0.1):
                    pass
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_S if self._ended else 0)
        orderly = self._process.returncode == 0
        self.close()
        return orderly

    def _write(self) -> None:
        try:
            while self._unsent:
                sent = os.write(self._stdin, self._unsent[0])
                if sent == len(self._unsent[0]):
                    self._unsent.popleft()
                else:
                    self._unsent[0] = self._unsent[0][sent:]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent.clear()
        self._selector.unregister(self._stdin)

    def _lines(self) -> list[bytes]:
        data = os.read(self._stdout, _READ_BYTES)
        if not data:
            self._ended = True
            self._selector.unregister(self._stdout)
            return []
        first, *others = data.split(b"\n")
        self._partial.append(first)
        self._partial_bytes += len(first)
        if self._partial_bytes > self.limits.answer_bytes:
            start = b"".join(self._partial)[:60].decode("utf-8", "replace")
            most = self.limits.answer_bytes
            raise BreachError(f"a line longer than {most} bytes, which begins with {start!r}")
        if not others:
            return []
        lines = [b"".join(self._partial), *others[:-1]]
        self._partial, self._partial_bytes = [others[-1]], len(others[-1])
        return lines

    def _drain(self) -> None:
        """Take what stands on standard error, but not all of a flood."""
        for _ in range(64):
            if not self._listen():
                return

    def _listen(self) -> bool:
        """Keep the end of what it says on standard error; whether there was any."""
        try:
            data = os.read(self._stderr_fd, _READ_BYTES)
        except BlockingIOError:
            return False
        except ValueError:
            return False  # closed before
        if not data:
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(self._stderr_fd)
            return False
        self._stderr = (self._stderr + data)[-_STDERR_BYTES:]
        return True


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
