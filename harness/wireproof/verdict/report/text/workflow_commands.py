"""GitHub's workflow commands: what a pull request shows above its checks.

A step shows at most ten errors and ten warnings. The syntax is GitHub's "Workflow commands for GitHub
Actions".
"""

from collections.abc import Iterable
from itertools import islice
from typing import Final, TypeAlias

from wireproof.base.text.wording import printable
from wireproof.verdict.report.text.escaping import cut

_MOST: Final = 10
_WIDTH: Final = 2_000

Notice: TypeAlias = tuple[str, str] | tuple[str, str, str, int]
"""Title and text, and perhaps the file and its line."""


def workflow_commands(errors: Iterable[Notice], warnings: Iterable[Notice] = ()) -> str:
    """Return a line for each notice, for at most the first ten errors and the first ten warnings."""
    lines = [_command("error", *each) for each in islice(errors, _MOST)]
    lines += [_command("warning", *each) for each in islice(warnings, _MOST)]
    return "".join(f"{line}\n" for line in lines)


def _command(word: str, title: str, text: str, path: str = "", line: int = 1) -> str:
    """Return a command in one line. Characters that would end the line or a property are escaped."""
    place = f"file={_property(path)},line={line}," if path else ""
    return f"::{word} {place}title={_property(title)}::{_escaped(cut(text, _WIDTH))}"


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def _escaped(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\n", "%0A")
