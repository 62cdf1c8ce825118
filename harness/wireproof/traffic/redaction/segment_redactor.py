"""Redaction of segment files.

Entries keep their order, times and kinds; frames keep their length unless they contain compressed data. A
frame becomes one entry, with the time of its last byte. Bytes that cannot be redacted become a hole of equal
size.
"""

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final, TypeAlias, assert_never

from kafkawire.wire import PREFIX_BYTES
from wireproof.traffic.redaction.frame_redactor import FrameRedactor, QuarantinedData
from wireproof.traffic.redaction.pseudonymizer import Pseudonymizer
from wireproof.traffic.wire.connection_decoder import unknown_words
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType, UnknownFrameType
from wireproof.traffic.wire.inner_messages import InnerMessageReader
from wireproof.traffic.wire.request_matcher import Exchange, Frame, SaslToken, UnpairedFrame
from wireproof.traffic.wire.segment_format import (
    EntryKind,
    SegmentDamage,
    SegmentEntry,
    SegmentWriter,
    StreamDirection,
)
from wireproof.traffic.wire.segment_reader import read_segment, with_holes
from wireproof.traffic.wire.stream_assembler import AssembledPart, LostBytes, StreamAssembler

_CLIENTS: Final = "198.51.100.1"
_BROKERS: Final = "203.0.113.1"
"""Addresses for examples (RFC 5737)."""

_What: TypeAlias = FrameType | UnknownFrameType | SaslToken


@dataclass(slots=True)
class _Side:
    """The bytes of one side of a connection.

    Attributes:
        start: offset of `waiting` in the stream.
        frames: expected frames, as offset, length and type.
    """

    frames: deque[tuple[int, int, _What]] = field(default_factory=deque)
    waiting: bytearray = field(default_factory=bytearray)
    start: int = 0


class SegmentRedactor:
    """Writes redacted segment files of one capture; `lost` is the number of bytes in holes, by reason."""

    def __init__(self, naming: FrameIdentifier, logs: InnerMessageReader, redactor: Pseudonymizer) -> None:
        self.frames = 0
        self.lost: Counter[str] = Counter()
        self._naming = naming
        self._redactor = redactor
        self._redaction = FrameRedactor(naming, logs, redactor)

    def write(self, source: BinaryIO, writer: SegmentWriter) -> None:
        """Write all entries of one file after its facts.

        Raises SegmentFormatError if the source is not a segment file.
        """
        sides = self._sides(source)
        for part in with_holes(read_segment(source)):
            match part:
                case SegmentDamage():
                    self.lost[f"damage: {part.reason}"] += part.end - part.offset
                case SegmentEntry(kind=EntryKind.FACTS):
                    pass
                case SegmentEntry(kind=EntryKind.OPEN):
                    writer.open(part.connection, part.time_ns, _facts(part))
                case SegmentEntry():
                    side = sides.get((part.connection, part.direction))
                    if side is not None:
                        self._entry(writer, side, part)

    def _sides(self, source: BinaryIO) -> dict[tuple[int, StreamDirection], _Side]:
        """Return each side of each connection with its frames."""
        sides: dict[tuple[int, StreamDirection], _Side] = {}
        talks: dict[int, StreamAssembler] = {}

        def note(connection: int, settled: AssembledPart) -> None:
            for direction, frame, what in self._frames(settled):
                sides[connection, direction].frames.append((frame.offset, len(frame.data), what))

        for part in with_holes(read_segment(source)):
            if not isinstance(part, SegmentEntry):
                continue
            if part.kind is EntryKind.OPEN:
                talks[part.connection] = StreamAssembler(known_start=bool(part.facts.get("knownStart", True)))
                sides |= {(part.connection, each): _Side() for each in StreamDirection}
            elif part.connection in talks:
                for settled in talks[part.connection].feed(part):
                    note(part.connection, settled)
        for connection, talk in talks.items():
            for settled in talk.close():
                note(connection, settled)
        for side in sides.values():
            side.frames = deque(sorted(side.frames, key=lambda frame: frame[0]))
        return sides

    def _frames(self, settled: AssembledPart) -> Iterator[tuple[StreamDirection, Frame, _What]]:
        match settled:
            case Exchange():
                names = self._naming.exchange(settled)
                yield StreamDirection.TO_BROKER, settled.request, names.request
                yield StreamDirection.TO_CLIENT, settled.response, names.response
            case UnpairedFrame(api_key=int() as api_key, version=int() as version):
                yield settled.direction, settled.frame, self._naming.request(api_key, version)
            case SaslToken():
                yield settled.direction, settled.frame, settled
            case UnpairedFrame() | LostBytes():
                pass
            case _:
                assert_never(settled)

    def _entry(self, writer: SegmentWriter, side: _Side, entry: SegmentEntry) -> None:
        match entry.kind:
            case EntryKind.DATA:
                side.waiting += entry.payload
                self._whole(writer, side, entry)
            case EntryKind.HOLE:
                self._rest(writer, side, entry)
                self._hole(writer, side, entry, entry.missing, "not captured")
            case EntryKind.RESET:
                self._rest(writer, side, entry)
                writer.add(entry.kind, entry.time_ns, entry.connection, entry.direction, b"reset")
            case _:
                self._rest(writer, side, entry)
                writer.add(entry.kind, entry.time_ns, entry.connection, entry.direction, entry.payload)

    def _whole(self, writer: SegmentWriter, side: _Side, entry: SegmentEntry) -> None:
        """Write each frame that is whole by now, and the bytes before it as a hole."""
        while side.frames:
            offset, length, what = side.frames[0]
            before = min(offset - side.start, len(side.waiting))
            if before > 0:
                self._drop(writer, side, entry, before, "no frame that has a name")
            if offset != side.start or len(side.waiting) < length:
                return
            side.frames.popleft()
            self._frame(writer, side, entry, length, what)
        self._rest(writer, side, entry)

    def _frame(
        self, writer: SegmentWriter, side: _Side, entry: SegmentEntry, length: int, what: _What
    ) -> None:
        data = bytes(side.waiting[:length])
        if isinstance(what, UnknownFrameType):
            self._drop(writer, side, entry, length, unknown_words(what))
            return
        if isinstance(what, SaslToken):
            again = data[:PREFIX_BYTES] + self._redactor.data(data[PREFIX_BYTES:])
        else:
            found = self._redaction.redact(what, data)
            if isinstance(found, QuarantinedData):
                self._drop(writer, side, entry, length, f"{what.message} {what.version}: {found.reason}")
                return
            again = found.data
        writer.add(EntryKind.DATA, entry.time_ns, entry.connection, entry.direction, again)
        self.frames += 1
        del side.waiting[:length]
        side.start += length

    def _rest(self, writer: SegmentWriter, side: _Side, entry: SegmentEntry) -> None:
        """Drop the bytes after the last whole frame or before a hole."""
        if side.waiting:
            self._drop(writer, side, entry, len(side.waiting), "no frame that has a name")

    def _drop(self, writer: SegmentWriter, side: _Side, entry: SegmentEntry, count: int, reason: str) -> None:
        del side.waiting[:count]
        self._hole(writer, side, entry, count, reason)

    def _hole(self, writer: SegmentWriter, side: _Side, entry: SegmentEntry, count: int, reason: str) -> None:
        side.start += count
        self.lost[reason] += count
        size = count.to_bytes(8, "big")
        writer.add(EntryKind.HOLE, entry.time_ns, entry.connection, entry.direction, size)


def _facts(opened: SegmentEntry) -> dict[str, object]:
    """Return the facts of an OPEN entry without addresses: ports distinguish connections and brokers."""
    facts = opened.facts
    return {
        "client": f"{_CLIENTS}:{_port(facts['client'])}",
        "broker": f"{_BROKERS}:{_port(facts['broker'])}",
        "knownStart": bool(facts.get("knownStart", True)),
    }


def _port(address: str) -> str:
    return address.rpartition(":")[2]
