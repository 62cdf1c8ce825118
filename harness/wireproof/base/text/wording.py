"""Numbers with their nouns, as every message and report writes them."""

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches


def counted(number: int, noun: str, plural: str = "") -> str:
    """``1 cell``, ``2,000 cells``, ``2 entries``.

    Args:
        plural: the plural of the noun; empty for the noun with an s.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def runs(numbers: Collection[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of each run of numbers without a gap, ascending."""
    ordered = sorted(set(numbers))
    start = 0
    for index, number in enumerate(ordered):
        if index + 1 == len(ordered) or ordered[index + 1] != number + 1:
            yield ordered[start], number
            start = index + 1


def ranges_text(numbers: Collection[int]) -> str:
    """Return numbers as ranges: ``0-3, 7``."""
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs(numbers))


def did_you_mean(typed: str, known: Iterable[str], otherwise: str = "") -> str:
    """A sentence with the similar names, at most three; `otherwise` where none is similar."""
    by_small = {name.lower(): name for name in known}
    near = [by_small[each] for each in get_close_matches(typed.lower(), by_small, n=3)]
    return f"Did you mean {' or '.join(near)}?" if near else otherwise
