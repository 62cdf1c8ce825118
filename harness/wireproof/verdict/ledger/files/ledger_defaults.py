"""The table ``[defaults]`` of a ledger's file: values of each cause and entry that does not state its own."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from wireproof.base.text.parsing import parse_toml

DEFAULTS: Final = "defaults"
ENTRIES: Final = "entry"
OF_BOTH: Final = ("reason-kind", "owner", "since", "expires")
_OF_ENTRIES: Final = (*OF_BOTH, "tried")


def with_defaults(table: Any, content: Mapping[str, Any], kind: str) -> Any:
    """Return the table of a cause or an entry with the defaults of its file.

    Args:
        content: of the file.
        kind: the name of the tables.
    """
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


def defaults_in(text: str) -> Mapping[str, Any]:
    """Return the defaults of a file; its causes and entries are not parsed.

    Raises:
        ValueError: the part before them is not TOML.
    """
    defaults = parse_toml(text.partition("\n[[")[0]).get(DEFAULTS)
    return defaults if isinstance(defaults, dict) else {}
