"""Cell and case: what is counted, and what is tried."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, NamedTuple

RECORDS_MODULE: Final = "records"
"""The module of the cells for record sets; the version of such a cell is the highest magic of the set."""


EMBEDDED_MODULE: Final = "embedded"
"""The module of the cells for protocols without a schema file: the sticky assignor's and Connect's."""


PRIMITIVES_MODULE: Final = "primitives"
"""The module of the cells for single primitives, each by its name at version 0. A run has them only if a
testee claims some."""


class Phase(StrEnum):
    """The origin of a case."""

    SHAPE = "shape"
    """The layout itself, compared with the oracle's class before any case."""
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
        header: the header's instance if the case is a whole frame; else None.
        omitted: the path of the field that the value leaves out to test the codec's own default; empty in
            all other cases.
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
        """Parse a cell id; `ValueError` if the text is not a cell id."""
        release, _, rest = text.partition("/")
        message, _, version = rest.partition("/")
        if not (release and message and version.isdecimal()):
            raise ValueError(f"{text!r} is not a cell: expected RELEASE/MESSAGE/VERSION")
        return cls(release, message, int(version))

    @classmethod
    def parse_short(cls, text: str) -> "CellId":
        """Parse a cell id, or ``MESSAGE/VERSION``; `ValueError` if the text is neither."""
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
        """Parse a case id; `ValueError` if the text is not a case id."""
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
