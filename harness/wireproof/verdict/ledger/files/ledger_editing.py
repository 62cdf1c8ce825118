"""Editing a ledger's file. Comments, order and spelling of everything else stay unchanged."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

import tomlkit
from tomlkit.items import AoT

from wireproof.base.text.parsing import checked_toml, parse_toml
from wireproof.verdict.ledger.bounds import BOUNDS, bounds_table
from wireproof.verdict.ledger.entry import Entry, ReasonKind, free_id, phases_of
from wireproof.verdict.ledger.evidence import Evidence
from wireproof.verdict.ledger.files.cause_editing import amended_cause, without_cause
from wireproof.verdict.ledger.files.ledger_defaults import DEFAULTS, ENTRIES, OF_BOTH, defaults_in
from wireproof.verdict.ledger.files.ledger_reading import HEADLINE, NEW_FILE, LedgerError, read_ledger
from wireproof.verdict.ledger.files.migrations import MIGRATIONS, Migration, migrate
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.ledger.spans import Extent, Releases

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_FIRST: Final = re.compile(r"^[ \t]*\[\[", re.MULTILINE)
"""The first line of the first cause or entry."""
_SEEN: Final = re.compile(r"[ \t]*\[[ \t]*entry[ \t]*\.[ \t]*seen\b")
"""The first line of the evidence of an entry, its last tables."""


def added(text: str, entries: Iterable[Entry]) -> str:
    """Return the file with entries added at its end."""
    defaults = defaults_in(text)
    blocks = "".join(f"\n{_block(entry, defaults)}" for entry in entries)
    return f"{text.rstrip()}\n{blocks}" if text.strip() else f"{NEW_FILE}{blocks}"


def defaults_text(reason_kind: ReasonKind, owner: str, since: date, expires: date) -> str:
    """Format the table of defaults of a new file."""
    values = dict(zip(OF_BOTH, (str(reason_kind), owner, since, expires), strict=True))
    return tomlkit.dumps({DEFAULTS: values})


def removed(text: str, entry_id: str) -> str:
    """Return the file without an entry and the comment above it; the last entry if several have the id.

    Raises:
        LedgerError: no entry has the id.
    """
    without = without_cause(text, entry_id)
    if without is not None:
        return without
    start, end = _span(text, entry_id)
    lines = text.splitlines(keepends=True)
    return "".join(lines[:start] + lines[end:]).rstrip() + "\n"


def migrated(text: str, migrations: Sequence[Migration] = MIGRATIONS) -> tuple[str, list[str]]:
    """Return the file in the present format, and a sentence for each change.

    Raises:
        LedgerError: the text is not a valid ledger.
    """
    read_ledger(text, "the ledger", migrations)
    document = checked_toml(text, tomlkit.parse)
    changes = list(migrate(document, migrations))
    aliases = {old: new for _, made in changes for old, new in made.items()}
    return _with_aliases(tomlkit.dumps(document), aliases), [words for words, _ in changes]


def _with_aliases(text: str, aliases: Mapping[str, str]) -> str:
    """Return the file with more former ids, in a table above the causes and entries."""
    document = checked_toml(text, tomlkit.parse)
    if not aliases or "aliases" in document:
        for old, new in aliases.items():
            document["aliases"][old] = new
        return tomlkit.dumps(document)
    lines = text.splitlines(keepends=True)
    place = _head_of(text, lines)
    table = "".join(f'{old} = "{new}"\n' for old, new in aliases.items())
    return "".join([*lines[:place], f"[aliases]\n{table}\n", *lines[place:]])


def with_bounds(text: str, bounds: Mapping[str, int], scope: str) -> str:
    """Return the file with these bounds, in a table above the causes and entries.

    Args:
        scope: that of the run that counted them; empty if it is unknown.
    """
    text = text if text.strip() else NEW_FILE
    lines = text.splitlines(keepends=True)
    place = _head_of(text, lines)
    head = checked_toml("".join(lines[:place]), tomlkit.parse)
    head.pop(BOUNDS, None)
    table = tomlkit.dumps({BOUNDS: bounds_table(bounds, scope)})
    above = tomlkit.dumps(head).rstrip()
    return "".join([f"{above}\n\n{table}", "\n" if lines[place:] else "", *lines[place:]])


def amended(text: str, entry_id: str, changes: Mapping[str, str | date | list[str] | None]) -> str:
    """Return the file with changed values in an entry; None removes a key.

    Raises:
        LedgerError: there is no such entry.
    """
    of_cause = amended_cause(text, entry_id, {name: each for name, each in changes.items() if each})
    if of_cause is not None:
        return of_cause
    before, own, evidence, after = _parts(text, entry_id)
    document = checked_toml(own, tomlkit.parse)
    table = _tables(document)[0]
    for name, value in changes.items():
        if value is not None:
            table[name] = value
        elif name in table:
            del table[name]
    return f"{before}{tomlkit.dumps(document)}{evidence}{after}"


def with_evidence(text: str, entry_id: str, seen: Evidence) -> str:
    """Return the file with other evidence in an entry.

    Raises:
        LedgerError: there is no such entry.
    """
    before, own, _, after = _parts(text, entry_id)
    return "".join([before, own.rstrip(), "\n", _evidence(seen), "\n" if after else "", after])


def _parts(text: str, entry_id: str) -> tuple[str, str, str, str]:
    """Return the text before an entry, the entry with the comment above it, its evidence, and the rest.

    Callers parse only the entry itself: evidence makes a file of thousands of lines.
    """
    start, end = _span(text, entry_id)
    lines = text.splitlines(keepends=True)
    head = next((index for index in range(start, end) if _SEEN.match(lines[index])), end)
    cuts = (0, start), (start, head), (head, end), (end, len(lines))
    before, own, evidence, after = ("".join(lines[first:last]) for first, last in cuts)
    return before, own, evidence, after


def _span(text: str, entry_id: str) -> tuple[int, int]:
    """Return the first line of an entry, with the comment directly above it, and the line after it."""
    place = _places(text, entry_id)[-1]
    lines = text.splitlines(keepends=True)
    heads = [text.count("\n", 0, head.start()) for head in HEADLINE.finditer(text)]
    if len(heads) != len(_entries(text)):
        raise LedgerError(f"cannot find the lines of {entry_id}: edit the file by hand")
    starts = [_above(lines, head) for head in heads] + [len(lines)]
    return starts[place], starts[place + 1]


def narrowed(text: str, ledger: Ledger, entry: Entry, extents: Sequence[Extent]) -> str:
    """Return the file with other extents of an entry: it keeps the first, each other extent makes a copy.

    Args:
        ledger: the ledger in the text.
    """
    first, *others = extents
    changes = {"versions": str(first.versions), "releases": str(first.releases)}
    text = amended(text, entry.id, {**changes, **({"tried": None} if first.releases.spans else {})})
    copies: list[Entry] = []
    for each in others:
        taken = [*ledger.entries, *copies]
        name = free_id(entry.id, (known.id for known in taken))
        tried = Releases() if each.releases.spans else entry.tried
        copies.append(replace(entry, id=name, releases=each.releases, versions=each.versions, tried=tried))
    return added(text, copies) if copies else text


def _block(entry: Entry, defaults: Mapping[str, Any]) -> str:
    """Format one entry, without the values that are the file's defaults."""
    document = tomlkit.document()
    tables = tomlkit.aot()
    table = tomlkit.table()
    for name, value in _values(entry).items():
        if value not in ("", []) and value != defaults.get(name):
            table.add(name, value)
    tables.append(table)
    document.add(ENTRIES, tables)
    return f"{tomlkit.dumps(document).strip()}\n{_evidence(entry.seen)}"


def _evidence(seen: Evidence) -> str:
    """Format the tables of an entry's evidence, with one or more lines for each message."""
    blocks = []
    for part, messages in seen.tables().items():
        blocks.append(f"\n[entry.seen.{part}]\n")
        for message, lines in messages.items():
            quoted = [f'"{line}"' for line in lines]
            listed = "".join(f"  {each},\n" for each in quoted)
            value = quoted[0] if len(quoted) == 1 else f"[\n{listed}]"
            key = message if _BARE.fullmatch(message) else f'"{message}"'
            blocks.append(f"{key} = {value}\n")
    return "".join(blocks)


def _values(entry: Entry) -> dict[str, Any]:
    """Return the keys of an entry; the phases where they are not all that have its check."""
    phases = () if {*phases_of(entry.check)} == {*entry.phases} else entry.phases
    return {
        "id": entry.id,
        "message": entry.message,
        "versions": str(entry.versions),
        "releases": str(entry.releases) if entry.releases.spans else "",
        "tried": str(entry.tried) if entry.tried.spans else "",
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
    }


def _entries(text: str) -> list[Any]:
    """Return the tables of the entries, unchecked."""
    try:
        tables = parse_toml(text).get("entry", [])
    except ValueError as error:
        raise LedgerError(f"not valid TOML: {error}") from error
    return [table for table in tables if isinstance(table, dict)] if isinstance(tables, list) else []


def _tables(document: tomlkit.TOMLDocument) -> AoT | list[Any]:
    tables = document.get("entry", [])
    return tables if isinstance(tables, AoT) else []


def _places(text: str, entry_id: str) -> list[int]:
    """Return the indices of the entries with this id."""
    places = [index for index, table in enumerate(_entries(text)) if table.get("id") == entry_id]
    if not places:
        raise LedgerError(f"there is no entry {entry_id!r}: `wireproof ledger list` lists the entries")
    return places


def _head_of(text: str, lines: Sequence[str]) -> int:
    """Return the number of lines above the first cause or entry, and the comment directly above that."""
    first = _FIRST.search(text)
    return _above(lines, text.count("\n", 0, first.start())) if first else len(lines)


def _above(lines: Sequence[str], head: int) -> int:
    """Return the first line of the comment directly above an entry, else the entry's own."""
    while head > 0 and lines[head - 1].lstrip().startswith("#"):
        head -= 1
    return head
