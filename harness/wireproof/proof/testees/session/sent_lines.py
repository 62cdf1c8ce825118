"""The questions that a testee was sent since it started, to repeat them in a fresh one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

_MOST_CHARACTERS: Final = 16 << 20
"""Longer sequences are not kept: a repetition would take as long as several cells."""


@dataclass(slots=True)
class SentLines:
    """The lines that one process was sent, without ids.

    Attributes:
        whole: no line was dropped because there were too many.
    """

    lines: list[tuple[str, ...]] = field(default_factory=list)
    whole: bool = True
    _characters: int = 0

    def add(self, requests: Sequence[str]) -> None:
        """Keep the requests of a line."""
        self._characters += sum(map(len, requests))
        self.whole = self._characters <= _MOST_CHARACTERS
        if self.whole:
            self.lines.append(tuple(requests))
        else:
            self.lines.clear()

    @property
    def questions(self) -> int:
        """The number of requests."""
        return sum(map(len, self.lines))
