"""The result for one schema, and the known oddities of Kafka's generator: intended differences.

An oddity is as narrow as it can be: it names the cause that Kafka gives, or a property of the layout.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from kafkawire.schema import AbsentField, MessageLayout, ScalarType, StructLayout, StructType
from wireproof.model.divergence import Divergence
from wireproof.model.layout_parts import structs_of
from wireproof.proof.checks.check_table import Check


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
        key: a text that is the same for disagreements of the same cause; for an oddity, its name.
        ours, kafka: the answer of each side, for people.
        cells: the number of versions whose codecs were compared.
        cases: the number of values and checks in them.
        field: the field of the disagreement, with its type; empty if none is known.
        case: for `VALUES`, the version and the value that show the disagreement.
        failures: for `VALUES`, the first difference of each version, one for each cause. The other attributes
            describe the first one.
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
        """The key of the cause: disagreements with equal keys have one cause."""
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


@dataclass(frozen=True, slots=True)
class Oddity:
    """A known disagreement between our front end and Kafka's generator, with its reason."""

    name: str
    reason: str


ODDITIES: Final = (
    Oddity(
        "empty-elements",
        "A struct without fields takes no bytes in a version without tag sections, so an array of "
        "them has fewer bytes than elements. Kafka's classes write such an array, and refuse to read "
        "it: they take the count for a lie (CVE-2022-34917). Our codec does the same. Such a version "
        "is compared by its shape alone.",
    ),
    Oddity(
        "negative-zero",
        "Kafka's classes leave a tagged float64 out if it == its default, and -0.0 == 0.0. So the "
        "sign of a zero is lost where the default is a zero. Our codec does the same, byte for byte; "
        "the values differ by the sign.",
    ),
    Oddity(
        "records-default",
        "The default of records is null even where null cannot be written. So a struct that is made "
        "of defaults cannot be written either: Kafka's class throws a NullPointerException, and our "
        "codec refuses the value. Inside a tagged struct at its default Kafka does not look at it, "
        "because it leaves the struct out; our codec checks the struct first, and refuses it.",
    ),
    Oddity(
        "absent-nan",
        "NaN is not equal to NaN. If a version lacks a field whose default is NaN, and the field is "
        "not ignorable, Kafka's class takes the default for another value, and cannot write any "
        "instance. Our codec takes it for one too. There is nothing to compare in such a version.",
    ),
    Oddity(
        "class-sometimes-used",
        "The generated Java uses some classes for some types of fields only. If a struct has the name "
        "of one, javac may refuse the Java. Our front end has a warning for it (java-class-shadowed), "
        "no matter which fields there are.",
    ),
    Oddity(
        "default-uint32-negative",
        "Kafka takes a hexadecimal default of a uint32 above 0x7fffffff, and javac reads it as a "
        "negative int. The class writes the four bytes of its default and reads them as another number, and "
        "its setter refuses its own default. Our front end refuses it.",
    ),
)


def verdict_oddity(ours: FrontEndVerdict, outcome: str) -> str:
    """The oddity that explains why one side refuses a schema and the other does not; ``""`` for none."""
    if outcome == "not-compiled" and not ours.rules and "java-class-shadowed" in ours.warnings:
        return "class-sometimes-used"
    if outcome == "accepted" and ours.rules == {"default-uint32-negative"}:
        return "default-uint32-negative"
    return ""


def oddity_of(divergence: Divergence, layout: MessageLayout) -> str:
    """The oddity that explains a divergence of a codec from a class; ``""`` for none."""
    ours, kafka = divergence.codec, divergence.oracle
    if divergence.field.startswith("float64, ") and {ours, kafka} == {"0.0", "-0.0"} and _has_tagged(layout):
        return "negative-zero"
    refused = ours.startswith("refused: null-not-allowed")
    if refused and (kafka.startswith("refused while") or divergence.field.startswith("records,")):
        return "records-default"
    if divergence.check is Check.NULLABLE and divergence.field.startswith("records,") and kafka == "accepted":
        return "records-default"
    if divergence.check is Check.PRESENCE and unwritable_records(layout):
        return "records-default"  # the probe cannot write the instance that it changes
    return ""


def empty_elements(layout: MessageLayout) -> bool:
    """Test if the layout has an array of structs that take no bytes."""
    return any(
        field.is_array and inner is not None and not _takes_bytes(inner)
        for _, struct in structs_of(layout)
        for field in struct.all_fields
        for inner in [field.struct]
    )


def _has_tagged(layout: MessageLayout) -> bool:
    return any(struct.tagged for _, struct in structs_of(layout))


def absent_nan(layout: MessageLayout) -> bool:
    """Test if the layout lacks a field that must be at its default, and whose default is NaN."""
    return any(
        not field.ignorable and _holds_nan(field)
        for _, struct in structs_of(layout)
        for field in struct.absent
    )


def _holds_nan(field: AbsentField) -> bool:
    """Test if the default of a field is NaN, or the field is a struct with such a field."""
    if field.struct is not None:
        in_place = isinstance(field.type, StructType) and field.default is not None
        return in_place and any(map(_holds_nan, field.struct.absent))
    return isinstance(field.default, float) and math.isnan(field.default)


def unwritable_records(layout: MessageLayout) -> bool:
    """Test if the layout has records that cannot be at their default, or records of other versions.

    The probe sets records in every instance that it makes, because null may not be valid. So it cannot write
    an instance in a version that lacks the records.
    """
    structs = [struct for _, struct in structs_of(layout)]
    present = (field for struct in structs for field in struct.all_fields)
    absent = (field for struct in structs for field in struct.absent)
    return any(field.type is ScalarType.RECORDS and not field.nullable for field in present) or any(
        map(_holds_records, absent)
    )


def _holds_records(field: AbsentField) -> bool:
    """Test if a field that a version lacks has the type records, or is a struct with such a field."""
    inner = () if field.struct is None else field.struct.absent
    return field.type is ScalarType.RECORDS or any(map(_holds_records, inner))


def _takes_bytes(struct: StructLayout) -> bool:
    """Test if every value of the struct takes at least one byte."""
    return struct.flexible or any(
        field.struct is None or field.is_array or field.nullable or _takes_bytes(field.struct)
        for field in struct.fields
    )
