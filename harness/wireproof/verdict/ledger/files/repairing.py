"""The repairs of a ledger, applied to its file: none makes the ledger excuse more."""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Self

from wireproof.verdict.ledger.entry import Entry
from wireproof.verdict.ledger.evidence import Evidence, parse_words
from wireproof.verdict.ledger.files.ledger_editing import (
    amended,
    evidence_values,
    narrowed,
    removed,
    with_bounds,
    with_merged,
    without_cells,
)
from wireproof.verdict.ledger.files.ledger_reading import LedgerError
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.ledger.spans import Extent, Versions

_COMMAND: Final = ("wireproof", "ledger")
_NO_REPAIR: Final = (
    "{text!r} is not a repair: expected wireproof ledger remove, narrow or merge, with --ledger FILE and an "
    "id, or wireproof ledger bound --ledger FILE --lower NAME=N"
)
_NOWHERE: Final = Evidence()


@dataclass(frozen=True, slots=True)
class LedgerRepair:
    """A command that an audit printed.

    Attributes:
        ledger: the file, as the run named it.
        ids: of the entries; one, if they are narrowed.
        extents: keep these parts of the entry; empty to remove it, or if only `places` are removed.
        places: remove these from the evidence.
        bounds: lower these bounds, and leave the entries as they are.
        cells: take these versions of messages out of the scope of a cause: ``FetchRequest 4-11``.
        merges: give the first of the causes the places of all.
    """

    ledger: str
    ids: tuple[str, ...]
    extents: tuple[Extent, ...] = ()
    places: Evidence = _NOWHERE
    bounds: Mapping[str, int] = field(default_factory=dict)
    cells: tuple[str, ...] = ()
    merges: bool = False

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a printed ``wireproof ledger remove --ledger FILE ID``, or ``narrow``, ``merge``, ``bound``.

        Raises LedgerError if it is another command. Only these never make a ledger excuse more.
        """
        try:
            words = shlex.split(text)
            name, option, path, *rest = words[2:]
            if tuple(words[:2]) != _COMMAND or option != "--ledger":
                raise ValueError
            if name in ("remove", "merge") and rest and not any(word.startswith("-") for word in rest):
                return cls(path, tuple(rest), merges=name == "merge")
            if name == "narrow":
                return cls._narrowing(path, rest)
            if name == "bound" and rest and set(rest[::2]) == {"--lower"}:
                return cls(path, (), bounds=parse_lower(rest[1::2]))
        except ValueError as error:
            raise LedgerError(_NO_REPAIR.format(text=text)) from error
        raise LedgerError(_NO_REPAIR.format(text=text))

    @classmethod
    def _narrowing(cls, path: str, words: list[str]) -> Self:
        entry_id, *options = words
        pairs = list(zip(options[::2], options[1::2], strict=True))
        if not pairs or not {name for name, _ in pairs} <= {"--to", "--without", "--without-cells"}:
            raise ValueError
        extents = tuple(Extent.parse(value) for name, value in pairs if name == "--to")
        gone = Evidence.of(
            place for name, value in pairs if name == "--without" for place in parse_words(value)
        )
        cells = tuple(value for name, value in pairs if name == "--without-cells")
        return cls(path, (entry_id,), extents, gone, cells=cells)

    def apply(self, text: str, ledger: Ledger, releases: Iterable[str]) -> str:
        """Return the file with the repair.

        Args:
            ledger: the ledger in the text.
            releases: all known releases of Kafka.

        Raises:
            LedgerError: the ledger has no such entry, or the entry would explain more than before.
        """
        if self.bounds:
            return lowered(text, ledger, self.bounds)
        if self.merges:
            return merge_causes(text, ledger, self.ids)
        if self.cells:
            return narrow_cause(text, ledger, self.ids[0], self.cells)
        if not (self.extents or self.places):
            for entry_id in self.ids:
                text = removed(text, ledger.resolved(entry_id))
            return text
        entry = ledger.find(self.ids[0])
        if entry is None:
            raise LedgerError(f"{ledger.source} has no entry {self.ids[0]!r}")
        return narrow_entry(text, ledger, entry, self, releases)


def parse_lower(words: Iterable[str]) -> dict[str, int]:
    """Parse ``written=12``, a bound and its new number, of each word.

    Raises ValueError if a word is not of this form.
    """
    bounds = {}
    for word in words:
        name, _, number = word.partition("=")
        if not (name and number.isascii() and number.isdecimal() and len(number) < 19):
            raise ValueError(f"{word!r} is not NAME=N, such as written=12")
        bounds[name] = int(number)
    return bounds


def lowered(text: str, ledger: Ledger, bounds: Mapping[str, int]) -> str:
    """Return the file with lower bounds. Raises LedgerError if a bound would not be lower than before."""
    known = ledger.bounds or {}
    for name, number in bounds.items():
        if number >= known.get(name, 0):
            raise LedgerError(
                f"the bound {name} is {known.get(name, 0):,}, and {number:,} is not lower: "
                "`wireproof ledger bound --from EVENTS` writes the counts of a run"
            )
    return with_bounds(text, {**known, **bounds}, ledger.bounds_of)


def narrow_cause(text: str, ledger: Ledger, cause_id: str, cells: Iterable[str]) -> str:
    """Return the file with a cause that covers fewer versions of messages.

    Raises LedgerError if the ledger has no such cause, the cells are not valid, or nothing would be left.
    """
    cause = next((each for each in ledger.causes if each.id == cause_id), None)
    if cause is None:
        raise LedgerError(f"{ledger.source} has no cause {cause_id!r}: `wireproof ledger list` lists them")
    try:
        return without_cells(text, cause, cells)
    except ValueError as error:
        raise LedgerError(str(error)) from error


def merge_causes(text: str, ledger: Ledger, ids: Iterable[str]) -> str:
    """Return the file in which one cause has the places of several.

    Raises LedgerError if the ledger lacks one of them, or they cannot be merged.
    """
    try:
        return with_merged(text, ledger.causes, ids)
    except ValueError as error:
        raise LedgerError(str(error)) from error


def narrow_entry(
    text: str, ledger: Ledger, entry: Entry, repair: LedgerRepair, releases: Iterable[str]
) -> str:
    """Return the file with an entry that explains less.

    Raises LedgerError if the entry would explain more than before, or nothing.
    """
    known = tuple(releases)
    for extent in repair.extents:
        more = widened_part(entry, extent, known)
        if more:
            raise LedgerError(
                f"{entry.id} does not hold for {more}, so {extent} is not narrower: "
                "`wireproof ledger accept` widens an entry, from the events of a run"
            )
    if repair.places:
        left = entry.seen - repair.places
        if not left:
            raise LedgerError(f"nothing is left of {entry.id}: type `wireproof ledger remove` to remove it")
        entry = replace(entry, seen=left)
        text = amended(text, entry.id, {"seen": evidence_values(left)})
    return narrowed(text, ledger, entry, repair.extents) if repair.extents else text


def widened_part(entry: Entry, extent: Extent, releases: Iterable[str]) -> str:
    """Return in words a part of an extent, of all releases, for which the entry does not hold, or ""."""
    if entry.versions != Versions.ALL:
        if extent.versions == Versions.ALL:
            return "all versions"
        for version in (each for versions in extent.versions.ranges for each in versions):
            if version not in entry.versions:
                return f"version {version}"
    if not entry.releases.spans:
        return ""
    if not extent.releases.spans:
        return "all releases"
    ends = {last for _, last in entry.releases.spans}
    if "" not in ends and any(not last for _, last in extent.releases.spans):
        return "releases without an end"
    named = [end for span in extent.releases.spans for end in span if end]
    for release in (*named, *(each for each in releases if each in extent.releases)):
        if release not in entry.releases:
            return f"release {release}"
    return ""
