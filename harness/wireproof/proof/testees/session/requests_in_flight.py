"""The requests that were sent to a testee and have no answer yet, by the lines that sent them."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

__all__ = ["RequestsInFlight", "RequestLine"]

_LINE_REQUESTS: Final = 64
_LINE_BYTES: Final = 1 << 18
_IN_FLIGHT: Final = 4 * _LINE_REQUESTS
_IN_FLIGHT_BYTES: Final = 4 << 20
"""A line ends, and sending pauses, at the limit that is reached first."""


@dataclass(slots=True)
class RequestLine:
    """Requests of one line, which the testee may answer in one line.

    Attributes:
        requests, size: their number, answered or not, and their length together.
        sizes: the lengths of the unanswered ones, by index.
    """

    requests: int = 0
    size: int = 0
    sizes: dict[int, int] = field(default_factory=dict)

    @property
    def has_room(self) -> bool:
        return self.requests < _LINE_REQUESTS and self.size < _LINE_BYTES


@dataclass(slots=True)
class RequestsInFlight:
    """The unanswered requests.

    Attributes:
        by_id: the index and the line of each, by id.
        answered: the index of each answered request, by id.
        size: the length of the unanswered requests together.
    """

    by_id: dict[int, tuple[int, RequestLine]] = field(default_factory=dict)
    answered: dict[int, int] = field(default_factory=dict)
    lines: deque[RequestLine] = field(default_factory=deque)
    size: int = 0

    @property
    def has_room(self) -> bool:
        return len(self.by_id) < _IN_FLIGHT and self.size < _IN_FLIGHT_BYTES

    def begin(self) -> RequestLine:
        """Begin a line and return it."""
        self.lines.append(RequestLine())
        return self.lines[-1]

    def add(self, number: int, index: int, size: int) -> None:
        """Add a request to the latest line."""
        line = self.lines[-1]
        line.requests += 1
        line.size += size
        line.sizes[index] = size
        self.size += size
        self.by_id[number] = index, line

    def take(self, number: int) -> int | None:
        """Close the request with this id and return its index; None if no such request is open."""
        index, line = self.by_id.pop(number, (None, None))
        if line is not None and index is not None:
            self.size -= line.sizes.pop(index)
            self.answered[number] = index
        return index

    @property
    def largest(self) -> RequestLine:
        """The longest of the lines that the testee may be working on."""
        while self.lines and not self.lines[0].sizes:
            self.lines.popleft()
        return max((line for line in self.lines if line.sizes), key=_size, default=RequestLine())


def _size(line: RequestLine) -> int:
    return line.size
