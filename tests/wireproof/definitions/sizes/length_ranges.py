"""The ranges of numbers that take one byte, two bytes and so on by an encoding: KIP-625's histograms."""

from typing import NamedTuple

from kafkawire.schema import IntegerEncoding
from kafkawire.wire import INTEGER_FORMS


class LengthRange(NamedTuple):
    """Neighbouring numbers of equal length, both ends included."""

    low: int
    high: int
    length_bytes: int


def length_ranges(encoding: IntegerEncoding) -> list[LengthRange]:
    """Return the ranges of an encoding, the lowest numbers first.

    The lengths are those that the codec writes. Inside a range they are equal, because between two powers of
    two no encoding changes its length.
    """
    high = (1 << (encoding.bits - 1)) - 1
    edges = [1 << bits for bits in range(encoding.bits - 1)]
    starts = sorted({-high - 1, 0, *edges, *(-edge for edge in edges), *(1 - edge for edge in edges)})
    write = INTEGER_FORMS[encoding].write
    found: list[LengthRange] = []
    for start, after in zip(starts, [*starts[1:], high + 1], strict=True):
        length = len(write(start))
        if found and found[-1].length_bytes == length:
            start = found.pop().low
        found.append(LengthRange(start, after - 1, length))
    return found
