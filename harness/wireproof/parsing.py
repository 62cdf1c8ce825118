"""JSON and TOML of files that other people wrote: nested no deeper than any code that walks them can go."""

import json
import tomllib
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

__all__ = ["MISSHAPEN", "MOST_LEVELS", "parse_json", "parse_toml", "within_depth"]

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
"""What reading JSON raises that has another shape than the code expects."""

_R = TypeVar("_R")


def parse_json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: the text is not JSON, or is nested too deeply.
    """
    return _bounded(text, within_depth(json.loads, text))


def parse_toml(text: str) -> dict[str, Any]:
    """The table of a TOML text.

    Raises:
        ValueError: the text is not TOML, or is nested too deeply.
    """
    table = within_depth(tomllib.loads, text)
    _bounded(text, table)
    return table


def within_depth(parse: Callable[[str], _R], text: str) -> _R:
    """Parse a text, unless it is nested too deeply for the parser.

    Raises:
        ValueError: its own, or the text is nested so deeply that the parser gives up.
    """
    try:
        return parse(text)
    except RecursionError:
        raise _too_deep() from None


def _bounded(text: str, value: Any) -> Any:
    if text.count("[") + text.count("{") + text.count(".") > MOST_LEVELS:
        _check_levels(value)
    return value


def _check_levels(value: Any) -> None:
    level: list[Any] = [value]
    for _ in range(MOST_LEVELS + 1):
        level = [inner for outer in level for inner in _members(outer)]
        if not level:
            return
    raise _too_deep()


def _members(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _too_deep() -> ValueError:
    return ValueError(f"it is nested too deeply: expected at most {MOST_LEVELS} levels")
