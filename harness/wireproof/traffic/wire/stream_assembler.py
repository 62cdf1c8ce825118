"""Assembly of exchanges from the chunks of a connection's two directions.

Every byte is accounted for: it is in a frame, or in a `LostBytes` part with its reason.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

from wireproof.traffic.wire.request_matcher import (
    MAX_FRAME_BYTES,
    FrameSplitter,
    MatchedFrames,
    RequestResponseMatcher,
)
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry, StreamDirection

_API_KEYS: Final = 512
_VERSIONS: Final = 64
_CLIENT_ID_BYTES: Final = 512
_REQUEST_BYTES: Final = 14


class LossReason(StrEnum):
    """The reason for bytes outside of frames. The text is stable: tables hold it."""

    FOREIGN = "foreign"
    """Another protocol, or a size that is not possible."""
    UNFINISHED = "unfinished"
    """The stream ends before the frame does."""
    HOLE = "hole"
    """A part of the frame was not captured."""
    NO_BOUNDARY = "no-boundary"
    """After a hole, or at an unknown start, before the next byte that looks like the start of a frame."""


@dataclass(frozen=True, slots=True)
class LostBytes:
    """Bytes of a stream outside of frames.

    Attributes:
        offset: the offset of the first byte, in the stream of the direction.
        count: the number of bytes that were seen.
        protocol: the likely protocol of the bytes; empty where unknown (`ForeignBytes`).
        data: the bytes of an unfinished frame.
    """

    direction: StreamDirection
    offset: int
    count: int
    reason: LossReason
    detail: str = ""
    protocol: str = ""
    data: bytes = field(default=b"", repr=False)


AssembledPart: TypeAlias = MatchedFrames | LostBytes


class _Side:
    """One direction: its splitter, and the search for the start of a frame."""

    def __init__(self, direction: StreamDirection, limit: int, *, known_start: bool) -> None:
        self.direction = direction
        self.splitter = FrameSplitter(limit)
        self.searching = not known_start
        self.foreign_from: int | None = None
        self.foreign_bytes = 0


class StreamAssembler:
    """Assembles the exchanges of one connection from its segment entries.

    Args:
        limit: largest content of a frame in bytes, in either direction.
        known_start: whether the first bytes of both directions were captured.
    """

    def __init__(self, *, limit: int = MAX_FRAME_BYTES, known_start: bool = True) -> None:
        self._pairing = RequestResponseMatcher()
        self._limit = limit
        self._sides = [_Side(each, limit, known_start=known_start) for each in StreamDirection]
        self._ended: set[StreamDirection] = set()
        self._reset = False

    def feed(self, entry: SegmentEntry) -> Sequence[AssembledPart]:
        """Return the parts that an entry completes. Call `close` after the last entry."""
        match entry.kind:
            case EntryKind.DATA:
                return self._data(self._sides[entry.direction], entry.payload)
            case EntryKind.HOLE:
                return self._hole(self._sides[entry.direction], entry.missing)
            case EntryKind.END:
                self._ended.add(entry.direction)
            case EntryKind.RESET:
                self._reset = True
            case EntryKind.CLOSE:
                self._ended.update(StreamDirection)
            case EntryKind.FACTS | EntryKind.SYNC | EntryKind.OPEN:
                pass
        return ()

    def close(self) -> Iterator[AssembledPart]:
        """Yield the remaining parts at the end of the connection."""
        for side in self._sides:
            if side.foreign_from is not None and (foreign := side.splitter.foreign) is not None:
                yield LostBytes(
                    side.direction,
                    side.foreign_from,
                    side.foreign_bytes,
                    LossReason.FOREIGN,
                    str(foreign),
                    foreign.protocol,
                )
            elif rest := side.splitter.unfinished:
                yield LostBytes(
                    side.direction, side.splitter.offset, len(rest), LossReason.UNFINISHED, data=rest
                )
        whole = len(self._ended) == len(StreamDirection) and not self._reset
        yield from self._pairing.close(in_order=whole)

    def _data(self, side: _Side, data: bytes) -> Sequence[AssembledPart]:
        if side.foreign_from is not None:
            side.foreign_bytes += len(data)
            return ()
        if side.searching:
            if not self._begins_frame(side.direction, data):
                lost = LostBytes(side.direction, side.splitter.offset, len(data), LossReason.NO_BOUNDARY)
                side.splitter.skip(len(data))
                return (lost,)
            side.searching = False
        settled: list[AssembledPart] = []
        for frame in side.splitter.feed(data):
            settled += self._pairing.feed(side.direction, frame)
        if side.splitter.foreign is not None:
            side.foreign_from = side.splitter.offset
            side.foreign_bytes = len(side.splitter.unfinished)
        return settled

    def _hole(self, side: _Side, missing: int) -> Sequence[AssembledPart]:
        if side.foreign_from is not None:
            return ()
        settled: list[AssembledPart] = []
        if rest := side.splitter.unfinished:
            settled.append(LostBytes(side.direction, side.splitter.offset, len(rest), LossReason.HOLE))
        side.splitter.skip(missing)
        side.searching = True
        settled += self._pairing.close(in_order=False)  # their responses may be lost
        return settled

    def _begins_frame(self, direction: StreamDirection, data: bytes) -> bool:
        """Check that a chunk may start with a frame. Programs send one frame at a time, so most chunks do."""
        size = int.from_bytes(data[:4], "big", signed=True)
        if direction is StreamDirection.TO_CLIENT:
            correlation_id = int.from_bytes(data[4:8], "big", signed=True)
            return 4 <= size <= self._limit and self._pairing.awaits(correlation_id)
        api_key, version = int.from_bytes(data[4:6], "big"), int.from_bytes(data[6:8], "big")
        client_id = int.from_bytes(data[12:14], "big", signed=True)
        return (
            len(data) >= _REQUEST_BYTES
            and 10 <= size <= self._limit
            and api_key < _API_KEYS
            and version < _VERSIONS
            and -1 <= client_id <= min(_CLIENT_ID_BYTES, size - 10)
        )
