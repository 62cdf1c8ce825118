"""Replacing values: other texts, bytes and ids of the same length, the same by the same."""

from hashlib import shake_256
from typing import Final
from uuid import UUID

from wireproof.frames.public import PUBLIC_WORDS

__all__ = ["Redactor"]

_ALPHABET: Final = bytes.maketrans(bytes(range(256)), b"abcdefghijklmnopqrstuvwxyz234567" * 8)
_PREFIXES: Final = ("User:", "Group:", "/")
"""Beginnings of principals, paths and addresses: they stay, so that a user has one new name everywhere."""
_SHORT_BYTES: Final = 8
"""Texts up to this length are kept apart from each other by a table; beyond it chance does that."""
_TRIES: Final = 64
_RESERVED_IDS: Final = 100
"""Kafka gives ids below it a meaning: none, the metadata topic, a directory that is lost."""


class Redactor:
    """Replaces values. The same key gives the same replacements, in the same order of questions.

    Args:
        key: without it a short secret could be found by trying; who has the capture has it anyway.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._texts: dict[str, str] = {}
        self._taken: set[str] = set()

    def text(self, text: str) -> str:
        """Another text of as many bytes: lower-case letters and digits."""
        if not text or text in PUBLIC_WORDS:
            return text
        for prefix in _PREFIXES:
            if text.startswith(prefix):
                return prefix + self.text(text[len(prefix) :])
        if text not in self._texts:
            self._texts[text] = self._fresh(text)
        return self._texts[text]

    def data(self, data: bytes) -> bytes:
        """Other bytes, as many."""
        return self._stream(b"bytes", data, len(data))

    def id(self, value: UUID) -> UUID:
        """Another id; those with a meaning of their own stay."""
        if value.int < _RESERVED_IDS:
            return value
        return UUID(bytes=self._stream(b"id", value.bytes, 16))

    def _fresh(self, text: str) -> str:
        data = text.encode()
        for number in range(_TRIES):
            found = self._stream(b"text%d" % number, data, len(data)).translate(_ALPHABET).decode()
            if found != text and (len(data) > _SHORT_BYTES or found not in self._taken):
                break
        self._taken.add(found)
        return found

    def _stream(self, purpose: bytes, data: bytes, length: int) -> bytes:
        head = b"%d:%s:%s:" % (len(self._key), self._key, purpose)
        return shake_256(head + data).digest(length)
