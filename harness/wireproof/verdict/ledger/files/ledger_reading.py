"""Reading a ledger from its file, with all faults of the file in one error."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from difflib import get_close_matches
from typing import Any, Final, TypeVar

from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.own_process import collector_paused
from wireproof.base.text.parsing import lines_of, parse_toml
from wireproof.model.cell import FramePart, Phase
from wireproof.proof.checks.check_table import Check
from wireproof.verdict.ledger.bounds import BOUNDS, SCOPE, BoundsError, parse_bounds
from wireproof.verdict.ledger.entry import PRIMITIVES, Entry, ReasonKind, is_circumstance
from wireproof.verdict.ledger.evidence import Evidence, parse_evidence
from wireproof.verdict.ledger.files.cause_tables import (
    CAUSES,
    DEFAULTS,
    DEVIATIONS,
    ID,
    LISTS,
    cause_of,
    faults_of_defaults,
    spread,
    with_defaults,
)
from wireproof.verdict.ledger.files.migrations import FORMAT, MIGRATIONS, Migration, migrate
from wireproof.verdict.ledger.known_causes import LedgerCause
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.ledger.repairs import command_line
from wireproof.verdict.ledger.spans import Releases, Versions

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


class LedgerError(FatalError):
    """A file that is not a valid ledger. The message has a line for each fault, and the next command."""

    exit_code = ExitCode.LEDGER


@collector_paused()  # a ledger has no cyclic garbage, and its tables make the search long
def read_ledger(text: str, source: str, migrations: Sequence[Migration] = MIGRATIONS) -> Ledger:
    """Read a ledger from TOML text. A ledger of an older wireproof is migrated.

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
    of_deviations = list(spread(content))
    faults = [f"{source}: {what}" for what in _faults_of_file(content, migrations[-1].format)]
    faults += [f"{source}: {what}" for what in of_deviations]
    lines = _lines_of_rows(text, content)
    changes = [] if faults else list(migrate(content, migrations))
    entries: list[Entry] = []
    causes: list[LedgerCause] = []
    taken: dict[str, str] = {}
    for kind, index, table in _tables(content):
        where = f"{source}:{lines[id(table)]}" if id(table) in lines else source
        try:
            whole = with_defaults(table, content, kind)
            row = cause_of(whole) if kind == CAUSES else _entry(whole)
            if row.id in taken:
                raise ValueError(f"the id is taken by {taken[row.id]}: choose another one")
            taken[row.id] = where
            if isinstance(row, Entry):
                entries.append(row)
            else:
                _hold_apart(row, causes)
                causes.append(row)
        except ValueError as error:
            name = table.get("id", "") if isinstance(table, dict) else ""
            faults.append(f"{where}: {kind} {name or index + 1}: {error}")
            if isinstance(name, str) and name and name not in taken:
                faults.append(f"  correct it, or type: {command_line('remove', source, name)}")
    if faults:
        raise LedgerError("\n".join([*faults, again]))
    aliases = {**content.get("aliases", {}), **{old: new for _, made in changes for old, new in made.items()}}
    bounds = parse_bounds(content[BOUNDS]) if BOUNDS in content else None
    scope = content.get(BOUNDS, {}).get(SCOPE, "")
    return Ledger(tuple(entries), source, aliases, bool(changes), bounds, scope, tuple(causes))


def _tables(content: Mapping[str, Any]) -> Iterator[tuple[str, int, Any]]:
    """Yield each row of the file, with its kind and its index among the rows of this kind."""
    for kind in LISTS:
        tables = content.get(kind, [])
        for index, table in enumerate(tables if isinstance(tables, list) else ()):
            yield kind, index, table


def _lines_of_rows(text: str, content: Mapping[str, Any]) -> dict[int, int]:
    """Return the line number of each row with an id. The key is the Python ``id()`` of its table."""
    lines: dict[str, list[int]] = {}
    for found, line in zip(ID.findall(text), lines_of(text, ID), strict=True):
        lines.setdefault(found, []).append(line)
    rows = ((table, str(table.get("id"))) for _, _, table in _tables(content) if isinstance(table, dict))
    return {id(row): lines[row_id].pop(0) for row, row_id in rows if lines.get(row_id)}


def _hold_apart(cause: LedgerCause, others: Iterable[LedgerCause]) -> None:
    """Check a cause against those before it.

    Raises ValueError if it says something else about the same place.
    """
    for each in others:
        if each.excludes(cause):
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
        if name not in ("format", DEFAULTS, "aliases", BOUNDS, *LISTS):
            expected = f"`format`, `[defaults]`, `[aliases]`, `[bounds]` or `[[{DEVIATIONS}]]`"
            yield f"unknown key {name!r}: expected {expected}"
    try:
        parse_bounds(content.get(BOUNDS, {}))
    except BoundsError as error:
        yield str(error)
    aliases = content.get("aliases", {})
    if not isinstance(aliases, dict) or not all(isinstance(name, str) for name in aliases.values()):
        yield '`aliases` is not a table of ids: write old = "new"'
    yield from faults_of_defaults(content.get(DEFAULTS, {}))
    for name in LISTS:
        if not isinstance(content.get(name, []), list):
            yield f"`{name}` is not a list: write [[{name}]] before each {name}"


def _entry(table: Any) -> Entry:
    if not isinstance(table, dict):
        raise ValueError("it is not a table: write { id = ... }")  # noqa: TRY004 - a fault of the file
    for name in table:
        if name not in _ALL:
            raise ValueError(f"unknown key {name!r}: {_instead(name, _ALL)}")
    missing = [name for name in _NEEDED if name not in table]
    if missing:
        raise ValueError(f"it lacks {', '.join(missing)}: add them")
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
        seen=_parsed(table, "seen", parse_evidence) if "seen" in table else Evidence(),
    )
    _hold(entry)
    return entry


def _hold(entry: Entry) -> None:
    """Check the keys of an entry against each other."""
    if entry.seen and not entry.any_message:
        raise ValueError('seen needs message = "*": other entries name their one place themselves')
    if entry.expires < entry.since:
        raise ValueError(f"it expires on {entry.expires}, before its first day {entry.since}")
    if entry.any_message:
        _hold_primitive(entry)
    elif "*" in entry.message or entry.type or entry.versions == Versions.ALL:
        raise ValueError(
            "an entry is about one message, one field and the versions that show its cause; only a cause in "
            'a primitive has message = "*" and versions = "all"'
        )


def _hold_primitive(entry: Entry) -> None:
    if entry.field or entry.part or entry.versions != Versions.ALL:
        raise ValueError('message = "*" needs versions = "all", and neither field nor part')
    if entry.type and entry.type not in PRIMITIVES:
        raise ValueError(f'message = "*" needs the type of a primitive: {entry.type!r} is not one')
    if not entry.type and not is_circumstance(entry.check, entry.kind):
        raise ValueError(
            'message = "*" needs a cause in a primitive: a type such as "string" or "[]int32", or a check '
            f"that concerns no field; {entry.check} {entry.kind} is neither"
        )


def _text(table: Mapping[str, Any], name: str) -> str:
    value = table.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"{name} is not a text: write it in quotes")  # noqa: TRY004 - a fault of the file
    if name in _NEEDED and not value.strip():
        raise ValueError(f"{name} is empty: write a text")
    return value.strip()


def _matching(texts: Mapping[str, str], name: str, form: re.Pattern[str], words: str) -> str:
    if not form.fullmatch(texts[name]):
        raise ValueError(f"{name} {texts[name]!r} is not valid: expected {words}")
    return texts[name]


def _one_of(texts: Mapping[str, str], name: str, known: Mapping[str, _T]) -> _T:
    if texts[name] not in known:
        raise ValueError(f"{name} {texts[name]!r} is unknown: {_instead(texts[name], known)}")
    return known[texts[name]]


def _instead(word: str, known: Iterable[str]) -> str:
    near = get_close_matches(word, known, 1)
    return f"did you mean {near[0]!r}?" if near else f"expected {', '.join(known)}"


def _parsed(values: Mapping[str, Any], name: str, parse: Callable[[Any], _T]) -> _T:
    try:
        return parse(values[name])
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _day(table: Mapping[str, Any], name: str) -> date:
    value = table[name]
    if isinstance(value, str):
        try:
            value = date.fromisoformat(value)
        except ValueError:
            raise ValueError(f"{name} {value!r} is not a date: write 2027-05-20") from None
    if isinstance(value, datetime) or not isinstance(value, date):
        raise ValueError(f"{name} is not a date: write 2027-05-20")  # noqa: TRY004 - as above
    return value


def _phases(names: Any) -> tuple[Phase, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) and name in _PHASES for name in names):
        raise ValueError(f"phases {names!r} is not valid: expected a list of {', '.join(_PHASES)}")
    return tuple(_PHASES[name] for name in names)
