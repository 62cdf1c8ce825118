"""The reader of record sets with deviations: it predicts what a codec with them reads.

Without a deviation it reads and refuses the same bytes as `decode_records`. The two share only the code for
decompression.
"""

import struct
from dataclasses import dataclass, field
from typing import Any, Final
from zlib import crc32

from kafkawire.records import (
    Batch,
    Compression,
    Header,
    Message,
    MessageSet,
    Record,
    RecordBatch,
    RecordSet,
    crc32c,
)
from wireproof.model.adapter import NO_VALUE
from wireproof.proof.deviations.field_values import TO_MAGIC, decoded_text
from wireproof.proof.deviations.reading import DeviantReader
from wireproof.proof.deviations.record_sets.streams import decompressed, is_header_alone, is_of_several
from wireproof.proof.deviations.rules import ENDLESS, EndingError, Rules

BATCH: Final = "batch"
MESSAGE: Final = "message"
RECORD: Final = "record"
RECORD_BYTES: Final = "bytes of a record"
RECORD_VARINT: Final = "varint of a record"
_PREFIX: Final = 12
_HEADER: Final = 49
"""Bytes of a batch's header after its size."""
_LEAST_SIZE: Final = 14
_HIGHEST_SIZE: Final = (1 << 31) - 1 - _PREFIX
_HIGHEST_MAGIC: Final = 2
_BODY: Final = {0: 18, 1: 26}
"""Offset of the key in a message of magic 0 or 1."""
_V2: Final = struct.Struct(">qiibIhiqqqhii")
_HIGHEST_CODEC: Final = 4


def read_record_set(data: bytes, rules: Rules) -> RecordSet:
    """Read a record set.

    Raises:
        EndingError: the codec ends here.
    """
    return _SetReader(rules).read(data)


@dataclass(slots=True)
class _SetReader:
    """Reads the batches of a set.

    Attributes:
        sizes_unread, lengths_unread: whether the codec ignores the size of a batch or a record, and goes on
            at the end of its content.
    """

    rules: Rules
    sizes_unread: bool = field(init=False)
    lengths_unread: bool = field(init=False)

    def __post_init__(self) -> None:
        self.sizes_unread = self.rules.has("batch-size", "content")
        self.lengths_unread = self.rules.has("record-size", "content")

    def read(self, data: bytes) -> RecordSet:
        batches: list[Batch] = []
        pos = 0
        while pos < len(data):
            end = self._end(data, pos, "batches[].")
            if end is None:
                break
            self.rules.content += end - pos
            start = pos
            batch, pos = self._batch(data, pos, end)
            if pos <= start:
                raise EndingError(ENDLESS)
            batches.append(batch)
        return RecordSet(tuple(batches), data[pos:])

    def _end(self, data: bytes, pos: int, prefix: str) -> int | None:
        """Return the end of a batch; None if the batch is cut off."""
        left = len(data) - pos
        end = len(data) + 1
        if left >= _PREFIX:
            size = int.from_bytes(data[pos + 8 : pos + _PREFIX], signed=True)
            end = pos + _PREFIX + size
            if size < _LEAST_SIZE or size > _HIGHEST_SIZE:
                action = self._of_size(size, left, f"{prefix}size")
                if action == "tail":
                    return None
                if not action or left < TO_MAGIC:  # a size that is not believed cuts no batch off
                    raise EndingError
                end = len(data)
        if left >= TO_MAGIC:
            if data[pos + 16] > _HIGHEST_MAGIC:
                action = self.rules.at("magic", BATCH, f"{prefix}magic")
                if action == "tail":
                    return None
                if not action:
                    raise EndingError
            if end <= len(data):
                return end
        self.rules.at("cut-off" if pos or left >= TO_MAGIC else "cut-head", BATCH, prefix.removesuffix("[]."))
        return None

    def _of_size(self, size: int, left: int, path: str) -> str:
        """Return the action at a size that no batch can have."""
        action = self.rules.at("short-batch", BATCH, path) if left < _HEADER else ""
        if size > _HIGHEST_SIZE and not action:
            action = self.rules.at("huge-batch", BATCH, path)
        return action or self.rules.at("batch-size", BATCH, path)

    def _at_size(self, end: int, prefix: str) -> int:
        if self.rules.at("batch-size", BATCH, f"{prefix}size") != "content":
            raise EndingError
        return end

    def _batch(self, data: bytes, pos: int, end: int) -> tuple[Batch, int]:
        if data[pos + 16] >= _HIGHEST_MAGIC:
            return self._record_batch(data, pos, end)
        message, codec, end = self._message(data, pos, end, "batches[].")
        if codec is Compression.NONE:
            return message, end
        return self._message_set(message, codec), end

    def _record_batch(self, data: bytes, pos: int, end: int) -> tuple[RecordBatch, int]:
        if end - pos < _V2.size:
            end = self._at_size(len(data), "batches[].")
        if len(data) - pos < _V2.size:
            raise EndingError
        (
            offset, _, epoch, _, crc, attributes, last, first, highest,
            producer, producer_epoch, sequence, number,
        ) = _V2.unpack_from(data, pos)  # fmt: skip
        late = self._is_refused_late(crc, crc32c()(data[pos + 21 : end]), BATCH)
        codec = self._codec(attributes, BATCH, "batches[].")
        limit = len(data) if self.sizes_unread and codec is Compression.NONE else end
        reader = RecordReader(data, pos + _V2.size, limit, self.rules, lengths_unread=self.lengths_unread)
        if codec is not Compression.NONE:
            content = self._decompressed(codec, data[reader.pos : end], 2, "batches[].records") or b""
            reader = RecordReader(content, 0, len(content), self.rules, lengths_unread=self.lengths_unread)
        records = tuple(reader.records(number))
        if self.sizes_unread and codec is Compression.NONE:
            if reader.pos != end:  # also where the content ends with the bytes
                end = self._at_size(reader.pos, "batches[].")
        elif reader.pos != reader.end and not self.rules.at("batch-end", BATCH, "batches[].records"):
            raise EndingError
        if late:
            raise EndingError
        batch = RecordBatch(
            records, offset, epoch, codec,
            bool(attributes & 8), bool(attributes & 16), bool(attributes & 32), bool(attributes & 64),
            last, first, highest, producer, producer_epoch, sequence, attributes >> 7 & 0x1FF,
        )  # fmt: skip
        return batch, end

    def _is_refused_late(self, stored: int, computed: int, kind: str) -> bool:
        """Check a checksum; return whether the codec reads the content before it refuses a wrong one."""
        action = self.rules.at("checksum", kind, "batches[].crc") if stored != computed else "accept"
        if not action:
            raise EndingError
        return action == "late"

    def _codec(self, attributes: int, kind: str, prefix: str) -> Compression:
        if attributes & 7 <= _HIGHEST_CODEC:
            return Compression(attributes & 7)
        action = self.rules.at("codec", kind, f"{prefix}attributes")
        if action != "none":
            raise EndingError(NO_VALUE if action == "keep" else "")
        return Compression.NONE

    def _decompressed(self, codec: Compression, data: bytes, magic: int, path: str) -> bytes | None:
        """Return the content of compressed data; None if the codec treats unreadable data as empty."""
        kind = f"{codec.name.lower()} bytes"
        if not data and self.rules.at("no-stream", kind, path):
            return None
        content = decompressed(codec, data, magic)
        self.rules.content += len(content or b"")
        if content is None and not self.rules.at("compressed", kind, path):
            raise EndingError
        if content is not None and is_of_several(codec, data):
            self.rules.at("several-streams", kind, path)
        if is_header_alone(codec, data):
            self.rules.at("no-blocks", kind, path)
        return content

    def _message(self, data: bytes, pos: int, end: int, prefix: str) -> tuple[Message, Compression, int]:
        """Return a message of magic 0 or 1, its compression and its end; a compressed set is its value."""
        at = pos + _BODY[data[pos + 16]]
        if len(data) < at:
            raise EndingError
        offset, _, crc, magic, attributes = struct.unpack_from(">qiIbb", data, pos)
        if at + 8 > end and not self.sizes_unread:
            self._at_size(end, prefix)
        late = self._is_refused_late(crc, crc32(data[pos + 16 : end]), MESSAGE)
        codec = self._codec(attributes, MESSAGE, prefix)
        timestamp = struct.unpack_from(">q", data, pos + 18)[0] if magic else -1
        reader = RecordReader(data, at, len(data) if self.sizes_unread else end, self.rules)
        key, value = (reader.block(4, MESSAGE, f"{prefix}{name}") for name in ("key", "value"))
        if reader.pos != end:
            if self.sizes_unread:
                end = self._at_size(reader.pos, prefix)
            elif not self.rules.at("batch-end", MESSAGE, f"{prefix}value"):
                raise EndingError
        if late:
            raise EndingError
        return Message(offset, timestamp, key, value, magic, attributes), codec, end

    def _message_set(self, wrapper: Message, codec: Compression) -> MessageSet:
        path = "batches[].messages"
        if codec is Compression.ZSTD and not self.rules.at("codec", MESSAGE, "batches[].attributes"):
            raise EndingError
        if wrapper.value is None and self.rules.at("null-not-allowed", MESSAGE, path) != "empty":
            raise EndingError
        content = self._decompressed(codec, wrapper.value or b"", wrapper.magic, path)
        messages = self._messages(content, wrapper.magic, f"{path}[].") if content is not None else []
        return MessageSet(
            codec,
            tuple(messages),
            wrapper.offset,
            wrapper.timestamp,
            wrapper.magic,
            wrapper.attributes & ~7,
            wrapper.key,
        )

    def _messages(self, content: bytes, magic: int, prefix: str) -> list[Message]:
        """Read the messages in a compressed message: at least one, with the same magic."""
        messages, pos = [], 0
        while pos < len(content):
            end = self._end(content, pos, prefix)
            if end is None or content[pos + 16] != magic:
                raise EndingError
            message, codec, pos = self._message(content, pos, end, prefix)
            if codec is not Compression.NONE:
                raise EndingError
            messages.append(message)
        if not messages:
            raise EndingError
        return messages


@dataclass(slots=True)
class RecordReader(DeviantReader):
    """Reads records of magic 2, and the keys and values of older messages.

    Attributes:
        kind, number: the types of a record and of its varints.
    """

    lengths_unread: bool = False
    kind: str = RECORD
    number: str = RECORD_VARINT

    def records(self, number: int) -> list[Record]:
        path = "batches[].records"
        number = self._counted(number, BATCH, path)
        records: list[Record] = []
        while len(records) < number and not self._ends(path, number - len(records), BATCH):
            records.append(self._record(f"{path}[]."))
        return records

    def _counted(self, number: int, kind: str, path: str) -> int:
        """Return a count; 0 if the codec takes a negative count for no elements."""
        if number >= 0:
            return number
        trigger = "negative-length" if number < -1 else "null-not-allowed"
        if self.rules.at(trigger, kind, path) not in ("empty", "null"):
            raise EndingError
        return 0

    def _ends(self, path: str, wanted: int, kind: str) -> bool:
        """Test if the codec takes the end of the bytes for the end of the elements."""
        return (
            wanted > self.left and not self.left and self.rules.at("count-beyond-end", kind, path) == "clamp"
        )

    def _record(self, prefix: str) -> Record:
        self._count_step()
        length = self.varint(f"{prefix}length")
        outer, end = self.end, self.pos + length
        if not self.pos <= end <= outer:
            action = self.rules.at("record-size", RECORD, f"{prefix}length")
            if action != "content" and not (action == "size" and end > outer):
                raise EndingError
            end = outer
        self.end = outer if self.lengths_unread else end
        start, self.start = self.start, max(self.start, self.pos)
        record = self._content(prefix)
        self.start = start
        if self.pos != end:
            action = self.rules.at("record-size", RECORD, f"{prefix}length")
            if not action:
                raise EndingError
            self.pos = end if action == "size" else self.pos
        self.end = outer
        return record

    def _content(self, prefix: str) -> Record:
        attributes = int.from_bytes(self._byte(f"{prefix}attributes"), signed=True)
        timestamp = self.varint(f"{prefix}timestampDelta", 64)
        offset = self.varint(f"{prefix}offsetDelta")
        key, value = (self.block(0, RECORD_BYTES, f"{prefix}{name}") for name in ("key", "value"))
        return Record(offset, timestamp, key, value, tuple(self._headers(f"{prefix}headers")), attributes)

    def _byte(self, path: str) -> bytes:
        if self.left:
            self.pos += 1
            return self.data[self.pos - 1 : self.pos]
        if self.rules.at("end", self.kind, path) != "zero":
            raise EndingError
        self.pos += 1
        return b"\0"

    def _headers(self, path: str) -> list[Header]:
        number = self._counted(self.varint(path), RECORD, path)
        if number > self.left and not self.rules.at("count-beyond-end", RECORD, path):
            raise EndingError
        headers: list[Header] = []
        while len(headers) < number and not (headers and self._ends(path, number - len(headers), RECORD)):
            self._count_step()
            held = self.block(0, RECORD_BYTES, f"{path}[].key", nullable=False)
            if held is None:
                raise EndingError(NO_VALUE)  # the value of a record set cannot hold this null
            text = decoded_text(self.rules, held, RECORD_BYTES, f"{path}[].key")
            headers.append(Header(text, self.block(0, RECORD_BYTES, f"{path}[].value")))
        return headers

    def block(self, width: int, kind: str, path: str, *, nullable: bool = True) -> bytes | None:
        """Read bytes after their length.

        Args:
            width: the width of the length, in bytes; 0 for a varint.
        """
        if not width:
            length = self.varint(path)
        elif width > self.left:
            if self.rules.at("end", kind, path) != "zero":
                raise EndingError
            self.pos, length = self.pos + width, 0
        else:
            length = int.from_bytes(self.data[self.pos : self.pos + width], signed=True)
            self.pos += width
        if length >= 0:
            return self._take(length, kind, path)
        if length == -1 and nullable:
            return None
        action = self.rules.at("negative-length" if length < -1 else "null-not-allowed", kind, path)
        if action == "null":
            return None
        if action not in ("empty", "back"):
            raise EndingError
        self.pos += length if action == "back" else 0
        return b""

    def varint(self, path: str, bits: int = 32) -> int:
        """Read a zig-zag varint."""
        raw = shift = 0
        most = (bits + 6) // 7 * 7
        while True:
            byte = self._byte(path)[0]
            raw |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
            if shift == most:
                action = self.rules.at("varint-long", self.number, path)
                if not action:
                    raise EndingError
                if action == "five":
                    break
        if raw >> bits:
            action = self.rules.at("varint-bits" if shift <= most else "varint-long", self.number, path)
            if not action:
                raise EndingError
            raw = raw if action == "keep" else raw % (1 << bits)
        number: Any = (raw >> 1) ^ -(raw & 1)
        return int(number)
