"""Codecs with a known deviation and, in the cases that show it, a second one; child processes import them by
name."""

from typing import Any

from kafkawire.values import TAGS
from tests.support.environments.small_environment import NullAsEmpty


class TagsLost(NullAsEmpty):
    """A codec that does not write unknown tagged fields."""

    def encode(self, value: dict[str, Any]) -> bytes:
        lost = bool(value.get(TAGS))
        return self.also(value, lost, self._codec.encode(self.kept({**value, TAGS: {}}, lost)))

    def kept(self, value: dict[str, Any], lost: bool) -> dict[str, Any]:
        """Return the value to write instead."""
        return value

    def also(self, value: dict[str, Any], lost: bool, data: bytes) -> bytes:
        """Return the bytes, changed."""
        return data


class AndAByteMore(TagsLost):
    """A codec that loses tags, and then writes a byte too many."""

    def also(self, value: dict[str, Any], lost: bool, data: bytes) -> bytes:
        return data + b"\xff" if lost else data


class NullLost(NullAsEmpty):
    """A codec that writes null as empty, and may then change another field too."""

    def encode(self, value: dict[str, Any]) -> bytes:
        lost = value.get("name", "") is None
        return self._codec.encode(self.wrong({**value, "name": ""}) if lost else value)

    def wrong(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the value to write instead."""
        return value


class AndAnotherNumber(NullLost):
    """A codec that also changes the number after the null."""

    def wrong(self, value: dict[str, Any]) -> dict[str, Any]:
        return {**value, "count": 77}


class AndAnElementMore(NullLost):
    """A codec that also adds an element to the array after the null."""

    def wrong(self, value: dict[str, Any]) -> dict[str, Any]:
        return {**value, "hops": [*value.get("hops", ()), 7]} if self.layout.version else value


class NullMisread(NullAsEmpty):
    """A codec that reads null as empty, and may then change another field too."""

    def encode(self, value: dict[str, Any]) -> bytes:
        return self._codec.encode(value)

    def decode(self, data: bytes) -> dict[str, Any]:
        value = self._codec.decode(data)
        return self.wrong({**value, "name": ""}) if value["name"] is None else value

    def wrong(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the value to read instead."""
        return value


class AndAnElementRead(NullMisread):
    """A codec that also reads an array with one element too many."""

    def wrong(self, value: dict[str, Any]) -> dict[str, Any]:
        return {**value, "hops": [*value["hops"], 7]} if "hops" in value else value


class AndTagsMadeUp(NullMisread):
    """A codec that also reads an unknown tagged field that is not in the bytes."""

    def wrong(self, value: dict[str, Any]) -> dict[str, Any]:
        return {**value, TAGS: {70: b""}} if "note" in value else value


class AlwaysAnotherNumber(NullAsEmpty):
    """A codec that changes the number in all decoded values, and loses an element of a non-empty array."""

    def encode(self, value: dict[str, Any]) -> bytes:
        return self._codec.encode(value)

    def decode(self, data: bytes) -> dict[str, Any]:
        value = self._codec.decode(data)
        wrong = {**value, "count": value["count"] ^ 1}
        return {**wrong, "hops": value["hops"][:-1]} if value.get("hops") else wrong
