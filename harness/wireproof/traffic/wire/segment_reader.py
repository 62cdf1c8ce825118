"""Reading of segment files, damaged ones too; `segment_format` describes them."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO, Final

from kafkawire.records import crc32c
from wireproof.traffic.wire.segment_format import (
    CRC_END,
    HEAD,
    HEAD_BYTES,
    KINDS_WITH_FACTS,
    MAGIC,
    MARKER_BYTES,
    MAX_PAYLOAD_BYTES,
    START_BYTES,
    EntryKind,
    SegmentDamage,
    SegmentEntry,
    SegmentFormatError,
    SegmentPart,
    StreamDirection,
)

_HEAD_LIKE: Final = re.compile(
    rb"(?=[\x00-%c].{%d}[\x00-%c][\x00\x01])" % (MAX_PAYLOAD_BYTES >> 24, HEAD_BYTES - 3, len(EntryKind) - 1),
    re.DOTALL,
)
"""A possible head: its length is not above the limit, its kind and direction are known."""
_WINDOW_BYTES: Final = 1 << 20
_FREE_BYTES: Final = 1 << 20
_UNKNOWN: Final = b'{"broker":"","client":"","knownStart":false}'


class EntrySearch:
    """Finds the next valid entry after a damaged one.

    For each candidate a checksum over its length is computed. All searches together read at most four times
    the size of the file; after that nothing is found, and the reader continues after the next marker.

    Args:
        read: reads the entry at a position; the file is positioned there.
        size: the size of the file.
    """

    def __init__(
        self, file: BinaryIO, read: Callable[[BinaryIO, int], SegmentPart | None], size: int
    ) -> None:
        self._file = file
        self._read = read
        self._size = size
        self._left = 4 * size + _FREE_BYTES

    def after(self, position: int, bound: int) -> int | None:
        """Return the position of the first entry that fits after the damaged one, and before a bound."""
        self._file.seek(position)
        head = self._file.read(HEAD_BYTES)
        if len(head) < HEAD_BYTES:
            return None
        length: int = HEAD.unpack(head)[0]
        end = position + HEAD_BYTES + length
        if end < bound and self._fits(end):
            return end
        self._file.seek(position)
        window = self._file.read(max(0, min(bound - position, _WINDOW_BYTES, self._left)))
        self._left -= len(window)
        for found in _HEAD_LIKE.finditer(window, 1):
            if self._fits(position + found.start()):
                return position + found.start()
        return None

    def _fits(self, position: int) -> bool:
        self._file.seek(position)
        head = self._file.read(HEAD_BYTES)
        if len(head) < HEAD_BYTES:
            return False
        length = HEAD.unpack(head)[0]
        if position + HEAD_BYTES + length > self._size or length + HEAD_BYTES > self._left:
            return False
        self._left -= length + HEAD_BYTES
        self._file.seek(position)
        return isinstance(self._read(self._file, position), SegmentEntry)


def with_holes(parts: Iterable[SegmentPart]) -> Iterator[SegmentPart]:
    """Yield the parts of a file so that each connection is complete for a reader of streams.

    A damaged part may have held bytes of any open connection: each gets a hole of unknown length in both
    directions. Data of a connection whose opening was damaged come after an opening with an unknown start.
    """
    open_: dict[int, int] = {}
    for part in parts:
        if isinstance(part, SegmentDamage):
            yield part
            for number, time_ns in sorted(open_.items()):
                for direction in StreamDirection:
                    yield SegmentEntry(part.offset, time_ns, number, EntryKind.HOLE, direction, b"")
            continue
        if part.kind is EntryKind.DATA and part.connection not in open_:
            to_broker = StreamDirection.TO_BROKER
            yield SegmentEntry(
                part.offset, part.time_ns, part.connection, EntryKind.OPEN, to_broker, _UNKNOWN
            )
        yield part
        if part.kind is EntryKind.CLOSE:
            open_.pop(part.connection, None)
        elif part.kind in (EntryKind.OPEN, EntryKind.DATA):
            open_[part.connection] = part.time_ns


_LOOK_BYTES: Final = 1 << 20


def segment_facts(file: BinaryIO) -> Mapping[str, Any]:
    """Return the facts in a file's first entry.

    Raises SegmentFormatError if the file is not a segment file, or is cut within its first entry.
    """
    for part in read_segment(file):
        if isinstance(part, SegmentEntry) and part.kind is EntryKind.FACTS:
            return part.facts
        break
    raise SegmentFormatError("the file ends, or is damaged, within its first entry")


def read_segment(file: BinaryIO, start: int = 0, end: int | None = None) -> Iterator[SegmentPart]:
    """Yield the entries of a file in order, without SYNC, and the damaged parts.

    After damage the reader goes on at the next entry that fits. A reader of streams wants `with_holes` parts.

    `start` and `end` select a part, cut at any bytes: consecutive parts yield each entry once.

    Args:
        file: seekable.
        start: the part starts after the first marker at or after this byte; 0 is the start of the file.
        end: the part ends at the first marker at or after this byte; None is the end of the file.

    Raises:
        SegmentFormatError: the file does not start with the magic.
    """
    marker = segment_marker(file)
    position = START_BYTES if start <= len(MAGIC) else _after_marker(file, marker, start)
    if position is None or (end is not None and position - MARKER_BYTES >= end):
        return
    yield from _parts(file, marker, position, end)


class SegmentFollower:
    """Reads a file, which has to be seekable, while it is written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._position = 0

    def entries(self) -> Iterator[SegmentEntry]:
        """Yield the entries that are whole by now and were not yielded before.

        Raises SegmentFormatError if the file does not start with the magic, or is damaged.
        """
        if not self._position:
            if self._file.seek(0, 2) < START_BYTES:
                return
            segment_marker(self._file)
            self._position = START_BYTES
        self._file.seek(self._position)
        while (part := _next(self._file, self._position)) is not None:
            if isinstance(part, SegmentDamage):
                if part.torn:
                    return
                raise SegmentFormatError(str(part))
            self._position += HEAD_BYTES + len(part.payload)
            if part.kind is not EntryKind.SYNC:
                yield part
                self._file.seek(self._position)


def segment_marker(file: BinaryIO) -> bytes:
    """Return the 16 random bytes that identify a file.

    Raises SegmentFormatError if the file does not start with the magic.
    """
    file.seek(0)
    begin = file.read(START_BYTES)
    if begin[: len(MAGIC)] != MAGIC[: len(begin)] or len(begin) < START_BYTES:
        raise SegmentFormatError(
            f"it begins with {begin[: len(MAGIC)].hex() or 'nothing'}, not with {MAGIC.hex()}"
        )
    return begin[len(MAGIC) :]


def _parts(file: BinaryIO, marker: bytes, position: int, end: int | None) -> Iterator[SegmentPart]:
    size = file.seek(0, 2)
    search = EntrySearch(file, _next, size)
    after: int | None = 0
    file.seek(position)
    while True:
        part = _next(file, position)
        match part:
            case None:
                return
            case SegmentEntry(kind=EntryKind.SYNC):
                if end is not None and position + HEAD_BYTES >= end:
                    return
            case SegmentEntry():
                yield part
            case SegmentDamage(torn=torn):
                # A wrong length looks like a torn end. It is one only if no marker follows.
                if after is not None and after <= position:
                    after = _after_marker(file, marker, position + 1)
                fitting = search.after(position, size if after is None else after - MARKER_BYTES)
                if fitting is not None:
                    words = "a length that goes beyond the next entry" if torn else part.reason
                    yield SegmentDamage(position, fitting, words)
                    position = fitting
                    file.seek(position)
                    continue
                if after is None:
                    yield part if torn else SegmentDamage(position, part.end, part.reason)
                    return
                reason = "a length that goes beyond the next marker" if torn else part.reason
                yield SegmentDamage(position, after, reason)
                if end is not None and after - MARKER_BYTES >= end:
                    return
                position = after
                file.seek(position)
                continue
        position += HEAD_BYTES + len(part.payload)


def _next(file: BinaryIO, position: int) -> SegmentPart | None:
    head = file.read(HEAD_BYTES)
    if not head:
        return None
    if len(head) < HEAD_BYTES:
        return _torn(file, position, "the file ends within the head of an entry")
    length, crc, time_ns, connection, kind, direction = HEAD.unpack(head)
    if length > MAX_PAYLOAD_BYTES:
        return SegmentDamage(
            position, file.seek(0, 2), f"an entry of {length} bytes; {MAX_PAYLOAD_BYTES} at most"
        )
    payload = file.read(length)
    if len(payload) < length:
        return _torn(file, position, f"the file ends {length - len(payload)} bytes before an entry does")
    found = crc32c()(head[CRC_END:] + payload)
    if found != crc:
        return SegmentDamage(
            position, file.seek(0, 2), f"the CRC-32C of an entry is {found:08x}, not {crc:08x}"
        )
    try:
        entry = SegmentEntry.of(position, time_ns, connection, kind, direction, payload)
        if entry.kind in KINDS_WITH_FACTS:
            _ = entry.facts
        return entry
    except ValueError as error:
        return SegmentDamage(position, file.seek(0, 2), f"the facts of an entry cannot be read: {error}")
    except IndexError:
        words = f"an entry that this version does not know: kind {kind}, direction {direction}"
        return SegmentDamage(position, file.seek(0, 2), words)


def _torn(file: BinaryIO, position: int, reason: str) -> SegmentDamage:
    return SegmentDamage(position, file.seek(0, 2), reason, torn=True)


def _after_marker(file: BinaryIO, marker: bytes, start: int) -> int | None:
    """Return the position after the first marker at or after `start`."""
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
