"""One trigger of the catalogue, and the actions that every trigger may have."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.value_changes import VALUE_CHANGES

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
        """Return the words of an action; of one with a value those before the value."""
        return self.actions.get(action) or VALUE_ACTIONS.get(action) or ENDINGS[action]


NEIGHBOURS: Final = "neighbours"
SIBLING: Final = "sibling"
MESSAGE: Final = "message"
ELEMENTS: Final = "elements"
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
