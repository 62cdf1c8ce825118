"""The table of the bugs that the operators make, ``bugs.toml``, and of their causes, ``causes.toml``."""

from functools import cache
from importlib.resources import files
from typing import NamedTuple

from wireproof.base.text.parsing import parse_toml
from wireproof.power import BugClass


class Bug(NamedTuple):
    """The name of an operator, with the class of its bug and a sentence about it."""

    name: str
    bug_class: BugClass
    description: str


def bug(name: str) -> Bug:
    """Return the row of an operator."""
    return _table()[name]


@cache
def predicting(name: str) -> frozenset[str]:
    """Return the deviations that predict an operator's bug, each as trigger and action."""
    text = files(__package__).joinpath("causes.toml").read_text(encoding="utf-8")
    return frozenset(parse_toml(text).get(name, ()))


@cache
def _table() -> dict[str, Bug]:
    text = files(__package__).joinpath("bugs.toml").read_text(encoding="utf-8")
    rows = parse_toml(text).items()
    return {name: Bug(name, BugClass(of), sentence) for of, bugs in rows for name, sentence in bugs.items()}
