"""Blobs that say nothing of themselves (kafka-clients: `StickyAssignor`)."""

from kafkawire.embedded.label import Codecs, Label, body_of, codec_for
from kafkawire.errors import CodecError
from kafkawire.values import StructValue
from kafkawire.wire import Buffer, as_bytes


class Unlabelled:
    """The body alone: it is of the newest version that it fits from its first byte to its last.

    Args:
        codecs: by label; of two versions, no bytes may be whole bodies of both.
    """

    __slots__ = ("_codecs",)

    def __init__(self, codecs: Codecs) -> None:
        self._codecs = codecs

    def encode(self, label: Label, value: StructValue) -> bytes:
        return codec_for(self._codecs, label).encode(value)

    def size(self, label: Label, value: StructValue) -> int:
        return codec_for(self._codecs, label).size(value)

    def decode(self, data: Buffer) -> tuple[Label, StructValue]:
        """See `BlobCodec`; the error is that of the newest version."""
        blob = as_bytes(data)
        newest, *older = sorted(self._codecs, reverse=True)
        try:
            return newest, body_of(self._codecs[newest], blob, 0)
        except CodecError:
            for label in older:
                try:
                    return label, body_of(self._codecs[label], blob, 0)
                except CodecError:
                    continue
            raise
