"""The interpreted codec: walks the layout with the primitives of `wire`, for clarity.

It also makes all error messages: if the compiled codec refuses an input, this one raises the error with its
path and offset.
"""

from typing import Any

from kafkawire.caching import BoundedCache
from kafkawire.compiler._interpreted_decode import Reading, Skips, StructReader
from kafkawire.compiler._interpreted_encode import StructWriter
from kafkawire.compiler.codec import trailing
from kafkawire.errors import DecodeError, Fault
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import StructValue
from kafkawire.wire import Buffer, as_bytes


class InterpretedCodec:
    """`MessageCodec` without generated code."""

    source = ""

    def __init__(self, layout: MessageLayout) -> None:
        self.layout = layout
        self._read = StructReader(layout.root)
        self._write = StructWriter(layout.root)

    def __reduce__(self) -> tuple[Any, ...]:
        return interpret_layout, (self.layout,)

    def decode(self, data: Buffer) -> StructValue:
        data = as_bytes(data)
        value, end = self._read(data, 0, Reading(len(data)))
        if end != len(data):
            raise trailing(data, end)
        return value

    def decode_from(self, buffer: Buffer, offset: int) -> tuple[StructValue, int]:
        if offset < 0:
            raise ValueError(f"offset {offset} is negative")
        data = as_bytes(buffer)
        if offset > len(data):
            raise DecodeError(Fault.TRUNCATED, "", f"a message after the {len(data)} bytes", offset)
        return self._read(data, offset, Reading(len(data) - offset))

    def explain(self, data: bytes, offset: int, whole: bool, skips: Skips) -> None:
        """Raise the error that `decode` (or `decode_from`, where `whole` is false) raises, if any.

        `skips` names for each array the element up to which all are known to be right.
        """
        _, end = self._read(data, offset, Reading(len(data) - offset, skips))
        if whole and end != len(data):
            raise trailing(data, end)

    def encode(self, value: StructValue) -> bytes:
        return self._write(value)

    def size(self, value: StructValue) -> int:
        return len(self._write(value))


_made: BoundedCache[MessageLayout, InterpretedCodec] = BoundedCache(InterpretedCodec)


def interpret_layout(layout: MessageLayout) -> InterpretedCodec:
    """A codec that walks the layout at each call. Made once for each layout."""
    return _made(layout)
