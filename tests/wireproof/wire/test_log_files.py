"""Log files of brokers: batches one behind the other, whatever stands behind the last."""

import pytest

from kafkawire.records import Message, Record, RecordBatch, RecordSet, encode_records
from wireproof.wire import log_batches, parse_topic

BATCH = encode_records(RecordSet((RecordBatch(base_offset=7, records=(Record(0, 0, b"key", b"value"),)),)))
OLD = encode_records(RecordSet((Message(3, -1, b"key", b"value", 0),)))


@pytest.mark.parametrize("cut", range(len(OLD)))
def test_a_file_that_ends_in_a_batch_has_those_before_it(cut: int) -> None:
    """Cut at any byte of the last one, which is of another magic."""
    assert list(log_batches(BATCH + OLD[:cut])) == [(0, BATCH)]


def test_a_whole_file() -> None:
    """Each batch with its place, of whatever magic."""
    assert list(log_batches(BATCH + OLD + BATCH)) == [
        (0, BATCH),
        (len(BATCH), OLD),
        (len(BATCH + OLD), BATCH),
    ]


@pytest.mark.parametrize("rest", [bytes(100), b"", b"\xff" * 100])
def test_what_is_no_batch_ends_a_file(rest: bytes) -> None:
    """Room that was made for more, or bytes that make no sense."""
    assert list(log_batches(BATCH + rest)) == [(0, BATCH)]


@pytest.mark.parametrize(
    ("folder", "topic"), [("orders-12", "orders"), ("a-b-0", "a-b"), ("@metadata-0", "@metadata")]
)
def test_the_topic_of_a_folder(folder: str, topic: str) -> None:
    """A topic's name may have a hyphen, too."""
    assert parse_topic(folder) == topic
