"""An entry of a ledger: one known cause of deviations, and the places at which it explains them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final, NamedTuple, Self

from kafkawire.schema.model import ScalarType
from wireproof.model.agreement import ObservedCause
from wireproof.model.cell import Cell, FramePart, Phase, part_of_module
from wireproof.model.codec_ends import HANG, ExpectedEnd
from wireproof.model.divergence import DIFFERS, TAGS_TYPE, Divergence, without_indices
from wireproof.proof.checks.check_table import ROWS, Check
from wireproof.verdict.ledger.evidence import Evidence, Location
from wireproof.verdict.ledger.spans import Extent, Releases, Versions

MEASURED: Final = frozenset(check for check in Check if check.row.is_measured)
"""Checks that measure, and not in every cell: one run may miss what another finds."""

_BY_CHANCE: Final = frozenset({Phase.ORACLE, Phase.RANDOM, Phase.BULK})
"""Phases whose cases follow from a seed and a number: another run may miss what one run finds."""


def phases_of(check: str) -> tuple[Phase, ...]:
    """Return the phases that make a check."""
    return ROWS[check].phases


def steady(phases: Iterable[Phase]) -> frozenset[Phase]:
    """Return the phases that try the same cases in every run."""
    return frozenset(phases) - _BY_CHANCE


ANY_MESSAGE: Final = "*"

PRIMITIVES: Final = frozenset(f"{array}{scalar}" for array in ("", "[]") for scalar in ScalarType) | {
    TAGS_TYPE
}
"""Types of fields with the same encoding everywhere, and unknown tagged fields. A cause in one of them spans
messages."""

CIRCUMSTANCES: Final = frozenset(check for check in Check if check.row.is_circumstance)
"""Checks of how a codec is called, or of its objects, usually without a field. Their causes span messages.
They use proven values."""

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
"""Mutation operators that disregard the field, or that change the prefixes which all arrays, nullable structs
and tagged fields share."""

_ENDS: Final = frozenset({"crashed", "death", "hang", "blow-up"})
"""Kinds of failures of a decoder on malformed bytes. It misreads all that follows the mutated byte, and
hardly ever fails at the mutated field. The cause is its handling of any unexpected count, length or tag."""

NOT_THE_CODECS: Final = frozenset({"layout", "oracle"})
"""Subjects that are not the codec: a ledger has no entries for them."""


_UNKNOWN_RELEASES: Final = Releases()
_NO_EVIDENCE: Final = Evidence()


class Symptom(NamedTuple):
    """The key under which a ledger looks up a divergence, or the cause of several.

    Attributes:
        field: the path without indices; ``""`` is the message.
        type: the field's type; empty if unknown.
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
        part = FramePart(divergence.part) if divergence.part else part_of_module(cell.module)
        path = without_indices(divergence.path)
        where = divergence.check, divergence.subject, path, divergence.field_type
        return cls(cell, part, *where, divergence.kind)

    @classmethod
    def of_cause(cls, cell: Cell, cause: ObservedCause) -> Self:
        """Return the symptom of a cause that a run found in a cell."""
        return cls(cell, cause.part, cause.check, cause.subject, cause.field, cause.type, cause.kind)

    @property
    def location(self) -> Location:
        return Location(self.part, self.cell.message, self.cell.version, self.field)


class ReasonKind(StrEnum):
    """The reason why a deviation is accepted."""

    BUG = "bug"
    BY_DESIGN = "by-design"
    UNSUPPORTED = "unsupported"
    FLAKY = "flaky"
    """It comes and goes: a pass is not a fault of the entry."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One known deviation, by its cause.

    Attributes:
        id: unique in its ledger, lower case.
        message: its name; `ANY_MESSAGE` if the cause is in a primitive.
        part: the part of the message's frames; empty for the part that its cells are about.
        field: the path without indices; ``""`` is the message.
        type: with `ANY_MESSAGE`, the fields' type, one of `PRIMITIVES`; empty if the check is a circumstance.
        subject: the codec; empty for any codec under test.
        kind: one of `wireproof.proof.checks.difference_kinds`.
        phases: the phases that showed it; empty for all phases of the check.
        case: the id of a case that shows it; may be empty.
        since, expires: the first and the last day of the entry.
        tried: for releases without an end, the releases that showed it; empty if unknown.
        seen: with `ANY_MESSAGE`, the places that showed it. The entry explains nothing elsewhere. There are
            two exceptions, because a run skips questions of the same cause. It reports a hang once for each
            operator, at the place that it tries first. It reports the end of a process once for each
            operator and field, in the version that it tries first.
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
    tried: Releases = _UNKNOWN_RELEASES
    part: str = ""
    seen: Evidence = _NO_EVIDENCE

    @property
    def extent(self) -> Extent:
        return Extent(self.releases, self.versions)

    @property
    def any_message(self) -> bool:
        return self.message == ANY_MESSAGE

    @property
    def cause(self) -> tuple[str, ...]:
        """The key of the entry, without its extent."""
        return self.message, self.check, self.part, self.field, self.type, self.kind, self.subject

    @property
    def judged_phases(self) -> frozenset[Phase]:
        """The phases that must run before a run can report that the cause is gone.

        They are the phases that showed it and that try the same cases in every run. Empty if only random
        cases or a clock show it.
        """
        if self.check in MEASURED:
            return frozenset()
        return steady(self.phases or phases_of(self.check))

    @property
    def expected_end(self) -> ExpectedEnd | None:
        """The questions at which the cause ends the codec; None if it ends no codec, or names no case."""
        if not (hangs(self.check, self.kind) or ends_process(self.check, self.kind)):
            return None
        _, _, case = self.case.partition("/")
        if not case:
            return None
        word, _, operator = self.kind.partition(":")
        if self.any_message:
            places = {(message, path) for (_, message), fields in self.seen.places.items() for path in fields}
        else:
            places = {(self.message, self.field)}
        error = HANG if word == HANG else "process"
        return ExpectedEnd(self.subject, error, operator, case, frozenset(places))

    def covers(self, cell: Cell) -> bool:
        """Test if the entry is about the cell."""
        if (cell.release, cell.version) not in self.extent:
            return False
        if self.any_message:
            everywhere = bool(self.seen) and hangs(self.check, self.kind)
            in_version = bool(self.seen.fields_at(cell.message, cell.version))
            in_any = ends_process(self.check, self.kind) and bool(self.seen.of_message(cell.message))
            return everywhere or in_version or in_any
        return self.message == cell.message

    def is_at(self, symptom: Symptom) -> bool:
        """Test if a symptom is at the entry's place, of any kind and in any version."""
        if not self._is_of(symptom):
            return False
        if self.any_message:
            if hangs(symptom.check, symptom.kind):
                found = bool(self.seen.messages(symptom.part))
            elif ends_process(symptom.check, symptom.kind):
                found = self.seen.has_in_any_version(symptom.location)
            else:
                found = symptom.location in self.seen
            return found and self.type in ("", symptom.type)
        own = part_of_module(symptom.cell.module)
        return (self.message, self.field, self.part or own) == (
            symptom.cell.message,
            symptom.field,
            symptom.part,
        )

    def says_the_same(self, symptom: Symptom) -> bool:
        """Test if the entry is about this cause for all messages, at any place."""
        same = self._is_of(symptom) and self.kind == symptom.kind
        return same and self.any_message and self.type in ("", symptom.type)

    def explains(self, symptom: Symptom) -> bool:
        """Test if the symptom is this cause at one of the entry's places."""
        return self.kind == symptom.kind and self.covers(symptom.cell) and self.is_at(symptom)

    def _is_of(self, symptom: Symptom) -> bool:
        if symptom.check != self.check or symptom.subject in NOT_THE_CODECS:
            return False
        return self.subject in ("", symptom.subject)


def is_circumstance(check: str, kind: str) -> bool:
    """Test if a cause is independent of any field.

    Such a cause is about the call, missing or extra bytes, the prefixes of all arrays and structs, or the way
    in which a decoder fails on malformed bytes.
    """
    word, _, operator = kind.partition(":")
    return check in CIRCUMSTANCES or (check == Check.MALFORMED and (word in _ENDS or _is_general(operator)))


def hangs(check: str, kind: str) -> bool:
    """Test if the cause is malformed bytes that hang the codec. A run reports one place for each operator."""
    return check == Check.MALFORMED and kind.startswith("hang:")


def ends_process(check: str, kind: str) -> bool:
    """Test if the cause is malformed bytes that end the process. A run reports one case of the cause."""
    return check == Check.MALFORMED and kind.startswith("death:")


def _is_general(operator: str) -> bool:
    """Test if a mutation operator, such as ``count-null``, belongs to one of `_OPERATORS`."""
    return any(operator == each or operator.startswith(f"{each}-") for each in _OPERATORS)


def generated_id(message: str, place: str, check: str, kind: str) -> str:
    """Make the id of an entry from its contents; `place` is the field, or the type in a primitive, if any."""
    words = "any" if message == ANY_MESSAGE else message, place, check, "" if kind == DIFFERS else kind
    return "-".join(filter(None, map(_slug, words)))


def _slug(text: str) -> str:
    """Format ``FetchRequest`` and ``topics[].partitions[].index`` in lower case with dashes."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text)
    return re.sub(r"[^a-z0-9]+", "-", spaced.lower()).strip("-")


def free_id(wanted: str, taken: Iterable[str]) -> str:
    """Return the id, with a number appended if it is taken."""
    known, number, name = set(taken), 1, wanted
    while name in known:
        number += 1
        name = f"{wanted}-{number}"
    return name
