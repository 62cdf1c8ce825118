"""The interface of the interpreted and the compiled codec of one layout."""

from typing import Protocol

from kafkawire.errors import DecodeError, Fault
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import StructValue
from kafkawire.wire import Buffer


class MessageCodec(Protocol):
    """Decodes and encodes messages of one layout. It keeps no state between calls."""

    @property
    def layout(self) -> MessageLayout: ...

    @property
    def source(self) -> str:
        """The generated Python text; ``""`` if there is none."""

    def decode(self, data: Buffer) -> StructValue:
        """Decode a whole message: all fields of the version, tagged ones too, and unknown tags if any.

        Raises:
            DecodeError: `data` is not exactly one message of the layout.
            TypeError: `data` is not bytes, bytearray or memoryview.
        """

    def decode_from(self, buffer: Buffer, offset: int) -> tuple[StructValue, int]:
        """Decode a message that begins at `offset`; return it and the position after it. More may follow.

        Raises:
            DecodeError: there is no such message; offsets count from the start of the buffer.
            ValueError: a negative offset.
        """

    def encode(self, value: StructValue) -> bytes:
        """Encode a value to its canonical bytes. Absent keys mean defaults.

        Raises:
            EncodeError: the value is not a message of the layout.
        """

    def size(self, value: StructValue) -> int:
        """Return the number of bytes that `encode` returns.

        For a value that `encode` refuses, the result is a number or an EncodeError. The compiled and the
        native codec compute it without encoding, and do not check the range of numbers.
        """


def trailing(data: bytes, end: int) -> DecodeError:
    """Return the error for bytes after a message that ends at `end`."""
    return DecodeError(Fault.TRAILING, "", f"{len(data) - end} bytes after the message", end)
