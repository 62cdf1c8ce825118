"""A file of findings that a team accepts: a TOML table ``[[accepted]]`` for each, with reason and date."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from wireproof.base.exit_codes import FatalError
from wireproof.base.text.parsing import lines_of, parse_toml, read_text

UNMATCHED: Final = "accepted-unmatched"
"""The rule that an entry breaks if it accepts no finding."""
UNMATCHED_SENTENCE: Final = "Each accepted finding matches a finding."

_HEAD: Final = re.compile(r"^[ \t]*\[\[[ \t]*accepted[ \t]*\]\]", re.MULTILINE)
_KEYS: Final = ("message", "field", "rule", "reason", "date")
_NEEDED: Final = {
    "message": 'write the name of the message, or "" for bytes that are none',
    "field": 'write the path of the finding, or "" for a message or a version as a whole',
    "rule": "write the rule of the finding, which the report has in brackets",
    "reason": "write why the change is accepted",
}


@dataclass(frozen=True, slots=True)
class AcceptedFinding:
    """An entry of the file.

    Attributes:
        field: the path of the field; empty for a change of a message or of a version as a whole.
        line: the line where the entry begins.
    """

    message: str
    field: str
    rule: str
    reason: str
    date: date
    line: int

    @property
    def key(self) -> tuple[str, str, str]:
        """The message, the field and the rule of the findings that it accepts."""
        return self.message, self.field, self.rule

    @property
    def unmatched_words(self) -> str:
        """The sentence about an entry that accepts nothing."""
        return f"no finding that fails matches {self}: remove the entry, or correct it"

    def __str__(self) -> str:
        place = f"{self.message} {self.field or 'message'}" if self.message else "bytes"
        return f"{place} [{self.rule}]"


@dataclass(frozen=True, slots=True)
class AcceptedFindings:
    """The entries of a file."""

    source: str
    entries: tuple[AcceptedFinding, ...]

    def entry_for(self, message: str, field: str, rule: str) -> AcceptedFinding | None:
        """Return the entry that accepts a finding."""
        return next((each for each in self.entries if each.key == (message, field, rule)), None)


NOTHING_ACCEPTED: Final = AcceptedFindings("", ())


def read_accepted(path: Path, rules: Collection[str]) -> AcceptedFindings:
    """Read the entries of a file.

    Args:
        rules: the rules that a finding of the command can have.

    Raises:
        FatalError: the file cannot be read, or an entry is wrong. The message has a line ``FILE:LINE: error``
            for each fault.
    """
    try:
        text = read_text(path)
        table = parse_toml(text)
    except OSError as error:
        raise _error([f"{path}:1: error: the file cannot be read: {error.strerror}"]) from error
    except ValueError as error:
        raise _error([f"{path}:{_line_of(str(error))}: error: {error}"]) from error
    rows = table.get("accepted", [])
    rows = rows if isinstance(rows, list) else [rows]
    heads = list(lines_of(text, _HEAD))
    lines = heads if len(heads) == len(rows) else [1] * len(rows)
    placed = list(zip(rows, lines, strict=True))
    faults = [
        f"1: error: unknown key {name!r}: expected [[accepted]]" for name in table if name != "accepted"
    ]
    faults += [f"{line}: error: {fault}" for row, line in placed for fault in _faults(row, rules)]
    if faults:
        raise _error([f"{path}:{fault}" for fault in faults])
    return AcceptedFindings(str(path), tuple(_entry(row, line) for row, line in placed))


def _faults(row: Any, rules: Collection[str]) -> Iterator[str]:
    if not isinstance(row, dict):
        yield "an entry is a table: write [[accepted]] before it"
        return
    for name in row:
        if name not in _KEYS:
            yield f"unknown key {name!r}: expected {', '.join(_KEYS)}"
    for name in ("message", "field", "rule", "reason"):
        value = row.get(name)
        if not isinstance(value, str) or not (value.strip() or name in ("message", "field")):
            yield f"{name} is {'missing' if value is None else 'not a text'}: {_NEEDED[name]}"
    if isinstance(row.get("rule"), str) and row["rule"] not in rules:
        yield f"the rule {row['rule']!r} is unknown: `wireproof explain` lists the rules"
    if _day(row) is None:
        yield f"date is {'missing' if 'date' not in row else 'not a date'}: write the day, such as 2026-11-24"


def _day(row: Mapping[str, Any]) -> date | None:
    value = row.get("date")
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            return None
    return value if isinstance(value, date) and not isinstance(value, datetime) else None


def _entry(row: Mapping[str, Any], line: int) -> AcceptedFinding:
    message, field, rule, reason = (row[name].strip() for name in ("message", "field", "rule", "reason"))
    return AcceptedFinding(message, field, rule, reason, _day(row) or date.min, line)


def _line_of(words: str) -> str:
    """Return the line that an error of the TOML parser names; 1 if it names none."""
    found = re.search(r"at line (\d+)", words)
    return found[1] if found else "1"


def _error(lines: Sequence[str]) -> FatalError:
    return FatalError("\n".join(lines), "Correct the file of accepted findings.")
