"""Notes of a conversion: what one of the two languages says and the other cannot."""

from dataclasses import dataclass
from enum import StrEnum


class NoteLevel(StrEnum):
    """The weight of a note."""

    REFUSED = "cannot be expressed"
    """The other language has no form with these bytes: the message is not converted."""
    DEFAULT = "another default"
    """The bytes of a given value stay; a field that the value leaves out has another one."""
    DROPPED = "dropped"
    """It has no effect on bytes."""
    OUTSIDE = "outside the message"
    """krammar counts it to the message. In Kafka the code around the message writes it."""
    ONE_WAY = "one way"
    """The bytes stay. A conversion back gives a definition with other bytes."""


@dataclass(frozen=True, slots=True)
class ConversionNote:
    """One construct without a counterpart.

    Attributes:
        source: the file; ``""`` for a schema that was not read from a file.
        line: from 1; 0 where it is unknown.
        message: the message or struct.
        path: the field, such as ``topics[].partitions[].index``; ``""`` for the message itself.
        text: the construct, and its reason.
    """

    source: str
    line: int
    message: str
    path: str
    level: NoteLevel
    text: str

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}: " if self.line else f"{self.source}: "
        place = place if self.source else ""
        field = f" {self.path}" if self.path else ""
        return f"{place}{self.message}{field}: {self.level}: {self.text}"
