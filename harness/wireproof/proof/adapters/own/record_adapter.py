"""The adapter of our codec of record sets: the content of records fields."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import assert_never

from kafkawire.records import (
    MissingLibraryError,
    RecordSet,
    decode_records,
    encode_records,
    from_value,
    size_of_records,
    to_value,
)
from kafkawire.schema.layout import MessageLayout
from kafkawire.wire.buffers import Buffer
from wireproof.model.adapter import (
    Copy,
    Decode,
    Decoded,
    DecodeFrame,
    Encode,
    Encoded,
    EncodeFrame,
    Equal,
    FeedFrame,
    Reencode,
    Reencoded,
    Reply,
    Request,
    Size,
    Sized,
)
from wireproof.model.cell import Cell
from wireproof.model.oracle import OracleError
from wireproof.proof.adapters.own.kafkawire_adapter import OVERWRITE_BYTE, reply_of


@dataclass(frozen=True, slots=True)
class RecordCodec:
    """A codec of record sets; each function can be replaced, also by a wrong one.

    Compression is replaced by an argument: ``partial(encode_records, compress=...)``.
    """

    encode: Callable[[RecordSet], bytes] = encode_records
    decode: Callable[[Buffer], RecordSet] = decode_records
    size: Callable[[RecordSet], int] = size_of_records


class RecordsAdapter:
    """The adapter of a codec of record sets; values are those of `kafkawire.records.record_set_layout`."""

    def __init__(self, name: str, codec: RecordCodec | None = None) -> None:
        self.name = name
        self._codec = codec or RecordCodec()

    def ask(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        """Answer each request; a refusal or a crash is a reply like any other.

        Raises:
            OracleError: a library of checksums or compressions is missing, which is not the codec's fault.
        """
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request) -> Reply:
        codec = self._codec
        try:
            match request:
                case Encode(value):
                    return Encoded(codec.encode(from_value(value)))
                case Size(value):
                    return Sized(codec.size(from_value(value)))
                case Decode(data, b"", b""):
                    return Decoded(to_value(codec.decode(data)))
                case Decode(data, before, after):
                    return self._decode_within(data, before, after)
                case Reencode(data):
                    return Reencoded(codec.encode(codec.decode(data)))
                case EncodeFrame() | DecodeFrame() | FeedFrame() | Equal() | Copy():
                    raise LookupError("record sets are neither framed nor compared")
                case _:
                    assert_never(request)
        except MissingLibraryError as error:
            raise OracleError(str(error)) from error
        except Exception as error:  # noqa: BLE001 - an error of a codec is the finding itself
            return reply_of(error)

    def _decode_within(self, data: bytes, before: bytes, after: bytes) -> Reply:
        """Decode a view into a larger buffer, then overwrite that buffer."""
        buffer = bytearray(before + data + after)
        with memoryview(buffer)[len(before) : len(before) + len(data)] as view:
            records = self._codec.decode(view)
            buffer[:] = bytes([OVERWRITE_BYTE]) * len(buffer)
        return Decoded(to_value(records))
