"""Draw timed screens as an animated SVG: CSS shows and hides rows; nothing is loaded and no script runs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import jinja2

from docs.pictures.recipes import TEMPLATE, Cast
from docs.pictures.screens import Row, StyledRun, TimedScreen, text_of

CELL_WIDTH: Final = 8.4
CELL_HEIGHT: Final = 19
MARGIN: Final = 18
_BASELINE: Final = 14
_BAR_HEIGHT: Final = 3

PALETTE: Final[Mapping[str, tuple[str, str]]] = {
    "back": ("#fbfcfc", "#11191a"),
    "edge": ("#c9d3d3", "#36494a"),
    "text": ("#1c2b2b", "#dbe6e5"),
    "dim": ("#566868", "#92a6a6"),
    "red": ("#b3261e", "#ff8a80"),
    "green": ("#1b6e34", "#7bd88f"),
    "yellow": ("#7a5300", "#f2c14e"),
    "blue": ("#1f5fae", "#82b1ff"),
    "magenta": ("#8e2a8b", "#f29be8"),
    "cyan": ("#0b6470", "#63d4e3"),
    "track": ("#d5dede", "#33413f"),
    "bar": ("#0b7a75", "#4db6ac"),
    "done": ("#1b6e34", "#7bd88f"),
}
"""By class, the colours of the light and the dark theme."""
SHAPES: Final = frozenset({"back", "edge", "track", "bar", "done"})
"""Classes that no text has."""

_BAR: Final = re.compile("[━╸╺]+")


@dataclass(frozen=True, slots=True)
class Interval:
    """Indexes of the screens on which a row is shown: `first` included, `end` excluded."""

    first: int
    end: int


@dataclass(frozen=True, slots=True)
class DrawnText:
    """Text at a position, in pixels; `length` keeps the columns in line in any font."""

    x: float
    y: float
    length: float
    style: str
    text: str


@dataclass(frozen=True, slots=True)
class DrawnBar:
    """A part of a progress bar, in pixels."""

    x: float
    y: float
    width: float
    style: str


@dataclass(frozen=True, slots=True)
class DrawnRow:
    """A row with one content.

    Attributes:
        animation: name of the CSS animation; empty if the row is always there.
        rests: true if the row is on the last screen.
        texts: its texts.
        bars: its parts of a progress bar.
    """

    animation: str
    rests: bool
    texts: tuple[DrawnText, ...]
    bars: tuple[DrawnBar, ...]


def draw(cast: Cast, screens: Sequence[TimedScreen]) -> str:
    """Return the SVG of a session. Without animation it shows the last screen."""
    rows = max(len(text_of(each.screen).splitlines()) for each in screens)
    intervals = list(_intervals(screens))
    end = len(screens) - 1
    used = sorted(
        {each for _, _, each in intervals} - {Interval(0, end)}, key=lambda each: (each.first, each.end)
    )
    names = {each: f"a{number}" for number, each in enumerate(used)}
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(TEMPLATE.read_text("utf-8"))
    return template.render(
        cast=cast,
        palette=PALETTE,
        width=_number(cast.columns * CELL_WIDTH + 2 * MARGIN),
        height=rows * CELL_HEIGHT + 2 * MARGIN,
        seconds=_number(screens[-1].seconds),
        keyframes={name: _keyframes(each, screens) for each, name in names.items()},
        rows=[_drawn(number, row, names.get(each, ""), each.end == end) for number, row, each in intervals],
    ).strip() + "\n"  # fmt: skip


def _intervals(screens: Sequence[TimedScreen]) -> Iterator[tuple[int, Row, Interval]]:
    """Yield each content of each row with the screens that show it. The last screen only ends the session."""
    for number in range(len(screens[0].screen)):
        first = 0
        for index in range(1, len(screens)):
            ended = index == len(screens) - 1
            row = screens[first].screen[number]
            if ended or screens[index].screen[number] != row:
                if row:
                    yield number, row, Interval(first, index)
                first = index


def _keyframes(interval: Interval, screens: Sequence[TimedScreen]) -> list[tuple[str, str]]:
    """Return pairs of percentage and visibility."""
    whole = screens[-1].seconds

    def percent(index: int) -> str:
        return _number(100 * screens[index].seconds / whole)

    steps = [("0", "hidden"), (percent(interval.first), "visible"), (percent(interval.end), "hidden")]
    if interval.first == 0:
        del steps[0]
    if interval.end == len(screens) - 1:
        steps[-1] = ("100", "visible")
    return steps


def _drawn(number: int, row: Row, animation: str, rests: bool) -> DrawnRow:
    y = MARGIN + number * CELL_HEIGHT
    texts: list[DrawnText] = []
    bars: list[DrawnBar] = []
    for run in row:
        if _BAR.fullmatch(run.text):
            bars.append(_bar(run, y))
        else:
            texts.append(_text(run, y))
    return DrawnRow(animation, rests, tuple(texts), tuple(bars))


def _text(run: StyledRun, y: float) -> DrawnText:
    x, length = _rounded(MARGIN + run.column * CELL_WIDTH), _rounded(len(run.text) * CELL_WIDTH)
    return DrawnText(x, y + _BASELINE, length, run.style, run.text)


def _bar(run: StyledRun, y: float) -> DrawnBar:
    """Draw a run of the characters of rich's progress bar; its half characters are at an end."""
    left = run.column + 0.5 * run.text.startswith("╺")
    columns = len(run.text) - 0.5 * run.text.startswith("╺") - 0.5 * run.text.endswith("╸")
    top = y + (CELL_HEIGHT - _BAR_HEIGHT) / 2
    return DrawnBar(_rounded(MARGIN + left * CELL_WIDTH), top, _rounded(columns * CELL_WIDTH), run.style)


def _rounded(number: float) -> float:
    return round(number, 1)


def _number(number: float) -> str:
    """Return a number with at most two decimals."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours `#rrggbb`, from 1 to 21 (WCAG 2.2, relative luminance)."""
    bright, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
