"""The fault of an example in a few words, for tables."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from kafkawire.schema.rules.refusals import RefusedSchema

__all__ = ["fault_text", "span_text"]

_LISTS = ("fields", "commonStructs")


def fault_text(refused: Sequence[str], accepted: Sequence[str]) -> str:
    """The part of refused message files that the accepted ones do not have."""
    parts = [_of_file(one, other) for one, other in zip(refused, accepted, strict=True) if one != other]
    return re.sub(r"(.)\1{19,}", lambda run: f"{run[1] * 3}... ({len(run[0])} times)", "; ".join(parts))


def span_text(row: RefusedSchema) -> str:
    """The releases whose generator has an error, as far as the examples go."""
    since = f"{row.since[0]}.{row.since[1]} and later" if row.since > (3, 9) else ""
    return f"before {row.until[0]}.{row.until[1]}" if row.until < (99, 0) else since


def _of_file(refused: str, accepted: str) -> str:
    try:
        one, other = json.loads(refused), json.loads(accepted)
    except ValueError:
        return refused[-20:] if len(refused) < len(accepted) else refused[len(accepted) - 1 :]
    if not isinstance(one, dict):
        return "[ the message ]"
    return ", ".join(_of_keys(one, other))


def _of_keys(one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    for key in {**one, **other}:
        if key not in one:
            yield f'no "{key}"'
        elif key in _LISTS and one[key] != other.get(key):
            known = other.get(key, [])
            new = [each for each in one[key] if each not in known] or one[key]
            yield f'"{key}": {json.dumps(new)}'
        elif one[key] != other.get(key):
            yield json.dumps({key: one[key]})[1:-1]
