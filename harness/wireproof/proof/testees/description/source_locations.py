"""The lines of source that reports name for a message: the table `locations` of a testee's description."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Final

from wireproof.base.text.parsing import lines_of, read_text

_FORM: Final = re.compile(r"(?P<path>.+?)(?::(?P<line>[1-9]\d{0,8})|:/(?P<find>.+)/)?", re.DOTALL)
_MESSAGE: Final = "{message}"
_ADAPTERS: Final = ("[Aa]dapter.*", "src/**/[Aa]dapter.*")


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """A line in a file for all messages whose names match a pattern.

    Attributes:
        messages: the pattern, with ``*`` and ``?``.
        line: from 1; of no effect if `find` is given.
        find: a regular expression; the line is that of its first match, with ``{message}`` for the name.
    """

    messages: str
    file: Path
    line: int = 1
    find: str = ""

    @classmethod
    def parse(cls, messages: str, text: object, folder: Path) -> "SourceLocation":
        """Parse ``PATH``, ``PATH:LINE`` or ``PATH:/REGULAR EXPRESSION/``; the path begins at the folder.

        Raises:
            ValueError: there is no such file, line or match, or the text has another form.
        """
        match = _FORM.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise ValueError(f"{text!r} is not PATH, PATH:LINE or PATH:/REGULAR EXPRESSION/")
        file = folder / match["path"]
        if "\0" in match["path"] or not file.is_file():
            raise ValueError(f"there is no file {file}")
        try:
            source = read_text(file)
        except (OSError, ValueError) as error:
            raise ValueError(f"cannot read {file}: {error}") from error
        location = cls(messages, file, int(match["line"] or 1), match["find"] or "")
        if location.line > source.count("\n") + 1:
            raise ValueError(f"{file} has no line {location.line}")
        try:
            found = location.line_in(source, "")
        except re.error as error:
            raise ValueError(f"{location.find!r} is not a regular expression: {error}") from error
        if found is None and _MESSAGE not in location.find:
            raise ValueError(f"no line of {file} matches {location.find!r}")
        return location

    def line_in(self, source: str, message: str) -> int | None:
        """Return the line for a message, from 1; None if nothing in the source matches."""
        if not self.find:
            return self.line
        pattern = re.compile(self.find.replace(_MESSAGE, re.escape(message)), re.MULTILINE)
        return next(lines_of(source, pattern), None)


def read_locations(table: object, folder: Path) -> tuple[tuple[SourceLocation, ...], list[str]]:
    """Read the table: patterns of message names, each with its location. Return them, and all mistakes."""
    if not isinstance(table, Mapping):
        return (), ["locations has to be a table"]
    found, problems = [], []
    for messages, text in table.items():
        try:
            found.append(SourceLocation.parse(messages, text, folder))
        except ValueError as error:
            problems.append(f"locations.{messages}: {error}")
    return tuple(found), problems


def adapter_location(folder: Path, run: Iterable[str]) -> tuple[SourceLocation, ...]:
    """Return the lines where an adapter names its messages; empty if the adapter's file is not found.

    Args:
        run: the command that starts it.
    """
    named = (folder / word for word in run)
    alike = (path for pattern in _ADAPTERS for path in sorted(folder.glob(pattern)))
    for path in (*named, *alike):
        if path.suffix and path.is_file():
            return (SourceLocation("*", path, find=rf"\b{_MESSAGE}\b"),)
    return ()


def lines_of_messages(locations: Sequence[SourceLocation], messages: Iterable[str]) -> dict[str, str]:
    """Return ``PATH:LINE`` for each message that has a location below the working folder.

    The first location that matches counts. If no line matches, it is the file's first line.
    """
    source, here = cache(_source), Path.cwd().resolve()
    found = {}
    for message in messages:
        location = next((each for each in locations if fnmatchcase(message, each.messages)), None)
        file = None if location is None else location.file.resolve()
        if location is not None and file is not None and file.is_relative_to(here):
            line = location.line_in(source(file), message) or 1
            found[message] = f"{file.relative_to(here).as_posix()}:{line}"
    return found


def _source(file: Path) -> str:
    try:
        return read_text(file)
    except (OSError, ValueError):
        return ""
