"""The comparison of one schema: both verdicts, and what they come to."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum


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
        field: the path of the first problem; empty for the message itself.
    """

    rules: frozenset[str]
    warnings: frozenset[str]
    texts: tuple[str, ...]
    field: str = ""


@dataclass(frozen=True, slots=True)
class ValueFailure:
    """A difference between codecs, or a layout, and Kafka's class.

    Attributes:
        key: the cause: the check, the kind of the difference, and the type of the field.
        field: the path of the field with its type, in words; empty for the message.
        case: the version, and the value as canonical JSON.
        ours: what is wrong, in which codecs, with their side.
        kafka: Kafka's side.
    """

    key: str
    field: str
    case: str
    ours: str
    kafka: str


@dataclass(frozen=True, slots=True)
class SchemaComparison:
    """The result for one schema.

    Attributes:
        key: the same for disagreements of the same cause; of an oddity, its name.
        ours, kafka: what each said, for people.
        cells: versions whose codecs were compared.
        cases: values and checks in them.
        field: the field that the disagreement is about, with its type; empty where none is known.
        case: of values, the version and the value that show it.
        failures: of values, the first difference of each version, one of each cause; the other attributes
            have the first of them.
    """

    number: int
    kind: ComparisonKind
    text: str
    key: str = ""
    ours: str = ""
    kafka: str = ""
    cells: int = 0
    cases: int = 0
    field: str = ""
    case: str = ""
    failures: tuple[ValueFailure, ...] = ()

    @property
    def cause(self) -> tuple[ComparisonKind, str]:
        """The key that disagreements of one cause share."""
        return self.kind, self.key

    def by_cause(self) -> "Iterator[SchemaComparison]":
        """Yield the comparison once for each cause, about this cause alone."""
        for each in self.failures:
            yield replace(
                self,
                key=each.key,
                field=each.field,
                case=each.case,
                ours=each.ours,
                kafka=each.kafka,
                failures=(each,),
            )
        if not self.failures:
            yield self
