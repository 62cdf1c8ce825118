"""Which bytes of a record set belong to which field: for people, and for whoever wants to spoil one of them.

It reads as far as the bytes make sense and says why it stopped; checksums are not computed, compressed data
is one span.
"""

import struct
from typing import Final

from kafkawire.annotate import Annotation, Span
from kafkawire.errors import DecodeError, Fault
from kafkawire.values import Value
from kafkawire.wire.varints import read_varint, read_varlong

__all__ = ["annotate_records"]

_Field = tuple[str, str, str]
"""Name in Kafka's words, struct code, role."""

_PREFIX: Final[tuple[_Field, ...]] = (("baseOffset", "q", "value"), ("batchLength", "i", "length"))
_V2: Final[tuple[_Field, ...]] = (
    *_PREFIX,
    ("partitionLeaderEpoch", "i", "value"),
    ("magic", "b", "magic"),
    ("crc", "I", "crc"),
    ("attributes", "h", "attributes"),
    ("lastOffsetDelta", "i", "value"),
    ("baseTimestamp", "q", "value"),
    ("maxTimestamp", "q", "value"),
    ("producerId", "q", "value"),
    ("producerEpoch", "h", "value"),
    ("baseSequence", "i", "value"),
    ("recordsCount", "i", "count"),
)
_V0: Final[tuple[_Field, ...]] = (
    ("offset", "q", "value"),
    ("messageSize", "i", "length"),
    ("crc", "I", "crc"),
    ("magic", "b", "magic"),
    ("attributes", "b", "attributes"),
)
_V1: Final[tuple[_Field, ...]] = (*_V0, ("timestamp", "q", "value"))
_HEADS: Final = {0: _V0, 1: _V1, 2: _V2}
_MAGIC_AT: Final = 16
_CODEC: Final = 7


def annotate_records(data: bytes) -> Annotation:
    """Name the bytes of a records field."""
    walk = _Walk(data)
    stopped = None
    try:
        while walk.pos < len(data):
            walk.batch()
    except DecodeError as error:
        stopped = error
    except struct.error:
        stopped = DecodeError(
            Fault.TRUNCATED, "", f"{len(data) - walk.pos} bytes of a batch cut off", walk.pos
        )
    return Annotation(tuple(walk.spans), walk.pos, stopped)


class _Walk:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.pos = 0
        self.spans: list[Span] = []
        self.batches = 0

    def batch(self) -> None:
        if len(self.data) - self.pos <= _MAGIC_AT:
            raise DecodeError(Fault.TRUNCATED, "", "a batch cut off", self.pos)
        path = f"batches[{self.batches}]"
        magic = self.data[self.pos + _MAGIC_AT]
        if magic not in _HEADS:
            raise DecodeError(Fault.MAGIC, f"{path}.magic", f"magic {magic}", self.pos + _MAGIC_AT)
        start = self.pos
        head = {name: self._fixed(f"{path}.{name}", code, role) for name, code, role in _HEADS[magic]}
        length = head["batchLength" if magic == 2 else "messageSize"]
        end = start + 12 + length
        if not self.pos <= end <= len(self.data):
            raise DecodeError(Fault.LENGTH, path, f"a batch of {length} bytes", start + 8)
        if magic < 2:
            self._block(f"{path}.key", legacy=True)
            self._block(f"{path}.value", legacy=True)
        elif head["attributes"] & _CODEC:
            self._span(end, f"{path}.records", "compressed", self.data[self.pos : end])
        else:
            for index in range(head["recordsCount"]):
                self._record(f"{path}.records[{index}]")
        self.batches += 1
        self._span(end, path, "rest", self.data[self.pos : end])

    def _record(self, path: str) -> None:
        self._varint(f"{path}.length", "length")
        self._fixed(f"{path}.attributes", "b", "value")
        value, end = read_varlong(self.data, self.pos)
        self._span(end, f"{path}.timestampDelta", "value", value)
        self._varint(f"{path}.offsetDelta", "value")
        self._block(f"{path}.key")
        self._block(f"{path}.value")
        for index in range(self._varint(f"{path}.headers", "count")):
            self._block(f"{path}.headers[{index}].key")
            self._block(f"{path}.headers[{index}].value")

    def _block(self, path: str, *, legacy: bool = False) -> None:
        length = self._fixed(path, "i", "length") if legacy else self._varint(path, "length")
        end = self.pos + max(length, 0)
        if end > len(self.data):
            raise DecodeError(Fault.TRUNCATED, path, f"{length} bytes wanted", self.pos)
        self._span(end, path, "value", self.data[self.pos : end])

    def _varint(self, path: str, role: str) -> int:
        value, end = read_varint(self.data, self.pos)
        self._span(end, path, role, value)
        return value

    def _fixed(self, path: str, code: str, role: str) -> int:
        reader = struct.Struct(f">{code}")
        (value,) = reader.unpack_from(self.data, self.pos)
        self._span(self.pos + reader.size, path, role, value)
        return int(value)

    def _span(self, end: int, path: str, role: str, value: Value) -> None:
        if end > self.pos:
            self.spans.append(Span(self.pos, end, path, None, role, value))
        self.pos = end
