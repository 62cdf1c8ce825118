"""Conditions about the fields of a struct: ``host = "" & port in [0, -1]``, with each value as JSON."""

import json
from functools import lru_cache
from typing import Final

AND: Final = " & "


@lru_cache(maxsize=1024)  # a search tries many
def condition_parts(condition: str) -> tuple[tuple[str, bool, tuple[str, ...]], ...]:
    """Return each field of a condition, whether it has one of the values, and the values as JSON."""
    parts = []
    for part in condition.split(AND):
        name, operator, constant = part.split(" ", 2)
        if operator not in ("=", "!=", "in"):
            raise ValueError(operator)
        value = json.loads(constant)
        if operator == "in" and not isinstance(value, list):
            raise ValueError(constant)
        values = value if operator == "in" else [value]
        parts.append((name, operator != "!=", tuple(map(json.dumps, values))))
    return tuple(parts)


def check_condition(text: str) -> None:
    """Check that a text is a condition; otherwise raise ValueError."""
    try:
        condition_parts(text)
    except ValueError:
        raise ValueError(
            f"{text!r} is not a condition: write value = 'port = 0', 'port != 0' or 'port in [0, 1]'"
        ) from None
