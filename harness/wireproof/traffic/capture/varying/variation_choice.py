"""Selections: variations, each on all answers or on some of them, as text and as values."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.variations.answer import Family, Variation
from wireproof.traffic.capture.variations.variation_table import find_variation, pinned_version

__all__ = ["VariationChoice", "choice_of", "parse_selection"]

_TEXT: Final = re.compile(
    r"(?P<id>[a-z0-9-]+)(:(?P<api>\w+):(?P<version>\d+))?(@(?P<message>\w+)(#(?P<first>\d+)(-(?P<last>\d+))?)?)?"
)
_WAYS: Final = (
    "Write ID, ID@MESSAGE, ID@MESSAGE#3 or ID@MESSAGE#3-7; `wireproof judge --vary --list` has the ids."
)


@dataclass(frozen=True, slots=True)
class VariationChoice:
    """A variation, and the answers that it is made on.

    Attributes:
        message: the name of the responses, such as ``FetchResponse``; ``""`` for all.
        first, last: of the answers that it applies to, counted by message from 0; None for no end.
    """

    variation: Variation
    message: str = ""
    first: int = 0
    last: int | None = None

    def __str__(self) -> str:
        text = self.variation.id
        if self.message:
            text += f"@{self.message}"
        if self.message and (self.first or self.last is not None):
            text += f"#{self.first}"
            if self.last != self.first:
                text += f"-{(1 << 31) - 1 if self.last is None else self.last}"
        return text

    def has(self, index: int) -> bool:
        """Return True if the answer with this index is to be varied."""
        return self.first <= index and (self.last is None or index <= self.last)

    def on(self, message: str, first: int = 0, last: int | None = None) -> "VariationChoice":
        """Return the same variation on other answers."""
        return replace(self, message=message, first=first, last=last)


def choice_of(variation: Variation) -> VariationChoice:
    """Return the variation on all answers; an error on the first of each message: a retry succeeds."""
    return VariationChoice(variation, last=0 if variation.family is Family.ERRORS else None)


def parse_selection(text: str, key_of: Callable[[str], int | None]) -> VariationChoice:
    """Parse the text of a selection.

    Args:
        key_of: the key of a request by its name; None if the release has no such request.

    Raises:
        CaptureError: the catalogue has no such variation.
    """
    found = _TEXT.fullmatch(text)
    variation = None
    if found is not None and found["api"] and found["id"] == "version":
        key = key_of(found["api"])
        variation = None if key is None else pinned_version(found["api"], key, int(found["version"]))
    elif found is not None and not found["api"]:
        variation = find_variation(found["id"])
    if found is None or variation is None:
        raise CaptureError(f"{text!r} is not a variation", _WAYS)
    if not found["first"]:
        return replace(choice_of(variation), message=found["message"] or "")
    first = int(found["first"])
    return VariationChoice(variation, found["message"], first, int(found["last"] or first))
