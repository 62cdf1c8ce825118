"""Reading a ledger from its file, with all faults of the file in one error."""

import gc
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from difflib import get_close_matches
from typing import Any, Final, TypeVar

from wireproof.base.text.parsing import lines_of, parse_toml
from wireproof.model import FramePart, Phase
from wireproof.proof.checks import Check
from wireproof.verdict.ledger.bounds import BOUNDS, SCOPE, BoundsError, parse_bounds
from wireproof.verdict.ledger.entry import PRIMITIVES, Entry, ReasonKind, is_circumstance
from wireproof.verdict.ledger.evidence import Evidence, parse_evidence
from wireproof.verdict.ledger.files.cause_tables import CAUSES, cause_of
from wireproof.verdict.ledger.files.ledger_defaults import (
    DEFAULTS,
    ENTRIES,
    faults_of_defaults,
    with_defaults,
)
from wireproof.verdict.ledger.files.migrations import FORMAT, MIGRATIONS, Migration, migrate
from wireproof.verdict.ledger.known_causes import LedgerCause
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.ledger.repairs import command_line
from wireproof.verdict.ledger.spans import Releases, Versions

HEADLINE: Final = re.compile(r"^[ \t]*\[\[[ \t]*entry[ \t]*\]\][ \t]*(#.*)?$", re.MULTILINE)
"""The first line of an entry."""
NEW_FILE: Final = f"""\
# Known deviations of this codec from Kafka, by cause. `wireproof ledger --help` explains the format.
format = {FORMAT}
"""
KIND: Final = re.compile(r"[a-z-]+(:[A-Za-z0-9_.$-]+)?")

_ID: Final = re.compile(r"[a-z0-9][a-z0-9.-]*")
_NEEDED: Final = (
    "id", "message", "versions", "check", "kind", "reason-kind", "reason", "owner", "since", "expires"
)  # fmt: skip
_TEXTS: Final = (*_NEEDED, "releases", "part", "field", "type", "subject", "case", "link", "tried")
_ALL: Final = dict.fromkeys((*_TEXTS, "phases", "seen"))
_NO_TEXTS: Final = {name: "" for name in _TEXTS if name not in ("since", "expires")}
_CHECKS: Final = {str(check): check for check in Check}
_REASON_KINDS: Final = {str(kind): kind for kind in ReasonKind}
_PARTS: Final = {str(part): part for part in FramePart}
_PHASES: Final = {str(phase): phase for phase in Phase}

_T = TypeVar("_T")


class LedgerError(Exception):
    """A file that is not a valid ledger. The message has a line for each fault, and the next command."""


@dataclass(frozen=True, slots=True)
class _FaultError(Exception):
    what: str


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the search for cyclic garbage: a ledger has none, and its tables make the search long."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@_collector_paused()
def read_ledger(text: str, source: str, migrations: Sequence[Migration] = MIGRATIONS) -> Ledger:
    """Read the ledger in a TOML text, also of an older wireproof.

    Args:
        source: the file's name, for messages.
        migrations: the renames of all formats.

    Raises:
        LedgerError: the text is not a ledger.
    """
    again = f"Correct it, then type: {command_line('check', source)}"
    try:
        content = parse_toml(text)
    except ValueError as error:
        raise LedgerError(f"{source}: not valid TOML: {error}\n{again}") from error
    faults = [f"{source}: {what}" for what in _faults_of_file(content, migrations[-1].format)]
    changes = [] if faults else list(migrate(content, migrations))
    tables = content.get(ENTRIES, [])
    entries: list[Entry] = []
    taken: dict[str, str] = {}
    tables = tables if isinstance(tables, list) else []
    lines = list(lines_of(text, HEADLINE))
    for index, table in enumerate(tables):
        where = f"{source}:{lines[index] if len(lines) == len(tables) else '?'}"
        try:
            entries.append(_entry(with_defaults(table, content, ENTRIES)))
            if entries[-1].id in taken:
                raise _FaultError(f"the id is taken by {taken[entries[-1].id]}: choose another one")
            taken[entries[-1].id] = where
        except _FaultError as fault:
            name = table.get("id", "") if isinstance(table, dict) else ""
            faults.append(f"{where}: entry {name or index + 1}: {fault.what}")
            if isinstance(name, str) and name and "taken" not in fault.what:
                faults.append(f"  correct it, or type: {command_line('remove', source, name)}")
    causes: list[LedgerCause] = []
    for index, table in enumerate(content.get(CAUSES, [])):
        try:
            causes.append(cause_of(with_defaults(table, content, CAUSES)))
            if causes[-1].id in taken:
                raise ValueError(f"the id is taken by {taken[causes[-1].id]}: choose another one")
            taken[causes[-1].id] = f"{source}: cause {index + 1}"
            _hold_apart(causes)
        except ValueError as error:
            name = table.get("id", "") if isinstance(table, dict) else ""
            faults.append(f"{source}: cause {name or index + 1}: {error}")
    if faults:
        raise LedgerError("\n".join([*faults, again]))
    aliases = {**content.get("aliases", {}), **{old: new for _, made in changes for old, new in made.items()}}
    bounds = parse_bounds(content[BOUNDS]) if BOUNDS in content else None
    scope = content.get(BOUNDS, {}).get(SCOPE, "")
    return Ledger(tuple(entries), source, aliases, bool(changes), bounds, scope, tuple(causes))


def _hold_apart(causes: Sequence[LedgerCause]) -> None:
    """Check the last cause against those before it.

    Raises:
        ValueError: it says something else about the same place.
    """
    *before, last = causes
    for each in before:
        if each.excludes(last):
            raise ValueError(f"{each.id} says {each.deviation.action} at the same place: keep one of them")


def _faults_of_file(content: Mapping[str, Any], newest: int) -> Iterator[str]:
    found = content.get("format")
    if type(found) is not int or found < 1:
        yield f"format is {found!r}: expected 1 to {newest}: write format = {newest}"
    elif found > newest:
        yield (
            f"format is {found}: this wireproof reads formats up to {newest}: install a newer wireproof, "
            "or use an older version of the file"
        )
    for name in content:
        if name not in ("format", DEFAULTS, "aliases", BOUNDS, CAUSES, ENTRIES):
            expected = "`format`, `[defaults]`, `[aliases]`, `[bounds]`, `[[cause]]` or `[[entry]]`"
            yield f"unknown key {name!r}: expected {expected}"
    try:
        parse_bounds(content.get(BOUNDS, {}))
    except BoundsError as error:
        yield str(error)
    aliases = content.get("aliases", {})
    if not isinstance(aliases, dict) or not all(isinstance(name, str) for name in aliases.values()):
        yield '`aliases` is not a table of ids: write old = "new"'
    yield from faults_of_defaults(content.get(DEFAULTS, {}))
    for name in (CAUSES, ENTRIES):
        if not isinstance(content.get(name, []), list):
            yield f"`{name}` is not a list: write [[{name}]] before each {name}"


def _entry(table: Any) -> Entry:
    if not isinstance(table, dict):
        raise _FaultError("it is not a table: write [[entry]]")
    for name in table:
        if name not in _ALL:
            near = get_close_matches(name, _ALL, 1)
            raise _FaultError(
                f"unknown key {name!r}: "
                + (f"did you mean {near[0]!r}?" if near else f"expected {', '.join(_ALL)}")
            )
    missing = [name for name in _NEEDED if name not in table]
    if missing:
        raise _FaultError(f"it lacks {', '.join(missing)}: add them")
    texts = {**_NO_TEXTS, **{name: _text(table, name) for name in table.keys() & _NO_TEXTS.keys()}}
    entry = Entry(
        id=_matching(texts, "id", _ID, "lower-case letters, digits, dots and dashes"),
        message=texts["message"],
        versions=_parsed(texts, "versions", Versions.parse),
        releases=_parsed({"releases": texts["releases"] or "all"}, "releases", Releases.parse),
        check=_one_of(texts, "check", _CHECKS),
        kind=_matching(texts, "kind", KIND, "a word such as differs, or refused:CLASS"),
        reason_kind=_one_of(texts, "reason-kind", _REASON_KINDS),
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
        part=_one_of(texts, "part", _PARTS) if texts["part"] else "",
        seen=_seen(table["seen"]) if "seen" in table else Evidence(),
    )
    _hold(entry)
    return entry


def _hold(entry: Entry) -> None:
    """Check the keys of an entry against each other."""
    if entry.seen and not entry.any_message:
        raise _FaultError('seen needs message = "*": other entries name their one place themselves')
    if entry.expires < entry.since:
        raise _FaultError(f"it expires on {entry.expires}, before its first day {entry.since}")
    if entry.any_message:
        _hold_primitive(entry)
    elif "*" in entry.message or entry.type or entry.versions == Versions.ALL:
        raise _FaultError(
            "an entry is about one message, one field and the versions that show its cause; only a cause in "
            'a primitive has message = "*" and versions = "all"'
        )


def _hold_primitive(entry: Entry) -> None:
    if entry.field or entry.part or entry.versions != Versions.ALL:
        raise _FaultError('message = "*" needs versions = "all", and neither field nor part')
    if entry.type and entry.type not in PRIMITIVES:
        raise _FaultError(f'message = "*" needs the type of a primitive: {entry.type!r} is not one')
    if not entry.type and not is_circumstance(entry.check, entry.kind):
        raise _FaultError(
            'message = "*" needs a cause in a primitive: a type such as "string" or "[]int32", or a check '
            f"that concerns no field; {entry.check} {entry.kind} is neither"
        )


def _text(table: Mapping[str, Any], name: str) -> str:
    value = table.get(name, "")
    if not isinstance(value, str):
        raise _FaultError(f"{name} is not a text: write it in quotes")
    if name in _NEEDED and not value.strip():
        raise _FaultError(f"{name} is empty: write a text")
    return value.strip()


def _matching(texts: Mapping[str, str], name: str, form: re.Pattern[str], words: str) -> str:
    if not form.fullmatch(texts[name]):
        raise _FaultError(f"{name} {texts[name]!r} is not valid: expected {words}")
    return texts[name]


def _one_of(texts: Mapping[str, str], name: str, known: Mapping[str, _T]) -> _T:
    if texts[name] not in known:
        near = get_close_matches(texts[name], known, 1)
        raise _FaultError(
            f"{name} {texts[name]!r} is unknown: {_suggestion(near) or 'expected ' + ', '.join(known)}"
        )
    return known[texts[name]]


def _suggestion(near: list[str]) -> str:
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
            raise _FaultError(f"{name} {value!r} is not a date: write 2027-05-20") from None
    if isinstance(value, datetime) or not isinstance(value, date):
        raise _FaultError(f"{name} is not a date: write 2027-05-20")
    return value


def _seen(tables: Any) -> Evidence:
    try:
        return parse_evidence(tables)
    except ValueError as error:
        raise _FaultError(f"seen: {error}") from None


def _phases(names: Any) -> tuple[Phase, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) and name in _PHASES for name in names):
        raise _FaultError(f"phases {names!r} is not valid: expected a list of {', '.join(_PHASES)}")
    return tuple(_PHASES[name] for name in names)
