"""Cells and cases; divergences with their evidence, and the owners of faults."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, NamedTuple

RECORDS_MODULE: Final = "records"
"""The module of the cells that are record sets; their version is the highest magic."""


EMBEDDED_MODULE: Final = "embedded"
"""The module of the cells that are protocols without a schema file: the sticky assignor's and Connect's."""


PRIMITIVES_MODULE: Final = "primitives"
"""The module of the cells that are single primitives, each by its name at version 0. They are there where a
testee claims some."""


class Phase(StrEnum):
    """The origin of a case."""

    SHAPE = "shape"
    """The layout itself, held against the oracle's class before any case."""
    ENUMERATED = "enumerated"
    """Named boundary cases, the same in every run."""
    ORACLE = "oracle"
    """Instances that the oracle made of its own class."""
    FRAME = "frame"
    """Whole frames: size, header, body."""
    RECORDS = "records"
    """Messages whose records fields hold record sets, which are judged too."""
    EMBEDDED = "embedded"
    """Messages in the framing in which other data carry them."""
    EVOLUTION = "evolution"
    """Fields and tags of other versions and other releases."""
    RANDOM = "random"
    """Hypothesis."""
    MUTATIONS = "mutations"
    """Valid bytes with one hostile change, read in a limited process."""
    BULK = "bulk"
    """Seeded instances, as many as asked for."""
    CORPUS = "corpus"
    """Entries of a golden corpus; the name of a case is the entry's id."""


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One message at one version of one release: the unit of coverage."""

    release: str
    module: str
    message: str
    version: int

    @property
    def id(self) -> str:
        """The readable path, such as ``4.4.0/FetchRequest/12``; message names are unique over modules."""
        return f"{self.release}/{self.message}/{self.version}"

    def case_id(self, phase: Phase, name: str) -> str:
        """The id of a case of the cell: ``4.4.0/FetchRequest/12/enumerated/message/nulls``."""
        return f"{self.id}/{phase}/{name}"

    def __str__(self) -> str:
        return self.id


@dataclass(frozen=True, slots=True)
class Case:
    """One input for one cell.

    Attributes:
        name: unique within (cell, phase), readable and stable: ``clientId/length-127``.
        value: the instance, in `kafkawire.values` form.
        header: the header's instance where the case is a whole frame; else None.
        omitted: the path of the field that the value leaves out for the codec's own default to show; empty
            where the case is about something else.
    """

    cell: Cell
    phase: Phase
    name: str
    value: dict[str, Any] = field(hash=False)
    header: dict[str, Any] | None = field(default=None, hash=False)
    omitted: str = ""

    @property
    def id(self) -> str:
        """The id ``CELL/PHASE/NAME``."""
        return self.cell.case_id(self.phase, self.name)


class FramePart(StrEnum):
    """The kind of data that a divergence is in. Its text is stable: event files and ledgers hold it."""

    MESSAGE = "message"
    """The body of a message."""
    HEADER = "header"
    """The size and the header of a frame."""
    RECORD_SET = "record-set"
    """A record set: a cell of its own, or in a field of a message."""
    EMBEDDED = "embedded"
    """A message in the framing in which other data carry it."""
    PRIMITIVE = "primitive"
    """A single primitive."""


_OF_MODULES: Final = {
    RECORDS_MODULE: FramePart.RECORD_SET,
    EMBEDDED_MODULE: FramePart.EMBEDDED,
    PRIMITIVES_MODULE: FramePart.PRIMITIVE,
}


def part_of_module(module: str) -> FramePart:
    """The part that the cells of a module are about."""
    return _OF_MODULES.get(module, FramePart.MESSAGE)


class CellId(NamedTuple):
    """``RELEASE/MESSAGE/VERSION``, such as ``4.4.0/FetchRequest/12``. Message names are unique over modules.

    Attributes:
        release: empty where the text names none; only `parse_short` accepts that.
        version: 0 or greater.
    """

    release: str
    message: str
    version: int

    @classmethod
    def parse(cls, text: str) -> "CellId":
        """Parse a cell id.

        Raises:
            ValueError: the text is not a cell id.
        """
        release, _, rest = text.partition("/")
        message, _, version = rest.partition("/")
        if not (release and message and version.isdecimal()):
            raise ValueError(f"{text!r} is not a cell: expected RELEASE/MESSAGE/VERSION")
        return cls(release, message, int(version))

    @classmethod
    def parse_short(cls, text: str) -> "CellId":
        """Parse a cell id, or ``MESSAGE/VERSION``.

        Raises:
            ValueError: the text is neither.
        """
        if text.count("/") != 1:
            return cls.parse(text)
        message, _, version = text.partition("/")
        if not (message and version.isdecimal()):
            raise ValueError(f"{text!r} is not a cell: expected MESSAGE/VERSION")
        return cls("", message, int(version))

    def in_module(self, module: str) -> Cell:
        """The cell, in the module that its message belongs to."""
        return Cell(self.release, module, self.message, self.version)

    def __str__(self) -> str:
        return f"{self.release}/{self.message}/{self.version}"


class CaseId(NamedTuple):
    """``CELL/PHASE/NAME``; the name may contain slashes."""

    cell: CellId
    phase: Phase
    name: str

    @classmethod
    def parse(cls, text: str) -> "CaseId":
        """Parse a case id.

        Raises:
            ValueError: the text is not a case id.
        """
        parts = text.split("/", 4)
        if len(parts) != 5 or parts[3] not in list(Phase):
            raise ValueError(f"{text!r} is not a case: expected RELEASE/MESSAGE/VERSION/PHASE/NAME")
        return cls(CellId.parse("/".join(parts[:3])), Phase(parts[3]), parts[4])

    @property
    def seed(self) -> int:
        """The seed that the case was generated with; 0 where its name has none."""
        digits = self.name.removeprefix("seed-").split("-")[0]
        return int(digits) if digits.isdecimal() else 0

    def __str__(self) -> str:
        return f"{self.cell}/{self.phase}/{self.name}"


def release_in(text: str) -> str:
    """The release, or the pattern of releases, that a cell id, a case id or a cell pattern begins with."""
    return text.partition("/")[0]


def full_pattern(pattern: str) -> str:
    """Return a cell pattern of three parts.

    ``FetchRequest/12`` means ``*/FetchRequest/12``, ``FetchRequest`` means ``*/FetchRequest/*``,
    ``4.4.0/FetchRequest`` means ``4.4.0/FetchRequest/*``, and ``4.4.0`` means ``4.4.0/*/*``. A release begins
    with a digit, and no message does.
    """
    parts = pattern.split("/")
    if "**" in pattern or len(parts) > 2:
        return pattern
    if not parts[0][:1].isdigit():
        parts = ["*", *parts]
    return "/".join([*parts, "*", "*"][:3])


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
        codec: the bytes that the codec wrote; None where it wrote none, or where they say nothing.
        oracle: the bytes that Kafka wrote of the same value.
        given: the bytes that both sides were given to read.
    """

    codec: NamedBytes | None = None
    oracle: NamedBytes | None = None
    given: NamedBytes | None = None


DIFFERS: Final = "differs"
"""The kind of a difference of which no more is known: both sides answer, and otherwise."""

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
        subject: whose answer is at fault, such as ``kafkawire[compiled]``; ``layout`` where the
            definition itself is read otherwise than Kafka reads it.
        summary: one sentence.
        path: the first differing field with its indices, ``topics[0].name``; ``""`` is the message.
        field: that field's type, nullability, tag and version range in words; may be empty.
        offset: the first differing byte, counted from the start of the frame; None where no bytes
            are compared.
        codec: the codec's side, short.
        oracle: Kafka's side, short.
        erratum: the witness of the known Kafka bug that explains it, ``KAFKA-18199``; then no other party is
            at fault, and the case does not fail. Empty where nothing explains it.
        unsupported: a limit that the codec names: its types cannot hold the value. Then there is nothing to
            judge, and the case is left out. Empty where it was judged.
        opinions: where two sides disagree about a value: whom third parties agree with, the oracle's second
            codec and another release; empty if no other party was asked.
        kind: what kind of difference it is, a short word that stays from run to run: ``differs``,
            ``refused:CLASS`` and ``crashed:CLASS`` where the codec gives no answer, and those of
            `wireproof.proof.checks.difference_kinds`.
        entry: the id of the ledger's entry that explains it; then the case does not fail. Empty where none
            does.
        near: of what no entry explains, in words: the entry that nearly does.
        part: the `FramePart` that it is in; empty for the one that its cell is about.
        rank: how many differences of the same comparison come before it. It counts only where all of those
            are excused: see `wireproof.proof.checks.check_table.considered`.
        bytes: the bytes of both sides; None where no bytes say anything. Only the first divergence of a case
            has them in events.
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
