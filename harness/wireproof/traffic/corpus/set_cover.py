"""A greedy set cover: a few candidates that cover all that any candidate covers."""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush


def covering(candidates: Sequence[tuple[int, int]]) -> list[int]:
    """Choose candidates that together cover all bits of all candidates.

    Each step takes the candidate that adds most bits, then the lightest, then the first.

    Args:
        candidates: the bits of each candidate, and its weight.

    Returns:
        The indices of the chosen candidates in ascending order.
    """
    # The gain of a candidate only shrinks, so one whose gain is unchanged is the best.
    waiting = [(-bits.bit_count(), weight, index) for index, (bits, weight) in enumerate(candidates)]
    heapify(waiting)
    covered = 0
    chosen: list[int] = []
    while waiting:
        gain, weight, index = heappop(waiting)
        adds = (candidates[index][0] & ~covered).bit_count()
        if adds == -gain and adds:
            covered |= candidates[index][0]
            chosen.append(index)
        elif adds:
            heappush(waiting, (-adds, weight, index))
    return sorted(chosen)
