"""Segment files: what went over the wire of one listener, chunk by chunk, as it was forwarded.

A file is a magic, a marker of 16 bytes that no other file has, and entries. An entry is a head of 22 bytes,
big-endian, and its payload:

    uint32  length of the payload
    uint32  CRC-32C of the rest of the head and the payload
    uint64  time, nanoseconds since 1970
    uint32  connection, counted from 1; 0 for entries about the file
    uint8   kind (`EntryKind`)
    uint8   direction (`StreamDirection`)

The first entry holds the facts of the capture as JSON. An entry that repeats the marker stands at least every
64 KiB, so that a reader may begin at any byte: it looks for the marker, and goes on behind it. Entries are
only ever added, so that a file that was cut anywhere is whole up to there.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, NamedTuple, TypeAlias

from wireproof.parsing import parse_json

__all__ = [
    "CHECKED",
    "CRC_END",
    "HEAD",
    "HEAD_BYTES",
    "KINDS_WITH_FACTS",
    "MAGIC",
    "MARKER_BYTES",
    "MAX_PAYLOAD_BYTES",
    "START_BYTES",
    "SYNC_BYTES",
    "EntryKind",
    "SegmentDamage",
    "SegmentEntry",
    "SegmentFormatError",
    "SegmentPart",
    "StreamDirection",
]

MAGIC: Final = b"WPSEG\x01\r\n"
"""The last two bytes show a transfer that took the file for text."""

MARKER_BYTES: Final = 16
SYNC_BYTES: Final = 64 * 1024
MAX_PAYLOAD_BYTES: Final = 16 * 1024 * 1024
"""No entry is longer: a length above it is damage. Longer chunks are written as several entries."""

HEAD: Final = struct.Struct(">IIQIBB")
CHECKED: Final = struct.Struct(">QIBB")
HEAD_BYTES: Final = HEAD.size
CRC_END: Final = 8
START_BYTES: Final = len(MAGIC) + MARKER_BYTES


class StreamDirection(IntEnum):
    """Who sent it."""

    TO_BROKER = 0
    TO_CLIENT = 1

    @property
    def other(self) -> "StreamDirection":
        return StreamDirection(1 - self)


class EntryKind(IntEnum):
    """What an entry tells. The numbers are in files: none is used again for something else."""

    FACTS = 0
    """JSON about the capture: the first entry."""
    SYNC = 1
    """The marker of the file."""
    OPEN = 2
    """A connection began. JSON: the addresses, the node, the listener."""
    DATA = 3
    """Bytes that one side sent, in order."""
    END = 4
    """One side has sent all that it will (FIN)."""
    RESET = 5
    """The connection broke. The payload is the reason, UTF-8."""
    CLOSE = 6
    """The connection is over on both sides."""
    HOLE = 7
    """Bytes that were sent and not seen, in captures by others. The payload is their number, uint64."""


_DIRECTIONS: Final = tuple(StreamDirection)
KINDS_WITH_FACTS: Final = (EntryKind.FACTS, EntryKind.OPEN)
_KINDS: Final = tuple(EntryKind)
"""By their numbers, which have no gap: calling the class takes ten times as long."""


class SegmentEntry(NamedTuple):
    """One entry.

    Attributes:
        offset: where its head begins in the file.
        time_ns: since 1970.
    """

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
        """The entry of these numbers.

        Raises:
            IndexError: there is no such kind or direction.
        """
        return cls(offset, time_ns, connection, _KINDS[kind], _DIRECTIONS[direction], payload)

    @property
    def facts(self) -> Mapping[str, Any]:
        """The payload of a FACTS or OPEN entry.

        Raises:
            ValueError: it is no JSON object; `read_segment` gives no such entry.
        """
        facts: Any = parse_json(self.payload.decode("utf-8"))
        if type(facts) is not dict:
            raise ValueError("it is no JSON object")
        return facts

    @property
    def missing(self) -> int:
        """The number of bytes of a HOLE."""
        return int.from_bytes(self.payload, "big")


@dataclass(frozen=True, slots=True)
class SegmentDamage:
    """A part of a file that is no entry.

    Attributes:
        offset, end: the bytes passed over.
        reason: in words.
        torn: the file ends within an entry: what a kill leaves; all before it is whole.
    """

    offset: int
    end: int
    reason: str
    torn: bool = False

    def __str__(self) -> str:
        return f"bytes {self.offset}-{self.end}: {self.reason}"


SegmentPart: TypeAlias = SegmentEntry | SegmentDamage


class SegmentFormatError(ValueError):
    """The file is no segment file."""
