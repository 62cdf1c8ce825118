"""From the bytes of a session to timed screens: a terminal emulator, shorter pauses, times that repeat."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import pyte

from docs.pictures.recipes import TypedCommand
from docs.pictures.terminal import ROWS, OutputChunk

PROMPT: Final = "$ "

_LONGEST_PAUSE: Final = 0.7
"""Seconds that a screen stays at most while a command runs."""
_SHORTEST: Final = 0.1
"""Seconds below which a screen is not shown: the next one takes its place."""
_LONGEST_COMMAND: Final = 4.0
"""Seconds in which a command plays at most: a longer one plays faster."""
_KEYS: Final = 3
"""Characters that are typed at once; more of a long line, which one pastes."""
_MOST_STEPS: Final = 20
"""Screens in which a line is typed, at most."""
_KEY_SECONDS: Final = 0.1
_AFTER_TYPING: Final = 0.3
_FAINT: Final = 2
_BRIGHT_BLACK: Final = 90
_COLOUR_PREFIXES: Final = (38, 48)

COLOURS: Final = {
    "default": "",
    "red": "red",
    "green": "green",
    "brown": "yellow",
    "blue": "blue",
    "magenta": "magenta",
    "cyan": "cyan",
    "brightblack": "dim",
    "3a3a3a": "track",
    "ff005f": "bar",
    "5faf00": "done",
}
"""By colour of the emulator, the class of the drawing. The last three are those of rich's progress bar."""


class UnknownColourError(ValueError):
    """A command prints a colour that the drawing does not have."""


@dataclass(frozen=True, slots=True)
class StyledRun:
    """Neighbouring characters of a row with one style.

    Attributes:
        column: column of the first character, from 0.
        text: the characters.
        style: names of classes, separated by spaces.
    """

    column: int
    text: str
    style: str


Row = tuple[StyledRun, ...]
ScreenState = tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class TimedScreen:
    """A screen, and the time at which it appears in seconds since the beginning."""

    seconds: float
    screen: ScreenState


class _FaintScreen(pyte.Screen):  # type: ignore[misc] # pyte has no types
    """The emulator's screen, with faint text as bright black: the emulator leaves faint out."""

    def select_graphic_rendition(self, *attrs: int) -> None:
        plain: list[int] = []
        left = list(attrs)
        while left:
            code = left.pop(0)
            if code in _COLOUR_PREFIXES and left:
                count = 2 if left[0] == 5 else 4
                plain += [code, *left[:count]]
                del left[:count]
            else:
                plain.append(_BRIGHT_BLACK if code == _FAINT else code)
        super().select_graphic_rendition(*plain)


class Emulator:
    """A terminal of a fixed width, whose screens are compared by value."""

    def __init__(self, columns: int) -> None:
        """Begin with an empty screen."""
        self._screen = _FaintScreen(columns, ROWS)
        self._stream = pyte.ByteStream(self._screen)

    def feed(self, data: bytes) -> ScreenState:
        """Take bytes, and return the screen that they leave."""
        self._stream.feed(data)
        if self._screen.cursor.y >= ROWS - 1:
            raise ValueError(
                f"a session of more than {ROWS} rows: expected fewer: choose commands that print less"
            )
        return tuple(self._row(number) for number in range(ROWS))

    def _row(self, number: int) -> Row:
        cells = self._screen.buffer[number]
        styled = [
            (column, cells[column].data, _style(cells[column])) for column in range(self._screen.columns)
        ]
        return tuple(_runs(styled))


def _runs(cells: Sequence[tuple[int, str, str]]) -> Iterator[StyledRun]:
    for style, group in groupby(cells, key=lambda cell: cell[2]):
        part = list(group)
        text = "".join(data for _, data, _ in part)
        bare = text.lstrip(" ")
        if bare.rstrip(" "):
            yield StyledRun(part[0][0] + len(text) - len(bare), bare.rstrip(" "), style)


def _style(cell: pyte.screens.Char) -> str:
    """Return the classes of a character.

    Raises:
        UnknownColourError: the drawing has no such colour.
    """
    if cell.fg not in COLOURS or cell.bg != "default":
        raise UnknownColourError(
            f"colour {cell.fg} on {cell.bg}: expected one of {', '.join(COLOURS)} on default: add it to "
            "docs/pictures/screens.py and to the template"
        )
    return " ".join(filter(None, (COLOURS[cell.fg], "bold" * cell.bold)))


def session(parts: Iterable[tuple[TypedCommand, Sequence[OutputChunk]]], columns: int) -> list[TimedScreen]:
    """Return the screens of commands that are typed one after the other.

    Long commands play faster, and pauses are shortened. Times are multiples of 0.1 s.
    """
    emulator = Emulator(columns)
    shown: list[TimedScreen] = []
    now = 0.0
    for command, chunks in parts:
        emulator.feed(PROMPT.encode())
        keys = max(_KEYS, -(-len(command.line) // _MOST_STEPS))
        for first in range(0, len(command.line), keys):
            shown.append(TimedScreen(now, emulator.feed(command.line[first : first + keys].encode())))
            now += _KEY_SECONDS
        now += _AFTER_TYPING
        pace = min(1.0, _LONGEST_COMMAND / chunks[-1].seconds) if chunks else 1.0
        printed = [TimedScreen(pace * each.seconds, emulator.feed(each.data)) for each in _started(chunks)]
        after = list(_paced(printed, now))
        shown += after
        now = (after[-1].seconds if after else now) + command.rest
    shown.append(TimedScreen(now, shown[-1].screen))
    return [TimedScreen(round(each.seconds, 1), each.screen) for each in shown]


def _started(chunks: Sequence[OutputChunk]) -> list[OutputChunk]:
    """Begin with the new line that ends the typed command."""
    return [OutputChunk(0.0, b"\r\n"), *chunks]


def _paced(screens: Sequence[TimedScreen], start: float) -> Iterator[TimedScreen]:
    """Yield the screens that stay for a while, the first at `start`; pauses are `_LONGEST_PAUSE` at most."""
    now, before = start, screens[0].seconds
    waiting: TimedScreen | None = None
    for each in screens:
        if waiting is not None and each.seconds - before >= _SHORTEST:
            yield TimedScreen(now, waiting.screen)
            now += min(each.seconds - before, _LONGEST_PAUSE)
            before = each.seconds
        waiting = each
    if waiting is not None:
        yield TimedScreen(now, waiting.screen)


def text_of(screen: ScreenState) -> str:
    """Return the text of a screen, without the rows at its end that are empty."""
    rows = []
    for row in screen:
        line = ""
        for run in row:
            line = line.ljust(run.column) + run.text
        rows.append(line)
    return "\n".join(rows).rstrip("\n")
