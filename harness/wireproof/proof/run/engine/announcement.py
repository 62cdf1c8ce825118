"""The cases that a worker is about to try, in memory that outlives it.

A worker announces every batch of cases, thousands a second. A message for each would cost the parent and the
worker a twentieth of a run; memory that both map costs nothing, and is read only when the worker has died.
"""

from ctypes import c_char
from dataclasses import dataclass
from multiprocessing.sharedctypes import RawArray
from typing import Any, Final

from wireproof.model import Phase

_SIZE: Final = 1 << 14
_LENGTH: Final = 4
"""Bytes before the text that hold its length, little-endian; 0 while nothing was announced."""
_NAME: Final = 2000
_BETWEEN: Final = "\0"


@dataclass(frozen=True, slots=True)
class AnnouncedCases:
    """The cases about to be tried: one of them is at fault if the worker dies."""

    phase: Phase
    first: str
    last: str


class AnnouncementSlot:
    """The latest announcement of one worker. The worker is handed the slot when its process starts."""

    def __init__(self) -> None:
        self._memory: Any = RawArray(c_char, _SIZE)

    def put(self, phase: Phase, first: str, last: str) -> None:
        """Announce cases; of a name that is longer than 2,000 characters the beginning."""
        text = _BETWEEN.join((phase, first[:_NAME], last[:_NAME])).encode(errors="replace")
        self.clear()
        self._memory[_LENGTH : _LENGTH + len(text)] = text
        self._memory[:_LENGTH] = len(text).to_bytes(_LENGTH, "little")

    def clear(self) -> None:
        """Withdraw the announcement."""
        self._memory[:_LENGTH] = bytes(_LENGTH)

    def get(self) -> AnnouncedCases | None:
        """The latest announcement; None where there is none."""
        length = int.from_bytes(self._memory[:_LENGTH], "little")
        if length == 0:
            return None
        text = self._memory[_LENGTH : _LENGTH + length].decode(errors="replace")
        phase, first, last = text.split(_BETWEEN)
        return AnnouncedCases(Phase(phase), first, last)
