"""The interface between a session and a running testee, whether a process or a container."""

import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from wireproof.base.text.wording import indented
from wireproof.proof.testees.limits.time_limits import ResourceLimits
from wireproof.proof.testees.testee_errors import ProtocolViolationError

STDERR_CHARACTERS: Final = 400
"""Characters of standard error that a failure quotes."""

_NO_MORE_FILES: Final = ("EMFILE", "Too many open files", "too many open files")
"""The messages of runtimes and of the C library."""

_RUST_FRAMES: Final = re.compile(r"(?m)^stack backtrace:\n(?:[ \t]+.*\n?)*(?:note: .*\n?)?")
"""The frames below the message of a Rust program: addresses of the build, many lines long."""

_MORE_FRAMES: Final = re.compile(
    r"(?m)^((?:[ \t]+at .*\n){2})(?:[ \t]+(?:at |\.\.\. \d+ more).*\n?)+|"
    r"^(goroutine \d+ \[.*\]:\n(?:.+\n){,4})(?:.+\n?)*(?:\n+goroutine \d+ \[.*\]:\n(?:.+\n?)+)*"
)
"""The frames of Node, Java and Go below the innermost ones, and other goroutines: the message is above."""

_JAVA_OPTIONS: Final = re.compile(r"(?m)^Picked up JAVA_TOOL_OPTIONS: .*\n?")
"""Java's line about the folder for temporary files that the launcher sets."""


def last_lines(stderr: str) -> str:
    """Return the last whole lines of standard error, without Java's line and most frames of a stack trace.

    They have at most `STDERR_CHARACTERS` characters; a longer last line is cut at its start.
    """
    text = _JAVA_OPTIONS.sub("", _RUST_FRAMES.sub("", _MORE_FRAMES.sub(r"\1\2", stderr))).strip()
    if len(text) <= STDERR_CHARACTERS:
        return text
    _, newline, whole = text[-STDERR_CHARACTERS:].partition("\n")
    return whole if newline else text[-STDERR_CHARACTERS:]


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """The end of a testee: a description, and the end of its standard error."""

    message: str
    stderr: str

    def describe(self, message: str, limits: ResourceLimits) -> str:
        """Add to a message the end of standard error, and the limit that it complains of."""
        stderr = indented(last_lines(self.stderr), "    ")
        message = f"{message}; the end of its standard error: {stderr}" if stderr else message
        if any(each in stderr for each in _NO_MORE_FILES):
            message += f" (it may open {limits.descriptors}: limits.descriptors in its testee.toml)"
        return message


class Transport(Protocol):
    """A running testee: lines in, lines out. Closing it ends everything that it started."""

    @property
    def limits(self) -> ResourceLimits:
        """The resources that the testee may use."""

    @property
    def enforced(self) -> Mapping[str, str]:
        """The limits that apply, as text by name."""

    @property
    def ended(self) -> bool:
        """The testee closed its standard output: nothing more will come."""

    def send(self, line: bytes) -> None:
        """Queue a line; it goes out while `read` waits."""

    def read(self, timeout_s: float) -> list[bytes]:
        """Return the next lines, as soon as there are any; none after the timeout or the end.

        Raises:
            ProtocolViolationError: a line is longer than an answer may be.
        """

    def stderr_text(self) -> str:
        """Return the end of the testee's standard error so far."""

    def cpu_s(self) -> float:
        """Return the processor time of the testee and of its descendants so far."""

    def clock_s(self) -> float | None:
        """Return about the same from a cheap clock; None if there is no such clock and no exact `asleep`."""

    def asleep(self) -> bool:
        """Return whether no thread of it wants the processor now; a thread that waits for its turn does."""

    def end(self) -> ProcessEnd:
        """End everything that is left of it, and describe how it ended."""

    def close(self) -> None:
        """End it and everything that it started."""

    def stop(self, line: bytes) -> bool:
        """Send the last line and wait for the orderly end; return whether it came."""


class TransportFactory(Protocol):
    """Starts transports; plain data, so that it can be pickled."""

    @property
    def location(self) -> str:
        """The place where the testee runs, in words that follow "it runs in"."""

    @property
    def advice(self) -> str:
        """The advice for a testee that does not start; may be empty."""

    @property
    def by_hand(self) -> str:
        """The end of a shell line that starts the testee by hand: a request is piped into it."""

    def open(self) -> Transport:
        """Start a testee.

        Raises:
            TesteeError: it does not start.
        """


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

    def flush(self, write: Callable[[memoryview], int]) -> bool:
        """Write as much as possible, and drop all if the other side is closed; return whether none is left.

        Args:
            write: returns the number of bytes that it wrote.
        """
        try:
            while self._unsent:
                sent = write(self._unsent[0])
                if sent == len(self._unsent[0]):
                    self._unsent.popleft()
                else:
                    self._unsent[0] = self._unsent[0][sent:]
        except BlockingIOError:
            return False
        except (BrokenPipeError, ConnectionResetError):
            self._unsent.clear()
        return True
