"""Text in Markdown that stands as it is."""

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["code", "one_line", "words"]

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~&!@])")


def words(text: str) -> str:
    """Text that stands as it is: nobody is mentioned, nothing is a link, and it stays one line."""
    return _SPECIAL.sub(r"\\\1", one_line(text))


def code(text: str) -> str:
    """Text as code, whatever ticks it has itself."""
    plain = one_line(text)
    longest = max((len(run) for run in re.findall("`+", plain)), default=0)
    fence = "`" * (longest + 1)
    space = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{space}{plain}{space}{fence}" if plain else ""


def one_line(text: str) -> str:
    """Text without line ends and whatever does not show."""
    return " ".join(_printable(text).split())


def _printable(characters: Iterable[str]) -> str:
    return "".join(each if each.isprintable() or each.isspace() else repr(each)[1:-1] for each in characters)
