"""Buffers for lines over descriptors that transfer any number of bytes at a time."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from wireproof.proof.testees.testee_errors import ProtocolViolationError

__all__ = ["LineReader", "Outbox"]


@dataclass(slots=True)
class LineReader:
    """Joins pieces to whole lines.

    Args:
        max_bytes: the longest line that is allowed.
    """

    max_bytes: int
    _partial: list[bytes] = field(default_factory=list)
    _bytes: int = 0

    def take(self, data: bytes) -> list[bytes]:
        """Return the lines that end in the data, without their line ends.

        Raises:
            ProtocolViolationError: a line is too long.
        """
        first, *others = data.split(b"\n")
        self._partial.append(first)
        self._bytes += len(first)
        if self._bytes > self.max_bytes:
            start = b"".join(self._partial)[:60].decode("utf-8", "replace")
            raise ProtocolViolationError(
                f"a line longer than {self.max_bytes} bytes, which begins with {start!r}"
            )
        if not others:
            return []
        lines = [b"".join(self._partial), *others[:-1]]
        self._partial, self._bytes = [others[-1]], len(others[-1])
        return lines


@dataclass(slots=True)
class Outbox:
    """Lines that were not written yet."""

    _unsent: deque[memoryview] = field(default_factory=deque)

    def __bool__(self) -> bool:
        return bool(self._unsent)

    def add(self, line: bytes) -> None:
        """Add a line after the others."""
        self._unsent.append(memoryview(line))

    def clear(self) -> None:
        """Drop all lines: the other side is closed."""
        self._unsent.clear()

    def flush(self, write: Callable[[memoryview], int]) -> None:
        """Write as much as possible.

        Args:
            write: returns the number of bytes that it wrote.

        Raises:
            BlockingIOError: nothing more can be written now.
            BrokenPipeError: the other side is closed.
        """
        while self._unsent:
            sent = write(self._unsent[0])
            if sent == len(self._unsent[0]):
                self._unsent.popleft()
            else:
                self._unsent[0] = self._unsent[0][sent:]
