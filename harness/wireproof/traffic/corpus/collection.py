"""Collection of a capture's frames, and of its brokers' logs: a few redacted ones, one for each fingerprint.

Segment files are read one after the other. Memory holds only the kept frames.
"""

import json
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Final, TypeAlias, TypeVar, assert_never

from kafkawire.canonical import canonical
from kafkawire.records import RecordSet, decode_records, highest_magic, record_set_layout, to_value
from kafkawire.schema import MessageLayout
from wireproof.model.coverage.record_set_model import record_coverage_model
from wireproof.traffic.corpus.candidates import (
    Candidate,
    FrameLocation,
    FrameOrigin,
    FrameReader,
    Rank,
    covering,
    provenance_of,
    rank_of,
    time_text,
    unused_name,
)
from wireproof.traffic.corpus.corpus_entry import GoldenEntry, Provenance
from wireproof.traffic.corpus.coverage_report import CoverageReport, CoverageReportBuilder
from wireproof.traffic.fingerprint.fingerprinter import Fingerprint, Fingerprinter
from wireproof.traffic.redaction.frame_redactor import QuarantinedData, is_uncompressed
from wireproof.traffic.redaction.pseudonymizer import PUBLIC_WORDS
from wireproof.traffic.wire.connection_decoder import (
    DecodedPart,
    IdentifiedFrame,
    SkippedBytes,
    decoded_segment,
)
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType
from wireproof.traffic.wire.inner_messages import log_batches, parse_topic
from wireproof.traffic.wire.segment_format import SegmentDamage, StreamDirection
from wireproof.traffic.wire.segment_reader import segment_facts

_CellKey: TypeAlias = tuple[str, int, Provenance]
"""Message, version and provenance: hashing a layout would take longer than decoding a small frame."""


def too_large(limit: int) -> str:
    """Return the reason to leave out a frame above a limit of bytes."""
    return f"frames above {limit} bytes"


@dataclass(slots=True)
class CollectedCell:
    """The frames of one cell and provenance.

    Attributes:
        header: the layout of the header before the message; None if it has none.
        prints: the fingerprinter of the cell.
        candidates: one of each fingerprint, in the order of their locations.
    """

    module: str
    layout: MessageLayout
    header: MessageLayout | None
    provenance: Provenance
    prints: Fingerprinter
    candidates: list[Candidate]


@dataclass(frozen=True, slots=True)
class _Kept:
    """The captured frame with the lowest rank of its fingerprint so far."""

    rank: Rank
    named: FrameType
    data: bytes = field(repr=False)
    origin: FrameOrigin


class CaptureCollector:
    """A collector of the frames of one capture.

    Args:
        naming: the identifier of the release.
        reader: of the same release, with the key of the capture.
        largest_bytes: larger frames are left out.

    Attributes:
        frames: the number of frames read.
        quarantined, left_out: the number of frames not taken, by reason.
        damage: damage of the files, as sentences.
    """

    def __init__(self, naming: FrameIdentifier, reader: FrameReader, largest_bytes: int) -> None:
        self.frames = 0
        self.quarantined: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.damage: list[str] = []
        self._coverage = CoverageReportBuilder(naming)
        self._naming = naming
        self._reader = reader
        self._largest = largest_bytes
        self._kept: dict[_CellKey, dict[Fingerprint, _Kept]] = {}
        self._inner: dict[tuple[_CellKey, Fingerprint], Candidate] = {}

    @property
    def coverage(self) -> CoverageReport:
        """The pairs that the listeners advertise, and those that were answered."""
        return self._coverage.report

    def read(self, file: BinaryIO, name: str) -> None:
        """Read all frames of a segment file of this name.

        Raises SegmentFormatError if it is not a segment file, or is damaged within its first entry.
        """
        listener = str(segment_facts(file).get("listener", ""))
        for part in decoded_segment(file, self._naming):
            if isinstance(part, SegmentDamage):
                self.damage.append(f"{name}: {part}")
            else:
                self._take(part[1], name, listener, part[0])

    def cells(self) -> Iterator[CollectedCell]:
        """Iterate over the redacted candidates by cell and provenance. Call it once, after all input."""
        found: dict[_CellKey, dict[Fingerprint, Candidate]] = {}
        for each in self._redacted():
            _keep_first(found.setdefault(_cell(each), {}), each.fingerprint, each)
        for kept in found.values():
            yield _collected(kept.values(), self._reader)

    def _take(self, part: DecodedPart, file: str, listener: str, connection: int) -> None:
        match part:
            case IdentifiedFrame():
                place = FrameLocation(file, connection, part.direction, part.frame.offset)
                self._seen(part, place, listener)
            case SkippedBytes():
                self.frames += part.frames
                self.left_out[part.reason] += 1 if part.frames else part.count
                if part.answered and part.direction is StreamDirection.TO_BROKER:
                    self._coverage.add_answer(listener, *part.answered)
            case _:
                assert_never(part)

    def _seen(self, seen: IdentifiedFrame, place: FrameLocation, listener: str) -> None:
        self.frames += 1
        data, named = seen.frame.data, seen.named
        if seen.direction is StreamDirection.TO_BROKER and seen.paired_offset is not None:
            self._coverage.add_answer(listener, seen.api_key, seen.version)
        reading = self._reader.cell(named).read(data)
        if isinstance(reading, QuarantinedData):
            self.quarantined[f"{named.message} {named.version}: {reading.reason}"] += 1
            return
        if seen.direction is StreamDirection.TO_CLIENT:
            self._coverage.add_response(listener, named, reading.body)
        origin = FrameOrigin(provenance_of(seen), place, listener, seen.client, seen.time_ns)
        if reading.has_inner_messages and origin.provenance is Provenance.CAPTURED:
            self._keep_inner(named, data, origin)
        if len(data) > self._largest:
            self.left_out[too_large(self._largest)] += 1
            return
        kept = self._kept.setdefault((named.message, named.version, origin.provenance), {})
        _keep_first(kept, reading.fingerprint, _Kept(rank_of(place, len(data)), named, data, origin))

    def _keep_inner(self, named: FrameType, data: bytes, origin: FrameOrigin) -> None:
        """Keep the messages inside a frame: for each fingerprint, the message with the lowest rank."""
        found = self._reader.redacted(named, data, origin)
        if isinstance(found, QuarantinedData):
            return  # `_redacted` counts it
        for each in found[1:]:
            _keep_first(self._inner, (_cell(each), each.fingerprint), each)

    def _redacted(self) -> Iterator[Candidate]:
        for kept in self._kept.values():
            for each in kept.values():
                found = self._reader.redacted(each.named, each.data, each.origin)
                if isinstance(found, QuarantinedData):
                    self.quarantined[f"{each.named.message} {each.named.version}: {found.reason}"] += 1
                elif len(found[0].data) > self._largest:
                    self.left_out[too_large(self._largest)] += 1
                else:
                    yield found[0]
        yield from (each for each in self._inner.values() if len(each.data) <= self._largest)


def _collected(kept: Iterable[Candidate], reader: FrameReader) -> CollectedCell:
    candidates = sorted(kept, key=lambda each: each.origin.place)
    first = candidates[0]
    return CollectedCell(
        first.module, first.layout, first.header, first.origin.provenance, reader.prints(first), candidates
    )


def _cell(candidate: Candidate) -> _CellKey:
    layout = candidate.layout
    return layout.name, layout.version, candidate.origin.provenance


DISK: Final = "DISK"
"""In place of a listener: the bytes were on disk."""
_MILLION: Final = 1_000_000
_MAGIC_AT: Final = 16
_MAX_TIMESTAMP_AT: Final = 35
_MAX_TIMESTAMP: Final = struct.Struct(">q")
_RECORD_BATCH: Final = 2
"""The magic whose batches hold the latest time at that offset."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """A redacted batch that may become an entry."""

    place: FrameLocation
    data: bytes = field(repr=False)
    records: RecordSet = field(repr=False)
    bits: int
    replaced: bool

    @property
    def rank(self) -> Rank:
        return rank_of(self.place, len(self.data))


_Key = TypeVar("_Key")
_Ranked = TypeVar("_Ranked", Candidate, _Kept, _Batch)


def _keep_first(kept: dict[_Key, _Ranked], key: _Key, offered: _Ranked) -> None:
    """Keep what is offered, unless the kept one of the key has an equal or a lower rank."""
    if key not in kept or offered.rank < kept[key].rank:
        kept[key] = offered


class DiskLogs:
    """A collector of record batches in a capture's log files, without those that are larger than a limit.

    Batches are redacted like those of a Fetch response. Kafka's own messages in them become candidates; the
    batches themselves become entries of the cells ``RecordBatch/MAGIC``. `quarantined` are those not taken,
    by reason.
    """

    def __init__(self, reader: FrameReader, largest_bytes: int) -> None:
        self.batches = 0
        self.quarantined: Counter[str] = Counter()
        self._reader = reader
        self._largest = largest_bytes
        self._inner: dict[tuple[str, int], dict[Fingerprint, Candidate]] = {}
        self._batches: dict[int, dict[int, _Batch]] = {}

    def read(self, data: bytes, name: str, folder: str) -> None:
        """Read all complete batches of a file in the capture, which is in its partition's folder."""
        for offset, batch in log_batches(data):
            self.batches += 1
            place = FrameLocation(name, 0, StreamDirection.TO_CLIENT, offset)
            self._take(batch, parse_topic(folder), place)

    def cells(self) -> Iterator[CollectedCell]:
        """Iterate over the messages in batches, by cell."""
        for kept in self._inner.values():
            yield _collected(kept.values(), self._reader)

    def entries(self, release: str, magic: int, existing: Sequence[GoldenEntry]) -> list[GoldenEntry]:
        """Return the batches of a magic that cover a class which no existing entry covers."""
        model = record_coverage_model(magic)
        form = canonical(record_set_layout(magic))
        covered = 0
        for entry in existing:
            covered |= model.look(form.from_tree(entry.value))
        held = sorted(self._batches.get(magic, {}).values(), key=lambda each: each.place)
        offered = [(each.bits & ~covered, len(each.data)) for each in held]
        names = {entry.name for entry in existing}
        found = []
        for index in sorted(covering(offered)):
            added = held[index].bits & ~covered
            if added:
                covered |= held[index].bits
                name = unused_name(model.names(added)[0], names)
                names.add(name)
                found.append(_entry(held[index], magic, name, release))
        return found

    @property
    def magics(self) -> Sequence[int]:
        """The magics of the batches that may become entries."""
        return sorted(self._batches)

    def _take(self, batch: bytes, topic: str, place: FrameLocation) -> None:
        """Redact a batch, and keep it and its messages if they cover something new."""
        origin = FrameOrigin(Provenance.CAPTURED, place, DISK, "", _time_ms(batch) * _MILLION)
        found = self._reader.redacted_batch(topic, batch, origin)
        if isinstance(found, QuarantinedData):
            self.quarantined[f"batch of {topic if topic in PUBLIC_WORDS else 'a topic'}: {found.reason}"] += 1
            return
        data, inner = found
        for each in inner:
            if len(each.data) <= self._largest:
                kept = self._inner.setdefault((each.layout.name, each.layout.version), {})
                _keep_first(kept, each.fingerprint, each)
        if len(data) <= self._largest:
            self._keep(data, place, replaced=data != batch)

    def _keep(self, data: bytes, place: FrameLocation, *, replaced: bool) -> None:
        records = decode_records(data)
        magic = highest_magic(records)
        bits = record_coverage_model(magic).look(to_value(records))
        _keep_first(self._batches.setdefault(magic, {}), bits, _Batch(place, data, records, bits, replaced))


def _entry(batch: _Batch, magic: int, name: str, release: str) -> GoldenEntry:
    form = canonical(record_set_layout(magic))
    return GoldenEntry(
        f"{release}/RecordBatch/{magic}",
        Provenance.CAPTURED,
        name,
        batch.data,
        json.loads(form.to_json(to_value(batch.records))),
        exact=is_uncompressed(batch.records),
        about={
            "listener": DISK,
            "time": time_text(_time_ms(batch.data) * _MILLION),
            "redaction": {"records": 1} if batch.replaced else {},
        },
    )


def _time_ms(batch: bytes) -> int:
    """Return the time of the last record; 0 if the batch does not hold it."""
    return (
        max(0, _MAX_TIMESTAMP.unpack_from(batch, _MAX_TIMESTAMP_AT)[0])
        if batch[_MAGIC_AT] == _RECORD_BATCH
        else 0
    )
