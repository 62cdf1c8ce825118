"""An entry of a ledger: one known cause of deviations, and the places at which it explains them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final, NamedTuple, Self

from kafkawire.schema.model import ScalarType
from wireproof.checks import Check
from wireproof.ledger.check_phases import MEASURED, phases_of, steady
from wireproof.ledger.evidence import Evidence, Location
from wireproof.ledger.spans import Extent, Releases, Versions
from wireproof.model import CauseSeen, Cell, Divergence, FramePart, Phase, part_of_module
from wireproof.model.divergence import DIFFERS, TAGS_TYPE, without_indices

__all__ = [
    "ANY_MESSAGE",
    "CIRCUMSTANCES",
    "PRIMITIVES",
    "NOT_THE_CODECS",
    "Entry",
    "ReasonKind",
    "Symptom",
    "free_id",
    "generated_id",
    "hangs",
    "is_circumstance",
]

ANY_MESSAGE: Final = "*"

PRIMITIVES: Final = frozenset(f"{array}{scalar}" for array in ("", "[]") for scalar in ScalarType) | {
    TAGS_TYPE
}
"""Types of fields that are written alike wherever they stand, unknown tagged fields among them: a cause that
sits there spans messages."""

CIRCUMSTANCES: Final = frozenset(check for check in Check if check.row.is_circumstance)
"""Checks that concern how a codec is called, or its objects, and as a rule no field: a cause that sits there
spans messages, too. They are made of values that are proven."""

_OPERATORS: Final = frozenset(
    {
        "append",
        "truncate",
        "frame-append",
        "frame-truncate",
        "frame-size",
        "count",
        "marker",
        "tags",
        "tag",
        "tag-size",
    }
)
"""What is done to wrong bytes without regard to any field, or to what all arrays, nullable structs and tagged
fields are written with alike."""

_ENDS: Final = frozenset({"crashed", "hang", "blow-up"})
"""How a decoder ends on wrong bytes. Where they were spoiled is where it began to read otherwise, and hardly
ever the field that it ends at: the cause is how it takes any count, length or tag that it does not expect."""

NOT_THE_CODECS: Final = frozenset({"layout", "oracle"})
"""Subjects that no ledger of a testee speaks for."""


_NOT_TOLD: Final = Releases()
_NOWHERE: Final = Evidence()


class Symptom(NamedTuple):
    """A divergence, or a cause of several, as a ledger looks it up.

    Attributes:
        field: the path without indices; ``""`` is the message.
        type: of the field; empty where it is not known.
    """

    cell: Cell
    part: FramePart
    check: str
    subject: str
    field: str
    type: str
    kind: str

    @classmethod
    def of(cls, cell: Cell, divergence: Divergence) -> Self:
        """That of a divergence in a cell."""
        part = FramePart(divergence.part) if divergence.part else part_of_module(cell.module)
        path = without_indices(divergence.path)
        where = divergence.check, divergence.subject, path, divergence.field_type
        return cls(cell, part, *where, divergence.kind)

    @classmethod
    def of_cause(cls, cell: Cell, cause: CauseSeen) -> Self:
        """That of a cause which a run has seen in a cell."""
        return cls(cell, cause.part, cause.check, cause.subject, cause.field, cause.type, cause.kind)

    @property
    def location(self) -> Location:
        return Location(self.part, self.cell.message, self.cell.version, self.field)


class ReasonKind(StrEnum):
    """Why a deviation is let be."""

    BUG = "bug"
    BY_DESIGN = "by-design"
    UNSUPPORTED = "unsupported"
    FLAKY = "flaky"
    """It comes and goes; the entry is never held against a pass."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One cause.

    Attributes:
        id: unique in its ledger, lower case.
        message: its name; `ANY_MESSAGE` where the cause is in a primitive.
        part: of the message's cells; empty for the one that they are about.
        field: the path without indices; ``""`` is the message.
        type: with `ANY_MESSAGE`: of the fields, one of `PRIMITIVES`; empty where the check is a circumstance.
        subject: the codec; empty for any that is under test.
        kind: as `wireproof.checks.difference_kinds` has it.
        phases: where it was seen; empty for those that the check belongs to.
        case: one that shows it; may be empty.
        reason, link, owner: for people.
        since, expires: the first and the last day of it.
        tried: of releases without an end, those in which it was seen; empty where nobody wrote them down.
        seen: with `ANY_MESSAGE`: the places where it was observed. It explains nothing anywhere else, but for
            a hang: one is reported for each operator of a run, at the place that is tried first.
    """

    id: str
    message: str
    versions: Versions
    releases: Releases
    check: str
    kind: str
    reason_kind: ReasonKind
    reason: str
    owner: str
    since: date
    expires: date
    field: str = ""
    type: str = ""
    subject: str = ""
    phases: tuple[Phase, ...] = ()
    case: str = ""
    link: str = ""
    tried: Releases = _NOT_TOLD
    part: str = ""
    seen: Evidence = _NOWHERE

    @property
    def extent(self) -> Extent:
        return Extent(self.releases, self.versions)

    @property
    def any_message(self) -> bool:
        return self.message == ANY_MESSAGE

    @property
    def cause(self) -> tuple[str, ...]:
        """What it is keyed by, besides its extent."""
        return self.message, self.check, self.part, self.field, self.type, self.kind, self.subject

    @property
    def judged_phases(self) -> frozenset[Phase]:
        """The phases that all have to run before it can be said that the cause is gone: of those where it
        was seen, the ones that try the same cases in every run. Empty where chance or a clock shows it."""
        if self.check in MEASURED:
            return frozenset()
        return steady(self.phases or phases_of(self.check))

    def covers(self, cell: Cell) -> bool:
        """Whether it says anything of the cell."""
        if (cell.release, cell.version) not in self.extent:
            return False
        if self.any_message:
            everywhere = bool(self.seen) and hangs(self.check, self.kind)
            return everywhere or bool(self.seen.fields_at(cell.message, cell.version))
        return self.message == cell.message

    def is_at(self, symptom: Symptom) -> bool:
        """Whether a symptom is at its place, of whatever kind and in whatever version."""
        if not self._is_of(symptom):
            return False
        if self.any_message:
            found = hangs(symptom.check, symptom.kind) and self.seen.messages(symptom.part)
            return self.type in ("", symptom.type) and bool(found or symptom.location in self.seen)
        own = part_of_module(symptom.cell.module)
        return (self.message, self.field, self.part or own) == (
            symptom.cell.message,
            symptom.field,
            symptom.part,
        )

    def says_the_same(self, symptom: Symptom) -> bool:
        """Whether it is about such a cause, for all messages, wherever it was observed."""
        same = self._is_of(symptom) and self.kind == symptom.kind
        return same and self.any_message and self.type in ("", symptom.type)

    def explains(self, symptom: Symptom) -> bool:
        """Whether the symptom is this cause at one of its places."""
        return self.kind == symptom.kind and self.covers(symptom.cell) and self.is_at(symptom)

    def _is_of(self, symptom: Symptom) -> bool:
        if symptom.check != self.check or symptom.subject in NOT_THE_CODECS:
            return False
        return self.subject in ("", symptom.subject)


_MEASURED_KINDS: Final = ("hang:", "blow-up:")
"""Kinds that a limit of time or memory decides: a codec at its edge may also answer or crash."""


def is_circumstance(check: str, kind: str) -> bool:
    """Whether a cause has to do with no field: it is about the call, about bytes cut short or too many, about
    what all arrays and structs are written with, or about how a decoder ends on wrong bytes."""
    word, _, operator = kind.partition(":")
    return check in CIRCUMSTANCES or (check == Check.MALFORMED and (word in _ENDS or _is_general(operator)))


def hangs(check: str, kind: str) -> bool:
    """Whether a cause is malformed bytes that hang the codec: a run reports one place for each operator."""
    return check == Check.MALFORMED and kind.startswith("hang:")


def _is_general(operator: str) -> bool:
    """Whether a mutation operator, such as ``count-null``, belongs to one of `_OPERATORS`."""
    return any(operator == each or operator.startswith(f"{each}-") for each in _OPERATORS)


def generated_id(message: str, place: str, check: str, kind: str) -> str:
    """The id that an entry gets of itself.

    Args:
        place: the field, or of a cause in a primitive its type; may be empty.
    """
    words = "any" if message == ANY_MESSAGE else message, place, check, "" if kind == DIFFERS else kind
    return "-".join(filter(None, map(_slug, words)))


def _slug(text: str) -> str:
    """``FetchRequest`` and ``topics[].partitions[].index`` in small letters and dashes."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text)
    return re.sub(r"[^a-z0-9]+", "-", spaced.lower()).strip("-")


def free_id(wanted: str, taken: Iterable[str]) -> str:
    """The id, with a number where it is taken."""
    known, number, name = set(taken), 1, wanted
    while name in known:
        number += 1
        name = f"{wanted}-{number}"
    return name
