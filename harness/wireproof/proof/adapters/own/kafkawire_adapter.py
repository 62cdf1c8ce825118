"""The adapter of our own codec in this process: one for the compiled codec, one for the interpreted codec."""

from collections.abc import Callable, Sequence
from typing import assert_never

from kafkawire.compiler import MessageCodec
from kafkawire.errors import CodecError, Fault
from kafkawire.headers import FrameCodec
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import (
    Copy,
    Crashed,
    Decode,
    Decoded,
    DecodedFrame,
    DecodeFrame,
    Encode,
    Encoded,
    EncodeFrame,
    Equal,
    FeedFrame,
    HeaderLayouts,
    Reencode,
    Reencoded,
    Refused,
    Reply,
    Request,
    Size,
    Sized,
    Unsupported,
)
from wireproof.model.cell import Cell

OVERWRITE_BYTE = 0xA5
"""The byte that overwrites a borrowed buffer after the codec's answer."""

_MAX_CODECS = 256
"""Codecs held at a time; the compiler has a cache of its own for the others."""


class KafkawireAdapter:
    """The adapter of the compiled or of the interpreted codec.

    Args:
        make: a function of `kafkawire.compiler`: `fastest_codec`, `compile_layout` or `interpret_layout`.
        headers: the header layouts of every release of the requests.
        frames: makes the codec of whole frames from the codecs of header and body.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[MessageLayout], MessageCodec],
        headers: HeaderLayouts,
        frames: Callable[[MessageCodec, MessageCodec], FrameCodec] = FrameCodec,
    ) -> None:
        self.name = name
        self._make = make
        self._headers = headers
        self._frames = frames
        self._codecs: dict[Cell, MessageCodec] = {}

    def ask(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        """Answer each request; a refusal or a crash is a reply like any other."""
        codec = self._codecs.get(cell)
        if codec is None or codec.layout is not layout:
            if len(self._codecs) >= _MAX_CODECS:
                self._codecs.clear()
            codec = self._codecs[cell] = self._make(layout)
        return [self._answer(cell, codec, request) for request in requests]

    def _answer(self, cell: Cell, codec: MessageCodec, request: Request) -> Reply:
        try:
            match request:
                case Encode(value):
                    return Encoded(codec.encode(value))
                case Size(value):
                    return Sized(codec.size(value))
                case Decode(data, b"", b""):
                    return Decoded(codec.decode(data))
                case Decode(data, before, after):
                    return _decode_within(codec, data, before, after)
                case Reencode(data):
                    return Reencoded(codec.encode(codec.decode(data)))
                case Equal() | Copy():
                    return Unsupported("", "its values are plain dicts, and no objects of its own")
                case FeedFrame():
                    return Unsupported("", "it reads whole buffers, and no streams")
                case EncodeFrame(header, value):
                    return Encoded(self._frame_codec(cell, codec).encode(header, value))
                case DecodeFrame(data):
                    return DecodedFrame(*self._frame_codec(cell, codec).decode(data))
                case _:
                    assert_never(request)
        except Exception as error:  # noqa: BLE001 - an error of a codec is the finding itself
            return reply_of(error)

    def _frame_codec(self, cell: Cell, codec: MessageCodec) -> FrameCodec:
        layout = codec.layout
        if layout.header_version is None:
            raise LookupError(f"{cell.id} has no header version")
        header = self._headers[cell.release, layout.kind, layout.header_version]
        return self._frames(self._make(header), codec)


def reply_of(error: Exception) -> Refused | Crashed:
    """The reply for an error that a codec raised: a refusal, or a crash like that of any other error."""
    if isinstance(error, CodecError):
        return Refused(str(error.fault), str(error), error.path, error.offset)
    return Crashed(type(error).__name__, str(error))


def _decode_within(codec: MessageCodec, data: bytes, before: bytes, after: bytes) -> Reply:
    """Decode in the middle of a larger buffer, then overwrite that buffer."""
    buffer = bytearray(before + data + after)
    value, end = codec.decode_from(buffer, len(before))
    buffer[:] = bytes([OVERWRITE_BYTE]) * len(buffer)
    left = len(before) + len(data) - end
    if left:
        return Refused(str(Fault.TRAILING), f"stopped {left} bytes before the end", offset=end)
    return Decoded(value)
