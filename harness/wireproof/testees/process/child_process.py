"""One process of a testee: lines in, lines out, nothing of it left behind."""

import contextlib
import json
import os
import selectors
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import psutil

from wireproof.testees.limits.resource_limits import ResourceLimits
from wireproof.testees.process.line_buffers import LineReader, Outbox
from wireproof.testees.process.peak_memory import peak_bytes
from wireproof.testees.process.process_parent import on_lasting_thread
from wireproof.testees.process.transport import ProcessEnd
from wireproof.testees.testee_errors import ProtocolViolationError, TesteeError

__all__ = ["ChildProcess", "TesteeProcess"]

_LAUNCHER: Final = str(Path(__file__).with_name("launcher.py"))
_READ_BYTES: Final = 1 << 18
_TASKS: Final = Path("/proc/self/task")
_STDERR_BYTES: Final = 4096
"""How much of the end of standard error is kept."""
_GRACE_S: Final = 2.0
"""How long a testee has to exit by itself."""


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """A program to run in processes of its own.

    Args:
        command: program and arguments.
        folder: its working directory; None for wireproof's own.
        environment: of the process, in place of wireproof's own.
    """

    command: Sequence[str]
    folder: Path | None = None
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    environment: Mapping[str, str] | None = None

    @property
    def words(self) -> str:
        return "processes of its own"

    @property
    def by_hand(self) -> str:
        line = shlex.join(self.command)
        return line if self.folder is None else f"(cd {shlex.quote(str(self.folder.resolve()))} && {line})"

    def open(self) -> "TesteeProcess":
        """Start it.

        Raises:
            TesteeError: there is no such program.
        """
        return TesteeProcess(self.command, self.folder, self.limits, self.environment)


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
    limits: ResourceLimits
    environment: Mapping[str, str] | None = None
    enforced: Mapping[str, str] = field(default_factory=dict)
    _process: "subprocess.Popen[bytes]" = field(init=False)
    _selector: selectors.DefaultSelector = field(init=False)
    _outbox: Outbox = field(default_factory=Outbox)
    _reader: LineReader = field(init=False)
    _stderr: bytes = b""
    _ended: bool = False
    _clocks: list[int] | None = None

    def __post_init__(self) -> None:
        self._reader = LineReader(self.limits.answer_bytes)
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
            self._process = on_lasting_thread(
                subprocess.Popen,
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
        if not self._outbox and not self._ended:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        self._outbox.add(line)

    def read(self, timeout_s: float) -> list[bytes]:
        """The lines that come within a time, as soon as there is any; nothing more after the end.

        Raises:
            ProtocolViolationError: a line is longer than an answer may be.
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

    def peak_bytes(self, *, begin: bool = False) -> int | None:
        """The most memory of the testee and what it started since this was last asked with `begin`."""
        return peak_bytes(self._process.pid, begin=begin)

    def spent_s(self) -> float | None:
        """Processor time of the processes that it had when it was first asked for, by their clocks."""
        if self._clocks is None:
            self._clocks = self._find_clocks()
        try:
            return sum(map(time.clock_gettime, self._clocks)) if self._clocks else None
        except OSError:
            self._clocks = None  # one of them ended
            return None

    def _find_clocks(self) -> list[int]:
        """The clocks of its processes, as clock_getcpuclockid(3) makes them on Linux."""
        if not _TASKS.is_dir():
            return []
        with contextlib.suppress(psutil.Error):
            launched = psutil.Process(self._process.pid)
            return [~each.pid << 3 | 2 for each in [launched, *launched.children(recursive=True)]]
        return []

    def asleep(self) -> bool:
        """Whether no thread of the testee, or of what it started, runs, waits to run, or waits for a disk."""
        with contextlib.suppress(psutil.Error):
            launched = psutil.Process(self._process.pid)
            return not any(map(_wants_processor, [launched, *launched.children(recursive=True)]))
        return True

    def death(self) -> ProcessEnd:
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
        return ProcessEnd(words, self._stderr.decode("utf-8", "replace"))

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
        with contextlib.suppress(ProtocolViolationError):
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
            self._outbox.flush(partial(os.write, self._stdin))
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._outbox.clear()
        self._selector.unregister(self._stdin)

    def _lines(self) -> list[bytes]:
        data = os.read(self._stdout, _READ_BYTES)
        if data:
            return self._reader.take(data)
        self._ended = True
        self._selector.unregister(self._stdout)
        return []

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


def _wants_processor(process: psutil.Process) -> bool:
    if not _TASKS.is_dir():  # not Linux: the main thread must do
        with contextlib.suppress(psutil.Error):
            return bool(process.status() in (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP))
        return False
    with contextlib.suppress(OSError):
        for stat in Path(f"/proc/{process.pid}/task").glob("*/stat"):
            # The state stands behind the name, which is in parentheses and may hold any (proc(5)).
            if stat.read_text(errors="replace").rpartition(")")[2].split()[0] in "RD":
                return True
    return False


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
