"""Hangs of a testee in this process, which a thread watches and interrupts; the memory that it took.

The codec stays in the calling thread, because some codecs belong to one. If it works, or waits, too long, the
watchdog raises an exception in it: in the main thread by a signal, which also ends a wait; in other threads
at the next line of Python. A codec that swallows the exception, or that is inside a library that holds the
interpreter, cannot be interrupted. Then a worker process ends; the pool replaces it and finds the offending
case. The user's own process is never ended.
"""

import contextlib
import ctypes
import multiprocessing
import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, Final

from wireproof.proof.testees.limits.time_limits import POLL_S, HangDetector, HangError, TimeLimit

_GRACE_S: Final = 5.0
"""The wall-clock time that an interrupted codec has to end."""
_IDLE_S: Final = 5.0
"""The wall-clock time without a call after which the watching thread ends; the next call starts another."""
_MARGIN_S: Final = 3
"""Processor time beyond the limit after which the system ends a worker whose watching thread cannot run."""


class _BreakOff(BaseException):
    """Raised in a codec that hangs; not an `Exception`, so that the codec does not catch it as one."""


class Watchdog:
    """Interrupts calls of a testee in this process that take too long. Each testee has its own."""

    def __init__(self, limit: TimeLimit) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._busy = threading.Event()
        self._watched = False
        self._thread: threading.Thread | None = None
        self._call_number = 0
        self._inside = False
        self._message = ""
        self._spent_s = 0.0
        self._armed = False
        self._before: Any = None

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Watch the calls that this thread makes within the context."""
        own = threading.current_thread()
        main = own is threading.main_thread()
        if main:
            self._before = signal.signal(signal.SIGALRM, self._on_signal)
        self._call_number += 1
        self._thread = own
        self._arm()
        with self._lock:
            self._busy.set()
            if not self._watched:
                self._watched = True
                threading.Thread(target=self._watch, name="watchdog", daemon=True).start()
        try:
            yield
        finally:
            with self._lock:
                self._busy.clear()
                self._disarm()
            if main:
                signal.signal(signal.SIGALRM, self._before)

    def call(self, function: Callable[[], str]) -> str:
        """Call a function and return its result.

        Raises:
            HangError: it took too long, and was interrupted or ended by itself after that.
        """
        self._call_number += 1
        self._message, self._spent_s = "", 0.0
        try:
            self._inside = True
            answer = function()
            self._inside = False
        except _BreakOff:
            self._inside = False
            answer = ""
        if self._message:
            with self._lock:
                self._discard_pending_error()
            raise HangError(self._message, self._spent_s)
        return answer

    def _discard_pending_error(self) -> None:
        """Discard an exception that was set in this thread and not raised yet.

        It is set once more, raised and dropped. `PyThreadState_SetAsyncExc` with None would revoke it, but
        leaves the flag of a pending one. CPython 3.11 then loops for ever in a generator that is profiled.
        """
        with contextlib.suppress(_BreakOff):
            if self._thread is not None and self._thread is not threading.main_thread():
                _set_error(self._thread)
                while True:
                    time.sleep(0)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._inside and self._message:
            raise _BreakOff
        if callable(self._before):
            self._before(number, frame)  # a signal of another owner

    # The methods below run in the watching thread.

    def cpu_s(self) -> float:
        """Return the processor time of the calling thread."""
        clock = getattr(time, "pthread_getcpuclockid", None)
        if clock is None or self._thread is None or self._thread.ident is None:
            return time.process_time()
        return time.clock_gettime(clock(self._thread.ident))

    def asleep(self) -> bool:
        """Return whether that thread neither runs nor is ready; True if the system does not report it."""
        with contextlib.suppress(OSError):
            native = self._thread.native_id if self._thread is not None else 0
            stat = Path(f"/proc/self/task/{native}/stat").read_text(errors="replace")
            return stat.rpartition(")")[2].split()[0] not in "RD"
        return True

    def _watch(self) -> None:
        call_number, hangs, since = -1, HangDetector(self, self.limit), 0.0
        while True:
            called = self._busy.wait(_IDLE_S)
            time.sleep(POLL_S if called else 0)
            with self._lock:
                if not called and not self._busy.is_set():
                    self._watched = False
                    return
                if not self._busy.is_set():
                    continue
                self._arm()
                if call_number != self._call_number:
                    call_number, since = self._call_number, 0.0
                    hangs.limit = self.limit
                    hangs.reset()
                elif since:
                    self._break_off(since)
                else:
                    since = self._check(hangs)

    def _check(self, hangs: HangDetector) -> float:
        """Return the time at which the codec was interrupted; 0 if it has time left."""
        try:
            hangs.check()
        except HangError as error:
            self._message, self._spent_s = str(error), error.spent_s
            self._break_off(time.monotonic())
            return time.monotonic()
        return 0.0

    def _break_off(self, since: float) -> None:
        if time.monotonic() - since > _GRACE_S and _is_worker():
            os.kill(os.getpid(), signal.SIGXCPU)
        if not self._inside or self._thread is None or self._thread.ident is None:
            return
        if self._thread is threading.main_thread():
            signal.pthread_kill(self._thread.ident, signal.SIGALRM)
        else:
            _set_error(self._thread)

    def _arm(self) -> None:
        """Let the system end this process if the watching thread cannot check again in time."""
        if _is_worker():
            self._armed = True
            _end_after(time.process_time() + self.limit.cpu_s + _MARGIN_S)

    def _disarm(self) -> None:
        if self._armed:
            self._armed = False
            _end_after(None)


def _set_error(thread: threading.Thread) -> None:
    """Let a thread raise `_BreakOff` at its next line of Python."""
    ident, error = ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_BreakOff)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, error)


def _is_worker() -> bool:
    return multiprocessing.parent_process() is not None


def _end_after(cpu_s: float | None) -> None:
    """Set the processor time of this process after which the system ends it by SIGXCPU."""
    _, dump = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, dump))
    _, maximum = resource.getrlimit(resource.RLIMIT_CPU)
    wanted = resource.RLIM_INFINITY if cpu_s is None else int(cpu_s) + 1
    if maximum != resource.RLIM_INFINITY:
        wanted = maximum if wanted == resource.RLIM_INFINITY else min(wanted, maximum)
    resource.setrlimit(resource.RLIMIT_CPU, (wanted, maximum))


_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class PeakMemory:
    """The peak of a testee's memory, and the number of its process; each start has another number."""

    process: int
    peak_bytes: int


def peak_bytes(pid: int, *, begin: bool = False) -> int | None:
    """Return the peak of a process and its descendants, in bytes; None if it cannot be read.

    Args:
        begin: begin a new peak, so that the number is the memory resident now (proc(5): `clear_refs`, 5).
    """
    total = 0
    for each in _tree(pid):
        found = _peak(each, begin)
        if found is None:
            return None
        total += found
    return total or None


def _tree(pid: int) -> list[int]:
    """Return the process and its descendants."""
    found = [pid]
    for each in found:
        for children in (_PROC / str(each) / "task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += map(int, children.read_text(encoding="ascii").split())
    return found


def _peak(pid: int, begin: bool) -> int | None:
    folder = _PROC / str(pid)
    if begin:
        # If this is refused, the old peak stays: a growth above it is still seen.
        with contextlib.suppress(OSError):
            (folder / "clear_refs").write_text("5", encoding="ascii")
    with contextlib.suppress(OSError):
        for line in (folder / "status").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
        return 0  # it has just ended
    return None
