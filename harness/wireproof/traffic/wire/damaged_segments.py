"""Reading on after damage in a segment file, at the next entry that fits."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, Final

from wireproof.traffic.wire.segment_format import (
    HEAD,
    HEAD_BYTES,
    MAX_PAYLOAD_BYTES,
    EntryKind,
    SegmentDamage,
    SegmentEntry,
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
    """Finds the next entry that fits after a damaged one.

    Each candidate costs a checksum of its length. All searches together read at most four times the size of
    the file; then nothing is found, and the reader goes on after the next marker.

    Args:
        read: reads the entry at a position; the file is positioned there.
        size: of the file.
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
