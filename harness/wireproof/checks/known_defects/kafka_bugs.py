"""Known Kafka bugs: defects of released classes, dated, with their witnesses.

A known bug says that one answer of the oracle is Kafka's defect. It excuses nothing else: every other
check is judged as always. Runs meet bugs of the areas `write`, `schemas`, `equality` and `versions`. The
others concern parts of Kafka's classes that a user may rely on: JSON, hostile bytes, values that the
classes accept and should not. `tests/oracle/test_kafka_bugs.py` shows that each bug is in the first and
the last release that it names, of those at hand, and that the release that fixed it lacks it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, Final

from kafkawire.compiler import interpret_layout
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import MessageKind
from wireproof.model import EqualityBreach, Refusal, release_number

__all__ = [
    "KAFKA_BUGS",
    "BugArea",
    "KafkaBug",
    "RefusalBug",
    "breach_bug",
    "refusal_bug",
    "kafka_bug",
    "schema_bug",
    "version_bug",
]


class BugArea(StrEnum):
    """The part of Kafka that a known bug is in."""

    WRITE = "write"
    """The class does not write a value that it should."""
    SCHEMAS = "schemas"
    """`SCHEMAS[v]` reads or writes otherwise than the class."""
    EQUALITY = "equality"
    """`equals`, `hashCode` or `duplicate`."""
    VERSIONS = "versions"
    """A version that the message does not have."""
    VALUES = "values"
    """A value that the class takes and should not, or does not take though it is its own."""
    READ = "read"
    """The effect of bytes on the reader."""
    JSON = "json"
    """The JSON converters."""


@dataclass(frozen=True, slots=True)
class KafkaBug:
    """A defect of Kafka's classes.

    Attributes:
        witness: Kafka's own number of it, or a CVE's; a name of ours, in capitals, where nobody gave it one.
        summary: what is wrong, one sentence.
        noted: when it was seen here, on the jar of `seen_in`.
        releases: the releases that have it, as spans: from the first on, before the second; the second is
            empty where it is not fixed.
    """

    witness: str
    area: BugArea
    summary: str
    noted: date
    seen_in: str
    releases: tuple[tuple[str, str], ...]

    def concerns(self, release: str) -> bool:
        """Return whether the release has it."""
        number = release_number(release)
        return any(
            release_number(first) <= number and (not fixed or number < release_number(fixed))
            for first, fixed in self.releases
        )


@dataclass(frozen=True, slots=True)
class RefusalBug(KafkaBug):
    """A defect by which a class refuses a value.

    Attributes:
        stage, error: the refusal that it shows as (`Refusal`).
        touches: whether it strikes this value of this layout; where the value is None, one of them.
    """

    stage: str
    error: str
    touches: Callable[[MessageLayout, Mapping[str, Any] | None], bool]


def refusal_bug(
    release: str, layout: MessageLayout, value: Mapping[str, Any] | None, refusal: Refusal
) -> KafkaBug | None:
    """The bug that explains why the release's class refuses the value; None where none does.

    Args:
        value: None where it is not known, as of an instance that the oracle made and could not write.
    """
    for bug in KAFKA_BUGS:
        if isinstance(bug, RefusalBug) and bug.concerns(release):
            alike = (refusal.stage, refusal.error) == (bug.stage, bug.error)
            if alike and bug.touches(layout, value):
                return bug
    return None


def schema_bug(release: str, layout: MessageLayout, value: Mapping[str, Any]) -> KafkaBug | None:
    """The bug by which `SCHEMAS` misread the bytes of a value that the class wrote; None if none does."""
    if any(_is_nullable(field) for _, _, field in layout.walk()):
        known = kafka_bug(release, "KAFKA-19634")
        if known is not None:
            return known
    return kafka_bug(release, "SCHEMAS-TAGGED-NULL") if _tagged_null(layout.root, value) else None


def _is_nullable(field: FieldLayout) -> bool:
    return field.struct is not None and field.nullable and not field.is_array


def _tagged_null(struct: StructLayout, value: Mapping[str, Any]) -> bool:
    """Return whether a tagged struct is null in the value, and written so: null is not its default."""
    for field in struct.all_fields:
        held = value.get(field.name)
        if field.struct is None:
            continue
        if held is None:
            if _is_tagged_nullable(field) and field.default is not None:
                return True
        elif any(_tagged_null(field.struct, each) for each in (held if field.is_array else (held,))):
            return True
    return False


def breach_bug(release: str, breach: EqualityBreach) -> KafkaBug | None:
    """The bug behind a breach of the law of equality; None where none explains it."""
    witness = _BREACHES.get(breach.what)
    return None if witness is None else kafka_bug(release, witness)


def version_bug(release: str) -> KafkaBug | None:
    """The bug by which a class writes at a version that it does not have."""
    return kafka_bug(release, "VERSION-UNCHECKED")


_BREACHES: Final = {
    "nan-differs": "EQUALS-NAN",
    "zeros-equal": "EQUALS-ZERO",
    "zeros-hash": "EQUALS-ZERO",
    "duplicate-differs": "DUPLICATE-TAGS",
}


def kafka_bug(release: str, witness: str) -> KafkaBug | None:
    found = next((bug for bug in KAFKA_BUGS if bug.witness == witness), None)
    return found if found is not None and found.concerns(release) else None


def _at_a_step_of_the_size(layout: MessageLayout, value: Mapping[str, Any] | None) -> bool:
    """Return whether the size prefix of a tagged nullable struct is longer with its marker byte."""
    if value is None:
        return any(_is_tagged_nullable(field) for _, _, field in layout.walk())
    for field, body in _nullable_tagged(layout.root, value):
        assert field.struct is not None
        alone = MessageLayout(field.name, MessageKind.DATA, None, layout.version, field.struct)
        size = interpret_layout(alone).size(body)
        if _varint_bytes(size) != _varint_bytes(size + 1):
            return True
    return False


def _is_tagged_nullable(field: FieldLayout) -> bool:
    return _is_nullable(field) and field.tag is not None


def _nullable_tagged(
    struct: StructLayout, value: Mapping[str, Any]
) -> Iterator[tuple[FieldLayout, dict[str, Any]]]:
    """Each tagged nullable struct that is not null in the value, wherever it stands."""
    for field in struct.all_fields:
        held = value.get(field.name)
        if field.struct is None or not held:
            continue
        if _is_tagged_nullable(field):
            yield field, held
        for each in held if field.is_array else (held,):
            yield from _nullable_tagged(field.struct, each)


def _varint_bytes(number: int) -> int:
    return max(1, -(-number.bit_length() // 7))


_SEEN: Final = date(2026, 11, 21)

_ROOM_BYTES = 182
"""The bytes of 256 that are left for a control message: 61 are the batch's, 13 the record's."""


def _beyond_the_buffer(layout: MessageLayout, value: Mapping[str, Any] | None) -> bool:
    if layout.name != "LeaderChangeMessage" or value is None:
        return False
    return interpret_layout(layout).size(dict(value)) > _ROOM_BYTES


KAFKA_BUGS: Final[tuple[KafkaBug, ...]] = (
    RefusalBug(
        "KAFKA-18199",
        BugArea.WRITE,
        "the size of a tagged nullable struct is reckoned without its marker byte",
        _SEEN,
        "3.8.1",
        (("3.5.0", "3.9.1"),),
        stage="write",
        error="BufferOverflowException",
        touches=_at_a_step_of_the_size,
    ),
    RefusalBug(
        "LEADER-CHANGE-ABOVE-256",
        BugArea.WRITE,
        "a batch with a leader's change of more than 256 bytes is lost: its buffer grew, the old one is read",
        _SEEN,
        "2.8.2",
        (("2.8.0", "3.0.0"),),
        stage="write",
        error="NoSuchElementException",
        touches=_beyond_the_buffer,
    ),
    KafkaBug(
        "KAFKA-13277",
        BugArea.WRITE,
        "the size of a tagged string of 127 bytes or more is reckoned too small",
        _SEEN,
        "2.8.0",
        (("2.8.0", "2.8.1"),),
    ),
    KafkaBug(
        "KAFKA-19634",
        BugArea.SCHEMAS,
        "SCHEMAS describe nullable structs and records as plain ones, and misread or refuse the former",
        _SEEN,
        "4.2.2",
        (("2.8.0", "4.3.0"),),
    ),
    KafkaBug(
        "SCHEMAS-TAGGED-NULL",
        BugArea.SCHEMAS,
        "SCHEMAS take a null tagged struct, which is a zero on the wire, for one that is there",
        _SEEN,
        "4.4.0",
        (("4.3.0", ""),),
    ),
    KafkaBug(
        "EQUALS-NAN",
        BugArea.EQUALITY,
        "an instance with NaN in a float64 does not equal itself",
        _SEEN,
        "4.4.0",
        (("2.8.0", ""),),
    ),
    KafkaBug(
        "EQUALS-ZERO",
        BugArea.EQUALITY,
        "0.0 and -0.0, which are other bytes, make equal instances, with different hash codes",
        _SEEN,
        "4.4.0",
        (("2.8.0", ""),),
    ),
    KafkaBug(
        "DUPLICATE-TAGS",
        BugArea.EQUALITY,
        "duplicate() loses unknown tagged fields",
        _SEEN,
        "4.4.0",
        (("2.8.0", ""),),
    ),
    KafkaBug(
        "VERSION-UNCHECKED",
        BugArea.VERSIONS,
        "read and write of a class take versions that it does not have; only requests are checked, elsewhere",
        _SEEN,
        "4.4.0",
        (("2.8.0", ""),),
    ),
    KafkaBug(
        "TAG-DEFINED",
        BugArea.VALUES,
        "an unknown tag with the number of a known field is written, and read as that field",
        _SEEN,
        "4.4.0",
        (("2.8.0", ""),),
    ),
    KafkaBug(
        "RECORDS-DEFAULT",
        BugArea.VALUES,
        "a fresh instance whose records may not be null has null there, and cannot be written",
        _SEEN,
        "4.4.0",
        (("2.8.0", ""),),
    ),
    KafkaBug(
        "CVE-2022-34917",
        BugArea.READ,
        "memory is allocated for whatever length or count a frame declares",
        _SEEN,
        "3.2.1",
        (("2.8.0", "2.8.2"), ("3.0.0", "3.0.2"), ("3.1.0", "3.1.2"), ("3.2.0", "3.2.2")),
    ),
    KafkaBug(
        "SNAPPY-LENGTH",
        BugArea.READ,
        "memory is allocated for whatever length a block of a snappy stream declares",
        _SEEN,
        "4.4.0",
        (("2.8.0", ""),),
    ),
    KafkaBug(
        "KAFKA-14794",
        BugArea.JSON,
        "bytes that were written as JSON text are not read again",
        _SEEN,
        "3.4.1",
        (("2.8.0", "3.5.0"),),
    ),
    KafkaBug(
        "JSON-RECORDS",
        BugArea.JSON,
        "records become empty text or their size, never their bytes",
        _SEEN,
        "4.4.0",
        (("2.8.0", ""),),
    ),
    KafkaBug(
        "JSON-TAGS",
        BugArea.JSON,
        "unknown tagged fields are left out",
        _SEEN,
        "4.4.0",
        (("2.8.0", ""),),
    ),
    KafkaBug(
        "JSON-NAN",
        BugArea.JSON,
        "NaN and infinities are written as text and not read again",
        _SEEN,
        "4.4.0",
        (("2.8.0", ""),),
    ),
    KafkaBug(
        "JSON-INT8",
        BugArea.JSON,
        "an int8 from 128 to 256 is taken, and wraps",
        _SEEN,
        "4.4.0",
        (("2.8.0", ""),),
    ),
    KafkaBug(
        "JSON-ABSENT",
        BugArea.JSON,
        "a key of a field that the version lacks is taken, and the field set",
        _SEEN,
        "4.4.0",
        (("2.8.0", ""),),
    ),
)
"""An entry that no test reproduces has no place here."""
