"""The face of a codec for one layout, and what both twins share at their borders."""

from typing import Protocol

from kafkawire.errors import DecodeError, Fault
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import StructValue
from kafkawire.wire import Buffer

__all__ = ["MessageCodec", "trailing"]


class MessageCodec(Protocol):
    """Bytes of one layout to values and back. Nothing of it keeps state between calls."""

    @property
    def layout(self) -> MessageLayout: ...

    @property
    def source(self) -> str:
        """The generated Python text; ``""`` where there is none."""
        ...

    def decode(self, data: Buffer) -> StructValue:
        """A whole message: all fields of the version, tagged ones too, and unknown tags if any.

        Raises:
            DecodeError: `data` is not exactly one message of the layout.
            TypeError: `data` is no bytes, bytearray or memoryview.
        """
        ...

    def decode_from(self, buffer: Buffer, offset: int) -> tuple[StructValue, int]:
        """A message that begins at `offset`, and the position behind it. More may follow there.

        Raises:
            DecodeError: there is no such message; offsets count from the start of the buffer.
            ValueError: a negative offset.
        """
        ...

    def encode(self, value: StructValue) -> bytes:
        """The canonical bytes. Absent keys mean defaults.

        Raises:
            EncodeError: the value is no message of the layout.
        """
        ...

    def size(self, value: StructValue) -> int:
        """The bytes that `encode` gives, without encoding.

        For a value that `encode` refuses: a number or an EncodeError. Numbers are not looked at.
        """
        ...


def trailing(data: bytes, end: int) -> DecodeError:
    """The refusal of bytes behind a message that ends at `end`."""
    return DecodeError(Fault.TRAILING, "", f"{len(data) - end} bytes behind the message", end)
