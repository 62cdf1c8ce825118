"""The commands on the pages of the site run as written, and print the lines that the pages show.

A page marks what is checked by a comment before a block:

- ``<!-- checked -->``: a shell block. All of a page run in order, in one folder. Each line is a command and
  ends with 0, or with the code N of its comment ``# exit code N``.
- ``<!-- shows -->``: lines that the commands before it print, in this order. ``...`` is any number of lines;
  at the end of a line it is any text.
- ``<!-- file: NAME -->``: a file that the reader writes.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

DOCS = Path(__file__).parents[2] / "docs"
_BLOCK = re.compile(r"<!-- (checked|shows|file: \S+) -->\n```\w+[^\n]*\n(.*?)```", re.DOTALL)
_EXIT = re.compile(r"\s+# exit code (\d+)$")
_LONGEST = 600


class Block(NamedTuple):
    """A marked block of a page."""

    mark: str
    text: str


def _blocks(page: Path) -> list[Block]:
    return [Block(*found) for found in _BLOCK.findall(page.read_text("utf-8"))]


def _pages(*, languages: bool) -> list[object]:
    """Return the pages with commands; with `languages` those that need tools of another language than
    Python."""
    chosen: list[object] = []
    for page in sorted(DOCS.rglob("*.md")):
        if not any(block.mark == "checked" for block in _blocks(page)):
            continue
        tools = _TOOLS.get(page.stem)
        if languages == (tools is not None):
            name = str(page.relative_to(DOCS))
            marks = [pytest.mark.languages(*tools)] if tools else []
            chosen.append(pytest.param(page, id=name, marks=marks))
    return chosen


_TOOLS = {
    "go": ["go"],
    "krammar": ["go"],
    "javascript": ["node"],
    "rust": ["cargo"],
    "java": ["mvn", "javac"],
}
"""By page, the tools that it needs."""


def _follow(page: Path, folder: Path) -> None:
    """Run the commands of a page in that folder."""
    printed: list[str] = []
    for mark, text in _blocks(page):
        if mark == "checked":
            printed = [line for command in text.splitlines() for line in _typed(command, folder)]
        elif mark == "shows":
            _assert_shown(text.splitlines(), printed)
        else:
            (folder / mark.removeprefix("file: ")).write_text(text, "utf-8")


def _typed(command: str, folder: Path) -> list[str]:
    """Return the output of a command on both streams.

    Raises:
        AssertionError: it ends with another exit code than the page says.
    """
    expected = _EXIT.search(command)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", _EXIT.sub("", command)],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONWARNINGS": "", "PYTHONDEVMODE": ""},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_LONGEST,
        check=False,
    )
    assert done.returncode == int(expected[1] if expected else 0), f"{command}\n{done.stdout}"
    return done.stdout.splitlines()


def _assert_shown(shown: list[str], printed: list[str]) -> None:
    rest = iter(printed)
    for line in shown:
        if line.strip() != "...":
            assert any(_fits(line, other) for other in rest), f"not printed in this order: {line}"


def _fits(shown: str, printed: str) -> bool:
    if shown.endswith("..."):
        return printed.startswith(shown.removesuffix("...").rstrip())
    return printed.rstrip() == shown


@pytest.mark.parametrize("page", _pages(languages=False))
def test_the_page_can_be_followed(page: Path, tmp_path: Path) -> None:
    """Each command ends with the exit code on the page, and prints the lines on it."""
    _follow(page, tmp_path)


@pytest.mark.parametrize("page", _pages(languages=True))
def test_the_page_of_another_language_can_be_followed(page: Path, tmp_path: Path) -> None:
    """The same holds with the tools of that language."""
    _follow(page, tmp_path)


def test_a_line_that_is_not_printed_is_an_error() -> None:
    """Lines out of order, different lines, and a command with another exit code fail."""
    _assert_shown(["one", "...", "three f..."], ["zero", "one", "two", "three four"])
    for shown in (["two", "one"], ["on"], ["one", "five"]):
        with pytest.raises(AssertionError, match="not printed"):
            _assert_shown(shown, ["one", "two"])


def test_an_exit_code_is_part_of_the_page(tmp_path: Path) -> None:
    """`# exit code N` is expected; without it, the code must be 0."""
    assert _typed("echo said; exit 3  # exit code 3", tmp_path) == ["said"]
    with pytest.raises(AssertionError, match="exit 3"):
        _typed("exit 3", tmp_path)
