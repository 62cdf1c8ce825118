"""Numbers for people: three figures at most, and a unit."""

from collections.abc import Sequence

__all__ = ["short", "size_text"]


def short(number: float) -> str:
    """``999``, ``1.2k``, ``35M``."""
    return _scaled(number, 1000, ("", "k", "M", "G", "T"))


def size_text(size: float) -> str:
    """``999 B``, ``1.2 KiB``."""
    return _scaled(size, 1024, (" B", " KiB", " MiB", " GiB", " TiB"))


def _scaled(number: float, step: int, units: Sequence[str]) -> str:
    place = 0
    while number >= step and place + 1 < len(units):
        number, place = number / step, place + 1
    digits = 1 if place and number < 10 else 0
    return f"{number:.{digits}f}{units[place]}"
