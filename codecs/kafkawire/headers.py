"""Whole frames: size, header, body (protocol guide, "Request Header v2"; kafka-clients: `SendBuilder`).

The layout's `header_version` determines the header of a message version.
"""

from kafkawire.compiler import MessageCodec
from kafkawire.compiler.codec import trailing
from kafkawire.errors import CodecError
from kafkawire.values import StructValue
from kafkawire.wire import PREFIX_BYTES, Buffer, as_bytes, read_frame, write_frame

_STEP = "header"


class FrameCodec:
    """Frames of one message version. Paths in the header's errors begin with ``header.``."""

    __slots__ = ("body", "header")

    def __init__(self, header: MessageCodec, body: MessageCodec) -> None:
        self.header = header
        self.body = body

    def encode(self, header: StructValue, body: StructValue) -> bytes:
        """Size, header and body.

        Raises:
            EncodeError: one of them is not a message of its layout; TOO_LONG.
        """
        try:
            head = self.header.encode(header)
        except CodecError as error:
            raise error.within(_STEP) from None
        return write_frame(head + self.body.encode(body))

    def decode(self, frame: Buffer) -> tuple[StructValue, StructValue]:
        """The header and the body of exactly one frame.

        Raises:
            DecodeError: offsets count from the start of the frame, its size included.
        """
        data = as_bytes(frame)
        end = len(data)
        if int.from_bytes(data[:PREFIX_BYTES], "big") != end - PREFIX_BYTES:
            raise trailing(data, read_frame(data, 0)[1])
        try:
            header, pos = self.header.decode_from(data, PREFIX_BYTES)
        except CodecError as error:
            raise error.within(_STEP) from None
        body, pos = self.body.decode_from(data, pos)
        if pos != end:
            raise trailing(data, pos)
        return header, body
