"""The label of a blob, which names the message in it, and the interface of the codecs of blobs."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol, TypeAlias

from kafkawire.compiler import MessageCodec
from kafkawire.compiler.codec import trailing
from kafkawire.errors import DecodeError, EncodeError, Fault
from kafkawire.values import StructValue
from kafkawire.wire import Buffer


class Label(NamedTuple):
    """The message that a blob holds, and its version.

    Attributes:
        version: the version of the layout that the body has.
        type: the record type (Kafka: `apiKey`) if several messages share a framing; else None.
    """

    version: int
    type: int | None = None

    def __str__(self) -> str:
        return f"version {self.version}" if self.type is None else f"type {self.type} version {self.version}"


Codecs: TypeAlias = Mapping[Label, MessageCodec]
"""The codecs of all messages that a blob may hold."""


class BlobCodec(Protocol):
    """Label and body to one blob of bytes, and back. It keeps no state between calls."""

    def encode(self, label: Label, value: StructValue) -> bytes:
        """Return the bytes of the blob.

        Raises:
            EncodeError: LABEL where there is no such message; else as the message's codec.
        """

    def size(self, label: Label, value: StructValue) -> int:
        """The bytes that `encode` gives, without encoding.

        Raises:
            EncodeError: as `encode`.
        """

    def decode(self, data: Buffer) -> tuple[Label, StructValue]:
        """The label and the body of exactly one blob.

        Raises:
            DecodeError: LABEL where there is no such message; offsets count from the start of the blob.
        """


def codec_for(codecs: Codecs, label: Label) -> MessageCodec:
    """The codec of a message to be written.

    Raises:
        EncodeError: LABEL.
    """
    codec = codecs.get(label)
    if codec is None:
        raise EncodeError(Fault.LABEL, "", f"no message of {label} is known")
    return codec


def checked(codecs: Codecs, label: Label, offset: int) -> MessageCodec:
    """The codec of a message to be read.

    Raises:
        DecodeError: LABEL, at `offset`.
    """
    codec = codecs.get(label)
    if codec is None:
        raise DecodeError(Fault.LABEL, "", f"no message of {label} is known", offset)
    return codec


def body_of(codec: MessageCodec, data: bytes, pos: int) -> StructValue:
    """The body from `pos` to the end.

    Raises:
        DecodeError: no such message; TRAILING.
    """
    value, end = codec.decode_from(data, pos)
    if end != len(data):
        raise trailing(data, end)
    return value
