"""How long a testee may take for an answer: by how long its own answers took."""

import time
from dataclasses import dataclass
from typing import Final, Protocol

from wireproof.testees.transport import Limits

__all__ = ["LOOK_S", "Allowance", "HangError", "Pace", "Watch", "Watched"]

LOOK_S: Final = 0.25
"""Between two looks at what says nothing."""
_ASLEEP_S: Final = 0.5
"""A testee that took less processor time than this in all its silence does not work but sleep."""

_TIMES_SLOWEST: Final = 20
"""So many times as long as the slowest answer so far, and a question is suspected."""
_LEAST_S: Final = 0.5
"""Processor time that every question has: garbage collectors and just-in-time compilers work now and then."""
_UNKNOWN_S: Final = 2.0
"""The same while nothing was answered yet."""
_S_PER_BYTE: Final = 1e-5
"""Processor time beside it for each byte of the longest question."""
_SECOND_TIMES: Final = 4
"""The second attempt has so many times the processor time of the first, or of the slowest start."""
_SILENT_S: Final = 2.0
_SECOND_SILENT_S: Final = 6.0
"""Time asleep of the first attempt, and of the second."""
_SHARE: Final = 8
"""No attempt may take more than this part of all the time that there is for hangs, the second two such."""


class HangError(Exception):
    """No answer in time.

    Attributes:
        spent_s: what was spent on it: processor time, or the time asleep.
    """

    def __init__(self, words: str, spent_s: float) -> None:
        super().__init__(words)
        self.spent_s = spent_s


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one attempt may take.

    Attributes:
        cpu_s: processor time between two answers.
        silent_s: wall-clock time between two answers in which it does not even want the processor.
    """

    cpu_s: float
    silent_s: float


class Pace:
    """What the answers took, and what an attempt may take for that.

    Processor time alone counts: on a busy machine no question is suspected for the others' sake.

    Args:
        limits: what no attempt exceeds.
        total_s: what there is for hangs in all.
        measured: whether processor time and sleep can be seen at any time; else every attempt has all that
            the limits allow.
    """

    def __init__(self, limits: Limits, total_s: float, *, measured: bool = True) -> None:
        self._limits = limits
        self._measured = measured
        self._most_s = min(limits.cpu_s, total_s / _SHARE)
        self._slowest_s: float | None = None
        self._before_s: float | None = None
        self._cold_s = 0.0

    def begin_cell(self) -> None:
        """Another cell: its own answers count as soon as there are any."""
        if self._slowest_s is not None:
            self._before_s, self._slowest_s = self._slowest_s, None

    def answered(self, cpu_s: float, *, cold: bool = False) -> None:
        """An answer, or the line of several that goes out at once.

        Args:
            cold: whether it is the first of a process, which has more to do then.
        """
        if cold:
            self._cold_s = max(self._cold_s, cpu_s)
        else:
            self._slowest_s = max(self._slowest_s or 0.0, cpu_s)

    def first(self, size: int) -> Allowance:
        """Of an attempt after which a question is suspected.

        Args:
            size: the length of the longest question.
        """
        return Allowance(self._first_s(size), self._silent_s(_SILENT_S))

    def second(self, size: int) -> Allowance:
        """Of the attempt, as the first question of a fresh process, after which it is convicted."""
        wanted = _SECOND_TIMES * max(self._first_s(size), self._cold_s)
        cpu_s = min(wanted, self._limits.cpu_s, max(2 * self._most_s, _LEAST_S))
        return Allowance(cpu_s, self._silent_s(_SECOND_SILENT_S))

    def verdict_s(self, size: int) -> float:
        """What it takes to convict a question: it is met among others, found among them, and tried alone."""
        return 2 * self._first_s(size) + self.second(size).cpu_s

    def _silent_s(self, wanted: float) -> float:
        return min(self._limits.silent_s, wanted) if self._measured else self._limits.silent_s

    def _first_s(self, size: int) -> float:
        most = min(max(self._most_s, _LEAST_S), self._limits.cpu_s)
        if not self._measured:
            return most
        known = self._before_s if self._slowest_s is None else self._slowest_s
        wanted = _UNKNOWN_S if known is None else max(_LEAST_S, _TIMES_SLOWEST * known)
        return min(wanted + size * _S_PER_BYTE, most)


class Watched(Protocol):
    """Whoever is waited for."""

    def cpu_s(self) -> float:
        """Its processor time so far."""
        ...

    def asleep(self) -> bool:
        """Whether it does not even want the processor now."""
        ...


class Watch:
    """Looks whether somebody who says nothing works, and for how long."""

    def __init__(self, watched: Watched, allowed: Allowance) -> None:
        self._watched = watched
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
        if passed < LOOK_S:
            return
        self._looked += passed
        if self._watched.asleep():
            self._asleep_s += passed
        now = self._watched.cpu_s()
        if self._cpu_s is None:
            self._cpu_s = now
        spent = now - self._cpu_s
        if spent > self.allowed.cpu_s:
            raise HangError(f"no answer after {spent:.1f} s of processor time", spent)
        if self._asleep_s > self.allowed.silent_s and spent < _ASLEEP_S:
            words = f"no answer for {self._asleep_s:.0f} s, in which it worked {spent:.1f} s"
            raise HangError(words, self._asleep_s)
