"""Things made once for each layout: found by identity first, for hashing a layout takes longer than a small
message does."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

__all__ = ["Memo"]

Key = TypeVar("Key")
Made = TypeVar("Made")

_MOST: Final = 1024
"""Entries held; beyond that all are dropped, so that a stream of ever new layouts stays bounded."""


class Memo(Generic[Key, Made]):
    """A function of one argument that makes nothing twice for equal arguments."""

    def __init__(self, make: Callable[[Key], Made]) -> None:
        self._make = make
        self._by_identity: dict[int, tuple[Key, Made]] = {}
        self._by_content: dict[Key, Made] = {}

    def __call__(self, key: Key) -> Made:
        held = self._by_identity.get(id(key))
        if held is not None and held[0] is key:
            return held[1]
        if len(self._by_identity) >= _MOST:
            self._by_identity.clear()
            self._by_content.clear()
        made = self._by_content.get(key)
        if made is None:
            made = self._by_content.setdefault(key, self._make(key))
        self._by_identity[id(key)] = (key, made)
        return made
