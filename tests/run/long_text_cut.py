"""A codec that is wrong only on values that the bulk phase alone has.

Child processes import its parts by name, so it is in a module that they can import.
"""

from typing import Any

from kafkawire.compiler import interpret_layout
from kafkawire.schema import MessageLayout


class Codec:
    """The interpreted codec, but long texts lose their last letter next to certain counts."""

    def __init__(self, layout: MessageLayout) -> None:
        self._codec = interpret_layout(layout)
        self.layout = layout
        self.source = ""

    def _cut(self, value: dict[str, Any]) -> dict[str, Any]:
        name = value.get("name") or ""
        return {**value, "name": name[:-1]} if len(name) >= 100 and value.get("count", -1) > 2 else value

    def encode(self, value: dict[str, Any]) -> bytes:
        return self._codec.encode(self._cut(value))

    def size(self, value: dict[str, Any]) -> int:
        return self._codec.size(self._cut(value))

    def decode(self, data: bytes) -> dict[str, Any]:
        return self._codec.decode(data)

    def decode_from(self, buffer: bytes, offset: int) -> tuple[dict[str, Any], int]:
        return self._codec.decode_from(buffer, offset)
