"""Collection of brokers' log segments: record batches, and the messages in them.

Batches are redacted like those of a Fetch response. Kafka's own messages in them become candidates; the
batches themselves become entries of the cells ``RecordBatch/MAGIC``.
"""

import json
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.records import RecordSet, decode_records, highest_magic, record_set_layout, to_value
from wireproof.model.coverage import record_coverage_model
from wireproof.traffic.corpus.candidates import Candidate, FrameLocation, FrameOrigin, FrameReader, rank_of
from wireproof.traffic.corpus.collection import CollectedCell
from wireproof.traffic.corpus.corpus_entry import GoldenEntry, Provenance
from wireproof.traffic.corpus.entry_selection import time_text, unused_name
from wireproof.traffic.corpus.set_cover import covering
from wireproof.traffic.fingerprint import Fingerprint
from wireproof.traffic.redaction import PUBLIC_WORDS, QuarantinedData, is_uncompressed
from wireproof.traffic.wire import StreamDirection, log_batches, parse_topic

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


class DiskLogs:
    """A collector of a capture's log files.

    Args:
        reader: the frame reader with the key of the capture.
        largest_bytes: larger batches and messages are left out.

    Attributes:
        batches: the number of batches read.
        quarantined: the number of batches not taken, by reason.
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
            candidates = sorted(kept.values(), key=lambda each: each.origin.place)
            first = candidates[0]
            yield CollectedCell(first.module, first.layout, None, Provenance.CAPTURED, candidates)

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
                held = kept.get(each.fingerprint)
                if held is None or each.rank < held.rank:
                    kept[each.fingerprint] = each
        if len(data) <= self._largest:
            self._keep(data, place, replaced=data != batch)

    def _keep(self, data: bytes, place: FrameLocation, *, replaced: bool) -> None:
        records = decode_records(data)
        magic = highest_magic(records)
        bits = record_coverage_model(magic).look(to_value(records))
        kept = self._batches.setdefault(magic, {})
        made = _Batch(place, data, records, bits, replaced)
        held = kept.get(bits)
        if held is None or rank_of(place, len(data)) < rank_of(held.place, len(held.data)):
            kept[bits] = made


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
