"""The rows of a ledger's file: causes and entries, with what ``[[deviation]]`` and ``[defaults]`` add."""

import re
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, Final

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
