"""The choice of a few out of many: the least that meets all that the many meet."""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

__all__ = ["covering"]


def covering(candidates: Sequence[tuple[int, int]]) -> list[int]:
    """Which candidates meet together what all of them meet, chosen one by one: the one that adds most, of
    these the lightest, of these the first. Their indices in ascending order; the same for the same input.

    Args:
        candidates: what each meets, as the bits of a number, and its weight.
    """
    # What a candidate adds only gets less, so one that still adds what it did is the best there is.
    waiting = [(-bits.bit_count(), weight, index) for index, (bits, weight) in enumerate(candidates)]
    heapify(waiting)
    met = 0
    chosen: list[int] = []
    while waiting:
        gain, weight, index = heappop(waiting)
        adds = (candidates[index][0] & ~met).bit_count()
        if adds == -gain and adds:
            met |= candidates[index][0]
            chosen.append(index)
        elif adds:
            heappush(waiting, (-adds, weight, index))
    return sorted(chosen)
