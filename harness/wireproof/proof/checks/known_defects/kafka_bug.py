"""The description of a known Kafka bug."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

from kafkawire.schema.layout import MessageLayout
from wireproof.model import release_number

__all__ = ["BugArea", "KafkaBug", "RefusalBug"]


class BugArea(StrEnum):
    """The part of Kafka that a known bug is in."""

    WRITE = "write"
    """The class does not write a value that it should."""
    SCHEMAS = "schemas"
    """`SCHEMAS[v]` reads or writes other bytes than the class."""
    EQUALITY = "equality"
    """`equals`, `hashCode` or `duplicate`."""
    VERSIONS = "versions"
    """A version that the message does not have."""
    VALUES = "values"
    """A value that the class accepts and should not, or refuses although it made it."""
    READ = "read"
    """The effect of bytes on the reader."""
    JSON = "json"
    """The JSON converters."""


@dataclass(frozen=True, slots=True)
class KafkaBug:
    """A defect of Kafka's classes.

    Attributes:
        witness: the number of Kafka's issue or of a CVE; else a name in capitals by wireproof.
        summary: the defect in one sentence.
        noted: the day on which wireproof's tests saw it in the jar of `seen_in`.
        releases: spans of the releases that have it: the first one, and the one that fixed it; the second is
            empty if it is not fixed.
    """

    witness: str
    area: BugArea
    summary: str
    noted: date
    seen_in: str
    releases: tuple[tuple[str, str], ...]

    def concerns(self, release: str) -> bool:
        """Return True if the release has it."""
        number = release_number(release)
        return any(
            release_number(first) <= number and (not fixed or number < release_number(fixed))
            for first, fixed in self.releases
        )


@dataclass(frozen=True, slots=True)
class RefusalBug(KafkaBug):
    """A defect that makes a class refuse a value.

    Attributes:
        stage, error: the stage and the error of the refusal (`Refusal`).
        touches: returns True if the bug affects this value of this layout; for None, if it affects any value.
    """

    stage: str
    error: str
    touches: Callable[[MessageLayout, Mapping[str, Any] | None], bool]
