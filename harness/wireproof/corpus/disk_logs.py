"""Log segments of brokers -> candidates and entries: record batches, and the messages in them.

Batches are read and redacted as those of a Fetch response are. Those messages of Kafka's own that stand in
them are candidates like any; the batches themselves become entries of the cells ``RecordBatch/MAGIC``.
"""

import json
import struct
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.records import RecordSet, decode_records, highest_magic, record_set_layout, to_value
from wireproof.corpus.candidates import Candidate, FrameLocation, FrameOrigin, FrameReader, rank_of
from wireproof.corpus.collection import CollectedCell
from wireproof.corpus.corpus_entry import Golden, Provenance
from wireproof.corpus.entry_selection import time_text
from wireproof.corpus.set_cover import covering
from wireproof.coverage import record_coverage_model
from wireproof.fingerprint import Fingerprint
from wireproof.redaction import PUBLIC_WORDS, QuarantinedData, is_uncompressed
from wireproof.wire import StreamDirection, log_batches, parse_topic

__all__ = ["DISK", "DiskLogs"]

DISK: Final = "DISK"
"""In place of a listener: nobody sent it."""
_MILLION: Final = 1_000_000
_MAGIC_AT: Final = 16
_MAX_TIMESTAMP_AT: Final = 35
_MAX_TIMESTAMP: Final = struct.Struct(">q")
_RECORD_BATCH: Final = 2
"""The magic from which on a batch tells its latest time, at that place."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """A redacted batch that may become an entry."""

    place: FrameLocation
    data: bytes = field(repr=False)
    records: RecordSet = field(repr=False)
    bits: int
    replaced: bool


class DiskLogs:
    """Gathers the log files of a capture.

    Args:
        reader: with the key of the capture.
        largest_bytes: nothing larger is taken.

    Attributes:
        batches: how many were seen.
        quarantined: how many were not taken, by the reason.
    """

    def __init__(self, reader: FrameReader, largest_bytes: int) -> None:
        self.batches = 0
        self.quarantined: Counter[str] = Counter()
        self._reader = reader
        self._largest = largest_bytes
        self._inner: dict[tuple[str, int], dict[Fingerprint, Candidate]] = {}
        self._batches: dict[int, dict[int, _Batch]] = {}

    def read(self, data: bytes, name: str, folder: str) -> None:
        """All whole batches of a file.

        Args:
            name: of the file in the capture.
            folder: that of its partition.
        """
        for offset, batch in log_batches(data):
            self.batches += 1
            place = FrameLocation(name, 0, StreamDirection.TO_CLIENT, offset)
            self._take(batch, parse_topic(folder), place)

    def cells(self) -> Iterator[CollectedCell]:
        """The messages in batches, by cell."""
        for kept in self._inner.values():
            candidates = sorted(kept.values(), key=lambda each: each.whence.place)
            first = candidates[0]
            yield CollectedCell(first.module, first.layout, None, Provenance.CAPTURED, candidates)

    def entries(self, release: str, magic: int, there: Sequence[Golden]) -> list[Golden]:
        """The batches of a magic that show what no entry which is there does."""
        eyes = record_coverage_model(magic)
        form = canonical(record_set_layout(magic))
        met = 0
        for entry in there:
            met |= eyes.look(form.from_tree(entry.value))
        held = sorted(self._batches.get(magic, {}).values(), key=lambda each: each.place)
        offered = [(each.bits & ~met, len(each.data)) for each in held]
        names = {entry.name for entry in there}
        found = []
        for index in sorted(covering(offered)):
            fresh = held[index].bits & ~met
            if fresh:
                met |= held[index].bits
                name = _unused(eyes.names(fresh)[0], names)
                names.add(name)
                found.append(_entry(held[index], magic, name, release))
        return found

    @property
    def magics(self) -> Sequence[int]:
        """Of the batches that may become entries."""
        return sorted(self._batches)

    def _take(self, batch: bytes, topic: str, place: FrameLocation) -> None:
        """Redact a batch, and keep what shows what none before it did."""
        whence = FrameOrigin(Provenance.CAPTURED, place, DISK, "", _time_ms(batch) * _MILLION)
        found = self._reader.redacted_batch(topic, batch, whence)
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


def _entry(batch: _Batch, magic: int, name: str, release: str) -> Golden:
    form = canonical(record_set_layout(magic))
    return Golden(
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
    """When the last record was written; 0 where the batch does not tell."""
    return (
        max(0, _MAX_TIMESTAMP.unpack_from(batch, _MAX_TIMESTAMP_AT)[0])
        if batch[_MAGIC_AT] == _RECORD_BATCH
        else 0
    )


def _unused(name: str, names: Collection[str]) -> str:
    number = 2
    found = name
    while found in names:
        found = f"{name}#{number}"
        number += 1
    return found
