"""What a conversation wants of the way to a testee, whatever runs there: a process, a container.

And of a testee itself, whether there is any way between or not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from wireproof.foreign_text import indented
from wireproof.model import MutationSite
from wireproof.testees.answers import Answer
from wireproof.testees.claims import Hello
from wireproof.testees.overhearing import SAID

__all__ = ["Conversation", "Death", "Limits", "Transport", "WayIn"]


_NO_MORE_FILES: Final = ("EMFILE", "Too many open files", "too many open files")
"""What runtimes and the C library say."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a testee may use.

    Attributes:
        memory_bytes: address space of each of its processes; of a container all its memory.
        processes: how many; root cannot be held to it.
        descriptors: open files.
        answer_bytes: the length of a line.
        cpu_s: processor time between two answers, its own and its children's; beyond it, it hangs.
        silent_s: wall-clock time between two answers in which it does not even want to work.
    """

    memory_bytes: int = 4 << 30
    processes: int = 64
    descriptors: int = 1024
    answer_bytes: int = 64 << 20
    cpu_s: float = 10.0
    silent_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Death:
    """How a testee ended; `stderr` is the end of what it said."""

    words: str
    stderr: str

    def told(self, words: str, limits: Limits) -> str:
        """What it came to, in words that have the end of what it said, and the limit that it complains of."""
        said = self.stderr.strip()
        said = indented(said[-SAID:], "    ")
        words = f"{words}; the end of its standard error: {said}" if said else words
        if any(each in said for each in _NO_MORE_FILES):
            words += f" (it may open {limits.descriptors}: limits.descriptors in its testee.toml)"
        return words


class Transport(Protocol):
    """Lines in, lines out; ends what it started when closed."""

    @property
    def limits(self) -> Limits:
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
            BreachError: a line is longer than an answer may be.
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

    def death(self) -> Death:
        """Ends what is left of it, and tells how it ended."""
        ...

    def close(self) -> None:
        """End it and all that it started."""
        ...

    def stop(self, line: bytes) -> bool:
        """Say the last line, and wait for the orderly end; whether it came."""
        ...


class WayIn(Protocol):
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


class Conversation(Protocol):
    """A testee that can be asked, wherever it is."""

    @property
    def words(self) -> str:
        """Where it runs, after "it runs in"."""
        ...

    @property
    def enforced(self) -> Mapping[str, str]:
        """The limits that it is held to, in words."""
        ...

    def hello(self) -> Hello:
        """Who it is and what it claims.

        Raises:
            TesteeError: it does not start, or does not greet.
        """
        ...

    def forgive(self) -> None:
        """Forget how often it ended: another subject begins."""
        ...

    def ask(self, questions: Sequence[str], sites: Sequence[MutationSite | None] = ()) -> list[Answer]:
        """The answer to each question: JSON text of a request from its second member on, ``"op":...,...``.

        Args:
            sites: of malformed bytes what was done to them and where; may be left out where there are none.

        Raises:
            TesteeError: it does not start any more.
        """
        ...

    def stop(self) -> bool:
        """End it: the next question is the first of a fresh one. Whether it ended in order."""
        ...

    def close(self) -> None:
        """End it, in order if it can."""
        ...
