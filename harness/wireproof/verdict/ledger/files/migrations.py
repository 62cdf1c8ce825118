"""Migrations of names and files of older releases of wireproof, one for each release.

A release that renames a check or a kind, or gives the file another form, adds one `Migration` at the end of
`MIGRATIONS`. Ledgers and event files may use old names anywhere; `wireproof ledger migrate` writes the new
ones. It renames ids that were made from a renamed name. The old id stays as an alias in the file, so that
commands and links with it still find their entry.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from wireproof.model.cell import release_in
from wireproof.model.malformed_input import Mutation
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.difference_kinds import operator_of
from wireproof.verdict.ledger.entry import generated_id


@dataclass(frozen=True, slots=True)
class Migration:
    """The changes of one release of wireproof.

    Attributes:
        format: the format number that it writes: one more than the number of the migration before.
        release: the release of wireproof.
        checks: old name to new.
        kinds: old to new: a whole kind, or the word before its colon.
        step: changes one entry of a file of an older format.
    """

    format: int
    release: str
    checks: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    step: Callable[[MutableMapping[str, Any]], None] | None = None


def _add_tried_release(entry: MutableMapping[str, Any]) -> None:
    """Add the tried release to an entry for all releases: the release of its case."""
    release = release_in(str(entry.get("case", "")))
    if entry.get("releases", "all") == "all" and "tried" not in entry and release:
        entry["tried"] = release


def _rename_own_round_trip(entry: MutableMapping[str, Any]) -> None:
    """Rename the check of decoding a codec's own bytes to ``decode``, because they equal Kafka's bytes.

    Compressed record sets keep the old name: they hardly ever equal Kafka's bytes.
    """
    if entry.get("check") == "round-trip" and entry.get("message") != "RecordBatch":
        _rename(entry, "decode", str(entry.get("kind", "")))


_MUTATION: Final = re.compile(r"/mutations/.*/(?P<operator>[^/@]+)@\d+$")


def _name_the_operator(entry: MutableMapping[str, Any]) -> None:
    """Add the operator of the accepted mutation to a kind of malformed bytes.

    The other operators of the old kind were not observed. If the case does not determine the operator, the
    old kind stays: no finding has it any more, so the audit reports the entry as stale.
    """
    word, _, coarse = str(entry.get("kind", "")).partition(":")
    found = _MUTATION.search(str(entry.get("case", "")))
    if entry.get("check") != Check.MALFORMED or word not in _BY_OPERATOR or found is None:
        return
    label = found["operator"].partition("=")[2]
    operator = operator_of(Mutation(found["operator"], "", 0, b"", b""))
    undecided = label.partition("-at-")[0] == "zero"  # null in a compact layout, no elements in another
    if operator.startswith(f"{coarse}-") and not undecided:
        _rename(entry, Check.MALFORMED, f"{word}:{operator}")


_BY_OPERATOR: Final = frozenset({"laxer", "different", "hang", "blow-up"})

_IN_HEADERS: Final = frozenset({"clientId", "correlationId", "requestApiKey", "requestApiVersion"})


def _name_part(entry: MutableMapping[str, Any]) -> None:
    """Add the part to an entry of one message, unless it is the message itself.

    An entry for all messages loses its list of field names. Without evidence it explains nothing until
    `wireproof ledger accept` adds the places that a run shows.
    """
    entry.pop("names", None)
    if entry.get("message") != "*" and "part" not in entry and (part := _part(entry)):
        entry["part"] = part


def _part(entry: Mapping[str, Any]) -> str:
    path, check, phases = str(entry.get("field", "")), entry.get("check"), entry.get("phases")
    operator = str(entry.get("kind", "")).partition(":")[2]
    spoiled = check == "malformed" and operator.startswith(("frame-", "header-", "identity"))
    framed = check in ("frame-bytes", "frame-decode") and path in _IN_HEADERS
    if spoiled or framed or path.partition(".")[0] == "header":
        return "header"
    if "/" in path or phases == ["records"]:
        return "record-set"
    return "embedded" if phases == ["embedded"] else ""


def _name_the_deadly_operator(entry: MutableMapping[str, Any]) -> None:
    """Add the operator of the case to the kind of malformed bytes that end the codec's process."""
    found = _MUTATION.search(str(entry.get("case", "")))
    if (entry.get("check"), entry.get("kind")) == (Check.MALFORMED, "crashed:process") and found:
        _rename(entry, Check.MALFORMED, f"death:{operator_of(Mutation(found['operator'], '', 0, b'', b''))}")


MIGRATIONS: Final = (
    Migration(2, "0.1.0", step=_add_tried_release),
    Migration(3, "0.1.0", step=_rename_own_round_trip),
    Migration(4, "0.1.0", kinds={"refused:consumed": "stopped-early"}, step=_name_the_operator),
    Migration(5, "0.1.0", step=_name_part),
    Migration(6, "0.1.0", step=_name_the_deadly_operator),
    Migration(7, "0.1.0"),  # one table for each reason, with a line for each cause and entry
)

FORMAT: Final = MIGRATIONS[-1].format
"""The format that this wireproof writes."""


@dataclass(frozen=True, slots=True)
class FormerNames:
    """Translates former names of checks and kinds to the present ones."""

    migrations: Sequence[Migration] = MIGRATIONS

    def check(self, name: str) -> str:
        """Return the present name of a check."""
        for migration in self.migrations:
            name = migration.checks.get(name, name)
        return name

    def kind(self, name: str) -> str:
        """Return the present name of a kind, with its class."""
        for migration in self.migrations:
            word, colon, rest = name.partition(":")
            name = migration.kinds.get(name) or f"{migration.kinds.get(word, word)}{colon}{rest}"
        return name


def migrate(
    document: MutableMapping[str, Any], migrations: Sequence[Migration] = MIGRATIONS
) -> Iterator[tuple[str, dict[str, str]]]:
    """Migrate the TOML of a ledger in place; yield a sentence for each change, and the new aliases."""
    old = document.get("format")
    names = FormerNames([each for each in migrations if each.checks or each.kinds])
    renamed: set[str] = set()
    for entry in document.get("entry", ()):
        if isinstance(entry, MutableMapping):
            for migration in migrations:
                if migration.step is not None and isinstance(old, int) and old < migration.format:
                    before = dict(entry)
                    migration.step(entry)
                    yield from _changes(entry, before)
                    renamed |= {str(entry.get("id", ""))} - {str(before.get("id", ""))}
            yield from _renamed(entry, names)
    yield from _without_doubles(document.get("entry", ()), renamed)
    if old != migrations[-1].format:
        document["format"] = migrations[-1].format
        yield f"format {old} becomes {migrations[-1].format}", {}


def _changes(entry: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    for name, value in entry.items():
        if before.get(name) != value:
            alias = {str(before["id"]): str(value)} if name == "id" else {}
            yield f"{before.get('id', '?')}: {name} = {value!s}", alias
    for name in before:
        if name not in entry:
            yield f"{before.get('id', '?')}: {name} is removed", {}


def _without_doubles(entries: Any, renamed: Collection[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Remove entries with a renamed id that equal another one in its id and in all keys of `_PLACE`."""
    kept: dict[tuple[str, ...], Mapping[str, Any]] = {}
    doubled: list[int] = []
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if not isinstance(entry, MutableMapping) or entry.get("id") not in renamed:
            continue
        first = kept.setdefault(tuple(str(entry.get(name, "")) for name in _PLACE), entry)
        if first is not entry and first.get("id") == entry.get("id"):
            doubled.append(index)
            yield f"{entry.get('id')}: an entry that explains the same is removed", {}
    for index in reversed(doubled):
        del entries[index]


_PLACE: Final = ("message", "versions", "releases", "part", "field", "type", "subject", "check", "kind")
"""The keys that are equal in two entries that explain the same."""


def _rename(entry: MutableMapping[str, Any], check: str, kind: str) -> None:
    """Rename the check and kind of an entry, and its id if that was made from them."""
    message = str(entry.get("message", ""))
    place = str(entry.get("field", "")) or str(entry.get("type", ""))
    made = generated_id(message, place, str(entry.get("check", "")), str(entry.get("kind", "")))
    found = re.fullmatch(rf"{re.escape(made)}(-[0-9]+)?", str(entry.get("id", "")))
    entry["check"], entry["kind"] = check, kind
    if found:
        entry["id"] = generated_id(message, place, check, kind) + (found[1] or "")


def _renamed(entry: MutableMapping[str, Any], names: FormerNames) -> Iterator[tuple[str, dict[str, str]]]:
    """Translate the names in one entry, and its id if that was made from them; yield the changes."""
    old = {name: str(entry.get(name, "")) for name in ("id", "check", "kind")}
    new = {"check": names.check(old["check"]), "kind": names.kind(old["kind"])}
    changed = {name: value for name, value in new.items() if value != old[name]}
    if not changed:
        return
    _rename(entry, new["check"], new["kind"])
    if entry.get("id", "") != old["id"]:
        changed["id"] = str(entry["id"])
    for name, value in changed.items():
        yield (f"{old['id']}: {name} {old[name]} becomes {value}", {old[name]: value} if name == "id" else {})
