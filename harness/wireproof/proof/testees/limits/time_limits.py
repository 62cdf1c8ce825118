"""The time that a testee may take for an answer, computed from the times of its earlier answers."""

import time
from dataclasses import dataclass
from typing import Final, Protocol

from wireproof.model.codec_ends import HANG_BUDGET_S


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """The limits of a testee.

    Attributes:
        memory_bytes: address space of each of its processes; for a container its whole memory.
        processes: the number of its processes; not enforced for root.
        descriptors: the number of open files.
        answer_bytes: the length of a line of answers.
        temporary_bytes: the size of a process's temporary files; not enforced for a container.
        cpu_s: processor time between two answers, with its descendants; a testee that exceeds it hangs.
        silent_s: wall-clock time between two answers in which no thread of it wants a processor.
    """

    memory_bytes: int = 4 << 30
    processes: int = 64
    descriptors: int = 1024
    answer_bytes: int = 64 << 20
    temporary_bytes: int = 256 << 20
    cpu_s: float = 10.0
    silent_s: float = 60.0


POLL_S: Final = 0.25
"""The time between two checks of a silent testee."""
QUICK_POLL_S: Final = 0.01
"""The same for a request that has only a short time."""
_ASLEEP_S: Final = 0.5
"""A testee that took less processor time than this during its silence sleeps."""

_SLOWEST_FACTOR: Final = 20
"""A request is suspected after this many times the time of the slowest answer so far."""
_LINE_FACTOR: Final = 2
"""A line of many requests may take this many times as long as if each were the slowest one so far."""
_MIN_S: Final = 0.5
"""Processor time that every request has: garbage collectors and just-in-time compilers run at any time."""
_QUICK_S: Final = 0.05
"""The same for a request that has only a short time, because similar requests hang."""
_UNKNOWN_S: Final = 2.0
"""The same before the first answer."""
_S_PER_BYTE: Final = 1e-5
"""Processor time in addition to every limit, for each byte of the requests in the line."""
_SECOND_FACTOR: Final = 2
"""The second attempt has this many times the processor time of the first, or of the slowest start."""
_SILENT_S: Final = 2.0
_SECOND_SILENT_S: Final = 6.0
"""Time asleep of the first attempt, and of the second."""
_MAX_S: Final = HANG_BUDGET_S / 8
"""The most processor time of a first attempt; a second one has at most twice as much, so that a run has time
for several verdicts. The limit is the same for any number of workers."""


class HangError(Exception):
    """An error: the testee gave no answer in time.

    Attributes:
        spent_s: the time spent on the request: processor time, or the time asleep.
    """

    def __init__(self, message: str, spent_s: float) -> None:
        super().__init__(message)
        self.spent_s = spent_s


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """The limits of one attempt.

    Attributes:
        cpu_s: processor time between two lines of answers.
        silent_s: wall-clock time between two lines of answers in which no thread wants a processor.
    """

    cpu_s: float
    silent_s: float


class AnswerTimes:
    """The times of the answers, and the limits of the next attempts.

    Only processor time counts, so that a busy machine makes no request suspected.

    Args:
        limits: the upper limits of every attempt; the size of the requests adds to them.
        measured: processor time and sleep can be read at any time. If not, every attempt has the full limits.
    """

    def __init__(self, limits: ResourceLimits, *, measured: bool = True) -> None:
        self._limits = limits
        self._measured = measured
        self._max_s = _MAX_S
        self._slowest_s: float | None = None
        self._before_s: float | None = None
        self._cold_s = 0.0

    def begin_cell(self) -> None:
        """Begin another cell: its own answers count as soon as there are any."""
        if self._slowest_s is not None:
            self._before_s, self._slowest_s = self._slowest_s, None

    def answered(self, cpu_s: float, *, answers: int = 1, cold: bool = False) -> None:
        """Note the time of an answer, or of a line of several answers.

        Args:
            answers: their number; each counts with an equal part.
            cold: the first answer of a process, which also starts up.
        """
        if cold:
            self._cold_s = max(self._cold_s, cpu_s)
        else:
            self._slowest_s = max(self._slowest_s or 0.0, cpu_s / answers)

    def first(self, size: int, requests: int = 1, *, patient: bool = False) -> TimeLimit:
        """Return the limits of a first attempt; a request that exceeds them is suspected.

        Args:
            size: the length of the request, or of its line.
            patient: return the limits of a second attempt, for a whole line: exceeding them is a hang.
        """
        first_s = self._first_s(size, requests)
        if not patient:
            return TimeLimit(first_s, self._silent_s(_SILENT_S))
        cpu_s = min(max(_SECOND_FACTOR * first_s, self.second(size).cpu_s), self._limits.cpu_s)
        return TimeLimit(cpu_s + size * _S_PER_BYTE, self._silent_s(_SECOND_SILENT_S))

    def second(self, size: int) -> TimeLimit:
        """Return the limits of an attempt as the first request of a process; exceeding them is a hang."""
        wanted = _SECOND_FACTOR * max(self._first_s(0), self._cold_s)
        cpu_s = min(wanted, self._limits.cpu_s, 2 * self._max_s) + size * _S_PER_BYTE
        return TimeLimit(cpu_s, self._silent_s(_SECOND_SILENT_S))

    def quick(self, size: int) -> TimeLimit:
        """Return the limits of the only attempt of a request that probably hangs."""
        known_s = self._before_s if self._slowest_s is None else self._slowest_s
        wanted = max(_QUICK_S, _SLOWEST_FACTOR * (known_s or 0.0))
        return TimeLimit(min(wanted, self._first_s(0)) + size * _S_PER_BYTE, self._silent_s(_SILENT_S))

    def verdict_s(self, size: int) -> float:
        """Return the time to find an offending request: once among others, once in the search, once alone."""
        return 2 * self._first_s(size) + self.second(size).cpu_s

    def _silent_s(self, wanted: float) -> float:
        return min(self._limits.silent_s, wanted) if self._measured else self._limits.silent_s

    def _first_s(self, size: int, requests: int = 1) -> float:
        most = min(self._max_s, self._limits.cpu_s)
        if not self._measured:
            return most + size * _S_PER_BYTE
        known_s = self._before_s if self._slowest_s is None else self._slowest_s
        times = max(_SLOWEST_FACTOR, _LINE_FACTOR * requests)
        wanted = _UNKNOWN_S if known_s is None else max(_MIN_S, times * known_s)
        return min(wanted, most) + size * _S_PER_BYTE


class Watchable(Protocol):
    """A process or thread whose answer is awaited."""

    def cpu_s(self) -> float:
        """Return its processor time so far."""

    def asleep(self) -> bool:
        """Return whether it does not want a processor now."""


class HangDetector:
    """Detects that a silent process works, or sleeps, for too long.

    Args:
        poll_s: seconds between two checks.
    """

    def __init__(self, watched: Watchable, limit: TimeLimit, poll_s: float = POLL_S) -> None:
        self._watched = watched
        self._poll_s = poll_s
        self.limit = limit
        self.reset()

    def reset(self) -> None:
        """Begin again after an answer."""
        self._cpu_s: float | None = None
        self._asleep_s = 0.0
        self._checked = time.monotonic()

    def check(self) -> None:
        """Raise `HangError` if the time is used up."""
        passed = time.monotonic() - self._checked
        if passed < self._poll_s:
            return
        self._checked += passed
        if self._watched.asleep():
            # On a busy machine this process may have had no chance to check, or to read an answer.
            self._asleep_s += min(passed, 2 * self._poll_s)
        now = self._watched.cpu_s()
        if self._cpu_s is None:
            self._cpu_s = now
        spent = now - self._cpu_s
        if spent > self.limit.cpu_s:
            raise HangError(f"no answer after {spent:.1f} s of processor time", spent)
        if self._asleep_s > self.limit.silent_s and spent < _ASLEEP_S:
            message = f"no answer for {self._asleep_s:.0f} s, in which it worked {spent:.1f} s"
            raise HangError(message, self._asleep_s)
