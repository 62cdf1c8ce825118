"""The outcome of `wireproof schema check`: the findings that count, and those that a file accepts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError
from wireproof.base.text.parsing import lines_of, parse_toml, read_text
from wireproof.definitions.evolution import ChangeCategory, EvolutionRule, SchemaFinding

_HEAD: Final = re.compile(r"^[ \t]*\[\[[ \t]*accepted[ \t]*\]\]", re.MULTILINE)
_KEYS: Final = ("message", "field", "rule", "reason", "date")
_NEEDED: Final = {
    "message": "write the name of the message",
    "field": 'write the path of the finding, or "" for a message or a version as a whole',
    "rule": "write the rule of the finding, which the report has in brackets",
    "reason": "write why the change is accepted",
}
_RULES: Final = frozenset(each.value for each in EvolutionRule)


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

    def matches(self, finding: SchemaFinding) -> bool:
        """Test if the entry has the message, the field and the rule of a finding."""
        path = finding.change.path if finding.change else ""
        return (self.message, self.field, self.rule) == (finding.message, path, finding.rule.value)

    def __str__(self) -> str:
        return f"{self.message} {self.field or 'message'} [{self.rule}]"


@dataclass(frozen=True, slots=True)
class AcceptedFindings:
    """The entries of a file."""

    source: str
    entries: tuple[AcceptedFinding, ...]

    def entry_for(self, finding: SchemaFinding) -> AcceptedFinding | None:
        """Return the entry that accepts a finding."""
        return next((each for each in self.entries if each.matches(finding)), None)

    def unmatched(
        self, findings: Sequence[SchemaFinding], compared: frozenset[str] | None
    ) -> list[AcceptedFinding]:
        """Return the entries that match none of the findings that fail.

        Args:
            compared: the messages of a comparison that leaves out messages; None for one that compares all.
        """
        judged = (each for each in self.entries if compared is None or each.message in compared)
        return [each for each in judged if not any(each.matches(finding) for finding in findings)]


NOTHING_ACCEPTED: Final = AcceptedFindings("", ())


def read_accepted(path: Path) -> AcceptedFindings:
    """Read the entries of a file.

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
    faults += [f"{line}: error: {fault}" for row, line in placed for fault in _faults(row)]
    if faults:
        raise _error([f"{path}:{fault}" for fault in faults])
    return AcceptedFindings(str(path), tuple(_entry(row, line) for row, line in placed))


def _faults(row: Any) -> Iterator[str]:
    if not isinstance(row, dict):
        yield "an entry is a table: write [[accepted]] before it"
        return
    for name in row:
        if name not in _KEYS:
            yield f"unknown key {name!r}: expected {', '.join(_KEYS)}"
    for name in ("message", "field", "rule", "reason"):
        value = row.get(name)
        if not isinstance(value, str) or not (value.strip() or name == "field"):
            yield f"{name} is {'missing' if value is None else 'not a text'}: {_NEEDED[name]}"
    if isinstance(row.get("rule"), str) and row["rule"] not in _RULES:
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
    return FatalError("\n".join(lines), "Correct the file of accepted findings.", ExitCode.USAGE)


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The findings of a comparison.

    Attributes:
        findings: those that no entry accepts.
        accepted: the findings that would fail, each with the entry that accepts it.
        unmatched: entries that accept nothing.
        source: the file of the entries.
        categories: those whose changes fail.
    """

    findings: tuple[SchemaFinding, ...]
    accepted: tuple[tuple[SchemaFinding, AcceptedFinding], ...]
    unmatched: tuple[AcceptedFinding, ...]
    source: str
    categories: frozenset[ChangeCategory]

    @classmethod
    def of(
        cls,
        findings: Sequence[SchemaFinding],
        accepted: AcceptedFindings,
        compared: frozenset[str] | None,
        categories: frozenset[ChangeCategory],
    ) -> "CheckOutcome":
        """Return the outcome of a comparison, whose entries accept only findings that fail.

        Args:
            compared: the messages of a comparison that leaves out messages; None for one that compares all.
        """
        entries = [accepted.entry_for(each) if _harms(each, categories) else None for each in findings]
        pairs = list(zip(findings, entries, strict=True))
        taken = tuple((finding, entry) for finding, entry in pairs if entry is not None)
        unmatched = accepted.unmatched([finding for finding, _ in taken], compared)
        left = tuple(finding for finding, entry in pairs if entry is None)
        return cls(left, taken, tuple(unmatched), accepted.source, categories)

    @property
    def exit_code(self) -> ExitCode:
        """Return the code that the command ends with."""
        failed = self.unmatched or any(map(self.fails, self.findings))
        return ExitCode.DIVERGENCE if failed else ExitCode.PROVEN

    def fails(self, finding: SchemaFinding) -> bool:
        """Test if a finding that is not accepted fails the command."""
        return _harms(finding, self.categories)


def _harms(finding: SchemaFinding, categories: frozenset[ChangeCategory]) -> bool:
    harms = finding.impact.breaks or finding.category is ChangeCategory.SOURCE
    return harms and finding.category in categories
