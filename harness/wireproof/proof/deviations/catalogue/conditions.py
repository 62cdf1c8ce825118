"""Conditions about the fields of a struct: ``host = "" & port = 0``, with each value as JSON."""

import json
from collections.abc import Iterator
from typing import Final

__all__ = ["AND", "check_condition", "condition_parts"]

AND: Final = " & "


def condition_parts(condition: str) -> Iterator[tuple[str, bool, str]]:
    """Yield each field of a condition, whether it has the value, and the value as JSON."""
    for part in condition.split(AND):
        name, operator, constant = part.split(" ", 2)
        if operator not in ("=", "!="):
            raise ValueError(operator)
        yield name, operator == "=", constant


def check_condition(text: str) -> None:
    """Check that a text is a condition.

    Raises:
        ValueError: it is not one.
    """
    try:
        for _, _, constant in condition_parts(text):
            json.loads(constant)
    except ValueError:
        raise ValueError(f"{text!r} is not a condition: write value = 'port = 0' or 'port != 0'") from None
