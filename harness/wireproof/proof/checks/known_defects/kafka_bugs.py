"""Known Kafka bugs: defects of released classes, dated, with their witnesses.

A known bug explains one wrong answer of the oracle. It excuses nothing else: all other checks apply. Runs
meet bugs of the areas `write`, `schemas`, `equality` and `versions`. The others concern parts of Kafka's
classes that users may rely on: JSON, hostile bytes, invalid values that the classes accept.
`tests/oracle/test_kafka_bugs.py` reproduces each bug in the first and the last available release that it
names, and shows that the release with the fix does not have it.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from kafkawire.schema.layout import MessageLayout
from wireproof.model import EqualityBreach, Framing, Refusal
from wireproof.proof.checks.known_defects.bug_effects import (
    exceeds_buffer,
    has_tagged_null,
    is_at_size_step,
    is_nullable_struct,
)
from wireproof.proof.checks.known_defects.kafka_bug import BugArea, KafkaBug, RefusalBug

__all__ = [
    "KAFKA_BUGS",
    "breach_bug",
    "class_bug",
    "refusal_bug",
    "kafka_bug",
    "schema_bug",
    "version_bug",
]


def refusal_bug(
    release: str, layout: MessageLayout, value: Mapping[str, Any] | None, refusal: Refusal
) -> KafkaBug | None:
    """Return the bug that explains why the release's class refuses the value; None if none does.

    Args:
        value: None if unknown, such as an instance that the oracle made and could not write.
    """
    for bug in KAFKA_BUGS:
        if isinstance(bug, RefusalBug) and bug.concerns(release):
            alike = (refusal.stage, refusal.error) == (bug.stage, bug.error)
            if alike and bug.touches(layout, value):
                return bug
    return None


def schema_bug(release: str, layout: MessageLayout, value: Mapping[str, Any]) -> KafkaBug | None:
    """Return the bug that explains why `SCHEMAS` misread the class's bytes of a value; None if none does."""
    if any(is_nullable_struct(field) for _, _, field in layout.walk()):
        known = kafka_bug(release, "KAFKA-19634")
        if known is not None:
            return known
    return kafka_bug(release, "SCHEMAS-TAGGED-NULL") if has_tagged_null(layout.root, value) else None


def breach_bug(release: str, breach: EqualityBreach) -> KafkaBug | None:
    """Return the bug that explains a breach of the law of equality; None if none does."""
    witness = _BREACHES.get(breach.what)
    return None if witness is None else kafka_bug(release, witness)


def class_bug(release: str, framing: Framing, *, same_label: bool) -> KafkaBug | None:
    """Return the bug by which a class writes a message without a schema file otherwise than its schema does.

    Args:
        same_label: whether both write the same version in front.
    """
    if framing is Framing.STICKY:
        return kafka_bug(release, "STICKY-CLASS")
    return kafka_bug(release, "CONNECT-CLASS" if same_label else "CONNECT-VERSION-2")


def version_bug(release: str) -> KafkaBug | None:
    """Return the bug that makes a class write at a version that it does not have."""
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


_SEEN: Final = date(2026, 11, 21)
_CLASSES_SEEN: Final = date(2026, 11, 26)

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
        touches=is_at_size_step,
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
        touches=exceeds_buffer,
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
        "STICKY-CLASS",
        BugArea.WRITE,
        "the sticky assignor writes its version 0 as version 1, and loses topics without partitions",
        _CLASSES_SEEN,
        "4.4.0",
        (("2.8.0", ""),),
    ),
    KafkaBug(
        "CONNECT-CLASS",
        BugArea.WRITE,
        "Connect's classes write a null assignment as an empty one, and lose connectors without tasks",
        _CLASSES_SEEN,
        "4.3.1",
        (("2.8.0", ""),),
    ),
    KafkaBug(
        "CONNECT-VERSION-2",
        BugArea.WRITE,
        "an assignment of version 2 of Connect's protocol is written with the version 1 in front",
        _CLASSES_SEEN,
        "3.2.3",
        (("2.8.0", "3.3.0"),),
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
"""A test reproduces each of them."""
