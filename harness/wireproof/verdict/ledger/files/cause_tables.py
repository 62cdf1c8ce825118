"""The tables of a ledger's file: rows of its deviations, and causes, read and formatted."""

import re
from collections.abc import Iterator, Mapping, MutableMapping
from datetime import date
from enum import StrEnum
from typing import Any, Final, TypeVar

from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.scopes import parse_narrow, parse_scope, scope_text
from wireproof.verdict.ledger.entry import ReasonKind
from wireproof.verdict.ledger.known_causes import LedgerCause

_NEEDED: Final = (
    "id", "direction", "trigger", "action", "messages", "reason-kind", "reason", "owner", "since", "expires"
)  # fmt: skip
_ALL: Final = (*_NEEDED, "error", "value", "types", "fields", "except", "subject", "case", "link")
_LISTS: Final = ("messages", "except", "types", "fields")
EVERYWHERE: Final = "*"

_Kind = TypeVar("_Kind", bound=StrEnum)


def cause_of(table: Any) -> LedgerCause:
    """Return the cause in a table.

    Raises ValueError if the table is not a valid cause; the message says what to write.
    """
    _hold_keys(table)
    named = [each for each in table["messages"] if each != EVERYWHERE]
    cells = parse_scope(named)
    everywhere = EVERYWHERE in table["messages"]
    wide = frozenset(table.get("types", ())), frozenset(table.get("fields", ()))
    deviation = Deviation(
        _member(CodecDirection, table, "direction"),
        table["trigger"],
        table["action"],
        table.get("error", ""),
        table.get("value", ""),
        *wide,
        {} if everywhere else cells,
        parse_narrow(named, cells, wide),
        parse_scope(table.get("except", ())),
    )
    if deviation.scope and deviation.outside:
        raise ValueError('except goes with messages = ["*"] only: take these messages out of messages')
    deviation.check()
    cause = LedgerCause(
        table["id"],
        deviation,
        _member(ReasonKind, table, "reason-kind"),
        table["reason"],
        table["owner"],
        table["since"],
        table["expires"],
        table.get("case", ""),
        table.get("link", ""),
        table.get("subject", ""),
    )
    if cause.expires < cause.since:
        raise ValueError(f"it expires on {cause.expires}, before its first day {cause.since}")
    return cause


def _hold_keys(table: Any) -> None:
    if not isinstance(table, dict):
        raise ValueError("it is not a table: write { id = ... }")  # noqa: TRY004 - a fault of the file
    for name in table:
        if name not in _ALL:
            raise ValueError(f"unknown key {name!r}: expected {', '.join(_ALL)}")
    missing = [name for name in _NEEDED if name not in table]
    if missing:
        raise ValueError(f"it lacks {', '.join(missing)}: add them")
    for name, value in table.items():
        _hold(name, value)


def _hold(name: str, value: Any) -> None:
    if name in ("since", "expires"):
        if type(value) is not date:
            raise ValueError(f"{name} is not a date: write 2027-05-20")
    elif name in _LISTS:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise ValueError(f'{name} is not a list of texts: write {name} = ["..."]')
        if name == "messages" and not value:
            raise ValueError('messages is empty: write messages = ["*"] for every message')
    elif not isinstance(value, str) or (name in _NEEDED and not value.strip()):
        raise ValueError(f"{name} is not a text, or empty: write it in quotes")


def _member(kinds: type[_Kind], table: Mapping[str, Any], name: str) -> _Kind:
    if table[name] not in list(kinds):
        raise ValueError(f"{name} {table[name]!r} is unknown: expected {', '.join(kinds)}")
    return kinds(table[name])


def scope_values(cause: LedgerCause) -> dict[str, Any]:
    """Return the keys of a cause's scope; those that it lacks are empty."""
    return {name: value for name, value in values_of(cause).items() if name in _LISTS}


def values_of(cause: LedgerCause) -> Mapping[str, Any]:
    deviation = cause.deviation
    return {
        "id": cause.id,
        "direction": str(deviation.direction),
        "trigger": deviation.trigger,
        "action": deviation.action,
        "error": deviation.error,
        "value": deviation.value,
        "types": sorted(deviation.types),
        "fields": sorted(deviation.fields),
        "messages": [*([] if deviation.scope else [EVERYWHERE]), *deviation.places_text()],
        "except": scope_text(deviation.outside),
        "subject": cause.subject,
        "case": cause.case,
        "reason-kind": str(cause.reason_kind),
        "reason": cause.reason,
        "link": cause.link,
        "owner": cause.owner,
        "since": cause.since,
        "expires": cause.expires,
    }


DEFAULTS: Final = "defaults"
DEVIATIONS: Final = "deviation"
CAUSES: Final = "cause"
ENTRIES: Final = "entry"
LISTS: Final = {CAUSES: "causes", ENTRIES: "entries"}
"""The lists of a deviation, by the kind of their rows."""
COMMON: Final = ("reason-kind", "reason", "link", "owner")
"""The keys that a deviation states for all its rows."""

OF_BOTH: Final = ("reason-kind", "owner", "since", "expires")
_OF_ENTRIES: Final = (*OF_BOTH, "tried")

ID: Final = re.compile(r"""(?:^|[{,])[ \t]*id[ \t]*=[ \t]*["']([^"']*)["']""", re.MULTILINE)
"""The id of a row, in the text of the file."""


def spread(content: MutableMapping[str, Any]) -> Iterator[str]:
    """Move the rows of all deviations to the lists ``cause`` and ``entry``; yield faults of these tables.

    The readers of causes and entries check the values of the rows.
    """
    deviations = content.pop(DEVIATIONS, [])
    if not isinstance(deviations, list):
        yield f"`{DEVIATIONS}` is not a list: write [[{DEVIATIONS}]] before each {DEVIATIONS}"
        return
    for number, table in enumerate(deviations, start=1):
        where = f"{DEVIATIONS} {number}"
        if not isinstance(table, dict):
            yield f"{where}: it is not a table: write [[{DEVIATIONS}]]"
            continue
        common = {name: each for name, each in table.items() if name not in LISTS.values()}
        if unknown := [name for name in common if name not in COMMON]:
            expected = ", ".join((*COMMON, *LISTS.values()))
            yield f"{where}: unknown key {unknown[0]!r}: expected {expected}"
        if common.keys() == table.keys():
            yield f"{where}: it has no causes and no entries: add some, or remove it"
        for kind, name in LISTS.items():
            rows, known = table.get(name, []), content.setdefault(kind, [])
            if not isinstance(rows, list) or not isinstance(known, list):
                yield f"{where}: `{name}` is not a list: write {name} = [{{ id = ... }}]"
                continue
            known += [common | row if isinstance(row, dict) else row for row in rows]


def with_defaults(table: Any, content: Mapping[str, Any], kind: str) -> Any:
    """Return the table of a cause or an entry, as `kind` says, with the defaults of its file."""
    defaults = content.get(DEFAULTS)
    if not isinstance(table, dict) or not isinstance(defaults, dict):
        return table
    names = _OF_ENTRIES if kind == ENTRIES else OF_BOTH
    # Only an entry for all releases names those in which it was tried.
    skipped = "tried" if table.get("releases", "all") != "all" else ""
    return {name: defaults[name] for name in names if name in defaults and name != skipped} | table


def faults_of_defaults(defaults: Any) -> Iterator[str]:
    """Yield what is wrong with the table; the readers of causes and entries check its values."""
    if not isinstance(defaults, dict):
        yield "`defaults` is not a table: write [defaults]"
        return
    for name in defaults:
        if name not in _OF_ENTRIES:
            yield f"unknown key {name!r} in [defaults]: expected {', '.join(_OF_ENTRIES)}"
