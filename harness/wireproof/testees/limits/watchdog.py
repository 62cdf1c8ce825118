"""A hang of what runs in this very process: a thread looks on, and breaks it off where Python can.

The codec stays in the thread that asks, for some belong to one. Where it works, or waits, too long, an
exception is raised in it: by a signal in the main thread, which ends a wait, too; in others at the next line
of Python. What swallows that, or is inside a library that holds the interpreter, cannot be stopped: then a
worker process ends, and the pool replaces it and finds the guilty case. The user's own is left alone.
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
from pathlib import Path
from types import FrameType
from typing import Any, Final

from wireproof.testees.limits.time_limits import POLL_S, HangDetector, HangError, TimeLimit

__all__ = ["Watchdog"]

_GRACE_S: Final = 5.0
"""What is told to end has so long, by the clock, to do so."""
_MARGIN_S: Final = 3
"""Processor time beyond the limit: then the system ends a worker in which not even the look-out runs."""


class _BreakOff(BaseException):
    """Raised in a codec that hangs; no error of its own, so that it is not caught as one."""


class Watchdog:
    """Sees to it that each question is answered in time. One for each testee in this process.

    Attributes:
        allowed: what the next call may take.
    """

    def __init__(self, allowed: TimeLimit) -> None:
        self.allowed = allowed
        self._lock = threading.Lock()
        self._busy = threading.Event()
        self._thread: threading.Thread | None = None
        self._turn = 0
        self._inside = False
        self._words = ""
        self._spent_s = 0.0
        self._armed = False
        self._before: Any = None

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """While questions are asked in this thread."""
        if self._thread is None:
            threading.Thread(target=self._look_on, name="look-out", daemon=True).start()
        own = threading.current_thread()
        main = own is threading.main_thread()
        if main:
            self._before = signal.signal(signal.SIGALRM, self._on_signal)
        self._turn += 1
        self._thread = own
        self._arm()
        self._busy.set()
        try:
            yield
        finally:
            with self._lock:
                self._busy.clear()
                self._disarm()
            if main:
                signal.signal(signal.SIGALRM, self._before)

    def ask(self, call: Callable[[], str]) -> str:
        """What a call gives, in time.

        Raises:
            HangError: it took too long, and was broken off, or came to an end when it was told to.
        """
        self._turn += 1
        self._words, self._spent_s = "", 0.0
        try:
            self._inside = True
            answer = call()
            self._inside = False
        except _BreakOff:
            self._inside = False
            answer = ""
        if self._words:
            with self._lock:
                self._calm()
            raise HangError(self._words, self._spent_s)
        return answer

    def _calm(self) -> None:
        """Whatever was raised in this thread and did not come yet."""
        with contextlib.suppress(_BreakOff):
            if self._thread is not None and self._thread is not threading.main_thread():
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread.ident or 0), None)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._inside and self._words:
            raise _BreakOff
        if callable(self._before):
            self._before(number, frame)  # somebody else's

    # Of the thread that looks on.

    def cpu_s(self) -> float:
        """Processor time of the thread that asks."""
        clock = getattr(time, "pthread_getcpuclockid", None)
        if clock is None or self._thread is None or self._thread.ident is None:
            return time.process_time()
        return time.clock_gettime(clock(self._thread.ident))

    def asleep(self) -> bool:
        """Whether that thread neither runs nor waits to run; so it is where the system does not tell."""
        with contextlib.suppress(OSError):
            native = self._thread.native_id if self._thread is not None else 0
            stat = Path(f"/proc/self/task/{native}/stat").read_text(errors="replace")
            return stat.rpartition(")")[2].split()[0] not in "RD"
        return True

    def _look_on(self) -> None:
        turn, watch, since = -1, HangDetector(self, self.allowed), 0.0
        while True:
            self._busy.wait()
            time.sleep(POLL_S)
            with self._lock:
                if not self._busy.is_set():
                    continue
                self._arm()
                if turn != self._turn:
                    turn, since = self._turn, 0.0
                    watch.allowed = self.allowed
                    watch.heard()
                elif since:
                    self._break_off(since)
                else:
                    since = self._looked(watch)

    def _looked(self, watch: HangDetector) -> float:
        """When it was told to end; 0 where it has time left."""
        try:
            watch.look()
        except HangError as error:
            self._words, self._spent_s = str(error), error.spent_s
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
            wanted = ctypes.py_object(_BreakOff)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread.ident), wanted)

    def _arm(self) -> None:
        """Let the system end this process if the look-out does not get to look again in time."""
        if _is_worker():
            self._armed = True
            _end_after(time.process_time() + self.allowed.cpu_s + _MARGIN_S)

    def _disarm(self) -> None:
        if self._armed:
            self._armed = False
            _end_after(None)


def _is_worker() -> bool:
    return multiprocessing.parent_process() is not None


def _end_after(cpu_s: float | None) -> None:
    """Set how much processor time this process may have had when the system ends it by SIGXCPU."""
    _, dump = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, dump))
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    wanted = resource.RLIM_INFINITY if cpu_s is None else int(cpu_s) + 1
    if most != resource.RLIM_INFINITY:
        wanted = most if wanted == resource.RLIM_INFINITY else min(wanted, most)
    resource.setrlimit(resource.RLIMIT_CPU, (wanted, most))
