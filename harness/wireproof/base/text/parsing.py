"""JSON and TOML of files that other people wrote, within limits of depth, width and numbers."""

import codecs
import errno
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

try:
    from tomli import loads as _loads_toml  # compiled: a third of the time of tomllib
except ModuleNotFoundError:  # the workers of a cluster have the standard library alone
    from tomllib import loads as _loads_toml

MOST_LEVELS: Final = 100
"""Levels of arrays and objects in a file; the values of Kafka's messages have less than twenty."""

MISSHAPEN: Final = (
    ArithmeticError,
    AttributeError,
    IndexError,
    KeyError,
    RecursionError,
    TypeError,
    ValueError,
)
"""The errors of reading JSON that has another shape than the code expects."""

_MOST_CHARACTERS: Final = 300
"""Of an error about a shape: it quotes what a file holds."""

_R = TypeVar("_R", bound=dict[str, Any])
_T = TypeVar("_T")

_PIPES_OF_A_SHELL: Final = ("/dev/", "/proc/")
"""The folders in which a shell makes the pipes of `<(command)`."""
_CHUNK_BYTES: Final = 1 << 20
_MOST_PARTS: Final = 32
_PART: Final = r"""(?:(?<![\w-])[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_LONG_NAME: Final = re.compile(f"(?:{_PART}){{{_MOST_PARTS}}}", re.ASCII)
"""A very long dotted name of TOML. The memory of tomli and tomlkit grows with the square of its parts."""
_MOST: Final = 1 << 63


def read_text(path: Path) -> str:
    """Return the text of a file, with its line ends as line feeds.

    Raises:
        OSError: the file cannot be read, or is a pipe with a name: nobody may ever write to it.
        ValueError: it is not text.
    """
    if path.is_fifo() and not str(path).startswith(_PIPES_OF_A_SHELL):
        raise OSError(errno.ESPIPE, "Is a named pipe", str(path))
    with path.open("rb") as stream:
        return text_of(stream).replace("\r\n", "\n").replace("\r", "\n")


def text_of(stream: BinaryIO) -> str:
    """Return the text of a stream. The first byte that is not text ends the reading: a device has no end.

    Raises:
        ValueError: it is not text.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    parts: list[str] = []
    try:
        while chunk := stream.read(_CHUNK_BYTES):
            parts.append(decoder.decode(chunk))
            if "\0" in parts[-1]:
                raise ValueError("it is not text: it has a byte 00; expected UTF-8")
        parts.append(decoder.decode(b"", final=True))
    except UnicodeDecodeError as error:
        raise ValueError(
            f"it is not UTF-8 text: byte {error.object[error.start]:02x}: {error.reason}"
        ) from None
    return "".join(parts)


def parse_json(text: str) -> Any:
    """Return the value of a JSON text; `ValueError` if the text is not JSON, or is nested too deeply."""
    value = _within_depth(json.loads, text)
    if text.count("[") + text.count("{") > MOST_LEVELS:
        for _ in _levels(value):
            pass
    return value


def shape_fault(error: Exception) -> str:
    """Return the words for one of `MISSHAPEN`. Python's own name its classes."""
    match error:
        case json.JSONDecodeError():
            words = f"no JSON at character {error.pos + 1}: {error.msg}"
        case KeyError():
            words = f"{error} is missing, or is not a name that is known here"
        case ValueError():
            words = str(error)
        case _:
            words = "a value has another type than expected"
    return words if len(words) <= _MOST_CHARACTERS else f"{words[:_MOST_CHARACTERS]}..."


def parse_toml(text: str) -> dict[str, Any]:
    """Return the table of a TOML text; `ValueError` as `checked_toml` raises it."""
    return checked_toml(text, _loads_toml)


def checked_toml(text: str, parse: Callable[[str], _R]) -> _R:
    """Return the table that a parser of TOML makes of a text.

    Raises:
        ValueError: the text is not TOML, is nested too deeply, or has a number of more than 64 bits.
    """
    if any(line.count(".") >= _MOST_PARTS and _LONG_NAME.search(line) for line in text.split("\n")):
        raise ValueError(f"it has a name of more than {_MOST_PARTS} parts")
    table = _within_depth(parse, text)
    for members in _levels(table):
        for each in members:
            if isinstance(each, int) and not -_MOST <= each < _MOST:
                raise ValueError(f"it has an integer of {each.bit_length()} bits: expected at most 64")
    return table


def lines_of(text: str, pattern: re.Pattern[str]) -> Iterator[int]:
    """Yield the line, from 1, where each match begins: parsed tables no longer have line numbers."""
    line, place = 1, 0
    for match in pattern.finditer(text):
        line, place = line + text.count("\n", place, match.start()), match.start()
        yield line


def _within_depth(parse: Callable[[str], _T], text: str) -> _T:
    """Parse a text, unless it is nested too deeply for the parser."""
    try:
        return parse(text)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        if "sys.set_int_max_str_digits" in str(error):
            raise ValueError(f"it has a number of more than {sys.get_int_max_str_digits()} digits") from None
        raise


def _levels(value: Any) -> Iterator[list[Any]]:
    """Yield the value, then the members of all arrays and objects of each level.

    Raises:
        ValueError: there are more than `MOST_LEVELS`.
    """
    members = [value]
    for _ in range(MOST_LEVELS + 1):
        yield members
        nested = [each for each in members if isinstance(each, (dict, list))]
        if not nested:
            return
        members = [inner for each in nested for inner in (each.values() if isinstance(each, dict) else each)]
    raise _too_deep()


def _too_deep() -> ValueError:
    return ValueError(f"it is nested too deeply: expected at most {MOST_LEVELS} levels")
