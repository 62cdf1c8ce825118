"""What names and files of older releases of wireproof are called now: one migration for each release.

A release that renames a check or a kind, or gives the file another form, adds one `Migration` at the end of
`MIGRATIONS`. Old names are understood wherever they stand, in ledgers and in event files; `wireproof ledger
migrate` writes the new ones. Ids that were made of a renamed name are made anew, and the old one stays as an
alias in the file, so that commands and links that hold it still find their entry.
"""

import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from wireproof.ledger.entry import generated_id

__all__ = ["FORMAT", "MIGRATIONS", "Migration", "Names", "migrate"]


@dataclass(frozen=True, slots=True)
class Migration:
    """What one release of wireproof changed.

    Attributes:
        format: the number in files that it writes: one more than that of the migration before it.
        release: of wireproof.
        checks: old name to new.
        kinds: old to new: a whole kind, or the word before its colon.
        step: changes one entry of a file of an older format.
    """

    format: int
    release: str
    checks: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    step: Callable[[MutableMapping[str, Any]], None] | None = None


def _tell_releases(entry: MutableMapping[str, Any]) -> None:
    """An entry for all releases says in which it was tried: its case is of one."""
    release = str(entry.get("case", "")).partition("/")[0]
    if entry.get("releases", "all") == "all" and "tried" not in entry and release:
        entry["tried"] = release


MIGRATIONS: Final = (Migration(2, "0.1.0", step=_tell_releases),)

FORMAT: Final = MIGRATIONS[-1].format
"""That of the files which this wireproof writes."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of today."""

    migrations: Sequence[Migration] = MIGRATIONS

    def check(self, name: str) -> str:
        """What a check is called now."""
        for migration in self.migrations:
            name = migration.checks.get(name, name)
        return name

    def kind(self, name: str) -> str:
        """What a kind is called now, with its class."""
        for migration in self.migrations:
            word, colon, rest = name.partition(":")
            name = migration.kinds.get(name) or f"{migration.kinds.get(word, word)}{colon}{rest}"
        return name


def migrate(
    document: MutableMapping[str, Any], migrations: Sequence[Migration] = MIGRATIONS
) -> Iterator[tuple[str, dict[str, str]]]:
    """Bring a ledger up to date, in place; each change in words, with the aliases that it leaves.

    Args:
        document: the file as TOML; it has a format that is not newer than the last migration's.
    """
    old = document.get("format")
    names = Names(migrations)
    for entry in document.get("entry", ()):
        if isinstance(entry, MutableMapping):
            for migration in migrations:
                if migration.step is not None and isinstance(old, int) and old < migration.format:
                    before = dict(entry)
                    migration.step(entry)
                    yield from ((word, {}) for word in _changes(entry, before))
            yield from _renamed(entry, names)
    if old != migrations[-1].format:
        document["format"] = migrations[-1].format
        yield f"format {old} becomes {migrations[-1].format}", {}


def _changes(entry: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[str]:
    for name, value in entry.items():
        if before.get(name) != value:
            yield f"{entry.get('id', '?')}: {name} = {value!s}"


def _renamed(entry: MutableMapping[str, Any], names: Names) -> Iterator[tuple[str, dict[str, str]]]:
    """New names in one entry, and in its id if that was made of them."""
    old = {name: str(entry.get(name, "")) for name in ("id", "check", "kind")}
    new = {"check": names.check(old["check"]), "kind": names.kind(old["kind"])}
    changed = {name: value for name, value in new.items() if value != old[name]}
    if not changed:
        return
    message = str(entry.get("message", ""))
    place = str(entry.get("field", "")) or str(entry.get("type", ""))
    made = generated_id(message, place, old["check"], old["kind"])
    found = re.fullmatch(rf"{re.escape(made)}(-[0-9]+)?", old["id"])
    if found:
        changed["id"] = generated_id(message, place, new["check"], new["kind"]) + (found[1] or "")
    for name, value in changed.items():
        entry[name] = value
        yield (
            f"{old['id']}: {name} {old[name]} becomes {value}",
            {old[name]: value} if name == "id" else {},
        )
