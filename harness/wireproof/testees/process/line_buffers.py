"""Lines through descriptors that take and give what they please: what is unsent, what is half a line."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from wireproof.testees.testee_errors import ProtocolViolationError

__all__ = ["LineReader", "Outbox"]


@dataclass(slots=True)
class LineReader:
    """Pieces in, whole lines out.

    Args:
        most: bytes that a line may have.
    """

    most: int
    _partial: list[bytes] = field(default_factory=list)
    _bytes: int = 0

    def take(self, data: bytes) -> list[bytes]:
        """The lines that end in the data, without their ends.

        Raises:
            ProtocolViolationError: a line is longer than it may be.
        """
        first, *others = data.split(b"\n")
        self._partial.append(first)
        self._bytes += len(first)
        if self._bytes > self.most:
            start = b"".join(self._partial)[:60].decode("utf-8", "replace")
            raise ProtocolViolationError(f"a line longer than {self.most} bytes, which begins with {start!r}")
        if not others:
            return []
        lines = [b"".join(self._partial), *others[:-1]]
        self._partial, self._bytes = [others[-1]], len(others[-1])
        return lines


@dataclass(slots=True)
class Outbox:
    """Lines that the other side has not taken yet."""

    _unsent: deque[memoryview] = field(default_factory=deque)

    def __bool__(self) -> bool:
        return bool(self._unsent)

    def add(self, line: bytes) -> None:
        """Put a line behind the others."""
        self._unsent.append(memoryview(line))

    def clear(self) -> None:
        """Nobody takes them any more."""
        self._unsent.clear()

    def flush(self, write: Callable[[memoryview], int]) -> None:
        """Write as much as is taken.

        Args:
            write: gives the number of bytes that it took.

        Raises:
            BlockingIOError: it takes no more now.
            BrokenPipeError: it never will.
        """
        while self._unsent:
            sent = write(self._unsent[0])
            if sent == len(self._unsent[0]):
                self._unsent.popleft()
            else:
                self._unsent[0] = self._unsent[0][sent:]
