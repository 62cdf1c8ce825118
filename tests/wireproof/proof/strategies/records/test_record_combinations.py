"""Batches in a row, and numbers at their limits with each attribute."""

import pytest

from kafkawire.records import Compression, RecordBatch, decode_records, encode_records
from wireproof.proof.strategies.records.record_cases import LIMITS, record_cases

CASES = {case.name: case.records for case in record_cases()}


def test_two_empty_batches_stand_in_a_row() -> None:
    """A set has two batches without records, one directly after the other."""
    batches = CASES["set/empty-then-empty"].batches
    assert [isinstance(batch, RecordBatch) and batch.records for batch in batches] == [(), ()]


@pytest.mark.parametrize("first", ["plain", "empty", "control", "compacted"])
@pytest.mark.parametrize("second", ["plain", "empty", "control", "compacted"])
def test_each_kind_stands_before_each(first: str, second: str) -> None:
    """Offsets go on from the first batch to the second, and our codec reads both again."""
    records = CASES[f"set/{first}-then-{second}"]
    before, after = records.batches
    assert isinstance(before, RecordBatch)
    assert isinstance(after, RecordBatch)
    assert after.base_offset == before.last_offset_delta + 1
    assert decode_records(encode_records(records)) == records


@pytest.mark.parametrize("attribute", ["append-time", "transactional", "control", "delete-horizon"])
@pytest.mark.parametrize("number", LIMITS)
def test_each_number_is_at_both_ends_with_each_attribute(attribute: str, number: str) -> None:
    """A batch has the least value of each number, and the greatest, together with each attribute."""
    half = 1 << LIMITS[number] - 1
    found = []
    for end in ("min", "max"):
        (batch,) = CASES[f"v2/none/limits/{attribute}-{number.replace('_', '-')}-{end}"].batches
        found.append(getattr(batch, number))
    assert found == [-half, half - 1]


@pytest.mark.parametrize("codec", list(Compression))
def test_three_compressions_repeat_negative_sequences_only(codec: Compression) -> None:
    """Uncompressed batches and those of gzip are at all limits; the others have what coverage asks for."""
    names = [name for name in CASES if name.startswith(f"v2/{codec.name.lower()}/limits/")]
    assert len(names) == (64 if codec in (Compression.NONE, Compression.GZIP) else 4)


def test_a_batch_has_more_records_than_16_bits_count() -> None:
    """A batch of 65,536 records is asked once, without compression."""
    (batch,) = CASES["v2/none/records-65536"].batches
    assert isinstance(batch, RecordBatch)
    assert len(batch.records) == 1 << 16
