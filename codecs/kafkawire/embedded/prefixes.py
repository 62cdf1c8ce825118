"""Blobs that begin with two bytes (the version of the body, or its type), and blobs without a label."""

from kafkawire.embedded.label import Codecs, Label, body_of, checked, codec_for
from kafkawire.errors import CodecError
from kafkawire.values import StructValue
from kafkawire.wire import Buffer, as_bytes, read_int16, write_int16

_PREFIX_BYTES = 2


class VersionPrefixed:
    """Version (int16) and body: `MessageUtil.toVersionPrefixedBytes`.

    Coordinator keys up to 3.9 have this framing, too. There each version belongs to one message, so it is the
    type of the record.

    Args:
        codecs: the codecs by label; no label has a type.
        tolerant: read a version above the newest as the newest, and ignore bytes after the body, as
            `ConsumerProtocol` does: members of a group may be newer than their leader. Else refuse it.
    """

    __slots__ = ("_codecs", "_tolerant")

    def __init__(self, codecs: Codecs, *, tolerant: bool = False) -> None:
        self._codecs = codecs
        self._tolerant = tolerant

    def encode(self, label: Label, value: StructValue) -> bytes:
        codec = codec_for(self._codecs, label)
        return write_int16(label.version) + codec.encode(value)

    def size(self, label: Label, value: StructValue) -> int:
        return _PREFIX_BYTES + codec_for(self._codecs, label).size(value)

    def decode(self, data: Buffer) -> tuple[Label, StructValue]:
        """See `BlobCodec`; the label has the version by which the body was read."""
        blob = as_bytes(data)
        version, pos = read_int16(blob, 0)
        newest = max(known.version for known in self._codecs)
        if self._tolerant and version > newest:
            label = Label(newest)
            return label, self._codecs[label].decode_from(blob, pos)[0]
        label = Label(version)
        return label, body_of(checked(self._codecs, label, 0), blob, pos)


class TypePrefixed:
    """Record type (int16) and body: `MessageUtil.toCoordinatorTypePrefixedBytes`.

    The bytes do not contain the version of the body, because the version of a key never changes.

    Args:
        codecs: the codecs by label, one for each type.
    """

    __slots__ = ("_codecs", "_labels")

    def __init__(self, codecs: Codecs) -> None:
        self._codecs = codecs
        self._labels = {label.type: label for label in codecs}

    def encode(self, label: Label, value: StructValue) -> bytes:
        codec = codec_for(self._codecs, label)
        return write_int16(label.type or 0) + codec.encode(value)

    def size(self, label: Label, value: StructValue) -> int:
        return _PREFIX_BYTES + codec_for(self._codecs, label).size(value)

    def decode(self, data: Buffer) -> tuple[Label, StructValue]:
        blob = as_bytes(data)
        kind, pos = read_int16(blob, 0)
        label = self._labels.get(kind, Label(0, kind))
        return label, body_of(checked(self._codecs, label, 0), blob, pos)


class Unlabelled:
    """The body alone. Its version is the newest one by which all its bytes can be read.

    Args:
        codecs: the codecs by label; no bytes may be a whole body of two versions.
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
