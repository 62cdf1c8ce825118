"""Whose fault a failure is, as far as it can be told, and by which evidence."""

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Blame", "Whose"]


class Whose(StrEnum):
    """Who is at fault."""

    CODEC = "codec"
    ADAPTER = "adapter"
    """What tells the codec's values and calls to wireproof: the protocol, names and types of values."""
    ERRATUM = "oracle erratum"
    """Kafka's class, by a defect that the table of errata has."""
    ORACLE = "oracle"
    """Kafka's class, by a defect that nobody has dated yet."""
    HARNESS = "harness"
    """wireproof itself: its reading of Kafka's schemas, its own codec."""


@dataclass(frozen=True, slots=True)
class Blame:
    """A verdict on whose fault a failure is.

    Attributes:
        evidence: why, in a sentence.
    """

    whose: Whose
    evidence: str

    def __str__(self) -> str:
        return f"{self.whose}: {self.evidence}"
