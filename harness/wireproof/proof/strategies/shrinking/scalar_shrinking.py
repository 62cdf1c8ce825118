"""Smaller scalars: numbers nearer to zero, and shorter and plainer text and bytes, tried one after the other.

Each function gets a failing value and `accept`, which tries another value: True means that the fault is still
there, and that the other value replaces the first. The function returns the last accepted value. A value is
never replaced by a less plain one, so that repeated shrinking ends.
"""

import struct
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Final, TypeAlias, TypeVar
from uuid import UUID

from kafkawire.schema.model import ScalarType
from wireproof.proof.strategies.values.boundary_values import SHORT, span

Accept: TypeAlias = Callable[[Any], bool]

Items = TypeVar("Items", list[Any], tuple[Any, ...], str, bytes)

_MOST_CHUNKS: Final = 64
"""Most parts into which one pass cuts a sequence; the next pass cuts the rest again."""

_MOST_FILLS: Final = 4
"""Most characters of a text that are tried as the only character of it."""


def smaller_scalar(scalar: ScalarType, value: Any, accept: Accept) -> Any:
    """The plainest value found of a scalar type."""
    match scalar:
        case ScalarType.BOOL:
            return False if value and accept(False) else value
        case ScalarType.FLOAT64:
            return _plainer_float(value, accept)
        case ScalarType.UUID:
            return UUID(int=_nearer_to_zero(value.int, 2**128, lambda number: accept(UUID(int=number))))
        case ScalarType.STRING:
            return _shorter(_in_ascii(value, accept), "a", lambda character, count: character * count, accept)
        case ScalarType.BYTES | ScalarType.RECORDS:
            return _shorter(bytes(value), 0, lambda byte, count: bytes([byte]) * count, accept)
        case _:
            _, highest = span(scalar) or (0, 0)
            return _nearer_to_zero(value, highest, accept)


def least_accepted(low: int, high: int, accept: Callable[[int], bool]) -> int:
    """The least accepted number above `low`, if the accepted numbers have no gaps below `high`.

    Args:
        low: a number that is not accepted.
        high: a number that is accepted.
    """
    while high - low > 1:
        middle = (low + high) // 2
        if accept(middle):
            high = middle
        else:
            low = middle
    return high


def remove_chunks(items: Items, accept: Callable[[Items], bool]) -> Items:
    """Remove the parts of a sequence that the fault does not need: large parts first, then smaller ones.

    This is delta debugging (Zeller, Hildebrandt 2002) with complements only.
    """
    chunk, finest = len(items), max(1, len(items) // _MOST_CHUNKS)
    while chunk >= finest and items:
        start = 0
        while start < len(items):
            without = items[:start] + items[start + chunk :]
            if accept(without):
                items = without
            else:
                start += chunk
        chunk //= 2
    return items


def _nearer_to_zero(value: int, highest: int, accept: Callable[[int], bool]) -> int:
    """Return zero, else one, else a positive number with few bits, and then with the least magnitude."""
    for plain in (0, 1):
        if value == plain or accept(plain):
            return plain
    if value < 0 and -value <= highest and accept(-value):
        value = -value
    sign, magnitude = (-1, -value) if value < 0 else (1, value)
    for bit in reversed(range(magnitude.bit_length())):
        cleared = magnitude & ~(1 << bit)
        if cleared not in (0, magnitude) and accept(sign * cleared):
            magnitude = cleared
    refused = 0 if sign < 0 else 1
    return sign * least_accepted(refused, magnitude, lambda number: accept(sign * number))


def _plainer_float(value: float, accept: Accept) -> float:
    """The plainest accepted boundary value; else a whole number."""
    for _, plain in SHORT[ScalarType.FLOAT64]:
        if _bits(plain) == _bits(value):
            return value
        if accept(plain):
            return float(plain)
    for plain in _whole_numbers(value):
        if accept(plain):
            return plain
    return value


def _whole_numbers(value: float) -> Iterator[float]:
    if value == value and abs(value) < 2**53:
        whole = float(int(value))
        if whole != value:
            yield whole


def _bits(value: float) -> bytes:
    return struct.pack(">d", value)


def _in_ascii(value: str, accept: Accept) -> str:
    """An ASCII text with the same number of bytes in UTF-8: the fault may need only their number."""
    plain = "a" * len(value.encode())
    return plain if not value.isascii() and accept(plain) else value


def _shorter(value: Any, plainest: Any, fill: Callable[[Any, int], Any], accept: Accept) -> Any:
    """Return a text or bytes: empty, or one repeated item as short as possible, or the original shortened.

    Args:
        plainest: the plainest item.
        fill: returns an item repeated a number of times.
    """
    if not value or accept(value[:0]):
        return value[:0]
    distinct = list(dict.fromkeys(value))
    for item in dict.fromkeys([plainest, *distinct[:_MOST_FILLS]]):
        uniform = fill(item, len(value))
        if uniform == value or accept(uniform):
            length = least_accepted(0, len(value), lambda count, item=item: accept(fill(item, count)))  # type: ignore[misc]
            return fill(item, length)
    value = remove_chunks(value, accept)
    return _plainer_items(value, plainest, fill, accept)


def _plainer_items(value: Any, plainest: Any, fill: Callable[[Any, int], Any], accept: Accept) -> Any:
    """Replace parts of the value by the plainest item."""
    parts = min(len(value), _MOST_CHUNKS) or 1  # a flaky codec also fails with an empty value, in the end
    bounds = [len(value) * part // parts for part in range(parts + 1)]
    for start, end in pairwise(bounds):
        plain = value[:start] + fill(plainest, end - start) + value[end:]
        if plain != value and accept(plain):
            value = plain
    return value
