"""The lines of a definition file, with what is wrong with the text itself."""

from dataclasses import dataclass
from typing import Final

from wireproof.definitions.krammar.definition_problems import KrammarRule, ProblemList

MOST_LINE_LENGTH: Final = 10_000
"""Characters of a line; franz-go's longest has 200."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end.

    Attributes:
        number: from 1.
        text: everything but the line end.
    """

    number: int
    text: str

    @property
    def blank(self) -> bool:
        return not self.text

    @property
    def indent(self) -> int:
        """The number of spaces before the first other character."""
        return len(self.text) - len(self.text.lstrip(" "))


def split_lines(text: str, source: str, problems: ProblemList) -> list[Line]:
    """Split a file at line feeds, and report carriage returns, tabs, trailing spaces and a missing last end.

    franz-go's parser drops a last line without an end, and takes the other characters for parts of names.
    """
    if not text:
        return []
    parts = text.split("\n")
    if parts[-1]:
        words = "the last line does not end, so that franz-go's parser drops it: end it with a line feed"
        problems.error(source, len(parts), KrammarRule.FINAL_NEWLINE, words)
    else:
        parts.pop()
    carriage_return = next((number for number, part in enumerate(parts, 1) if part.endswith("\r")), 0)
    if carriage_return:
        words = "the line ends in CR LF: write LF alone, in all lines"
        problems.error(source, carriage_return, KrammarRule.LINE_END, words)
    lines = [Line(number, part.removesuffix("\r")) for number, part in enumerate(parts, 1)]
    for line in lines:
        _check_line(line, source, problems)
        if problems.full:
            break
    return lines


def _check_line(line: Line, source: str, problems: ProblemList) -> None:
    text = line.text
    if len(text) > MOST_LINE_LENGTH:
        words = f"the line has {len(text):,} characters: at most {MOST_LINE_LENGTH:,}"
        problems.error(source, line.number, KrammarRule.LINE_LENGTH, words)
    code = text.split("//", 1)[0]
    if "\t" in code:
        problems.error(source, line.number, KrammarRule.TAB, "a tab: write two spaces for each level")
    if text != text.rstrip(" ") and not text.lstrip(" ").startswith("//"):
        words = "the line ends in spaces: remove them"
        problems.error(source, line.number, KrammarRule.SPACING, words)


class LineCursor:
    """A position in the lines of a file."""

    def __init__(self, lines: list[Line], source: str) -> None:
        self.source = source
        self._lines = lines
        self._next = 0

    def peek(self) -> Line | None:
        """The next line, which stays the next; None at the end."""
        return self._lines[self._next] if self._next < len(self._lines) else None

    def advance(self) -> None:
        self._next += 1
