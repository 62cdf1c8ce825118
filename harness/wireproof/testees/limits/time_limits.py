"""How long a testee may take for an answer: by how long its own answers took."""

import time
from dataclasses import dataclass
from typing import Final, Protocol

from wireproof.model import HANG_BUDGET_S
from wireproof.testees.limits.resource_limits import ResourceLimits

__all__ = ["POLL_S", "QUICK_LOOK_S", "TimeLimit", "HangError", "AnswerTimes", "HangDetector", "Watchable"]

POLL_S: Final = 0.25
"""Between two looks at what says nothing."""
QUICK_LOOK_S: Final = 0.01
"""The same of a question that has only a short time."""
_ASLEEP_S: Final = 0.5
"""A testee that took less processor time than this in all its silence does not work but sleep."""

_TIMES_SLOWEST: Final = 20
"""So many times as long as the slowest answer so far, and a question is suspected."""
_TIMES_LINE: Final = 2
"""A line of many questions may take so many times as long as if each were the slowest one so far."""
_LEAST_S: Final = 0.5
"""Processor time that every question has: garbage collectors and just-in-time compilers work now and then."""
_QUICK_S: Final = 0.05
"""The same of a question that has only a short time, because others like it hang."""
_UNKNOWN_S: Final = 2.0
"""The same while nothing was answered yet."""
_S_PER_BYTE: Final = 1e-5
"""Processor time beside it, and beside any limit, for each byte of the questions in the line."""
_SECOND_TIMES: Final = 2
"""The second attempt has so many times the processor time of the first, or of the slowest start."""
_SILENT_S: Final = 2.0
_SECOND_SILENT_S: Final = 6.0
"""Time asleep of the first attempt, and of the second."""
_MOST_S: Final = HANG_BUDGET_S / 8
"""No first attempt may take more processor time than this, no second one more than twice as much: a run has
time for several verdicts. It is the same for any number of workers."""


class HangError(Exception):
    """No answer in time.

    Attributes:
        spent_s: what was spent on it: processor time, or the time asleep.
    """

    def __init__(self, words: str, spent_s: float) -> None:
        super().__init__(words)
        self.spent_s = spent_s


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """What one attempt may take.

    Attributes:
        cpu_s: processor time between two lines of answers.
        silent_s: wall-clock time between two lines of answers in which it does not even want the processor.
    """

    cpu_s: float
    silent_s: float


class AnswerTimes:
    """What the answers took, and what an attempt may take for that.

    Processor time alone counts: on a busy machine no question is suspected for the others' sake.

    Args:
        limits: what no attempt exceeds, but for what the size of the questions adds.
        measured: whether processor time and sleep can be seen at any time; else every attempt has all that
            the limits allow.
    """

    def __init__(self, limits: ResourceLimits, *, measured: bool = True) -> None:
        self._limits = limits
        self._measured = measured
        self._most_s = _MOST_S
        self._slowest_s: float | None = None
        self._before_s: float | None = None
        self._cold_s = 0.0

    def begin_cell(self) -> None:
        """Another cell: its own answers count as soon as there are any."""
        if self._slowest_s is not None:
            self._before_s, self._slowest_s = self._slowest_s, None

    def answered(self, cpu_s: float, *, answers: int = 1, cold: bool = False) -> None:
        """An answer, or the line of several that goes out at once.

        Args:
            answers: how many they are; each counts with its part.
            cold: whether it is the first of a process, which has more to do then.
        """
        if cold:
            self._cold_s = max(self._cold_s, cpu_s)
        else:
            self._slowest_s = max(self._slowest_s or 0.0, cpu_s / answers)

    def first(self, size: int, questions: int = 1) -> TimeLimit:
        """Of an attempt after which a question is suspected.

        Args:
            size: the length of the question, or of the line that it is in.
            questions: how many are in the line.
        """
        return TimeLimit(self._first_s(size, questions), self._silent_s(_SILENT_S))

    def second(self, size: int) -> TimeLimit:
        """Of the attempt, as the first question of a fresh process, after which it is convicted."""
        wanted = _SECOND_TIMES * max(self._first_s(0), self._cold_s)
        cpu_s = min(wanted, self._limits.cpu_s, 2 * self._most_s) + size * _S_PER_BYTE
        return TimeLimit(cpu_s, self._silent_s(_SECOND_SILENT_S))

    def quick(self, size: int) -> TimeLimit:
        """Of the only attempt of a question that most likely hangs; without an answer it is skipped."""
        known = self._before_s if self._slowest_s is None else self._slowest_s
        wanted = max(_QUICK_S, _TIMES_SLOWEST * (known or 0.0))
        return TimeLimit(min(wanted, self._first_s(0)) + size * _S_PER_BYTE, self._silent_s(_SILENT_S))

    def verdict_s(self, size: int) -> float:
        """What it takes to convict a question: it is met among others, found among them, and tried alone."""
        return 2 * self._first_s(size) + self.second(size).cpu_s

    def _silent_s(self, wanted: float) -> float:
        return min(self._limits.silent_s, wanted) if self._measured else self._limits.silent_s

    def _first_s(self, size: int, questions: int = 1) -> float:
        most = min(self._most_s, self._limits.cpu_s)
        if not self._measured:
            return most + size * _S_PER_BYTE
        known = self._before_s if self._slowest_s is None else self._slowest_s
        times = max(_TIMES_SLOWEST, _TIMES_LINE * questions)
        wanted = _UNKNOWN_S if known is None else max(_LEAST_S, times * known)
        return min(wanted, most) + size * _S_PER_BYTE


class Watchable(Protocol):
    """Whoever is waited for."""

    def cpu_s(self) -> float:
        """Its processor time so far."""
        ...

    def asleep(self) -> bool:
        """Whether it does not even want the processor now."""
        ...


class HangDetector:
    """Looks whether somebody who says nothing works, and for how long.

    Args:
        look_s: seconds between two looks.
    """

    def __init__(self, watched: Watchable, allowed: TimeLimit, look_s: float = POLL_S) -> None:
        self._watched = watched
        self._look_s = look_s
        self.allowed = allowed
        self.heard()

    def heard(self) -> None:
        """It answered: all begins anew."""
        self._cpu_s: float | None = None
        self._asleep_s = 0.0
        self._looked = time.monotonic()

    def look(self) -> None:
        """Raises `HangError` where it used up its time."""
        passed = time.monotonic() - self._looked
        if passed < self._look_s:
            return
        self._looked += passed
        if self._watched.asleep():
            # On a busy machine this process may have had no chance to look, or to read what was answered.
            self._asleep_s += min(passed, 2 * self._look_s)
        now = self._watched.cpu_s()
        if self._cpu_s is None:
            self._cpu_s = now
        spent = now - self._cpu_s
        if spent > self.allowed.cpu_s:
            raise HangError(f"no answer after {spent:.1f} s of processor time", spent)
        if self._asleep_s > self.allowed.silent_s and spent < _ASLEEP_S:
            words = f"no answer for {self._asleep_s:.0f} s, in which it worked {spent:.1f} s"
            raise HangError(words, self._asleep_s)
