"""Records of the metadata log (KIP-746; server-common: `AbstractApiMessageSerde`).

Frame version, record type and version of the body, each an unsigned varint, then the body to the end.
Remote log metadata have the same frame.
"""

from typing import Final

from kafkawire.embedded.label import Codecs, Label, body_of, checked, codec_for
from kafkawire.errors import DecodeError, Fault
from kafkawire.values import StructValue
from kafkawire.wire import Buffer, as_bytes, read_uvarint, size_uvarint, write_uvarint

RECORD_FRAME: Final = 1
"""The frame version since 3.0."""

PREVIEW_FRAME: Final = 0
"""The frame version of 2.8, which called its metadata log a preview; 3.0 and later refuse it."""

_MOST: Final = 0x7FFF
"""The largest type or version: the varints hold int16 numbers."""


class RecordFramed:
    """Frame version, type, version and body.

    Args:
        codecs: the codecs by label, each with a type.
        frame_version: the frame version that is written, and the only one that is read.
    """

    __slots__ = ("_codecs", "_frame")

    def __init__(self, codecs: Codecs, *, frame_version: int = RECORD_FRAME) -> None:
        self._codecs = codecs
        self._frame = frame_version

    def encode(self, label: Label, value: StructValue) -> bytes:
        codec = codec_for(self._codecs, label)
        return b"".join(map(write_uvarint, self._numbers(label))) + codec.encode(value)

    def size(self, label: Label, value: StructValue) -> int:
        codec = codec_for(self._codecs, label)
        return sum(map(size_uvarint, self._numbers(label))) + codec.size(value)

    def decode(self, data: Buffer) -> tuple[Label, StructValue]:
        blob = as_bytes(data)
        frame, pos = _read_number(blob, 0, "frame version")
        if frame != self._frame:
            raise DecodeError(Fault.LABEL, "", f"frame version {frame}, not {self._frame}", 0)
        at = pos
        kind, pos = _read_number(blob, pos, "type")
        version, pos = _read_number(blob, pos, "version")
        label = Label(version, kind)
        return label, body_of(checked(self._codecs, label, at), blob, pos)

    def _numbers(self, label: Label) -> tuple[int, int, int]:
        return self._frame, label.type or 0, label.version


def _read_number(blob: bytes, pos: int, what: str) -> tuple[int, int]:
    value, end = read_uvarint(blob, pos)
    if value > _MOST:
        raise DecodeError(Fault.LABEL, "", f"{what} {value}, above {_MOST}", pos)
    return value, end
