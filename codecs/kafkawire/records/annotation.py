"""The annotation of record sets: the bytes of each part of a records field.

The names are those of `record_set_layout` and of decode errors. The annotation reads up to the first fault,
which it returns; checksums are not computed. Compressed data is one span, because its content has no bytes in
the record set.
"""

import struct
from dataclasses import dataclass, field, replace
from typing import Any, Final

from kafkawire.annotate import Annotation, Span, annotate
from kafkawire.errors import DecodeError, Fault
from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import ScalarType
from kafkawire.wire.varints import read_varint, read_varlong

COMPRESSED: Final = "compressed"
"""The role of a span of compressed data."""

UNREAD: Final = "unread"
"""The role of a span of a records field, after the place where reading of the record set stops."""

_HEAD: Final = (
    ("size", "i", "length"),
    ("partitionLeaderEpoch", "i", "value"),
    ("magic", "b", "magic"),
    ("crc", "I", "crc"),
    ("attributes", "H", "attributes"),
    ("lastOffsetDelta", "i", "value"),
    ("baseTimestamp", "q", "value"),
    ("maxTimestamp", "q", "value"),
    ("producerId", "q", "value"),
    ("producerEpoch", "h", "value"),
    ("baseSequence", "i", "value"),
    ("count", "i", "count"),
)
"""The fields after the base offset: name, letter of `struct`, role."""
_LEGACY_HEAD: Final = (
    ("size", "i", "length"),
    ("crc", "I", "crc"),
    ("magic", "b", "magic"),
    ("attributes", "b", "attributes"),
)
_TO_MAGIC: Final = 17


def annotate_records(data: bytes) -> Annotation:
    """Name the bytes of a record set, up to the first fault; never raises."""
    walk = _Walk(data)
    stopped = None
    try:
        walk.batches()
    except DecodeError as error:
        stopped = error
    return Annotation(tuple(walk.spans), walk.pos, stopped)


@dataclass(frozen=True, slots=True)
class AnnotatedMessage:
    """The spans of a message, with those of the batches in its records fields.

    Attributes:
        message: the spans. For each non-null record set there is a span with the role ``length``, followed by
            the spans of its batches.
        record_faults: the fault of each record set that could not be read to its end; paths and offsets are
            those of the message. The spans after that record set are not affected.
    """

    message: Annotation
    record_faults: tuple[DecodeError, ...]


def annotate_with_records(layout: MessageLayout, data: bytes, start: int = 0) -> AnnotatedMessage:
    """Name the bytes of one message from offset `start`, and those of its record sets; never raises."""
    found = annotate(layout, data, start)
    spans: list[Span] = []
    faults: list[DecodeError] = []
    for span in found.spans:
        records = span.field is not None and span.field.scalar is ScalarType.RECORDS
        if records and isinstance(span.value, bytes):
            spans += _record_spans(span, span.value, faults)
        else:
            spans.append(span)
    return AnnotatedMessage(Annotation(tuple(spans), found.end, found.stopped), tuple(faults))


def _record_spans(outer: Span, content: bytes, faults: list[DecodeError]) -> list[Span]:
    """The spans of a records field; the fault of its record set goes into `faults`."""
    base = outer.end - len(content)
    inner = annotate_records(content)
    spans = [replace(outer, end=base, role="length", value=len(content))]
    for span in inner.spans:
        start, end = span.start + base, span.end + base
        spans.append(replace(span, start=start, end=end, path=f"{outer.path}.{span.path}"))
    if inner.stopped is not None:
        fault, offset = inner.stopped, (inner.stopped.offset or 0) + base
        faults.append(DecodeError(fault.fault, fault.path, fault.detail, offset).within(outer.path))
        if inner.end < len(content):
            rest = content[inner.end :]
            spans.append(Span(base + inner.end, outer.end, f"{outer.path}.{UNREAD}", None, UNREAD, rest))
    return spans


@dataclass(slots=True)
class _Walk:
    data: bytes
    pos: int = 0
    spans: list[Span] = field(default_factory=list)

    def _note(self, path: str, end: int, value: Any, role: str = "value") -> None:
        """A span up to `end`; none where it would be empty."""
        if end > len(self.data):
            raise DecodeError(Fault.TRUNCATED, path, "the bytes end here", self.pos)
        if end < self.pos:
            raise DecodeError(Fault.LENGTH, path, "the batch ends before this", self.pos)
        if end > self.pos:
            self.spans.append(Span(self.pos, end, path, None, role, value))
        self.pos = end

    def _number(self, path: str, kind: str, role: str = "value") -> int:
        try:
            (value,) = struct.unpack_from(f">{kind}", self.data, self.pos)
        except struct.error:
            raise DecodeError(Fault.TRUNCATED, path, "the bytes end here", self.pos) from None
        self._note(path, self.pos + struct.calcsize(kind), value, role)
        return int(value)

    def _varint(self, path: str, role: str = "value") -> int:
        value, end = read_varint(self.data, self.pos)
        self._note(path, end, value, role)
        return value

    def batches(self) -> None:
        index = 0
        while self.pos < len(self.data):
            left = len(self.data) - self.pos
            size = int.from_bytes(self.data[self.pos + 8 : self.pos + 12], "big", signed=True)
            if left < _TO_MAGIC or size > left - 12:
                self._note("tail", len(self.data), self.data[self.pos :])
                return
            self._batch(f"batches[{index}]", self.pos + 12 + size)
            index += 1

    def _batch(self, path: str, end: int) -> None:
        if self.data[self.pos + 16] != 2:
            self._message(path, end)
            return
        self._number(f"{path}.baseOffset", "q")
        head = {name: self._number(f"{path}.{name}", kind, role) for name, kind, role in _HEAD}
        if head["attributes"] & 7:
            self._note(f"{path}.records", end, self.data[self.pos : end], COMPRESSED)
            return
        index = 0
        while self.pos < end:
            self._record(f"{path}.records[{index}]")
            index += 1

    def _record(self, path: str) -> None:
        self._varint(f"{path}.length", "length")
        self._number(f"{path}.attributes", "b")
        value, end = read_varlong(self.data, self.pos)
        self._note(f"{path}.timestampDelta", end, value)
        self._varint(f"{path}.offsetDelta")
        self._blob(f"{path}.key")
        self._blob(f"{path}.value")
        for index in range(self._varint(f"{path}.headers", "count")):
            self._blob(f"{path}.headers[{index}].key")
            self._blob(f"{path}.headers[{index}].value")

    def _blob(self, path: str) -> None:
        """A length and as many bytes; a null is its length alone."""
        self._content(path, self._varint(path, "length"))

    def _content(self, path: str, length: int) -> None:
        end = self.pos + max(length, 0)
        self._note(path, end, self.data[self.pos : end])

    def _message(self, path: str, end: int) -> None:
        self._number(f"{path}.offset", "q")
        head = {name: self._number(f"{path}.{name}", kind, role) for name, kind, role in _LEGACY_HEAD}
        if head["magic"] == 1:
            self._number(f"{path}.timestamp", "q")
        self._content(f"{path}.key", self._number(f"{path}.key", "i", "length"))
        if head["attributes"] & 7:
            self._number(f"{path}.messages", "i", "length")
            self._note(f"{path}.messages", end, self.data[self.pos : end], COMPRESSED)
        else:
            self._content(f"{path}.value", self._number(f"{path}.value", "i", "length"))
