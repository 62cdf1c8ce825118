"""A ledger out of its file, with every fault named at once."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from difflib import get_close_matches
from typing import Any, Final, TypeVar

from wireproof.checks import Check
from wireproof.ledger.entry import PRIMITIVES, Entry, ReasonKind, is_circumstance
from wireproof.ledger.evidence import Evidence, parse_evidence
from wireproof.ledger.files.migrations import FORMAT, MIGRATIONS, Migration, migrate
from wireproof.ledger.ledger import Ledger
from wireproof.ledger.spans import Releases, Versions
from wireproof.model import FramePart, Phase
from wireproof.parsing import parse_toml

__all__ = ["FORMAT", "HEADLINE", "KIND", "NEW_FILE", "LedgerError", "command_line", "read_ledger"]

HEADLINE: Final = re.compile(r"^[ \t]*\[\[[ \t]*entry[ \t]*\]\][ \t]*(#.*)?$", re.MULTILINE)
"""Where an entry begins."""
NEW_FILE: Final = f"""\
# What this codec is known to do otherwise than Kafka, by cause. `wireproof ledger --help` tells more.
format = {FORMAT}
"""
KIND: Final = re.compile(r"[a-z-]+(:[A-Za-z0-9_.$-]+)?")

_ID: Final = re.compile(r"[a-z0-9][a-z0-9.-]*")
_NEEDED: Final = (
    "id", "message", "versions", "check", "kind", "reason-kind", "reason", "owner", "since", "expires"
)  # fmt: skip
_TEXTS: Final = (*_NEEDED, "releases", "part", "field", "type", "subject", "case", "link", "tried")
_ALL: Final = (*_TEXTS, "phases", "seen")

_T = TypeVar("_T")


class LedgerError(Exception):
    """A file that is no ledger; the message has a line for each fault, and what to do."""


@dataclass(frozen=True, slots=True)
class _FaultError(Exception):
    what: str


def command_line(command: str, source: str, *words: str) -> str:
    """``wireproof ledger COMMAND --ledger FILE WORDS``, to be typed as it stands."""
    return shlex.join(["wireproof", "ledger", command, "--ledger", source, *words])


def read_ledger(text: str, source: str, migrations: Sequence[Migration] = MIGRATIONS) -> Ledger:
    """The ledger in a TOML text, also of an older wireproof.

    Args:
        source: the file's name, for messages.
        migrations: what was called otherwise before.

    Raises:
        LedgerError: it holds something else.
    """
    again = f"Correct it, then type: {command_line('check', source)}"
    try:
        content = parse_toml(text)
    except ValueError as error:
        raise LedgerError(f"{source}: no TOML: {error}\n{again}") from error
    faults = [f"{source}: {what}" for what in _faults_of_file(content, migrations[-1].format)]
    changes = [] if faults else list(migrate(content, migrations))
    tables = content.get("entry", [])
    entries: list[Entry] = []
    taken: dict[str, str] = {}
    for index, table in enumerate(tables if isinstance(tables, list) else []):
        where = f"{source}:{_line(text, index, len(tables))}"
        try:
            entries.append(_entry(table))
            if entries[-1].id in taken:
                raise _FaultError(f"the id is taken by {taken[entries[-1].id]}: give it another one")
            taken[entries[-1].id] = where
        except _FaultError as fault:
            name = table.get("id", "") if isinstance(table, dict) else ""
            faults.append(f"{where}: entry {name or index + 1}: {fault.what}")
            if isinstance(name, str) and name and "taken" not in fault.what:
                faults.append(f"  correct it, or type: {command_line('remove', source, name)}")
    if faults:
        raise LedgerError("\n".join([*faults, again]))
    aliases = {**content.get("aliases", {}), **{old: new for _, made in changes for old, new in made.items()}}
    return Ledger(tuple(entries), source, aliases, outdated=bool(changes))


def _faults_of_file(content: Mapping[str, Any], newest: int) -> Iterator[str]:
    found = content.get("format")
    if type(found) is not int or found < 1:
        yield f"format is {found!r}, and this wireproof writes {newest}: write format = {newest}"
    elif found > newest:
        yield (
            f"format is {found}: a newer wireproof wrote it, and this one reads formats up to {newest}: "
            "install that one, or take the file as it was before"
        )
    for name in content:
        if name not in ("format", "aliases", "entry"):
            yield f"there is no {name!r} in a ledger: it has `format`, `[aliases]` and `[[entry]]`"
    aliases = content.get("aliases", {})
    if not isinstance(aliases, dict) or not all(isinstance(name, str) for name in aliases.values()):
        yield '`aliases` is no table of ids: old = "new"'
    if not isinstance(content.get("entry", []), list):
        yield "`entry` is no list: write [[entry]] before each"


def _line(text: str, index: int, count: int) -> str:
    """The line of an entry; ``?`` where that cannot be told."""
    heads = list(HEADLINE.finditer(text))
    return str(text.count("\n", 0, heads[index].start()) + 1) if len(heads) == count else "?"


def _entry(table: Any) -> Entry:
    if not isinstance(table, dict):
        raise _FaultError("it is no table")
    for name in table:
        if name not in _ALL:
            near = get_close_matches(name, _ALL, 1)
            raise _FaultError(f"there is no {name!r}" + (f": did you mean {near[0]!r}?" if near else ""))
    missing = [name for name in _NEEDED if name not in table]
    if missing:
        raise _FaultError(f"it lacks {', '.join(missing)}")
    texts = {name: _text(table, name) for name in _TEXTS if name not in ("since", "expires")}
    entry = Entry(
        id=_matching(texts, "id", _ID, "small letters, digits, dots and dashes"),
        message=texts["message"],
        versions=_parsed(texts, "versions", Versions.parse),
        releases=_parsed({"releases": texts["releases"] or "all"}, "releases", Releases.parse),
        check=_one_of(texts, "check", [str(check) for check in Check]),
        kind=_matching(texts, "kind", KIND, "a word such as differs, or refused:CLASS"),
        reason_kind=ReasonKind(_one_of(texts, "reason-kind", [str(kind) for kind in ReasonKind])),
        reason=texts["reason"],
        owner=texts["owner"],
        since=_day(table, "since"),
        expires=_day(table, "expires"),
        field=texts["field"],
        type=texts["type"],
        subject=texts["subject"],
        phases=_phases(table.get("phases", [])),
        case=texts["case"],
        link=texts["link"],
        tried=_parsed(texts, "tried", Releases.parse) if texts["tried"] else Releases(),
        part=_one_of(texts, "part", list(FramePart)) if texts["part"] else "",
        seen=_seen(table.get("seen", {})),
    )
    _hold(entry)
    return entry


def _hold(entry: Entry) -> None:
    """What the parts of an entry owe each other."""
    if entry.seen and not entry.any_message:
        raise _FaultError('seen goes with message = "*": the other entries name their one place themselves')
    if entry.expires < entry.since:
        raise _FaultError(f"it expires on {entry.expires}, before {entry.since}")
    if entry.any_message:
        _hold_primitive(entry)
    elif "*" in entry.message or entry.type or entry.versions == Versions.ALL:
        raise _FaultError(
            'an entry is about one message, a field and the versions where it was seen; message = "*" with '
            'versions = "all" is for a primitive alone'
        )


def _hold_primitive(entry: Entry) -> None:
    if entry.field or entry.part or entry.versions != Versions.ALL:
        raise _FaultError('message = "*" goes with versions = "all" and without field and part')
    if entry.type and entry.type not in PRIMITIVES:
        raise _FaultError(f'message = "*" needs a cause in a primitive, and type {entry.type!r} is none')
    if not entry.type and not is_circumstance(entry.check, entry.kind):
        raise _FaultError(
            'message = "*" needs a cause in a primitive: a type such as "string" or "[]int32", or a check '
            f"that concerns no field; {entry.check} {entry.kind} is none"
        )


def _text(table: Mapping[str, Any], name: str) -> str:
    value = table.get(name, "")
    if not isinstance(value, str):
        raise _FaultError(f"{name} is no text: write it in quotes")
    if name in _NEEDED and not value.strip():
        raise _FaultError(f"{name} is empty")
    return value.strip()


def _matching(texts: Mapping[str, str], name: str, form: re.Pattern[str], words: str) -> str:
    if not form.fullmatch(texts[name]):
        raise _FaultError(f"{name} {texts[name]!r} is none: write {words}")
    return texts[name]


def _one_of(texts: Mapping[str, str], name: str, known: list[str]) -> str:
    if texts[name] not in known:
        near = get_close_matches(texts[name], known, 1)
        raise _FaultError(
            f"there is no {name} {texts[name]!r}: {_or(near) or 'there are ' + ', '.join(known)}"
        )
    return texts[name]


def _or(near: list[str]) -> str:
    return f"did you mean {near[0]!r}?" if near else ""


def _parsed(texts: Mapping[str, str], name: str, parse: Callable[[str], _T]) -> _T:
    try:
        return parse(texts[name])
    except ValueError as error:
        raise _FaultError(f"{name}: {error}") from None


def _day(table: Mapping[str, Any], name: str) -> date:
    value = table[name]
    if isinstance(value, str):
        try:
            value = date.fromisoformat(value)
        except ValueError:
            raise _FaultError(f"{name} {value!r} is no day: write 2027-05-20") from None
    if isinstance(value, datetime) or not isinstance(value, date):
        raise _FaultError(f"{name} is no day: write 2027-05-20")
    return value


def _seen(tables: Any) -> Evidence:
    try:
        return parse_evidence(tables)
    except ValueError as error:
        raise _FaultError(f"seen: {error}") from None


def _phases(names: Any) -> tuple[Phase, ...]:
    known = [str(phase) for phase in Phase]
    if not isinstance(names, list) or any(name not in known for name in names):
        raise _FaultError(f"phases {names!r} are none: a list of {', '.join(known)}")
    return tuple(Phase(name) for name in names)
