"""The verdict of Kafka's generator, and of the Java compiler after it, on a schema."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

__all__ = ["GeneratorOutcome", "GeneratorVerdict"]


class GeneratorOutcome(StrEnum):
    """The outcome for a schema, or for schemas that are processed together."""

    ACCEPTED = "accepted"
    """There are classes; of a message without valid versions there are none since 4.0."""
    REFUSED = "refused"
    """The generator threw an exception."""
    NOT_COMPILED = "not-compiled"
    """The generator wrote Java that the compiler refused."""


@dataclass(frozen=True, slots=True)
class GeneratorVerdict:
    """The verdict on one schema.

    Attributes:
        cause: the text of the generator's exception (after the exception's class, unless it is a
            RuntimeException), or the compiler's first error; ``""`` where the schema is accepted.
        java_class: the classes that were made (Java: `SchemaJudgement`), for `SchemaGenerator.oracle`; None
            where there are none.
    """

    outcome: GeneratorOutcome
    cause: str = ""
    java_class: Any = None

    @property
    def accepted(self) -> bool:
        return self.outcome is GeneratorOutcome.ACCEPTED
