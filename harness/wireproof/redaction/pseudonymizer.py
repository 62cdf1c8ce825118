"""Replacing values: other texts, bytes and ids of the same length, the same by the same."""

from hashlib import shake_256
from typing import Final
from uuid import UUID

from wireproof.redaction.public_fields import PUBLIC_WORDS

__all__ = ["Pseudonymizer"]

_ALPHABET: Final = bytes.maketrans(bytes(range(256)), b"abcdefghijklmnopqrstuvwxyz234567" * 8)
_PREFIXES: Final = ("User:", "Group:", "/")
"""Beginnings of principals, paths and addresses: they stay, so that a user has one new name everywhere."""
_SHORT_BYTES: Final = 8
"""Texts up to this length could become the same by chance, so they are turned one-to-one."""
_TURNED: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
"""What short texts are made of, before and after; of others nobody keeps them apart."""
_PLACES: Final = {character: place for place, character in enumerate(_TURNED)}
_TRIES: Final = 64
_REMEMBERED: Final = 100_000
"""Texts whose replacement is not worked out again."""
_RESERVED_IDS: Final = 100
"""Kafka gives ids below it a meaning: none, the metadata topic, a directory that is lost."""


class Pseudonymizer:
    """Replaces values. The same key gives the same replacements, whatever was asked before.

    Args:
        key: without it a short secret could be found by trying; who has the capture has it anyway.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._texts: dict[str, str] = {}

    def text(self, text: str) -> str:
        """Another text of as many bytes: letters, digits, ``_`` and ``-``."""
        if not text or text in PUBLIC_WORDS:
            return text
        for prefix in _PREFIXES:
            if text.startswith(prefix):
                return prefix + self.text(text[len(prefix) :])
        if text not in self._texts:
            if len(self._texts) >= _REMEMBERED:
                self._texts.clear()
            short = len(text) <= _SHORT_BYTES and _PLACES.keys() >= set(text)
            self._texts[text] = self._turned(text) if short else self._fresh(text)
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
        """A text that says nothing of the one before; the same for two only by chance."""
        data = text.encode()
        for number in range(_TRIES):
            found = self._stream(b"text%d" % number, data, len(data)).translate(_ALPHABET).decode()
            if found != text:
                break
        return found

    def _turned(self, text: str) -> str:
        """A text that no other becomes: each character is moved on by a number, never 0, that the key and
        what stands behind the character give. Names that end alike do so afterwards."""
        turned = ""
        for start in range(len(text)):
            (number,) = self._stream(b"turn", text[start + 1 :].encode(), 1)
            place = (_PLACES[text[start]] + 1 + number % (len(_TURNED) - 1)) % len(_TURNED)
            turned += _TURNED[place]
        return turned

    def _stream(self, purpose: bytes, data: bytes, length: int) -> bytes:
        head = b"%d:%s:%s:" % (len(self._key), self._key, purpose)
        return shake_256(head + data).digest(length)
