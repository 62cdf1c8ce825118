"""Segment files: what went over the wire of one listener, chunk by chunk, as it was forwarded.

A file is a magic, a marker of 16 bytes that no other file has, and entries. An entry is a head of 22 bytes,
big-endian, and its payload:

    uint32  length of the payload
    uint32  CRC-32C of the rest of the head and the payload
    uint64  time, nanoseconds since 1970
    uint32  connection, counted from 1; 0 for entries about the file
    uint8   kind (`EntryKind`)
    uint8   direction (`Direction`)

The first entry holds the facts of the capture as JSON. An entry that repeats the marker stands at least every
64 KiB, so that a reader may begin at any byte: it looks for the marker, and goes on behind it. Entries are
only ever added, so that a file that was cut anywhere is whole up to there.
"""

import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, BinaryIO, Final, NamedTuple, TypeAlias

from kafkawire.records import crc32c
from wireproof.parsing import parse_json

__all__ = [
    "HEAD_BYTES",
    "MARKER_BYTES",
    "MAX_PAYLOAD_BYTES",
    "Damage",
    "Direction",
    "Entry",
    "EntryKind",
    "NoSegmentError",
    "SegmentFollower",
    "SegmentPart",
    "SegmentWriter",
    "read_segment",
    "segment_facts",
    "segment_marker",
]

MAGIC: Final = b"WPSEG\x01\r\n"
"""The last two bytes show a transfer that took the file for text."""

MARKER_BYTES: Final = 16
SYNC_BYTES: Final = 64 * 1024
MAX_PAYLOAD_BYTES: Final = 16 * 1024 * 1024
"""No entry is longer: a length above it is damage. Longer chunks are written as several entries."""

_HEAD: Final = struct.Struct(">IIQIBB")
_CHECKED: Final = struct.Struct(">QIBB")
HEAD_BYTES: Final = _HEAD.size
_CRC_END: Final = 8
_START: Final = len(MAGIC) + MARKER_BYTES
_LOOK_BYTES: Final = 1 << 20


class Direction(IntEnum):
    """Who sent it."""

    TO_BROKER = 0
    TO_CLIENT = 1

    @property
    def other(self) -> "Direction":
        return Direction(1 - self)


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


_DIRECTIONS: Final = tuple(Direction)
_WITH_FACTS: Final = (EntryKind.FACTS, EntryKind.OPEN)
_KINDS: Final = tuple(EntryKind)
"""By their numbers, which have no gap: calling the class takes ten times as long."""


class Entry(NamedTuple):
    """One entry.

    Attributes:
        offset: where its head begins in the file.
        time_ns: since 1970.
    """

    offset: int
    time_ns: int
    connection: int
    kind: EntryKind
    direction: Direction
    payload: bytes

    @classmethod
    def of(
        cls, offset: int, time_ns: int, connection: int, kind: int, direction: int, payload: bytes
    ) -> "Entry":
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
class Damage:
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


SegmentPart: TypeAlias = Entry | Damage


class NoSegmentError(ValueError):
    """The file is no segment file."""


class SegmentWriter:
    """Adds entries to a file.

    Args:
        file: unbuffered, at its end; every entry is one `write`, so that what was written is in the hands
            of the system when `add` returns, and survives the end of this process.
        marker: `MARKER_BYTES` random bytes.
        facts: about the capture.
        time_ns: of the first entry.
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
        direction: Direction = Direction.TO_BROKER,
        payload: bytes | bytearray | memoryview = b"",
    ) -> None:
        """Write an entry; a long payload of DATA as several.

        Raises:
            OSError: of the file; nothing of the entry may be taken as written.
            ValueError: a payload above `MAX_PAYLOAD_BYTES` of another kind than DATA.
        """
        view = memoryview(payload)
        if len(view) > MAX_PAYLOAD_BYTES and kind is not EntryKind.DATA:
            raise ValueError(f"{kind.name} of {len(view)} bytes; {MAX_PAYLOAD_BYTES} at most")
        for start in range(0, len(view) or 1, MAX_PAYLOAD_BYTES):
            self._entry(kind, time_ns, connection, direction, view[start : start + MAX_PAYLOAD_BYTES])

    def open(self, connection: int, time_ns: int, facts: Mapping[str, Any]) -> None:
        """A connection began."""
        self.add(EntryKind.OPEN, time_ns, connection, payload=_json(facts))

    def _entry(
        self, kind: EntryKind, time_ns: int, connection: int, direction: Direction, payload: memoryview
    ) -> None:
        if self._since_sync >= SYNC_BYTES:
            self._put(_packed(EntryKind.SYNC, time_ns, 0, Direction.TO_BROKER, self._marker))
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
    kind: EntryKind, time_ns: int, connection: int, direction: Direction, payload: bytes | memoryview
) -> bytes:
    checked = _CHECKED.pack(time_ns, connection, kind, direction) + payload
    return struct.pack(">II", len(payload), crc32c()(checked)) + checked


def segment_facts(file: BinaryIO) -> Mapping[str, Any]:
    """The facts in a file's first entry.

    Raises:
        NoSegmentError: the file is none, or is cut within its first entry.
    """
    for part in read_segment(file):
        if isinstance(part, Entry) and part.kind is EntryKind.FACTS:
            return part.facts
        break
    raise NoSegmentError("the file ends, or is damaged, within its first entry")


def read_segment(file: BinaryIO, start: int = 0, end: int | None = None) -> Iterator[SegmentPart]:
    """The entries of a file in order, SYNC left out, and what was passed over.

    With `start` and `end` a part of it, cut at any bytes: parts that follow each other give each entry once.

    Args:
        file: one that can be sought.
        start: the part begins behind the first marker at or after this byte; with 0 at the file's beginning.
        end: the part goes on up to the first marker at or after this byte; with None to the file's end.

    Raises:
        NoSegmentError: the file does not begin as one.
    """
    marker = segment_marker(file)
    position = _START if start <= len(MAGIC) else _behind_marker(file, marker, start)
    if position is None or (end is not None and position - MARKER_BYTES >= end):
        return
    yield from _parts(file, marker, position, end)


class SegmentFollower:
    """Reads a file that somebody is still writing.

    Args:
        file: one that can be sought.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._position = 0

    def entries(self) -> Iterator[Entry]:
        """What is whole by now and was not given yet.

        Raises:
            NoSegmentError: the file does not begin as one, or is damaged: that is not for want of time.
        """
        if not self._position:
            if self._file.seek(0, 2) < _START:
                return
            segment_marker(self._file)
            self._position = _START
        self._file.seek(self._position)
        while (part := _next(self._file, self._position)) is not None:
            if isinstance(part, Damage):
                if part.torn:
                    return
                raise NoSegmentError(str(part))
            self._position += HEAD_BYTES + len(part.payload)
            if part.kind is not EntryKind.SYNC:
                yield part
                self._file.seek(self._position)


def segment_marker(file: BinaryIO) -> bytes:
    """The 16 random bytes by which a file is known.

    Raises:
        NoSegmentError: the file does not begin as one.
    """
    file.seek(0)
    begin = file.read(_START)
    if begin[: len(MAGIC)] != MAGIC[: len(begin)] or len(begin) < _START:
        raise NoSegmentError(
            f"it begins with {begin[: len(MAGIC)].hex() or 'nothing'}, not with {MAGIC.hex()}"
        )
    return begin[len(MAGIC) :]


def _parts(file: BinaryIO, marker: bytes, position: int, end: int | None) -> Iterator[SegmentPart]:
    file.seek(position)
    while True:
        part = _next(file, position)
        match part:
            case None:
                return
            case Entry(kind=EntryKind.SYNC):
                if end is not None and position + HEAD_BYTES >= end:
                    return
            case Entry():
                yield part
            case Damage(torn=torn):
                # A length that is wrong reads like a torn end: only where no marker follows is it one.
                behind = _behind_marker(file, marker, position + 1)
                if behind is None:
                    yield part if torn else Damage(position, part.end, part.reason)
                    return
                reason = "a length that goes beyond the next marker" if torn else part.reason
                yield Damage(position, behind, reason)
                if end is not None and behind - MARKER_BYTES >= end:
                    return
                position = behind
                file.seek(position)
                continue
        position += HEAD_BYTES + len(part.payload)


def _next(file: BinaryIO, position: int) -> SegmentPart | None:
    head = file.read(HEAD_BYTES)
    if not head:
        return None
    if len(head) < HEAD_BYTES:
        return _torn(file, position, "the file ends within the head of an entry")
    length, crc, time_ns, connection, kind, direction = _HEAD.unpack(head)
    if length > MAX_PAYLOAD_BYTES:
        return Damage(position, file.seek(0, 2), f"an entry of {length} bytes; {MAX_PAYLOAD_BYTES} at most")
    payload = file.read(length)
    if len(payload) < length:
        return _torn(file, position, f"the file ends {length - len(payload)} bytes before an entry does")
    found = crc32c()(head[_CRC_END:] + payload)
    if found != crc:
        return Damage(position, file.seek(0, 2), f"the CRC-32C of an entry is {found:08x}, not {crc:08x}")
    try:
        entry = Entry.of(position, time_ns, connection, kind, direction, payload)
        if entry.kind in _WITH_FACTS:
            _ = entry.facts
        return entry
    except ValueError as error:
        return Damage(position, file.seek(0, 2), f"the facts of an entry cannot be read: {error}")
    except IndexError:
        words = f"an entry that this version does not know: kind {kind}, direction {direction}"
        return Damage(position, file.seek(0, 2), words)


def _torn(file: BinaryIO, position: int, reason: str) -> Damage:
    return Damage(position, file.seek(0, 2), reason, torn=True)


def _behind_marker(file: BinaryIO, marker: bytes, start: int) -> int | None:
    """The position behind the first marker that begins at or after `start`."""
    position = start
    kept = b""
    file.seek(position)
    while chunk := file.read(_LOOK_BYTES):
        window = kept + chunk
        found = window.find(marker)
        if found >= 0:
            return position - len(kept) + found + MARKER_BYTES
        position += len(chunk)
        kept = window[-(MARKER_BYTES - 1) :]
    return None
