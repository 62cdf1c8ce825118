"""Known Kafka bugs: defects of released classes, dated, with their witnesses.

A known bug explains one wrong answer of the oracle. It excuses nothing else: all other checks apply. Runs
meet bugs of the areas `write`, `schemas`, `equality` and `versions`. The others concern parts of Kafka's
classes that users may rely on: JSON, hostile bytes, invalid values that the classes accept.
`tests/oracle/test_kafka_bugs.py` reproduces each bug in the first and the last available release that it
names, and shows that the release with the fix does not have it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from importlib.resources import files
from typing import Any, Final

from kafkawire.compiler import interpret_layout
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import MessageKind
from kafkawire.values import TAGS
from wireproof.base.text.parsing import parse_toml
from wireproof.model.divergence import Divergence
from wireproof.model.embedding import Framing
from wireproof.model.kafka.releases import release_number
from wireproof.model.oracle import EqualityBreach, Refusal
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.difference_kinds import ACCEPTED, TAGS_LOST

_ROOM_BYTES: Final = 182
"""The space for a control message in a buffer of 256 bytes: the batch takes 61, the record 13."""


def is_nullable_struct(field: FieldLayout) -> bool:
    """Return True for a nullable struct that is not an array."""
    return field.struct is not None and field.nullable and not field.is_array


def has_tagged_null(struct: StructLayout, value: Mapping[str, Any]) -> bool:
    """Return True if a tagged struct is null in the value, and null is not its default."""
    for field in struct.all_fields:
        held = value.get(field.name)
        if field.struct is None:
            continue
        if held is None:
            if _is_tagged_nullable(field) and field.default is not None:
                return True
        elif any(has_tagged_null(field.struct, each) for each in (held if field.is_array else (held,))):
            return True
    return False


def is_at_size_step(layout: MessageLayout, value: Mapping[str, Any] | None) -> bool:
    """Return True if the size prefix of a tagged nullable struct is longer with its marker byte."""
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
    return is_nullable_struct(field) and field.tag is not None


def _nullable_tagged(
    struct: StructLayout, value: Mapping[str, Any]
) -> Iterator[tuple[FieldLayout, dict[str, Any]]]:
    """Iterate over the tagged nullable structs that are not null in the value, at any depth."""
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


def exceeds_buffer(layout: MessageLayout, value: Mapping[str, Any] | None) -> bool:
    """Return True for a leader's change that does not fit the initial buffer of a control batch."""
    if layout.name != "LeaderChangeMessage" or value is None:
        return False
    return interpret_layout(layout).size(dict(value)) > _ROOM_BYTES


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


def refusal_bug(
    release: str, layout: MessageLayout, value: Mapping[str, Any] | None, reply: object
) -> KafkaBug | None:
    """Return the bug that explains why the release's class refuses the value; None if none does.

    Args:
        value: None if unknown, such as an instance that the oracle made and could not write.
        reply: the class's answer; only a `Refusal` needs a bug.
    """
    if not isinstance(reply, Refusal):
        return None
    for bug in KAFKA_BUGS:
        if isinstance(bug, RefusalBug) and bug.concerns(release):
            alike = (reply.stage, reply.error) == (bug.stage, bug.error)
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
    """Return the bug by which a class without a schema file writes other bytes than wireproof's schema.

    Args:
        same_label: whether both write the same version first.
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


_EFFECTS: Final = {effect.__name__: effect for effect in (exceeds_buffer, is_at_size_step)}


def _bug(row: Mapping[str, Any]) -> KafkaBug:
    releases = tuple((first, fixed) for first, fixed in row["releases"])
    columns = {**row, "area": BugArea(row["area"]), "releases": releases}
    if "touches" in row:
        return RefusalBug(**{**columns, "touches": _EFFECTS[row["touches"]]})
    return KafkaBug(**columns)


_TEXT: Final = files(__package__).joinpath("kafka_bugs.toml").read_text(encoding="utf-8")
KAFKA_BUGS: Final[tuple[KafkaBug, ...]] = tuple(map(_bug, parse_toml(_TEXT)["bug"]))
"""A test reproduces each of them."""


_OUT_OF_MEMORY: Final = "OutOfMemoryError"

_SHOWN_AS: Final[Mapping[tuple[str, str], str]] = {
    (Check.MALFORMED, f"crashed:java.lang.{_OUT_OF_MEMORY}"): "SNAPPY-LENGTH",
    (Check.COPY, TAGS_LOST): "DUPLICATE-TAGS",
    (Check.REFUSAL, ACCEPTED): "TAG-DEFINED",
    (Check.VERSIONS, ACCEPTED): "VERSION-UNCHECKED",
}
"""The witness of each bug, by the check and the kind of the divergence that the bug causes."""


def explain_own_bugs(
    release: str, divergences: tuple[Divergence, ...], subject: str
) -> tuple[Divergence, ...]:
    """Add to each divergence of a codec in a case the bug of the release that explains it.

    Args:
        release: the Kafka release whose own classes the codec is.
    """
    refused = {each.erratum for each in divergences if each.erratum}
    return tuple(
        each
        if each.excused or each.subject != subject
        else replace(each, erratum=_witness(release, each, refused))
        for each in divergences
    )


def _witness(release: str, divergence: Divergence, refused: set[str]) -> str:
    """Return the witness of the bug that explains a divergence; empty if none does.

    Args:
        refused: the bugs by which the oracle refuses the value of the case.
    """
    witness = _SHOWN_AS.get((divergence.check, divergence.kind), "")
    if witness == "TAG-DEFINED" and not divergence.path.endswith(TAGS):
        return ""
    if witness == "SNAPPY-LENGTH" and _OUT_OF_MEMORY not in divergence.oracle:
        return ""
    if divergence.check == Check.ENCODE and divergence.unanswered:
        witness = next((each for each in refused if _refuses(release, each, divergence)), "")
    return witness if witness and kafka_bug(release, witness) else ""


def _refuses(release: str, witness: str, divergence: Divergence) -> bool:
    """Return whether the class under test refuses the value as the bug says."""
    bug = kafka_bug(release, witness)
    return isinstance(bug, RefusalBug) and bug.error in divergence.kind
