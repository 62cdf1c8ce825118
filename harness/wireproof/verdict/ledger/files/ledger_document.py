"""A ledger's file while it is edited: blocks ``[[deviation]]`` with a line for each cause and each entry.

What an edit does not touch stays as it is, byte by byte; a block that changes keeps its comments.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

import tomlkit

from wireproof.base.text.parsing import parse_toml
from wireproof.verdict.ledger.files.cause_tables import (
    CAUSES,
    COMMON,
    DEFAULTS,
    DEVIATIONS,
    ENTRIES,
    ID,
    LISTS,
)

_HEAD: Final = re.compile(rf"^[ \t]*\[\[[ \t]*({DEVIATIONS}|{CAUSES}|{ENTRIES})[ \t]*\]\]", re.MULTILINE)
_COMMENT: Final = re.compile(r"""^(?:[^"'#]|"(?:[^"\\]|\\.)*"|'[^']*')*(#.*)$""")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_EMPTY: Final[tuple[Any, ...]] = ("", [], {}, None)


@dataclass(slots=True)
class _Row:
    """A cause or an entry, with the comments above its line."""

    kind: str
    values: dict[str, Any]
    comments: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Block:
    """A deviation: what it states for all its rows, the lines above it, and the line feeds after it."""

    common: dict[str, Any]
    rows: list[_Row] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    end: str = "\n"

    def __str__(self) -> str:
        lines = [*self.comments, f"[[{DEVIATIONS}]]"]
        lines += [f"{name} = {_toml(self.common[name])}" for name in COMMON if self.common.get(name)]
        for kind, name in LISTS.items():
            rows = [each for each in self.rows if each.kind == kind]
            inner = [f"  {line}" for row in rows for line in (*row.comments, f"{_toml(row.values)},")]
            lines += [f"{name} = [", *inner, "]"] if rows else []
        return "\n".join(lines) + self.end


class LedgerDocument:
    """The file; ``str`` gives its text."""

    def __init__(self, text: str) -> None:
        """Split a file into blocks, without a look into them.

        Raises ValueError if the part above the first block is not TOML.
        """
        starts = [_with_comments(text, head.start()) for head in _HEAD.finditer(text)]
        bounds = [*starts, len(text)]
        self.head = text[: bounds[0]]
        defaults = parse_toml(self.head).get(DEFAULTS)
        self._defaults: Mapping[str, Any] = defaults if isinstance(defaults, dict) else {}
        self._parts: list[str | _Block] = [text[a:b] for a, b in pairwise(bounds)]
        self._places: dict[tuple[Any, ...], int] | None = None

    def __str__(self) -> str:
        return "".join([self.head, *map(str, self._parts)])

    def comments(self) -> dict[str, list[str]]:
        """Return the comments of each row, by its id; the first row of a block has those above the block.

        Raises ValueError if a block is not TOML.
        """
        found: dict[str, list[str]] = {}
        for part in self._parts:
            block = _parsed(part) if isinstance(part, str) else part
            above = block.comments
            for row in block.rows:
                found[row.values.get("id", "")] = [*above, *row.comments]
                above = []
        return found

    def add(self, kind: str, values: Mapping[str, Any], comments: Iterable[str] = ()) -> None:
        """Add a row to the block with the same reason, or to a new block at the end.

        Args:
            kind: ``cause`` or ``entry``.
            values: the values of the row and of its block. Empty values and defaults are left out.
            comments: the lines above it.
        """
        stated = {
            name: each
            for name, each in values.items()
            if each not in _EMPTY and each != self._defaults.get(name)
        }
        common = {name: each for name, each in stated.items() if name in COMMON}
        row = _Row(kind, {name: each for name, each in stated.items() if name not in COMMON}, [*comments])
        places = self._places_of_reasons()
        place = places.setdefault(self._terms(common), len(self._parts))
        if place == len(self._parts):
            self._end_with("\n\n")
            self._parts.append(_Block(common))
        self._opened(place).rows.append(row)

    def remove(self, row_id: str) -> None:
        """Remove a row, the last one of this id, and the comments directly above it.

        Raises ValueError if no row has the id.
        """
        block, row = self._found(row_id)
        self._take_out(block, row)

    def amend(self, row_id: str, changes: Mapping[str, Any]) -> None:
        """Change values of a row; None, an empty text or an empty list removes one.

        A row with a new reason moves to the block of that reason, or to a new block. If no block has the
        reason, a row alone in its block stays there. Raises ValueError if no row has the id.
        """
        block, row = self._found(row_id)
        values = {**block.common, **row.values, **changes}
        stated = {name: each for name, each in values.items() if each not in _EMPTY}
        common = {name: each for name, each in stated.items() if name in COMMON}
        row.values = {name: each for name, each in stated.items() if name not in COMMON}
        if common == block.common:
            return
        if len(block.rows) == 1 and self._terms(common) not in self._places_of_reasons():
            block.common, self._places = common, None
            return
        self._take_out(block, row)
        self.add(row.kind, {**self._defaults, **common, **row.values}, row.comments)

    def _take_out(self, block: _Block, row: _Row) -> None:
        block.rows.remove(row)
        if not block.rows:
            self._parts.remove(block)
            self._places = None
            if block.end == "\n":
                self._end_with("\n")

    def _found(self, row_id: str) -> tuple[_Block, _Row]:
        for place in reversed(range(len(self._parts))):
            part = self._parts[place]
            if isinstance(part, str) and row_id not in ID.findall(part):
                continue
            block = self._opened(place)
            for row in reversed(block.rows):
                if row.values.get("id") == row_id:
                    return block, row
        raise ValueError(f"there is no entry {row_id!r}: `wireproof ledger list` lists the entries")

    def _opened(self, place: int) -> _Block:
        """Return the block at a place, parsed so that it can change."""
        part = self._parts[place]
        if isinstance(part, str):
            part = self._parts[place] = _parsed(part)
        return part

    def _places_of_reasons(self) -> dict[tuple[Any, ...], int]:
        """Return the index of the block of each reason."""
        if self._places is None:
            blocks = (_parsed(part) if isinstance(part, str) else part for part in self._parts)
            self._places = {self._terms(block.common): place for place, block in enumerate(blocks)}
        return self._places

    def _terms(self, common: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(common.get(name, self._defaults.get(name, "")) for name in COMMON)

    def _end_with(self, feeds: str) -> None:
        """Set the line feeds at the end of the file."""
        if not self._parts:
            self.head = self.head.rstrip("\n") + feeds if self.head.strip() else self.head
        elif isinstance(last := self._parts[-1], _Block):
            last.end = feeds
        else:
            self._parts[-1] = last.rstrip("\n") + feeds


def _parsed(text: str) -> _Block:
    """Return the block in a text. A single ``[[cause]]`` or ``[[entry]]`` becomes a block with one row.

    Raises ValueError if it is not TOML.
    """
    content = parse_toml(text)
    ((kind, (table,)),) = content.items()
    lists = {each: table.pop(name, []) for each, name in LISTS.items()} if kind == DEVIATIONS else {}
    common = {name: table.pop(name) for name in COMMON if name in table}
    above, comments = _comments(text)
    rows = [_Row(each, row, comments.get(row.get("id"), [])) for each, rows in lists.items() for row in rows]
    end = text[len(text.rstrip("\n")) :]
    if kind == DEVIATIONS:
        return _Block(common, rows, above, end)
    own = [*above, *comments.get(table.get("id"), [])]
    return _Block(common, [_Row(kind, table)], own, end)


def _comments(text: str) -> tuple[list[str], dict[str, list[str]]]:
    """Return the comments above a block, and those of each row: above its line, or at the end of a line."""
    above: list[str] = []
    waiting = above
    found: dict[str, list[str]] = {}
    for line in text.splitlines() if "#" in text else ():
        if _HEAD.match(line):
            waiting = []
        comment = [match[1] for match in [_COMMENT.match(line)] if match]
        if row := ID.search(line):
            found[row[1]] = [*waiting, *comment]
            waiting = []
        else:
            waiting += comment
    if found and waiting is not above:
        next(reversed(found.values())).extend(waiting)
    return above, found


def _with_comments(text: str, start: int) -> int:
    """Return the start of the comment directly above a block, or of the block if it has no comment."""
    before = text.rfind("\n", 0, max(start - 1, 0)) + 1
    while before < start and text[before:start].lstrip().startswith("#"):
        start, before = before, text.rfind("\n", 0, max(before - 1, 0)) + 1
    return start


def _toml(value: Any) -> str:
    """Format a value in one line."""
    if isinstance(value, Mapping):
        members = ", ".join(f"{_key(name)} = {_toml(each)}" for name, each in value.items())
        return f"{{ {members} }}"
    return str(tomlkit.item(value).as_string())


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _toml(name)
