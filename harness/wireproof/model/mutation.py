"""Something wrong done to valid bytes, as data: so that a report can say what it was."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

__all__ = ["Answer", "Mutant", "Mutation", "Outcome"]

_SHOWN_BYTES: Final = 12


@dataclass(frozen=True, slots=True)
class Mutation:
    """One replacement in valid bytes.

    Attributes:
        operator: what is changed, in a fixed word: ``cut``, ``trail``, ``length``, ``tag-size``, ...
        label: to what, in a word: ``minus-2``, ``one-more``, ``surrogate``; the same at the same bytes.
        path: the field, with indices; ``""`` is the message.
        offset: of the first byte replaced.
        before, after: the bytes there, and those in their place; either may be empty.
    """

    operator: str
    label: str
    path: str
    offset: int
    before: bytes
    after: bytes

    @property
    def name(self) -> str:
        """Unique among the mutations of the same bytes, and stable: ``count@4=minus-2``."""
        return f"{self.operator}@{self.offset}={self.label}"

    @property
    def words(self) -> str:
        """What was done: ``count of topics at byte 4: 02 -> 00 (null)``."""
        place = f" of {self.path}" if self.path else ""
        return (
            f"{self.operator}{place} at byte {self.offset}: "
            f"{_hex(self.before)} -> {_hex(self.after)} ({self.label})"
        )

    def apply(self, data: bytes) -> bytes:
        """The bytes with the replacement made.

        Raises:
            ValueError: they are not those that the mutation was made for.
        """
        end = self.offset + len(self.before)
        if data[self.offset : end] != self.before:
            raise ValueError(f"{self.name} is no mutation of these bytes")
        return data[: self.offset] + self.after + data[end:]


@dataclass(frozen=True, slots=True)
class Mutant:
    """Bytes that a mutation came to.

    Attributes:
        base: the name of what was valid: ``message/fullest``, ``frame/default``.
        data: the whole input, the mutation made.
    """

    base: str
    mutation: Mutation
    data: bytes

    @property
    def name(self) -> str:
        """The case's name: ``message/fullest/count@4=minus-2``."""
        return f"{self.base}/{self.mutation.name}"


class Outcome(StrEnum):
    """What came of bytes given to a codec that works in a process of its own, under limits."""

    READ = "read"
    REFUSED = "refused"
    """In the codec's own orderly way."""
    NO_VALUE = "no value"
    """It gave something that is no value of the layout."""
    CRASHED = "crashed"
    """It raised something that it does not declare, or its process died."""
    HUNG = "hung"
    """It took more processor time than the bytes may cost."""
    BLEW_UP = "blew up"
    """It asked for more memory than the bytes may cost."""


class Answer(NamedTuple):
    """A codec's answer to one input, as plain data: it comes from another process.

    Attributes:
        value: where it was read: its canonical binary; of a frame, header and body joined.
        words: for all other outcomes: what is known of it.
        cpu_ms: processor time it took; 0 where the process died.
    """

    outcome: Outcome
    value: bytes = b""
    words: str = ""
    cpu_ms: float = 0.0


def _hex(data: bytes) -> str:
    if not data:
        return "nothing"
    more = f" ... ({len(data)} bytes)" if len(data) > _SHOWN_BYTES else ""
    return data[:_SHOWN_BYTES].hex(" ") + more
