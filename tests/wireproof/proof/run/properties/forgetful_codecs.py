"""Codecs with two faults, for `small_environment`: one that a ledger could excuse, and one of state.

Child processes import them by name.
"""

from typing import Any

from kafkawire.compiler import interpret_layout
from kafkawire.errors import DecodeError
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import TAGS


class TagsLostAndHopsGuessed:
    """Our codec, which drops unknown tags, so that the fullest instance deviates, and reads zeros past the
    end of an array."""

    def __init__(self, layout: MessageLayout) -> None:
        self._codec = interpret_layout(layout)
        self.layout = layout
        self.source = ""

    def encode(self, value: dict[str, Any]) -> bytes:
        return self._codec.encode({name: item for name, item in value.items() if name != TAGS})

    def size(self, value: dict[str, Any]) -> int:
        return len(self.encode(value))

    def decode(self, data: bytes) -> dict[str, Any]:
        try:
            return self._codec.decode(data)
        except DecodeError as error:
            if not error.path.startswith("hops"):
                raise
            return self._codec.decode_from(data + bytes(64), 0)[0]

    def decode_from(self, buffer: bytes, offset: int) -> tuple[dict[str, Any], int]:
        return self._codec.decode_from(buffer, offset)
