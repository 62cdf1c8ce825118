"""Log files of brokers: consecutive batches, and any bytes after the last one."""

import pytest

from kafkawire.records import Message, Record, RecordBatch, RecordSet, encode_records
from wireproof.traffic.wire.inner_messages import log_batches, parse_topic

BATCH = encode_records(RecordSet((RecordBatch(base_offset=7, records=(Record(0, 0, b"key", b"value"),)),)))
OLD = encode_records(RecordSet((Message(3, -1, b"key", b"value", 0),)))


@pytest.mark.parametrize("cut", range(len(OLD)))
def test_a_cut_batch_leaves_the_batches_before_it(cut: int) -> None:
    """The last batch has another magic, and is cut at any byte."""
    assert list(log_batches(BATCH + OLD[:cut])) == [(0, BATCH)]


def test_a_whole_file_has_all_its_batches() -> None:
    """Each batch of any magic has its place."""
    assert list(log_batches(BATCH + OLD + BATCH)) == [
        (0, BATCH),
        (len(BATCH), OLD),
        (len(BATCH + OLD), BATCH),
    ]


@pytest.mark.parametrize("rest", [bytes(100), b"", b"\xff" * 100])
def test_bytes_that_are_not_a_batch_end_a_file(rest: bytes) -> None:
    """The bytes are preallocated space, or not a batch."""
    assert list(log_batches(BATCH + rest)) == [(0, BATCH)]


@pytest.mark.parametrize(
    ("folder", "topic"), [("orders-12", "orders"), ("a-b-0", "a-b"), ("@metadata-0", "@metadata")]
)
def test_the_name_of_a_folder_gives_the_topic(folder: str, topic: str) -> None:
    """A topic's name may have a hyphen."""
    assert parse_topic(folder) == topic
