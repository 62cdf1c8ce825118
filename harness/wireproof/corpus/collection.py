"""A capture -> what its frames have to show: for each cell a few redacted frames, one for each fingerprint.

Segment files are read one after the other; memory is that of the frames that are kept.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final, TypeAlias, assert_never

from kafkawire.schema import MessageLayout
from wireproof.corpus.candidates import (
    Candidate,
    FrameLocation,
    FrameOrigin,
    FrameReader,
    Rank,
    provenance_of,
    rank_of,
)
from wireproof.corpus.corpus_entry import Provenance
from wireproof.corpus.coverage_report import CoverageReport, CoverageReportBuilder
from wireproof.fingerprint import Fingerprint
from wireproof.redaction import Pseudonymizer, QuarantinedData
from wireproof.wire import (
    ConnectionDecoder,
    DecodedPart,
    EntryKind,
    FrameIdentifier,
    FrameType,
    IdentifiedFrame,
    InnerMessageReader,
    SegmentDamage,
    SegmentEntry,
    SkippedBytes,
    StreamDirection,
    read_segment,
)

__all__ = ["ORPHAN", "CollectedCell", "CaptureCollector", "too_large"]

_CellKey: TypeAlias = tuple[str, int, Provenance]
"""Message, version and provenance: hashing a layout would take longer than to decode a small frame."""

ORPHAN: Final = "data of a connection whose beginning is damaged"


def too_large(limit: int) -> str:
    """The reason to leave out a frame above a limit of bytes."""
    return f"frames above {limit} bytes"


@dataclass(slots=True)
class CollectedCell:
    """The frames of one cell and provenance.

    Attributes:
        header: the layout of the header before the message; None where it has none.
        candidates: one of each fingerprint, in the order of their places.
    """

    module: str
    layout: MessageLayout
    header: MessageLayout | None
    provenance: Provenance
    candidates: list[Candidate] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Kept:
    """A frame as it was captured, the best of its fingerprint so far."""

    rank: Rank
    named: FrameType
    data: bytes = field(repr=False)
    whence: FrameOrigin


class CaptureCollector:
    """Gathers the frames of a capture of one release.

    Args:
        naming, logs: of the release.
        redactor: with the key of the capture.
        largest_bytes: no larger frame is taken.

    Attributes:
        frames: how many were seen.
        quarantined, left_out: how many were not taken, by the reason.
        damage: of the files, as sentences.
    """

    def __init__(
        self, naming: FrameIdentifier, logs: InnerMessageReader, redactor: Pseudonymizer, largest_bytes: int
    ) -> None:
        self.frames = 0
        self.quarantined: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.damage: list[str] = []
        self._count = CoverageReportBuilder(naming)
        self._naming = naming
        self._reader = FrameReader(naming, logs, redactor)
        self._largest = largest_bytes
        self._kept: dict[_CellKey, dict[Fingerprint, _Kept]] = {}
        self._inner: dict[tuple[_CellKey, Fingerprint], Candidate] = {}

    @property
    def reach(self) -> CoverageReport:
        """Which pairs the listeners advertise, and which were answered."""
        return self._count.reach

    def read(self, file: BinaryIO, name: str) -> None:
        """All frames of a segment file.

        Args:
            name: of the file.

        Raises:
            NoSegmentError: it is none.
        """
        listener = ""
        talks: dict[int, ConnectionDecoder] = {}
        for part in read_segment(file):
            match part:
                case SegmentDamage():
                    self.damage.append(f"{name}: {part}")
                case SegmentEntry(kind=EntryKind.FACTS):
                    listener = str(part.facts.get("listener", ""))
                case SegmentEntry(kind=EntryKind.OPEN):
                    known = bool(part.facts.get("knownStart", True))
                    talks[part.connection] = ConnectionDecoder(self._naming, known_start=known)
                case SegmentEntry(connection=number) if number in talks:
                    self._take(talks[number].feed(part), name, listener, number)
                    if part.kind is EntryKind.CLOSE:
                        self._take(talks.pop(number).close(), name, listener, number)
                case SegmentEntry():
                    self.left_out[ORPHAN] += 1
        for number, talk in talks.items():
            self._take(talk.close(), name, listener, number)

    def cells(self) -> Iterator[CollectedCell]:
        """The redacted candidates by cell and provenance. Call it once, after all input is read."""
        found: dict[_CellKey, dict[Fingerprint, Candidate]] = {}
        for each in self._redacted():
            cell = found.setdefault(_cell(each), {})
            held = cell.get(each.fingerprint)
            if held is None or each.rank < held.rank:
                cell[each.fingerprint] = each
        for kept in found.values():
            candidates = sorted(kept.values(), key=lambda each: each.whence.place)
            first = candidates[0]
            yield CollectedCell(first.module, first.layout, first.header, first.whence.provenance, candidates)

    def _take(self, met: Iterable[DecodedPart], file: str, listener: str, connection: int) -> None:
        for each in met:
            match each:
                case IdentifiedFrame():
                    place = FrameLocation(file, connection, each.direction, each.frame.offset)
                    self._seen(each, place, listener)
                case SkippedBytes():
                    self.frames += each.frames
                    self.left_out[each.reason] += 1 if each.frames else each.count
                    if each.answered and each.direction is StreamDirection.TO_BROKER:
                        self._count.answered(listener, *each.answered)
                case _:
                    assert_never(each)

    def _seen(self, seen: IdentifiedFrame, place: FrameLocation, listener: str) -> None:
        self.frames += 1
        data, named = seen.frame.data, seen.named
        if seen.direction is StreamDirection.TO_BROKER and seen.paired_offset is not None:
            self._count.answered(listener, seen.api_key, seen.version)
        reading = self._reader.cell(named).read(data)
        if isinstance(reading, QuarantinedData):
            self.quarantined[f"{named.message} {named.version}: {reading.reason}"] += 1
            return
        if seen.direction is StreamDirection.TO_CLIENT:
            self._count.told(listener, named, reading.body)
        whence = FrameOrigin(provenance_of(seen), place, listener, seen.client, seen.time_ns)
        if reading.has_inner_messages and whence.provenance is Provenance.CAPTURED:
            self._hold(named, data, whence)
        if len(data) > self._largest:
            self.left_out[too_large(self._largest)] += 1
            return
        rank = rank_of(place, len(data))
        kept = self._kept.setdefault((named.message, named.version, whence.provenance), {})
        held = kept.get(reading.fingerprint)
        if held is None or rank < held.rank:
            kept[reading.fingerprint] = _Kept(rank, named, data, whence)

    def _hold(self, named: FrameType, data: bytes, whence: FrameOrigin) -> None:
        """Keep the messages inside a frame: of each that shows the same the best."""
        found = self._reader.redacted(named, data, whence)
        if isinstance(found, QuarantinedData):
            return  # it is told when the frame itself is redacted
        for each in found[1:]:
            key = _cell(each), each.fingerprint
            held = self._inner.get(key)
            if held is None or each.rank < held.rank:
                self._inner[key] = each

    def _redacted(self) -> Iterator[Candidate]:
        for kept in self._kept.values():
            for each in kept.values():
                found = self._reader.redacted(each.named, each.data, each.whence)
                if isinstance(found, QuarantinedData):
                    self.quarantined[f"{each.named.message} {each.named.version}: {found.reason}"] += 1
                elif len(found[0].data) > self._largest:
                    self.left_out[too_large(self._largest)] += 1
                else:
                    yield found[0]
        yield from (each for each in self._inner.values() if len(each.data) <= self._largest)


def _cell(candidate: Candidate) -> _CellKey:
    layout = candidate.layout
    return layout.name, layout.version, candidate.whence.provenance
