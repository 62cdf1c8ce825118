"""Problems of a schema as data, one for each error or oddity."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """The severity of a problem."""

    ERROR = "error"
    """Kafka's generator, or the Java compiler after it, refuses the schema."""
    WARNING = "warning"
    """Kafka accepts it, though its author hardly meant it."""


@dataclass(frozen=True, slots=True)
class SchemaProblem:
    """One problem of a message file, with its rule and path.

    Attributes:
        source: the file, as the caller named it.
        line: the line, from 1; 0 where the schema was not read from text.
        path: the field (``topics[].partitions[].index``), the common struct's field
            (``TopicData.index``), or ``""`` for the message itself.
        text: what is wrong, and what to do.
        rule: the id of the rule that is broken (`SchemaRule`), such as ``tag-gap``; it never changes.
    """

    source: str
    line: int
    path: str
    severity: Severity
    text: str
    rule: str

    def __str__(self) -> str:
        place = f"{self.path}: " if self.path else ""
        return f"{self.source}:{self.line}: {self.severity}: {place}{self.text} [{self.rule}]"
