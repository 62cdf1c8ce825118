"""The adapter of our own codec of record sets, in this process."""

from collections.abc import Callable

from kafkawire.errors import CodecError
from kafkawire.records import RecordSet, decode_records, encode_records
from wireproof.model import Crashed, Encoded, RecordsDecoded, RecordsReply, Refused

__all__ = ["KafkawireRecords"]

_SCRIBBLE = 0xA5
"""What a borrowed buffer is overwritten with once the codec has answered."""


class KafkawireRecords:
    """Asks a pair of functions.

    Args:
        encode, decode: ours, if nothing else is said.
    """

    def __init__(
        self,
        name: str = "kafkawire[records]",
        encode: Callable[[RecordSet], bytes] = encode_records,
        decode: Callable[[memoryview], RecordSet] = decode_records,
    ) -> None:
        self._name = name
        self._encode = encode
        self._decode = decode

    @property
    def name(self) -> str:
        return self._name

    def encode(self, records: RecordSet) -> Encoded | Refused | Crashed:
        """The bytes of a records field; a refusal or a crash is a reply like any other."""
        try:
            return Encoded(self._encode(records))
        except CodecError as error:
            return Refused(str(error.fault), str(error), error.path, error.offset)
        except Exception as error:  # noqa: BLE001 - whatever else leaves a codec is the finding itself
            return Crashed(type(error).__name__, str(error))

    def decode(self, data: bytes, before: bytes = b"", after: bytes = b"") -> RecordsReply:
        """The batches; the buffer they were in is overwritten."""
        buffer = bytearray(before + data + after)
        try:
            with memoryview(buffer) as whole, whole[len(before) : len(before) + len(data)] as part:
                records = self._decode(part)
        except CodecError as error:
            return Refused(str(error.fault), str(error), error.path, error.offset)
        except Exception as error:  # noqa: BLE001 - whatever else leaves a codec is the finding itself
            return Crashed(type(error).__name__, str(error))
        buffer[:] = bytes([_SCRIBBLE]) * len(buffer)
        return RecordsDecoded(records)
