"""Numbers with their nouns, as every message and report writes them."""

__all__ = ["counted"]


def counted(number: int, noun: str) -> str:
    """``1 cell``, ``2,000 cells``."""
    return f"{number:,} {noun if number == 1 else f'{noun}s'}"
