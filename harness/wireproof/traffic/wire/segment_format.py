"""The format of segment files: the bytes of one listener's connections, in chunks as forwarded.

A file is a magic, a marker of 16 bytes that no other file has, and entries. An entry is a head of 22 bytes,
big-endian, and its payload:

    uint32  length of the payload
    uint32  CRC-32C of the rest of the head and the payload
    uint64  time, nanoseconds since 1970
    uint32  connection, counted from 1; 0 for entries about the file
    uint8   kind (`EntryKind`)
    uint8   direction (`StreamDirection`)

The first entry holds the facts of the capture as JSON. An entry that repeats the marker occurs at least every
64 KiB, so a reader can start at any byte: it searches for the marker and continues after it. Entries are only
appended, so a file that was cut is whole up to the cut.
"""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, BinaryIO, Final, NamedTuple, TypeAlias

from kafkawire.records import crc32c
from wireproof.base.text.parsing import parse_json

MAGIC: Final = b"WPSEG\x01\r\n"
"""The last two bytes detect a transfer in text mode."""

SEGMENTS: Final = "segments"
"""The folder of a capture's segment files, in that of the capture."""
SEGMENT_SUFFIX: Final = ".wpseg"
MARKER_BYTES: Final = 16
SYNC_BYTES: Final = 64 * 1024
MAX_PAYLOAD_BYTES: Final = 16 * 1024 * 1024
"""Largest payload. A greater length is damage. Longer chunks are written as several entries."""

HEAD: Final = struct.Struct(">IIQIBB")
CHECKED: Final = struct.Struct(">QIBB")
HEAD_BYTES: Final = HEAD.size
CRC_END: Final = 8
START_BYTES: Final = len(MAGIC) + MARKER_BYTES


class StreamDirection(IntEnum):
    """The direction of bytes."""

    TO_BROKER = 0
    TO_CLIENT = 1

    @property
    def other(self) -> "StreamDirection":
        return StreamDirection(1 - self)


class EntryKind(IntEnum):
    """The kind of an entry. The numbers are in files: a number is never reused."""

    FACTS = 0
    """JSON about the capture: the first entry."""
    SYNC = 1
    """The marker of the file."""
    OPEN = 2
    """Start of a connection. JSON: the addresses, the node, the listener."""
    DATA = 3
    """Bytes of one side, in order."""
    END = 4
    """End of one side's bytes (FIN)."""
    RESET = 5
    """Broken connection. The payload is the reason, UTF-8."""
    CLOSE = 6
    """End of the connection on both sides."""
    HOLE = 7
    """Bytes that a packet capture lacks. The payload is their number, uint64."""


_DIRECTIONS: Final = tuple(StreamDirection)
KINDS_WITH_FACTS: Final = (EntryKind.FACTS, EntryKind.OPEN)
_KINDS: Final = tuple(EntryKind)
"""The kinds by number, without gaps: calling the enum takes ten times as long."""


class SegmentEntry(NamedTuple):
    """One entry of a segment file; `offset` is that of its head, `time_ns` since 1970."""

    offset: int
    time_ns: int
    connection: int
    kind: EntryKind
    direction: StreamDirection
    payload: bytes

    @classmethod
    def of(
        cls, offset: int, time_ns: int, connection: int, kind: int, direction: int, payload: bytes
    ) -> "SegmentEntry":
        """Create an entry from the numbers of its head.

        Raises IndexError if the kind or the direction is unknown.
        """
        return cls(offset, time_ns, connection, _KINDS[kind], _DIRECTIONS[direction], payload)

    @property
    def facts(self) -> Mapping[str, Any]:
        """The payload of a FACTS or OPEN entry.

        Raises ValueError if it is not a JSON object; `read_segment` yields no such entry.
        """
        facts: Any = parse_json(self.payload.decode("utf-8"))
        if type(facts) is not dict:
            raise ValueError("it is not a JSON object")
        return facts

    @property
    def missing(self) -> int:
        """The number of missing bytes of a HOLE entry."""
        return int.from_bytes(self.payload, "big")


@dataclass(frozen=True, slots=True)
class SegmentDamage:
    """A damaged part of a file.

    Attributes:
        offset, end: the skipped bytes.
        reason: text.
        torn: the file ends within an entry, as after a kill; all entries before it are whole.
    """

    offset: int
    end: int
    reason: str
    torn: bool = False

    def __str__(self) -> str:
        return f"bytes {self.offset}-{self.end}: {self.reason}"


SegmentPart: TypeAlias = SegmentEntry | SegmentDamage


class SegmentFormatError(ValueError):
    """The file is not a segment file."""


class SegmentWriter:
    """Appends entries to a file.

    Args:
        file: unbuffered, at its end. Every entry is one `write`: it survives the end of this process once
            `add` returns.
        marker: `MARKER_BYTES` random bytes.
        facts: the facts about the capture.
        time_ns: the time of the first entry.
    """

    def __init__(self, file: BinaryIO, marker: bytes, facts: Mapping[str, Any], time_ns: int) -> None:
        if len(marker) != MARKER_BYTES:
            raise ValueError(f"a marker has {MARKER_BYTES} bytes, not {len(marker)}")
        self._file = file
        self._marker = marker
        self._since_sync = 0
        self.position = 0
        self._put(MAGIC + marker)
        self.add(EntryKind.FACTS, time_ns, payload=_json(facts))

    def add(
        self,
        kind: EntryKind,
        time_ns: int,
        connection: int = 0,
        direction: StreamDirection = StreamDirection.TO_BROKER,
        payload: bytes | bytearray | memoryview = b"",
    ) -> None:
        """Write an entry; a long DATA payload becomes several entries.

        Raises:
            OSError: the entry is not, or not wholly, written.
            ValueError: a payload above `MAX_PAYLOAD_BYTES` of another kind than DATA.
        """
        view = memoryview(payload)
        if len(view) > MAX_PAYLOAD_BYTES and kind is not EntryKind.DATA:
            raise ValueError(f"{kind.name} of {len(view)} bytes; {MAX_PAYLOAD_BYTES} at most")
        for start in range(0, len(view) or 1, MAX_PAYLOAD_BYTES):
            self._entry(kind, time_ns, connection, direction, view[start : start + MAX_PAYLOAD_BYTES])

    def open(self, connection: int, time_ns: int, facts: Mapping[str, Any]) -> None:
        self.add(EntryKind.OPEN, time_ns, connection, payload=_json(facts))

    def _entry(
        self, kind: EntryKind, time_ns: int, connection: int, direction: StreamDirection, payload: memoryview
    ) -> None:
        if self._since_sync >= SYNC_BYTES:
            self._put(_packed(EntryKind.SYNC, time_ns, 0, StreamDirection.TO_BROKER, self._marker))
            self._since_sync = 0
        self._put(_packed(kind, time_ns, connection, direction, payload))

    def _put(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            written = self._file.write(rest)
            rest = rest[written:]
        self.position += len(data)
        self._since_sync += len(data)


def _json(facts: Mapping[str, Any]) -> bytes:
    return json.dumps(facts, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _packed(
    kind: EntryKind, time_ns: int, connection: int, direction: StreamDirection, payload: bytes | memoryview
) -> bytes:
    checked = CHECKED.pack(time_ns, connection, kind, direction) + payload
    return struct.pack(">II", len(payload), crc32c()(checked)) + checked
