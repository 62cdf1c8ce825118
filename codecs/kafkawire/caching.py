"""A bounded cache of objects made once for each layout.

It looks a key up by identity first: hashing a layout takes longer than decoding a small message.
"""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

Key = TypeVar("Key")
Made = TypeVar("Made")

_MOST: Final = 1024
"""The most entries. The cache drops all of them when it is full, so that its memory stays bounded."""


class BoundedCache(Generic[Key, Made]):
    """A function of one argument that caches its results; equal arguments share one."""

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
