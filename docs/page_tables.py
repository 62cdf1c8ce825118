"""Pages of the reference: a hand-written text with generated tables."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

__all__ = ["DOCS", "cell", "code", "markdown_table", "page", "plain"]

DOCS: Final = Path(__file__).parent


def page(name: str, **tables: str) -> str:
    """The page of that name: its hand-written text, with a table in the place of each line `[[NAME]]`.

    Raises:
        ValueError: the text and the tables do not have the same names.
    """
    text = (DOCS / "reference" / "generated" / f"{name}.md").read_text("utf-8")
    places = re.findall(r"^\[\[(\w+)\]\]$", text, re.MULTILINE)
    if sorted(places) != sorted(tables):
        raise ValueError(f"{name}.md has places for {places}: expected {sorted(tables)}: change one of them")
    return re.sub(r"^\[\[(\w+)\]\]$", lambda place: tables[place[1]].rstrip(), text, flags=re.MULTILINE)


_LONG_NAME: Final = re.compile(r"[\w/.#]{25,}")
"""A path or a Java name that a browser may break after a slash or a dot."""


def cell(text: str) -> str:
    """Text for one cell of a table: one line, without characters that Markdown would read."""
    plain = re.sub(r"\s+", " ", text).strip().replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
    return _LONG_NAME.sub(lambda name: re.sub(r"(?<=[/.])|(?=#)", "<wbr>", name[0]), plain)


def markdown_table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def plain(pattern: str) -> str:
    """A regular expression of Kafka's text as a text: ... for what varies."""
    text = re.sub(r"\(\?:.*?\)", "...", pattern).partition("|")[0]
    text = re.sub(r"\\[wSd][+*]?|\.\*|-\?", "...", text.replace("  ?", " "))
    return re.sub(r"\\(.)", r"\1", re.sub(r"(?:\.\.\.)+", "...", text))


def code(text: str) -> str:
    """Text as code in a cell of a table."""
    return f"`` {text.replace('|', chr(92) + '|')} ``" if text else ""
