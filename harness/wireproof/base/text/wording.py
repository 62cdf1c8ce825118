"""Text for people: counted nouns and ranges, foreign text made printable, and the streams it goes to."""

import json
import re
import shutil
import signal
import sys
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any, Final


def counted(number: int, noun: str, plural: str = "") -> str:
    """``1 cell``, ``2,000 cells``, ``2 entries``.

    Args:
        plural: the plural of the noun; empty for the noun with an s.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def runs(numbers: Collection[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of each run of numbers without a gap, ascending."""
    ordered = sorted(set(numbers))
    start = 0
    for index, number in enumerate(ordered):
        if index + 1 == len(ordered) or ordered[index + 1] != number + 1:
            yield ordered[start], number
            start = index + 1


def ranges_text(numbers: Collection[int]) -> str:
    """Return numbers as ranges: ``0-3, 7``."""
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs(numbers))


def numbers_in(ranges: str) -> list[int]:
    """The numbers of a text such as ``0-3, 7``. Raises ValueError for another text."""
    parts = (part.partition("-") for part in ranges.split(", "))
    return [number for first, _, last in parts for number in range(int(first), int(last or first) + 1)]


def first_names(names: Sequence[str], most: int, more: str = " and {} more") -> str:
    """Return the first names in a line, and the number of the others."""
    return ", ".join(names[:most]) + (more.format(len(names) - most) if len(names) > most else "")


def first_lines(lines: Sequence[str], most: int, more: str = "and {} more") -> list[str]:
    """Return the first lines, and a line with the number of the others."""
    return [*lines[:most], *([more.format(len(lines) - most)] if len(lines) > most else [])]


def did_you_mean(typed: str, known: Iterable[str], otherwise: str = "") -> str:
    """A sentence with the similar names, at most three; `otherwise` where none is similar."""
    by_small = {name.lower(): name for name in known}
    near = [by_small[each] for each in get_close_matches(typed.lower(), by_small, n=3)]
    return f"Did you mean {' or '.join(near)}?" if near else otherwise


_NOT_ASCII: Final = re.compile(r"[^\x20-\x7e\n\t]")
"""Characters that may not be printable; Unicode's categories decide."""
_COMMAND: Final = re.compile(r"^([ \t]*):(?=:)|#(?=#\[)", re.MULTILINE)
"""The commands of a runner: ``::NAME`` at the start of a line, ``##[NAME`` anywhere in it."""

_MOST: Final = 2000
"""Characters of an error on the terminal."""


def printable(text: str) -> str:
    """The text with each character that does not print as a Python escape; line breaks and tabs stay.

    A workflow command in it loses its first character to an escape.
    """
    if not text.isprintable():
        text = _NOT_ASCII.sub(_spelled, text)
    if "::" in text or "##[" in text:
        text = _COMMAND.sub(_disarmed, text)
    return text


def shortened(text: str) -> str:
    """The text of an error in at most about 2 kB: its beginning, its size, and its last line, the advice."""
    if len(text) <= _MOST:
        return text
    last = text.rstrip("\n").rpartition("\n")[2]
    end = f"{last}\n" if len(last) <= _MOST // 8 else ""
    return f"{text[:_MOST]}...\n(cut: {len(text):,} characters in all)\n{end}"


def signal_name(number: int) -> str:
    """Return the name of a signal; real-time signals and unknown ones have a number only."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def one_line(text: str) -> str:
    """The printable text with each run of white space as one space."""
    return printable(" ".join(text.split()))


def indented(text: str, margin: str) -> str:
    """The printable text; its second and later lines begin with the margin."""
    return printable(text).replace("\n", f"\n{margin}")


def json_text(value: Any, *, indent: int | None = None) -> str:
    """The value as JSON whose texts are ASCII, print as they are and hold no workflow command."""
    separators = (",", ":") if indent is None else None
    return escaped_json(json.dumps(value, indent=indent, separators=separators))


def escaped_json(text: str) -> str:
    """The same JSON, with escapes of JSON for what does not print and for workflow commands."""
    return _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text).replace("##[", "\\u0023#[")


def _spelled(found: re.Match[str]) -> str:
    return found[0] if found[0].isprintable() else repr(found[0])[1:-1]


def _disarmed(found: re.Match[str]) -> str:
    return "\\x23" if found[0] == "#" else f"{found[1]}\\x3a"


_MARGIN: Final = "    "
_NARROWEST: Final = 20
"""The least number of columns of a row in a wrapped line."""


def echo(text: str = "", *, err: bool = False) -> None:
    """Write a line that may contain foreign text.

    Lines after a line break in the text begin with a margin: they cannot imitate a line of wireproof.

    Args:
        err: write to standard error, which people read.
    """
    _write(f"{indented(text, _MARGIN)}\n", err=err)


def echo_lines(lines: Iterable[object], *, err: bool = False) -> None:
    """Write each line as `echo` does."""
    for line in lines:
        echo(str(line), err=err)


def echo_wrapped(text: str) -> None:
    """Write a line as `echo` does. In a terminal it is wrapped at words; its next rows are indented."""
    plain = indented(text, _MARGIN)
    if sys.stdout.isatty() and "\n" not in plain:
        spaces = len(plain) - len(plain.lstrip(" ")) + 2
        width = max(shutil.get_terminal_size().columns, spaces + _NARROWEST)
        plain = "\n".join(textwrap.wrap(plain, width, subsequent_indent=spaces * " ", break_on_hyphens=False))
    _write(f"{plain}\n", err=False)


def echo_labelled(label: str, colour: str, text: str) -> None:
    """Write a line that begins with a label of wireproof's own, in colour where the output is a terminal.

    Args:
        colour: as rich names it, such as ``green``.
        text: the rest of the line, as `echo` takes it.
    """
    from rich.console import Console
    from rich.text import Text

    Console(file=sys.stdout).print(Text(label, colour), end="")
    echo(text)


def document(text: str) -> None:
    """Write the content of a file to standard output as it is; its form has escapes of its own."""
    _write(text, err=False)


def _write(text: str, *, err: bool) -> None:
    stream = sys.stderr if err else sys.stdout
    stream.write(text)
    stream.flush()
