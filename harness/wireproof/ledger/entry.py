"""What is known of one cause of deviations, and the ledger that holds such entries."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from typing import Final

from kafkawire.schema.model import ScalarType
from wireproof.checks import Check, follows
from wireproof.ledger.phases import phases_of, steady
from wireproof.ledger.spans import Extent, Releases, Versions
from wireproof.model import Cell, Divergence, Phase
from wireproof.model.verdict import DIFFERS, TAGS_TYPE

__all__ = [
    "ANY_MESSAGE",
    "CIRCUMSTANCES",
    "PRIMITIVES",
    "Entry",
    "Ledger",
    "ReasonKind",
    "free_id",
    "generated_id",
    "is_circumstance",
    "own_name",
]

ANY_MESSAGE: Final = "*"

PRIMITIVES: Final = frozenset(f"{array}{scalar}" for array in ("", "[]") for scalar in ScalarType) | {
    TAGS_TYPE
}
"""Types of fields that are written alike wherever they stand, unknown tagged fields among them: a cause that
sits there spans messages."""

CIRCUMSTANCES: Final = frozenset(
    {
        Check.CUT,
        Check.TAIL,
        Check.BUFFER,
        Check.REPEAT,
        Check.RECOVER,
        Check.INTERLEAVE,
        Check.THREADS,
        Check.EQUAL,
        Check.COPY,
    }
)
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

_NOT_THE_CODECS: Final = frozenset({"layout", "oracle"})
"""Subjects that no ledger of a testee speaks for."""


_NOT_TOLD: Final = Releases()


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
        field: the path without indices; ``""`` is the message.
        type: with `ANY_MESSAGE`: of the fields, one of `PRIMITIVES`; empty where the check is a circumstance.
        subject: the codec; empty for any that is under test.
        kind: as `wireproof.checks.kinds` has it.
        phases: where it was seen; empty for those that the check belongs to.
        case: one that shows it; may be empty.
        reason, link, owner: for people.
        since, expires: the first and the last day of it.
        tried: of releases without an end, those in which it was seen; empty where nobody wrote them down.
        names: with a type: what the fields that show it are called, wherever they stand; empty for all.
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
    names: tuple[str, ...] = ()

    @property
    def extent(self) -> Extent:
        return Extent(self.releases, self.versions)

    @property
    def any_message(self) -> bool:
        return self.message == ANY_MESSAGE

    @property
    def cause(self) -> tuple[str, ...]:
        """What it is keyed by, besides its extent."""
        return self.message, self.check, self.field, self.type, self.kind, self.subject

    @property
    def judged_phases(self) -> frozenset[Phase]:
        """The phases that all have to run before it can be said that the cause is gone: of those where it
        was seen, the ones that try the same cases in every run. Empty where chance alone shows it."""
        return steady(self.phases or phases_of(self.check))

    def covers(self, cell: Cell) -> bool:
        """Whether the cell is in its extent."""
        return self.message in (ANY_MESSAGE, cell.message) and (cell.release, cell.version) in self.extent

    def is_at(self, check: str, subject: str, field: str, type_: str) -> bool:
        """Whether a divergence is at its place, of whatever kind.

        Args:
            field: without indices.
            type_: of the field, if it is known.
        """
        if check != self.check or subject in _NOT_THE_CODECS or self.subject not in ("", subject):
            return False
        if not self.any_message:
            return self.field == field
        return self.type in ("", type_) and (not self.names or own_name(field) in self.names)


def own_name(field: str) -> str:
    """What a field is called, without the way to it: ``errorCode`` of ``topics[].errorCode``."""
    return field.rpartition(".")[2].removesuffix("[]")


def is_circumstance(check: str, kind: str) -> bool:
    """Whether a cause has to do with no field: it is about the call, about bytes cut short or too many, about
    what all arrays and structs are written with, or about how a decoder ends on wrong bytes."""
    word, _, operator = kind.partition(":")
    return check in CIRCUMSTANCES or (check == Check.MALFORMED and (word in _ENDS or _is_general(operator)))


@dataclass(frozen=True, slots=True)
class Ledger:
    """What one testee is known to do otherwise than Kafka.

    Args:
        source: the file's name as the user wrote it: for the commands that repair it.
        aliases: ids that entries had before: old to new.
        outdated: whether an older wireproof wrote the file.
    """

    entries: tuple[Entry, ...]
    source: str = "ledger.toml"
    aliases: Mapping[str, str] = field(default_factory=dict)
    outdated: bool = False
    _by_place: dict[tuple[str, str], list[Entry]] = field(init=False, repr=False, compare=False)
    _by_field: dict[tuple[str, str], list[Entry]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places: dict[tuple[str, str], list[Entry]] = {}
        fields: dict[tuple[str, str], list[Entry]] = {}
        for entry in self.entries:
            places.setdefault((entry.message, entry.check), []).append(entry)
            fields.setdefault((entry.message, entry.field), []).append(entry)
        object.__setattr__(self, "_by_place", places)
        object.__setattr__(self, "_by_field", fields)

    def find(self, entry_id: str) -> Entry | None:
        """The entry of this id, or of one that it had before."""
        name = self.resolved(entry_id)
        return next((entry for entry in self.entries if entry.id == name), None)

    def resolved(self, entry_id: str) -> str:
        """What an id is now."""
        seen: set[str] = set()
        while entry_id in self.aliases and entry_id not in seen:
            seen.add(entry_id)
            entry_id = self.aliases[entry_id]
        return entry_id

    def at(self, message: str, check: str, subject: str, field: str, type_: str) -> list[Entry]:
        """The entries about a place of a message: those of a primitive first, for they explain more."""
        found = (
            *self._by_place.get((ANY_MESSAGE, check), ()),
            *self._by_place.get((message, check), ()),
        )
        return [entry for entry in found if entry.is_at(check, subject, field, type_)]

    def explain(self, cell: Cell, divergences: Sequence[Divergence]) -> tuple[Divergence, ...]:
        """The divergences of a case, each with the entry that explains it; what follows from an explained one
        is explained by the same entry. Where none does, words tell of one that nearly does."""
        told = [each if each.erratum else self._explained(cell, each) for each in divergences]
        known = [each for each in told if each.entry]
        return tuple(each if each.excused else _following(each, known) for each in told)

    def _explained(self, cell: Cell, divergence: Divergence) -> Divergence:
        check, path, subject, kind = divergence.cause
        near = ""
        for entry in self.at(cell.message, check, subject, path, divergence.field_type):
            covers = entry.covers(cell)
            if covers and entry.kind == kind:
                return replace(divergence, entry=entry.id)
            if covers:
                near = f"{entry.id} is about this place, for kind {entry.kind}; this is {kind}"
            elif entry.kind == kind:
                where = f"versions {entry.versions}, releases {entry.releases}"
                near = near or f"{entry.id} says the same of {where}"
        near = near or self._of_another_check(cell, path)
        return replace(divergence, near=near) if near else divergence

    def _of_another_check(self, cell: Cell, path: str) -> str:
        """Words about an entry for the same field of the cell."""
        for entry in self._by_field.get((cell.message, path), ()) if path else ():
            if entry.covers(cell):
                return f"{entry.id} is about this field, for {entry.check} {entry.kind}"
        return ""

    def words(self) -> Mapping[str, str]:
        """Each entry in words, by id."""
        return {entry.id: f"{entry.reason_kind}: {entry.reason}" for entry in self.entries}


def _following(divergence: Divergence, known: Sequence[Divergence]) -> Divergence:
    first = next((each for each in known if follows(divergence, each)), None)
    return divergence if first is None else replace(divergence, entry=first.entry, near="")


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
