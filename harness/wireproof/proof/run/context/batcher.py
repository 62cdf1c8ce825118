"""Batches of cases: as many as one call into the oracle should carry."""

from collections.abc import Iterable, Iterator
from itertools import repeat

from kafkawire.schema.layout import MessageLayout
from wireproof.model import Case
from wireproof.proof.run.core.prepared_cases import PreparedCase, prepare

_BATCH_CASES = 256
_BATCH_BYTES = 4 << 20
"""A batch ends at whichever comes first: so many cases, or so many canonical bytes."""


def batch_sizes(first: int | None, most: int = _BATCH_CASES) -> Iterator[int]:
    """Yield the most cases of each batch: four times as many as the one before had, up to `most`."""
    while first is not None and first < most:
        yield first
        first *= 4
    yield from repeat(most)


def prepared_batches(
    layout: MessageLayout, cases: Iterable[Case], sizes: Iterator[int]
) -> Iterator[list[PreparedCase]]:
    """The cases with their canonical binaries, in batches that are never empty."""
    batch: list[PreparedCase] = []
    size, most = 0, next(sizes)
    for case in cases:
        item = prepare(layout, case)
        batch.append(item)
        size += len(item.expected)
        if len(batch) >= most or size >= _BATCH_BYTES:
            yield batch
            batch, size, most = [], 0, next(sizes)
    if batch:
        yield batch
