"""How long a testee may take for an answer, and how often it may end before it is not asked any more."""

import time
from dataclasses import dataclass
from typing import Final, Protocol

from wireproof.testees.transport import Limits

__all__ = ["LOOK_S", "HangError", "Patience", "Watch", "Watched"]

LOOK_S: Final = 0.25
"""Between two looks at what says nothing."""
_ASLEEP_S: Final = 0.5
"""A testee that took less processor time than this in all its silence does not work but sleep."""
_MOST_DEATHS: Final = 6
"""Questions that may end the testee until `forgive` is called; the rest is not asked: each costs a start."""
_MANY_DEATHS: Final = 60
"""Once so many ended it in its whole life, the first one after each `forgive` is enough."""
_MOST_HANGS: Final = 24
"""Once so many hung it in its whole life, nothing more is asked: each costs twice its limit of time."""


class HangError(Exception):
    """No answer, and no more patience."""


class Watched(Protocol):
    """Whoever is waited for."""

    @property
    def limits(self) -> Limits:
        """What it may use."""
        ...

    def cpu_s(self) -> float:
        """Its processor time so far."""
        ...

    def asleep(self) -> bool:
        """Whether it does not even want the processor now."""
        ...


class Watch:
    """Looks whether somebody who says nothing works, and for how long."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
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
        spent = self._watched.cpu_s()
        if self._cpu_s is None:
            self._cpu_s = spent
        limits = self._watched.limits
        if spent - self._cpu_s > limits.cpu_s:
            raise HangError(f"no answer after {spent - self._cpu_s:.1f} s of processor time")
        if self._asleep_s > limits.silent_s and spent - self._cpu_s < _ASLEEP_S:
            slept, worked = self._asleep_s, spent - self._cpu_s
            raise HangError(f"no answer for {slept:.0f} s, in which it worked {worked:.1f} s")


@dataclass(slots=True)
class Patience:
    """How often a testee ended, in this cell and ever."""

    _deaths: int = 0
    _all_deaths: int = 0
    _hangs: int = 0

    def lost(self, error: str) -> None:
        """It ended once more.

        Args:
            error: how: ``process``, ``hang`` or ``protocol``.
        """
        self._deaths += 1
        self._all_deaths += 1
        self._hangs += error == "hang"

    def forgive(self) -> None:
        """Forget how often it ended: another subject begins."""
        self._deaths = 0

    def had_enough(self) -> str:
        """Why nothing more is to be asked, at least until it is forgiven; empty where it may be."""
        if self._hangs >= _MOST_HANGS:
            return f"not asked: it hung {_times(self._hangs)} in this run"
        if self._deaths >= (_MOST_DEATHS if self._all_deaths < _MANY_DEATHS else 1):
            here, ever = _times(self._deaths), _times(self._all_deaths)
            return f"not asked: it ended {here} in this cell, and {ever} in this run"
        return ""


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
