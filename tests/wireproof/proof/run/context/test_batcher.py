"""Batches of cases: small ones first where a proof ends at its first failure."""

from itertools import islice

import pytest

from wireproof.proof.run.context.cell_context import batch_sizes


@pytest.mark.parametrize(
    ("first", "sizes"), [(None, [256] * 4), (8, [8, 32, 128, 256]), (1, [1, 4, 16, 64]), (256, [256] * 4)]
)
def test_batches_grow_up_to_the_size_that_one_call_carries(first: int | None, sizes: list[int]) -> None:
    """Each batch is four times as large as the one before it."""
    assert list(islice(batch_sizes(first), 4)) == sizes
