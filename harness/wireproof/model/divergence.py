"""Divergences with their evidence, and the owners of faults."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


@dataclass(frozen=True, slots=True)
class NamedBytes:
    """A part of an encoding, around the place of interest.

    Attributes:
        hex: the bytes of the part, two digits each.
        start: the offset of the first of them in the encoding.
        length: the number of bytes of the whole encoding.
        fields: the fields of the part in the order of their bytes, as (start, end, name); the offsets count
            from the start of the encoding. ``topics count`` names the count of an array. Bytes that cannot
            be read have no field.
    """

    hex: str
    start: int
    length: int
    fields: tuple[tuple[int, int, str], ...] = ()

    @property
    def data(self) -> bytes:
        """The bytes of the part."""
        return bytes.fromhex(self.hex)


@dataclass(frozen=True, slots=True)
class ByteEvidence:
    """The bytes of both sides of a divergence.

    Attributes:
        codec: the bytes that the codec wrote; None if it wrote none, or if they are no evidence.
        oracle: the bytes that Kafka wrote of the same value.
        given: the bytes that both sides were given to read.
    """

    codec: NamedBytes | None = None
    oracle: NamedBytes | None = None
    given: NamedBytes | None = None


DIFFERS: Final = "differs"
"""The kind of a difference of unknown cause: both sides answer, but their answers differ."""


TAGS_TYPE: Final = "tags"
"""The type of a difference in unknown tagged fields: all structs write them alike."""


_INDEX: Final = re.compile(r"\[\d+\]")


_UNANSWERED: Final = frozenset({"refused", "crashed", "stopped-early", "read-past-end"})


@dataclass(frozen=True, slots=True)
class Divergence:
    """A difference of two sides.

    Attributes:
        check: the check that saw it, such as ``bytes`` or ``value``; the names are those of
            `wireproof.proof.checks.check_table.ROWS`.
        subject: the party with the wrong answer, such as ``kafkawire[compiled]``; ``layout`` if the layout
            differs from Kafka's reading of the definition.
        summary: one sentence.
        path: the first differing field with its indices, ``topics[0].name``; ``""`` is the message.
        field: that field's type, nullability, tag and version range in words; may be empty.
        offset: the first differing byte, counted from the start of the frame; None where no bytes
            are compared.
        codec: the codec's side, short.
        oracle: Kafka's side, short.
        erratum: the witness of the known Kafka bug that explains it, ``KAFKA-18199``; then no other party is
            at fault, and the case does not fail. Empty if no known bug explains it.
        unsupported: a limit that the codec names: its types cannot hold the value. Then the case is not
            judged. Empty if it was judged.
        opinions: the side that third parties agree with if two sides disagree about a value. Third parties
            are the oracle's second codec and another release; empty if none was asked.
        kind: the kind of difference, a short word that is the same in every run: ``differs``,
            ``refused:CLASS`` and ``crashed:CLASS`` if the codec gives no answer, and the kinds of
            `wireproof.proof.checks.difference_kinds`.
        entry: the id of the ledger entry that explains it; then the case does not fail. Empty if no entry
            explains it.
        near: the ledger entry that almost matches, in words; empty if one matches or none comes close.
        part: the `FramePart` of the difference; empty for the part that its cell is about.
        rank: the number of earlier differences in the same comparison. This one counts only if all earlier
            ones are excused: see `wireproof.proof.checks.check_table.considered`.
        bytes: the bytes of both sides; None if no bytes are evidence. In events, only the first divergence
            of a case has them.
    """

    check: str
    subject: str
    summary: str
    path: str = ""
    field: str = ""
    offset: int | None = None
    codec: str = ""
    oracle: str = ""
    erratum: str = ""
    opinions: str = ""
    unsupported: str = ""
    kind: str = DIFFERS
    entry: str = ""
    near: str = ""
    part: str = ""
    rank: int = 0
    bytes: ByteEvidence | None = None

    @property
    def cause(self) -> tuple[str, str, str, str]:
        """The key of a cause: check, field without its indices, subject, kind."""
        return self.check, without_indices(self.path), self.subject, self.kind

    @property
    def excused(self) -> bool:
        """Return whether a known Kafka bug or an entry of the ledger explains it."""
        return bool(self.erratum or self.entry)

    @property
    def unanswered(self) -> bool:
        """Return whether the codec gives no answer where it has to: it refuses, crashes, or stops early."""
        return self.kind.partition(":")[0] in _UNANSWERED

    @property
    def field_type(self) -> str:
        """The type of the field, the first of its words: ``[]int32``; `TAGS_TYPE` of unknown tagged fields;
        empty where the field is not known."""
        if not self.field and without_indices(self.path.rpartition(".")[2]) in ("_tags", "_tags[]"):
            return TAGS_TYPE
        return self.field.partition(",")[0]


def without_indices(path: str) -> str:
    """``topics[3].partitions[0].index`` -> ``topics[].partitions[].index``: the field, wherever it stands."""
    return _INDEX.sub("[]", path)


class FaultOwner(StrEnum):
    """The owner of a fault."""

    CODEC = "codec"
    ADAPTER = "adapter"
    """The code between the codec and wireproof: the protocol, names and types of values."""
    CODEC_OR_ADAPTER = "codec or adapter"
    """One of the two: nothing that was asked excludes the other."""
    ERRATUM = "oracle erratum"
    """Kafka's class, by a defect that the table of errata has."""
    ORACLE = "oracle"
    """Kafka's class, by a defect of unknown date."""
    HARNESS = "harness"
    """wireproof itself: its reading of Kafka's schemas, its own codec."""


@dataclass(frozen=True, slots=True)
class FaultAttribution:
    """A verdict on whose fault a failure is.

    Attributes:
        evidence: why, in a sentence.
    """

    whose: FaultOwner
    evidence: str

    def __str__(self) -> str:
        return f"{self.whose}: {self.evidence}"
