"""A testee in a process of its own: lines in, lines out. It leaves no process."""

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

from wireproof.base.files.own_folders import OwnFolder, size_of
from wireproof.base.text.wording import signal_name
from wireproof.proof.testees.limits.time_limits import ResourceLimits
from wireproof.proof.testees.limits.watchdog import peak_bytes
from wireproof.proof.testees.process.lasting_thread import LASTING_THREAD
from wireproof.proof.testees.process.transport import LineReader, Outbox, ProcessEnd
from wireproof.proof.testees.testee_errors import ProtocolViolationError, TesteeError

_TASKS: Final = Path("/proc/self/task")


def _tree(pid: int) -> list[psutil.Process]:
    launched = psutil.Process(pid)
    return [launched, *launched.children(recursive=True)]


def tree_cpu_s(pid: int) -> float:
    """Return the processor time of a process and its descendants so far, in seconds."""
    spent = 0.0
    with contextlib.suppress(psutil.Error):
        for each in _tree(pid):
            with contextlib.suppress(psutil.Error):
                times = each.cpu_times()
                spent += times.user + times.system + times.children_user + times.children_system
    return spent


def find_clocks(pid: int) -> list[int]:
    """Return the clocks of a process and its descendants, as clock_getcpuclockid(3) makes them on Linux.

    Empty on other systems.
    """
    if not _TASKS.is_dir():
        return []
    with contextlib.suppress(psutil.Error):
        return [~each.pid << 3 | 2 for each in _tree(pid)]
    return []


def is_asleep(pid: int) -> bool:
    """Return whether no thread of a process or its descendants runs, is ready, or waits for a disk."""
    with contextlib.suppress(psutil.Error):
        return not any(map(_wants_processor, _tree(pid)))
    return True


def _wants_processor(process: psutil.Process) -> bool:
    if not _TASKS.is_dir():  # not Linux: only the state of the main thread is known
        with contextlib.suppress(psutil.Error):
            return bool(process.status() in (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP))
        return False
    with contextlib.suppress(OSError):
        for stat in Path(f"/proc/{process.pid}/task").glob("*/stat"):
            # The state follows the name, which is in parentheses and may contain any character (proc(5)).
            if stat.read_text(errors="replace").rpartition(")")[2].split()[0] in "RD":
                return True
    return False


_LAUNCHER: Final = str(Path(__file__).with_name("launcher.py"))
_READ_BYTES: Final = 1 << 18
_STDERR_BYTES: Final = 16384
"""The bytes kept of the end of standard error."""
_GRACE_S: Final = 2.0
"""The time that a testee has to exit by itself."""
_MEASURE_S: Final = 0.5
"""The time between two measurements of temporary files."""
_TOO_LARGE: Final = b"\nits temporary files are too large: limits.temporary_mib in its testee.toml\n"


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """A program that runs in processes of its own.

    Args:
        command: program and arguments.
        folder: its working directory; None for wireproof's own.
        environment: replaces wireproof's own.
        writable: a folder that the program may change, in addition to that for its temporary files.
        advice: what to do if it does not start; may be empty.
    """

    command: Sequence[str]
    folder: Path | None = None
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    environment: Mapping[str, str] | None = None
    writable: Path | None = None
    advice: str = ""

    @property
    def location(self) -> str:
        return "processes of its own"

    @property
    def by_hand(self) -> str:
        line = shlex.join(self.command)
        return line if self.folder is None else f"(cd {shlex.quote(str(self.folder.resolve()))} && {line})"

    def open(self) -> "TesteeProcess":
        """Start the program.

        Raises:
            TesteeError: there is no such program.
        """
        return TesteeProcess(self.command, self.folder, self.limits, self.environment, self.writable)


@dataclass(slots=True)
class TesteeProcess:
    """A `Transport` to a running testee. Closing it ends the process and everything that it started."""

    command: Sequence[str]
    folder: Path | None
    limits: ResourceLimits
    environment: Mapping[str, str] | None = None
    writable: Path | None = None
    enforced: Mapping[str, str] = field(default_factory=dict)
    _process: "subprocess.Popen[bytes]" = field(init=False)
    _selector: selectors.DefaultSelector = field(init=False)
    _outbox: Outbox = field(default_factory=Outbox)
    _reader: LineReader = field(init=False)
    _stderr: bytes = b""
    ended: bool = False
    _holds_thread: bool = True
    _clocks: list[int] | None = None
    _temporary: OwnFolder = field(init=False)
    _measured_at: float = 0.0

    def __post_init__(self) -> None:
        try:
            self._temporary = OwnFolder("testee")
        except OSError as error:
            raise TesteeError(
                f"cannot make a folder for temporary files of {self.command[0]}: {error.strerror}",
                "Set TMPDIR to a folder that can be written to.",
            ) from error
        try:
            self._start()
        except BaseException:
            self._temporary.remove()
            raise

    def _start(self) -> None:
        folders = [str(self._temporary.path), *([] if self.writable is None else [str(self.writable)])]
        self._reader = LineReader(self.limits.answer_bytes)
        reader, writer = os.pipe()
        command = [
            sys.executable,
            "-I",
            "-S",
            _LAUNCHER,
            str(writer),
            json.dumps(asdict(self.limits)),
            json.dumps(folders),
            *self.command,
        ]
        try:
            self._process = LASTING_THREAD.call_and_hold(
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
        with open(reader, "rb") as file:
            report = file.read()
        self.enforced = json.loads(report) if report else {}
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
        if not self._outbox and not self.ended:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        self._outbox.add(line)

    def read(self, timeout_s: float) -> list[bytes]:
        self._check_temporary_files()
        lines: list[bytes] = []
        for key, _ in self._selector.select(timeout_s):
            if key.fd == self._stdin:
                self._write()
            elif key.fd == self._stdout:
                lines = self._read_lines()
            else:
                self._read_stderr()
        return lines

    def stderr_text(self) -> str:
        self._read_all_stderr()
        return self._stderr.decode("utf-8", "replace")

    def cpu_s(self) -> float:
        return tree_cpu_s(self._process.pid)

    def peak_bytes(self, *, begin: bool = False) -> int | None:
        """Return the peak memory of the testee and its descendants since the last call with `begin`."""
        return peak_bytes(self._process.pid, begin=begin)

    def clock_s(self) -> float | None:
        """Return the processor time, by the clocks of the processes that it had at the first call."""
        if self._clocks is None:
            self._clocks = find_clocks(self._process.pid)
        try:
            return sum(map(time.clock_gettime, self._clocks)) if self._clocks else None
        except OSError:
            self._clocks = None  # one of them ended
            return None

    def asleep(self) -> bool:
        """Return whether no thread of the testee or its descendants runs, is ready, or waits for a disk."""
        return is_asleep(self._process.pid)

    def end(self) -> ProcessEnd:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_S if self.ended else 0)
        code = self._process.returncode
        if code is None:
            message = "closed its standard output" if self.ended else "was ended by wireproof"
        elif code >= 128 or code < 0:
            message = f"was killed by {signal_name(code - 128 if code >= 128 else -code)}"
        else:
            message = f"ended with exit code {code}"
        self.close()
        return ProcessEnd(message, self._stderr.decode("utf-8", "replace"))

    def close(self) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._read_all_stderr()
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()
        self.ended = True
        self._temporary.remove()
        if self._holds_thread:
            self._holds_thread = False
            LASTING_THREAD.release()

    def stop(self, line: bytes) -> bool:
        self.send(line)
        until = time.monotonic() + _GRACE_S
        with contextlib.suppress(ProtocolViolationError):
            while not self.ended and time.monotonic() < until:
                for _ in self.read(0.1):
                    pass
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_S if self.ended else 0)
        orderly = self._process.returncode == 0
        self.close()
        return orderly

    def _check_temporary_files(self) -> None:
        """End the testee if its files on the disk have more bytes than they may."""
        if time.monotonic() - self._measured_at < _MEASURE_S:
            return
        self._measured_at = time.monotonic()
        if size_of(self._temporary.path, self.limits.temporary_bytes) > self.limits.temporary_bytes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._stderr += _TOO_LARGE

    def _write(self) -> None:
        if self._outbox.flush(partial(os.write, self._stdin)):
            self._selector.unregister(self._stdin)

    def _read_lines(self) -> list[bytes]:
        data = os.read(self._stdout, _READ_BYTES)
        if data:
            return self._reader.take(data)
        self.ended = True
        self._selector.unregister(self._stdout)
        return []

    def _read_all_stderr(self) -> None:
        """Read what is waiting on standard error, up to a limit."""
        for _ in range(64):
            if not self._read_stderr():
                return

    def _read_stderr(self) -> bool:
        """Read once from standard error and keep the end; return whether there was any."""
        try:
            data = os.read(self._stderr_fd, _READ_BYTES)
        except BlockingIOError:
            return False
        except ValueError:
            return False  # already closed
        if not data:
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(self._stderr_fd)
            return False
        self._stderr = (self._stderr + data)[-_STDERR_BYTES:]
        return True
