"""Entries from log files: the batches, and Kafka's own messages in them."""

import json
from uuid import UUID

import pytest

from kafkawire.compiler import compile_layout
from kafkawire.records import Compression, Record, RecordBatch, RecordSet, decode_records, encode_records
from kafkawire.schema import resolve
from tests.support.capture.small_capture import NAMING, RELEASE
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.corpus.candidates import FrameReader
from wireproof.traffic.corpus.collection import DISK, DiskLogs
from wireproof.traffic.corpus.corpus_entry import GoldenEntry, Provenance
from wireproof.traffic.redaction.pseudonymizer import Pseudonymizer
from wireproof.traffic.wire.inner_messages import InnerMessageReader

SCHEMAS = load_snapshot(table().find(RELEASE))
LOGS = InnerMessageReader(SCHEMAS)
LARGEST = 4096
TIME_MS = 1_800_000_000_123


def disk(*files: tuple[str, bytes]) -> DiskLogs:
    """Read log files, each from the folder of a partition."""
    found = DiskLogs(FrameReader(NAMING, LOGS, Pseudonymizer(bytes(32))), LARGEST)
    for number, (folder, data) in enumerate(files):
        found.read(data, f"disk/1/a/{folder}/{number}.log", folder)
    return found


def batch(value: bytes, compression: Compression = Compression.NONE, count: int = 1) -> bytes:
    records = tuple(Record(0, n, b"alice", value) for n in range(count))
    made = RecordBatch(
        base_timestamp=TIME_MS,
        max_timestamp=TIME_MS,
        last_offset_delta=count - 1,
        compression=compression,
        records=records,
    )
    return encode_records(RecordSet((made,)))


def topic_record(name: str) -> bytes:
    """Return a record as in the metadata log: frame 1, type 2, version 0."""
    layout = resolve(next(spec for _, spec in SCHEMAS if spec.name == "TopicRecord"), 0)
    return b"\x01\x02\x00" + compile_layout(layout).encode({"name": name, "topicId": UUID(int=1 << 64)})


@pytest.mark.parametrize("compression", Compression)
def test_a_users_batch_is_an_entry(compression: Compression) -> None:
    """A batch of any compression is redacted; a compressed one is only read."""
    (entry,) = disk(("orders-0", batch(b"lives in Paris", compression))).entries(RELEASE, 2, ())
    assert (entry.cell, entry.provenance) == (f"{RELEASE}/RecordBatch/2", Provenance.CAPTURED)
    assert entry.exact is (compression is Compression.NONE)
    assert entry.about == {"listener": DISK, "time": "2027-01-15T08:00:00.123Z", "redaction": {"records": 1}}
    (read,) = decode_records(entry.body).batches
    assert isinstance(read, RecordBatch)
    assert read.compression is compression
    assert read.records[0].value == Pseudonymizer(bytes(32)).data(b"lives in Paris")
    assert b"Paris".hex() not in json.dumps(entry.value)


def test_batches_with_equal_fingerprints_are_one_entry() -> None:
    """The first of two equal batches is kept; a batch that the corpus has is not added again."""
    found = disk(("a-0", batch(b"one")), ("b-0", batch(b"two") + batch(b"3", Compression.GZIP)))
    entries = found.entries(RELEASE, 2, ())
    assert len(entries) == 2
    assert len({entry.name for entry in entries}) == 2
    assert found.entries(RELEASE, 2, entries) == []
    assert found.batches == 3


def test_records_of_kafkas_own_logs_are_messages() -> None:
    """The folder's name decides; a user's record with the same bytes is not a message."""
    data = batch(topic_record("orders-of-alice"))
    (cell,) = disk(("__cluster_metadata-0", data), ("orders-0", data)).cells()
    (candidate,) = cell.candidates
    assert (cell.module, cell.layout.name, candidate.origin.listener) == ("metadata", "TopicRecord", DISK)
    assert compile_layout(cell.layout).decode(candidate.data)["name"] == Pseudonymizer(bytes(32)).text(
        "orders-of-alice"
    )


def test_a_batch_that_is_too_large_or_unreadable_is_left_out() -> None:
    """The report does not have a user's name."""
    broken = bytearray(batch(b"value"))
    broken[-1] ^= 1
    found = disk(("orders-0", batch(bytes(LARGEST)) + bytes(broken)))
    assert found.entries(RELEASE, 2, ()) == []
    assert list(found.magics) == []
    (words,) = found.quarantined
    assert "orders" not in words


def test_entries_are_golden() -> None:
    """The entries can be written to the files of a corpus."""
    (entry,) = disk(("orders-0", batch(b"value"))).entries(RELEASE, 2, ())
    assert isinstance(entry, GoldenEntry)
    assert entry.name == "batches/count-1"
