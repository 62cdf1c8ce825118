"""The interface between a session and a running testee, whether a process or a container."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from wireproof.foreign_text import indented
from wireproof.testees.limits.resource_limits import ResourceLimits

__all__ = ["STDERR_CHARACTERS", "ProcessEnd", "Transport", "TransportFactory"]

STDERR_CHARACTERS: Final = 400
"""Characters of standard error that are told with a failure."""

_NO_MORE_FILES: Final = ("EMFILE", "Too many open files", "too many open files")
"""What runtimes and the C library say."""


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How a testee ended; `stderr` is the end of what it said."""

    words: str
    stderr: str

    def told(self, words: str, limits: ResourceLimits) -> str:
        """What it came to, in words that have the end of what it said, and the limit that it complains of."""
        said = self.stderr.strip()
        said = indented(said[-STDERR_CHARACTERS:], "    ")
        words = f"{words}; the end of its standard error: {said}" if said else words
        if any(each in said for each in _NO_MORE_FILES):
            words += f" (it may open {limits.descriptors}: limits.descriptors in its testee.toml)"
        return words


class Transport(Protocol):
    """Lines in, lines out; ends what it started when closed."""

    @property
    def limits(self) -> ResourceLimits:
        """What the testee may use."""
        ...

    @property
    def enforced(self) -> Mapping[str, str]:
        """What it is held to, in words."""
        ...

    @property
    def ended(self) -> bool:
        """Whether its standard output is closed: nothing more will come."""
        ...

    def send(self, line: bytes) -> None:
        """Queue a line; it goes out while `read` waits."""
        ...

    def read(self, timeout_s: float) -> list[bytes]:
        """The lines that come within a time, as soon as there is any; nothing more after the end.

        Raises:
            ProtocolViolationError: a line is longer than an answer may be.
        """
        ...

    def heard(self) -> str:
        """The end of what it said on standard error so far."""
        ...

    def cpu_s(self) -> float:
        """Processor time of the testee and what it started, so far."""
        ...

    def spent_s(self) -> float | None:
        """About the same, at no cost; None where it costs something to know, and `asleep` is not known."""
        ...

    def asleep(self) -> bool:
        """Whether no thread of it wants the processor now: a testee that only gets none is awake."""
        ...

    def death(self) -> ProcessEnd:
        """Ends what is left of it, and tells how it ended."""
        ...

    def close(self) -> None:
        """End it and all that it started."""
        ...

    def stop(self, line: bytes) -> bool:
        """Say the last line, and wait for the orderly end; whether it came."""
        ...


class TransportFactory(Protocol):
    """How a transport is begun; plain data, so that it can be pickled."""

    @property
    def words(self) -> str:
        """Where the testee runs, after "it runs in"."""
        ...

    @property
    def by_hand(self) -> str:
        """The end of a shell line that does the same: what a request is piped into."""
        ...

    def open(self) -> Transport:
        """Start it.

        Raises:
            TesteeError: it does not start.
        """
        ...
