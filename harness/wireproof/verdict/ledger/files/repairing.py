"""The edits of a ledger's file, and its repairs: none makes the ledger excuse more."""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final, Self

import tomlkit

from wireproof.base.text.parsing import checked_toml, parse_toml
from wireproof.proof.deviations.scopes import parse_scope
from wireproof.verdict.ledger.bounds import BOUNDS, bounds_table
from wireproof.verdict.ledger.entry import Entry, ReasonKind, free_id, phases_of
from wireproof.verdict.ledger.evidence import Evidence, parse_words
from wireproof.verdict.ledger.files.cause_tables import (
    CAUSES,
    DEFAULTS,
    ENTRIES,
    LISTS,
    OF_BOTH,
    scope_values,
    spread,
    values_of,
)
from wireproof.verdict.ledger.files.ledger_document import LedgerDocument
from wireproof.verdict.ledger.files.ledger_reading import NEW_FILE, LedgerError, read_ledger
from wireproof.verdict.ledger.files.migrations import MIGRATIONS, Migration, migrate
from wireproof.verdict.ledger.known_causes import LedgerCause, merged_causes
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.ledger.spans import Extent, Releases, Versions

_FORMAT: Final = re.compile(r"^format[ \t]*=[ \t]*\d+", re.MULTILINE)


def added(text: str, entries: Iterable[Entry] = (), causes: Iterable[LedgerCause] = ()) -> str:
    """Return the file with more causes and entries: each in the block with its reason, or in a new one."""
    document = LedgerDocument(text if text.strip() else NEW_FILE)
    for cause in causes:
        document.add(CAUSES, values_of(cause))
    for entry in entries:
        document.add(ENTRIES, _values(entry))
    return str(document)


def defaults_text(reason_kind: ReasonKind, owner: str, since: date, expires: date) -> str:
    """Format the table of defaults of a new file."""
    values = dict(zip(OF_BOTH, (str(reason_kind), owner, since, expires), strict=True))
    return tomlkit.dumps({DEFAULTS: values})


def removed(text: str, row_id: str) -> str:
    """Return the file without a cause or an entry; the last one if several have the id.

    Raises LedgerError if none has the id.
    """
    return _edited(text, lambda document: document.remove(row_id))


def amended(text: str, row_id: str, changes: Mapping[str, Any]) -> str:
    """Return the file with changed values in a cause or an entry; None or an empty value removes a key.

    Raises LedgerError if there is no such cause or entry.
    """
    return _edited(text, lambda document: document.amend(row_id, changes))


def _edited(text: str, edit: Callable[[LedgerDocument], None]) -> str:
    with _as_ledger_error():
        document = LedgerDocument(text)
        edit(document)
    return str(document)


@contextmanager
def _as_ledger_error() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise LedgerError(str(error)) from error


def migrated(text: str, migrations: Sequence[Migration] = MIGRATIONS) -> tuple[str, list[str]]:
    """Return the file in the present format, and a sentence for each change.

    Raises LedgerError if the text is not a valid ledger.
    """
    read_ledger(text, "the ledger", migrations)
    content = parse_toml(text)
    faults = list(spread(content))
    rows = [(kind, row, row["id"]) for kind in LISTS for row in content.get(kind, [])]
    changes = list(migrate(content, migrations))
    if faults or not changes:
        return text, []
    before = LedgerDocument(text)
    comments = before.comments()
    aliases = {old: new for _, made in changes for old, new in made.items()}
    head = _FORMAT.sub(f"format = {content['format']}", before.head, count=1)
    document = LedgerDocument(_with_aliases(head, aliases))
    left = {id(row) for kind in LISTS for row in content.get(kind, [])}
    for kind, row, row_id in rows:
        if id(row) in left:
            document.add(kind, row, comments.get(row_id, []))
    return str(document), [words for words, _ in changes]


def _with_aliases(head: str, aliases: Mapping[str, str]) -> str:
    """Return the part above the blocks with more former ids."""
    if not aliases:
        return head
    document = checked_toml(head, tomlkit.parse)
    if "aliases" not in document:
        table = "".join(f'{old} = "{new}"\n' for old, new in aliases.items())
        return f"{head.rstrip()}\n\n[aliases]\n{table}"
    for old, new in aliases.items():
        document["aliases"][old] = new
    return tomlkit.dumps(document)


def with_bounds(text: str, bounds: Mapping[str, int], scope: str) -> str:
    """Return the file with these bounds, and the scope of their run, in a table above causes and entries."""
    document = LedgerDocument(text if text.strip() else NEW_FILE)
    below = str(document)[len(document.head) :]
    head = checked_toml(document.head, tomlkit.parse)
    head.pop(BOUNDS, None)
    table = tomlkit.dumps({BOUNDS: bounds_table(bounds, scope)})
    return f"{tomlkit.dumps(head).rstrip()}\n\n{table}" + (f"\n{below}" if below else "")


def narrowed(text: str, ledger: Ledger, entry: Entry, extents: Sequence[Extent]) -> str:
    """Return the file with new extents of an entry. It gets the first one; each other extent gets a copy."""
    first, *others = extents
    changes = {"versions": str(first.versions), "releases": _unless_all(first.releases)}
    text = amended(text, entry.id, {**changes, **({"tried": None} if first.releases.spans else {})})
    copies: list[Entry] = []
    for each in others:
        taken = [*ledger.entries, *copies]
        name = free_id(entry.id, (known.id for known in taken))
        tried = Releases() if each.releases.spans else entry.tried
        copies.append(replace(entry, id=name, releases=each.releases, versions=each.versions, tried=tried))
    return added(text, copies) if copies else text


def _values(entry: Entry) -> dict[str, Any]:
    """Return the keys of an entry. The phases are empty if they are all phases of its check."""
    phases = () if {*phases_of(entry.check)} == {*entry.phases} else entry.phases
    return {
        "id": entry.id,
        "message": entry.message,
        "versions": str(entry.versions),
        "releases": _unless_all(entry.releases),
        "tried": _unless_all(entry.tried),
        "part": entry.part,
        "field": entry.field,
        "type": entry.type,
        "check": entry.check,
        "kind": entry.kind,
        "subject": entry.subject,
        "phases": [str(phase) for phase in phases],
        "case": entry.case,
        "reason-kind": str(entry.reason_kind),
        "reason": entry.reason,
        "link": entry.link,
        "owner": entry.owner,
        "since": entry.since,
        "expires": entry.expires,
        "seen": evidence_values(entry.seen),
    }


def _unless_all(releases: Releases) -> str:
    return str(releases) if releases.spans else ""


def evidence_values(seen: Evidence) -> dict[str, dict[str, str | list[str]]]:
    """Return the evidence of an entry as its value ``seen``: a message with one line has no list."""
    return {
        part: {message: lines[0] if len(lines) == 1 else lines for message, lines in messages.items()}
        for part, messages in seen.tables().items()
    }


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
        ids: the ids of the entries; exactly one to narrow an entry.
        extents: keep these parts of the entry; empty to remove it, or if only `places` are removed.
        places: remove these from the evidence.
        bounds: lower these bounds, and leave the entries as they are.
        cells: take these versions of messages out of the scope of a cause: ``FetchRequest 4-11``.
        merges: whether the first of the causes gets the places of all of them.
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
    """Parse words such as ``written=12``: the name of a bound and its new number.

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
    """Return the file in which a cause does not cover some versions of messages: ``FetchRequest 4-11``.

    Raises LedgerError if the ledger has no such cause, the cells are not valid, or nothing would be left.
    """
    (cause,) = _causes(ledger, [cause_id])
    with _as_ledger_error():
        left = cause.deviation.without(parse_scope(cells))
    if left is None:
        raise LedgerError(f"nothing is left of {cause.id}: type `wireproof ledger remove` to remove it")
    return amended(text, cause.id, scope_values(replace(cause, deviation=left)))


def merge_causes(text: str, ledger: Ledger, ids: Iterable[str]) -> str:
    """Return the file in which the first of some causes has the places of all, and the others are gone.

    Raises LedgerError if the ledger lacks one of them, or they cannot be merged.
    """
    first, *more = _causes(ledger, dict.fromkeys(ids))
    with _as_ledger_error():
        text = amended(text, first.id, scope_values(merged_causes([first, *more])))
    for each in more:
        text = removed(text, each.id)
    return text


def _causes(ledger: Ledger, ids: Iterable[str]) -> list[LedgerCause]:
    known = {each.id: each for each in ledger.causes}
    try:
        return [known[each] for each in ids]
    except KeyError as error:
        missing = f"{ledger.source} has no cause {error}: `wireproof ledger list` lists them"
        raise LedgerError(missing) from None


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
    """Return a part of an extent that the entry does not cover, in words; empty if it covers all of it."""
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
