"""The annotation of record sets ends, whatever the bytes are."""

import pytest

from kafkawire.errors import DecodeError, Fault
from kafkawire.records import annotate_records
from tests.kafkawire.records.test_vectors import V1, V2


@pytest.mark.parametrize("size", [-12, -1, 0, 5])
@pytest.mark.parametrize("whole", [V1, V2], ids=["magic-1", "magic-2"])
def test_a_compressed_batch_that_ends_in_its_own_head(whole: str, size: int) -> None:
    """A size that is too small would lead back into the batch, again and again: reading stops there."""
    data = bytearray.fromhex(whole)
    data[8:12] = size.to_bytes(4, "big", signed=True)
    attributes = 22 if data[16] == 2 else 17
    data[attributes] = 1
    found = annotate_records(bytes(data))
    assert isinstance(found.stopped, DecodeError)
    assert found.stopped.fault in (Fault.LENGTH, Fault.TRUNCATED)
    assert found.end <= len(data)
    assert len(found.spans) < 40
