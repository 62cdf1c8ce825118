"""The comparison of one schema: both verdicts, and what they come to."""

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["ComparisonKind", "FrontEndVerdict", "SchemaComparison"]


class ComparisonKind(StrEnum):
    """The result of comparing one schema."""

    ACCEPTED = "accepted"
    """Both accept it, and codecs and classes agree in every version."""
    REFUSED = "refused"
    """Both refuse it for the same cause."""
    ODDITY = "oddity"
    """They differ, or cannot be compared, for a reason in the table of oddities."""
    STRICTER = "stricter"
    """Our front end refuses it, Kafka accepts it."""
    LAXER = "laxer"
    """Our front end accepts it, Kafka refuses it."""
    CAUSE = "cause"
    """Both refuse it, for different causes."""
    VALUES = "values"
    """Both accept it; a codec of ours and Kafka's class differ."""
    CONSTRUCTION = "construction"
    """Without Java: our verdict is not the one that the schema was made for."""
    CRASH = "crash"
    """Our front end, or a codec, raised an exception."""

    @property
    def disagrees(self) -> bool:
        return self not in (ComparisonKind.ACCEPTED, ComparisonKind.REFUSED, ComparisonKind.ODDITY)


@dataclass(frozen=True, slots=True)
class FrontEndVerdict:
    """The verdict of our front end.

    Attributes:
        rules: the ids of all rules that the schema breaks; empty where it is accepted.
        warnings: the ids of the warnings.
        texts: the problems in words, in order of line.
    """

    rules: frozenset[str]
    warnings: frozenset[str]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SchemaComparison:
    """The result for one schema.

    Attributes:
        key: the same for disagreements of the same cause; of an oddity, its name.
        ours, kafka: what each said, for people.
        cells: versions whose codecs were compared.
        cases: values and checks in them.
    """

    number: int
    kind: ComparisonKind
    text: str
    key: str = ""
    ours: str = ""
    kafka: str = ""
    cells: int = 0
    cases: int = 0
