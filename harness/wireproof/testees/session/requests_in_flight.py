"""The questions that were sent to a testee and have no answer yet, in the lines in which they went out."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

__all__ = ["RequestsInFlight", "RequestLine"]

_LINE_QUESTIONS: Final = 64
_LINE_BYTES: Final = 1 << 18
_IN_FLIGHT: Final = 4 * _LINE_QUESTIONS
_IN_FLIGHT_BYTES: Final = 4 << 20
"""A line ends, and no more is sent ahead, at whichever comes first."""


@dataclass(slots=True)
class RequestLine:
    """Questions that went out together: the testee may answer them together.

    Attributes:
        questions, size: how many there are, answered or not, and their length together.
        sizes: of the unanswered ones.
    """

    questions: int = 0
    size: int = 0
    sizes: dict[int, int] = field(default_factory=dict)

    @property
    def has_room(self) -> bool:
        return self.questions < _LINE_QUESTIONS and self.size < _LINE_BYTES


@dataclass(slots=True)
class RequestsInFlight:
    """What was sent and has no answer: the question of each id and its line; how long they are together.

    Attributes:
        answered: the question of each id that has its answer.
    """

    by_id: dict[int, tuple[int, RequestLine]] = field(default_factory=dict)
    answered: dict[int, int] = field(default_factory=dict)
    lines: deque[RequestLine] = field(default_factory=deque)
    size: int = 0

    @property
    def has_room(self) -> bool:
        return len(self.by_id) < _IN_FLIGHT and self.size < _IN_FLIGHT_BYTES

    def begin(self) -> RequestLine:
        """A line that is about to be sent."""
        self.lines.append(RequestLine())
        return self.lines[-1]

    def add(self, number: int, index: int, size: int) -> None:
        """A question of the latest line."""
        line = self.lines[-1]
        line.questions += 1
        line.size += size
        line.sizes[index] = size
        self.size += size
        self.by_id[number] = index, line

    def take(self, number: int) -> int | None:
        """Take an answer: the index of the question with this id; None where none is open."""
        index, line = self.by_id.pop(number, (None, None))
        if line is not None and index is not None:
            self.size -= line.sizes.pop(index)
            self.answered[number] = index
        return index

    @property
    def largest(self) -> RequestLine:
        """Of the lines that the testee may be at the longest one."""
        while self.lines and not self.lines[0].sizes:
            self.lines.popleft()
        return max((line for line in self.lines if line.sizes), key=_size, default=RequestLine())


def _size(line: RequestLine) -> int:
    return line.size
