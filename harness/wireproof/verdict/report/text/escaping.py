"""Foreign text in the markup of a report: Markdown, and that of the terminal."""

import html
import re
from typing import Final

from rich.markup import escape

from wireproof.base.text.foreign_text import indented, one_line

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]>#|!@])")
_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", "~": "&#126;"})
"""Characters before which not every renderer of Markdown knows a backslash."""
_MARGIN: Final = "    "


def words(text: str) -> str:
    """Markdown that shows the text on one line, without mentions and links."""
    return _SPECIAL.sub(r"\\\1", one_line(text)).translate(_ENTITIES)


def code(text: str) -> str:
    """Markdown that shows the text as code, whatever ticks it has itself."""
    plain = one_line(text)
    longest = max((len(run) for run in re.findall("`+", plain)), default=0)
    fence = "`" * (longest + 1)
    space = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{space}{plain}{space}{fence}" if plain else ""


def html_words(text: str) -> str:
    """HTML that shows the text on one line, for the places in which Markdown is not read."""
    return html.escape(one_line(text))


def html_code(text: str) -> str:
    """HTML that shows the text as code; a name in it is not a mention."""
    return f"<code>{html_words(text)}</code>" if text else ""


def marked(text: str, margin: str = _MARGIN) -> str:
    """Rich's markup that shows the text; its second and later lines begin with the margin."""
    return escape(indented(text, margin))
