"""Codecs with a known deviation and, in the cases that show it, a second one; named to child processes."""

from typing import Any

from kafkawire.values import TAGS
from tests.support.environments.small_environment import NullAsEmpty


class TagsLost(NullAsEmpty):
    """Unknown tagged fields are not written."""

    def encode(self, value: dict[str, Any]) -> bytes:
        lost = bool(value.get(TAGS))
        return self.also(value, lost, self._codec.encode(self.kept({**value, TAGS: {}}, lost)))

    def kept(self, value: dict[str, Any], lost: bool) -> dict[str, Any]:
        """What is written instead of the value."""
        return value

    def also(self, value: dict[str, Any], lost: bool, data: bytes) -> bytes:
        """What becomes of the bytes."""
        return data


class AndAByteMore(TagsLost):
    """Where tags are lost, a byte too many is written."""

    def also(self, value: dict[str, Any], lost: bool, data: bytes) -> bytes:
        return data + b"\xff" if lost else data


class NullLost(NullAsEmpty):
    """Null is written as empty; where it is, another field may be wrong, too."""

    def encode(self, value: dict[str, Any]) -> bytes:
        lost = value.get("name", "") is None
        return self._codec.encode(self.wrong({**value, "name": ""}) if lost else value)

    def wrong(self, value: dict[str, Any]) -> dict[str, Any]:
        """What is written instead of the value."""
        return value


class AndAnotherNumber(NullLost):
    """The number behind it is another."""

    def wrong(self, value: dict[str, Any]) -> dict[str, Any]:
        return {**value, "count": 77}


class AndAnElementMore(NullLost):
    """An array behind it has an element too many."""

    def wrong(self, value: dict[str, Any]) -> dict[str, Any]:
        return {**value, "hops": [*value.get("hops", ()), 7]} if self.layout.version else value


class NullMisread(NullAsEmpty):
    """Null is read as empty; where it is, another field may be wrong, too."""

    def encode(self, value: dict[str, Any]) -> bytes:
        return self._codec.encode(value)

    def decode(self, data: bytes) -> dict[str, Any]:
        value = self._codec.decode(data)
        return self.wrong({**value, "name": ""}) if value["name"] is None else value

    def wrong(self, value: dict[str, Any]) -> dict[str, Any]:
        """What is read instead of the value."""
        return value


class AndAnElementRead(NullMisread):
    """An array gets an element that is not there."""

    def wrong(self, value: dict[str, Any]) -> dict[str, Any]:
        return {**value, "hops": [*value["hops"], 7]} if "hops" in value else value


class AndTagsMadeUp(NullMisread):
    """An unknown tagged field is read that is not there."""

    def wrong(self, value: dict[str, Any]) -> dict[str, Any]:
        return {**value, TAGS: {70: b""}} if "note" in value else value


class AlwaysAnotherNumber(NullAsEmpty):
    """The number is another in all that is read; where the array has elements, it loses one."""

    def encode(self, value: dict[str, Any]) -> bytes:
        return self._codec.encode(value)

    def decode(self, data: bytes) -> dict[str, Any]:
        value = self._codec.decode(data)
        wrong = {**value, "count": value["count"] ^ 1}
        return {**wrong, "hops": value["hops"][:-1]} if value.get("hops") else wrong
