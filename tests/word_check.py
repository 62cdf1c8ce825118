"""Check the words of public identifiers: `tests/words/words.toml` lists those that the project does not use.

`python tests/word_check.py` prints one line for each public identifier with such a word, with the word to use
instead. It ends with 1 if there is one. The names of modules, classes, functions, arguments and attributes of
`SOURCES` are checked; a name that begins with an underscore is private.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.structure import ROOT, SOURCES

WORDS: Final = ROOT / "tests" / "words" / "words.toml"

_PART: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
"""One part of an identifier in snake case or camel case."""


class WordList:
    """The words, and the identifiers that may have them.

    Attributes:
        instead: the word to use, by word.
        exceptions: the reason of each identifier that keeps its name.
    """

    def __init__(self, text: str) -> None:
        """Read a `words.toml`."""
        table = tomllib.loads(text)
        self.instead: Mapping[str, str] = {
            word: reason for words, reason in table["words"].items() for word in words.split()
        }
        self.exceptions: Mapping[str, str] = table["exceptions"]

    def listed(self, identifier: str) -> list[str]:
        """Return the listed words of an identifier; none for an exception."""
        if identifier in self.exceptions:
            return []
        parts = [part.lower() for part in _PART.findall(identifier)]
        return [part for part in parts if part in self.instead]


def public_identifiers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and name of each public class, function, argument, attribute and constant of a module."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found = name
            case ast.arg(arg=name) | ast.AnnAssign(target=ast.Name(id=name) | ast.Attribute(attr=name)):
                found = name
            case _:
                continue
        if not found.startswith("_"):
            yield node.lineno, found


def problems(words: WordList, root: Path = ROOT) -> Iterator[str]:
    """Yield a line for each public identifier of the sources that has a listed word."""
    for source in SOURCES:
        for path in sorted((root / source).rglob("*.py")):
            names = [(1, path.stem), *public_identifiers(ast.parse(path.read_text("utf-8")))]
            for line, name in names:
                for word in words.listed(name):
                    yield f"{path.relative_to(root)}:{line}: {name}: {word}: {words.instead[word]}"


if __name__ == "__main__":
    lines = list(problems(WordList(WORDS.read_text("utf-8"))))
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.exit(1 if lines else 0)
