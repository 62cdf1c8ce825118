"""Changes of a ledger's file: comments, order and spelling of all else stay as they are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import tomlkit
from tomlkit.items import AoT

from wireproof.ledger.entry import Entry, Ledger, free_id
from wireproof.ledger.reading import HEADLINE, NEW_FILE, LedgerError
from wireproof.ledger.spans import Extent

__all__ = ["added", "amended", "narrowed", "removed"]


def added(text: str, entries: Iterable[Entry]) -> str:
    """The file with entries at its end."""
    blocks = "".join(f"\n{_block(entry)}" for entry in entries)
    return f"{text.rstrip()}\n{blocks}" if text.strip() else f"{NEW_FILE}{blocks}"


def removed(text: str, entry_id: str) -> str:
    """The file without an entry and the comment right above it; the last one where several have the id.

    Raises:
        LedgerError: there is none.
    """
    place = _places(text, entry_id)[-1]
    lines = text.splitlines(keepends=True)
    heads = [text.count("\n", 0, head.start()) for head in HEADLINE.finditer(text)]
    if len(heads) != len(_tables(tomlkit.parse(text))):
        raise LedgerError(f"cannot tell where {entry_id} begins: take it out by hand")
    starts = [_above(lines, head) for head in heads] + [len(lines)]
    return "".join(lines[: starts[place]] + lines[starts[place + 1] :]).rstrip() + "\n"


def amended(text: str, entry_id: str, changes: Mapping[str, str | date | list[str]]) -> str:
    """The file with other values in an entry.

    Raises:
        LedgerError: there is no such entry.
    """
    document = tomlkit.parse(text)
    table = _tables(document)[_places(text, entry_id)[-1]]
    for name, value in changes.items():
        table[name] = value
    return tomlkit.dumps(document)


def narrowed(text: str, ledger: Ledger, entry: Entry, extents: Sequence[Extent]) -> str:
    """The file with an entry of other extents: the first is its own, each other makes a copy of it.

    Args:
        ledger: what the text holds.
    """
    first, *others = extents
    text = amended(text, entry.id, {"versions": str(first.versions), "releases": str(first.releases)})
    copies: list[Entry] = []
    for each in others:
        taken = [*ledger.entries, *copies]
        name = free_id(entry.id, (known.id for known in taken))
        copies.append(replace(entry, id=name, releases=each.releases, versions=each.versions))
    return added(text, copies) if copies else text


def _block(entry: Entry) -> str:
    """One entry as text."""
    document = tomlkit.document()
    tables = tomlkit.aot()
    table = tomlkit.table()
    for name, value in _values(entry).items():
        if value not in ("", []):
            table.add(name, value)
    tables.append(table)
    document.add("entry", tables)
    return tomlkit.dumps(document).strip() + "\n"


def _values(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "message": entry.message,
        "versions": str(entry.versions),
        "releases": str(entry.releases),
        "field": entry.field,
        "type": entry.type,
        "check": entry.check,
        "kind": entry.kind,
        "subject": entry.subject,
        "phases": [str(phase) for phase in entry.phases],
        "case": entry.case,
        "reason-kind": str(entry.reason_kind),
        "reason": entry.reason,
        "link": entry.link,
        "owner": entry.owner,
        "since": entry.since,
        "expires": entry.expires,
    }


def _tables(document: tomlkit.TOMLDocument) -> AoT | list[Any]:
    tables = document.get("entry", [])
    return tables if isinstance(tables, AoT) else []


def _places(text: str, entry_id: str) -> list[int]:
    """Which of the entries have this id."""
    try:
        tables = _tables(tomlkit.parse(text))
    except tomlkit.exceptions.TOMLKitError as error:
        raise LedgerError(f"no TOML: {error}") from error
    places = [index for index, table in enumerate(tables) if table.get("id") == entry_id]
    if not places:
        raise LedgerError(f"there is no entry {entry_id!r}: `wireproof ledger list` shows them")
    return places


def _above(lines: Sequence[str], head: int) -> int:
    """The first line of the comment right above an entry, else the entry's own."""
    while head > 0 and lines[head - 1].lstrip().startswith("#"):
        head -= 1
    return head
