"""The records fields of a message by their paths."""

import copy
from collections.abc import Mapping
from typing import Any

from wireproof.model.case_source import FieldPath


def filled(value: Mapping[str, Any], data: Mapping[FieldPath, bytes]) -> dict[str, Any]:
    """A copy of the message with these bytes in its fields."""
    made = copy.deepcopy(dict(value))
    for path, field in data.items():
        *way, name = path
        at(made, tuple(way))[name] = field
    return made


def at(value: Any, path: FieldPath) -> Any:
    """The value at a path of a message."""
    for step in path:
        value = value[step]
    return value


def path_words(path: FieldPath) -> str:
    """Return a path as text: ``responses[0].partitions[1].records``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")
