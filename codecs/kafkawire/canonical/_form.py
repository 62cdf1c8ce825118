"""Both canonical forms of one layout's values."""

from kafkawire.canonical._json import from_json, to_json
from kafkawire.canonical._reading import read_struct
from kafkawire.canonical._writing import write_struct
from kafkawire.errors import DecodeError, Fault
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import StructValue
from kafkawire.wire import Buffer, as_bytes

__all__ = ["Canonical"]


class Canonical:
    """Values of one layout to bytes or text and back. Absent keys mean defaults, and are written."""

    def __init__(self, layout: MessageLayout) -> None:
        self.layout = layout

    def to_binary(self, value: StructValue) -> bytes:
        """The canonical binary.

        Raises:
            EncodeError: the value is no message of the layout.
        """
        return b"".join(write_struct(self.layout.root, value))

    def from_binary(self, data: Buffer) -> StructValue:
        """The value, complete.

        Raises:
            DecodeError: the bytes are no canonical binary of the layout.
        """
        data = as_bytes(data)
        value, end = read_struct(self.layout.root, data, 0)
        if end != len(data):
            raise DecodeError(Fault.TRAILING, "", f"{len(data) - end} bytes behind the message", end)
        return value

    def to_json(self, value: StructValue) -> str:
        """The canonical JSON.

        Raises:
            EncodeError: the value is no message of the layout.
        """
        return to_json(self.layout.root, value)

    def from_json(self, text: str) -> StructValue:
        """The value, complete.

        Raises:
            DecodeError: the text is no canonical JSON of the layout.
        """
        return from_json(self.layout.root, text)
