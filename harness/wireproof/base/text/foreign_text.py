"""Text of testees, clients, captures and files, made harmless where wireproof writes it.

Such text may hold escape sequences that move a terminal's cursor, marks that reverse the direction of
writing, line breaks that imitate lines of wireproof, halves of surrogate pairs that no encoding takes, and
GitHub's workflow commands, which a runner obeys in any line of a step's output. Events and files keep the
text itself; every writer passes it through this module.
"""

import json
import re
from typing import Any, Final

_NOT_ASCII: Final = re.compile(r"[^\x20-\x7e\n\t]")
"""All that may not be printable; which of it is, Unicode's categories say."""
_COMMAND: Final = re.compile(r"^([ \t]*):(?=:)|#(?=#\[)", re.MULTILINE)
"""Where a runner finds a command: ``::NAME`` at the start of a line, ``##[NAME`` anywhere in it."""

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
    """The text of an error with at most about 2 kB: its begin, its size, and its last line, the advice."""
    if len(text) <= _MOST:
        return text
    last = text.rstrip("\n").rpartition("\n")[2]
    end = f"{last}\n" if len(last) <= _MOST // 8 else ""
    return f"{text[:_MOST]}...\n(cut: {len(text):,} characters in all)\n{end}"


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
