"""One trigger of the catalogue, the actions that every trigger may have, and conditions on a struct."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.value_changes import VALUE_CHANGES

AND: Final = " & "
LATIN_1: Final = "latin-1"


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


REFUSE: Final = "refuse"
CRASH: Final = "crash"
ENDINGS: Final[Mapping[str, str]] = {
    REFUSE: "is refused",
    CRASH: "ends in an error that the codec does not declare",
}
"""Actions that end the answer, with their words."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """One thing in bytes or in a value at which a codec can differ.

    Attributes:
        name: unique in its direction.
        words: a noun phrase; ``{}`` stands for the type.
        kafka: what Kafka does, in words.
        actions: what codecs do instead, each with its words.
    """

    name: str
    direction: CodecDirection
    words: str
    kafka: str
    actions: Mapping[str, str]

    def action_words(self, action: str) -> str:
        """Return the words of an action, without its value."""
        return self.actions.get(action) or VALUE_ACTIONS.get(action) or ENDINGS[action]


NEIGHBOURS: Final = "neighbours"
SIBLING: Final = "sibling"
MESSAGE: Final = "message"
ELEMENTS: Final = "elements"
SIZE: Final = "content"
"""The trigger at the size of a text, bytes or an array; the least size is the deviation's value."""
END_OF_MESSAGE: Final = "end-of-message"
BODY: Final = "body"
FRAME: Final = "frame"
"""The types of `END_OF_MESSAGE`: a message alone, and one in a frame."""
OF_FIELDS: Final = ("value", NEIGHBOURS, SIBLING)
"""Triggers of single fields, whatever their types."""
CONSTANT: Final = "constant"
OTHER_DEFAULT: Final = "other-default"
WITH_VALUE: Final[Mapping[str, str]] = {
    CONSTANT: "always has the same value",
    OTHER_DEFAULT: "becomes another value where the right one is its default",
}
"""Actions on the value of a field that have a value themselves."""

VALUE_ACTIONS: Final[Mapping[str, str]] = {
    **{name: change.words for name, change in VALUE_CHANGES.items()},
    **WITH_VALUE,
}
"""Actions on the value of a field, in either direction."""
