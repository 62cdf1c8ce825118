"""Making Python source and loading it, so that one can read it, step through it and see it in tracebacks."""

import builtins
import keyword
import linecache
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final


class SourceText:
    """Lines of Python under way; `block` indents what is written inside it."""

    __slots__ = ("_indent", "_lines")

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._indent = ""

    def line(self, text: str = "") -> None:
        self._lines.append(self._indent + text if text else "")

    @contextmanager
    def block(self, opening: str) -> Iterator[None]:
        """A compound statement: its first line, with the colon, and then its body."""
        self.line(opening)
        outer, self._indent = self._indent, self._indent + "    "
        yield
        self._indent = outer

    def __str__(self) -> str:
        return "\n".join(self._lines) + "\n"


class Names:
    """Names of one scope: the name of the field if it is free, else the name with a number.

    Variables of functions never begin with an underscore, so that no field's name hides a global, whose name
    does (`prefix`).
    """

    __slots__ = ("_prefix", "_taken")

    def __init__(self, reserved: Iterable[str] = (), prefix: str = "") -> None:
        self._taken = {*reserved, *_NOT_FREE}
        self._prefix = prefix

    def fresh(self, wanted: str) -> str:
        base = re.sub(r"\W", "_", wanted, flags=re.ASCII).strip("_") or "field"
        if base[0].isdigit() and not self._prefix:
            base = f"field_{base}"
        base = self._prefix + base
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name


_NOT_FREE: Final = frozenset(keyword.kwlist) | frozenset(dir(builtins))


_MOST_TEXTS: Final = 512
"""The most texts that tracebacks can show. Beyond it the oldest is dropped, so that memory stays bounded."""

_filenames: Final[dict[tuple[str, str], str]] = {}
"""(title, text) -> the name of its file, the oldest first."""
_numbers: Final[Counter[str]] = Counter()
"""The number of texts that each title has had."""


def load(title: str, text: str, injected: dict[str, Any]) -> dict[str, Any]:
    """Run a generated module and give its globals.

    Args:
        title: the name of the file in tracebacks and debuggers: ``<kafkawire {title}>``. If another text
            already has the name, a number is added.
        injected: globals that the text uses and does not define.
    """
    filename = _filenames.get((title, text)) or _file(title, text)
    module: dict[str, Any] = {"__name__": filename, "__builtins__": builtins, **injected}
    exec(compile(text, filename, "exec"), module)  # noqa: S102 - the text is made from a layout, by us
    return module


def _file(title: str, text: str) -> str:
    """Let tracebacks and debuggers find the text, in place of the oldest where there are many."""
    _numbers[title] += 1
    number = _numbers[title]
    filename = _filenames[title, text] = f"<kafkawire {title}{f' #{number}' * (number > 1)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    if len(_filenames) > _MOST_TEXTS:
        linecache.cache.pop(_filenames.pop(next(iter(_filenames))), None)
    return filename
