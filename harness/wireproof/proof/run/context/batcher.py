"""Batches of cases: as many as one call into the oracle should carry."""

from collections.abc import Iterable, Iterator

from kafkawire.schema.layout import MessageLayout
from wireproof.model import Case
from wireproof.proof.run.core.prepared_cases import PreparedCase, prepare

_BATCH_CASES = 256
_BATCH_BYTES = 4 << 20
"""A batch ends at whichever comes first: so many cases, or so many canonical bytes."""


def prepared_batches(
    layout: MessageLayout, cases: Iterable[Case], *, one_by_one: bool = False
) -> Iterator[list[PreparedCase]]:
    """The cases with their canonical binaries, in batches that are never empty.

    Args:
        one_by_one: one case a batch.
    """
    most = 1 if one_by_one else _BATCH_CASES
    batch: list[PreparedCase] = []
    size = 0
    for case in cases:
        item = prepare(layout, case)
        batch.append(item)
        size += len(item.expected)
        if len(batch) >= most or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
