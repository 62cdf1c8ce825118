"""Names that are like the one that was typed."""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["did_you_mean"]


def did_you_mean(typed: str, known: Iterable[str], otherwise: str = "") -> str:
    """A sentence with the similar names, at most three; `otherwise` where none is similar."""
    by_small = {name.lower(): name for name in known}
    near = [by_small[each] for each in get_close_matches(typed.lower(), by_small, n=3)]
    return f"Did you mean {' or '.join(near)}?" if near else otherwise
