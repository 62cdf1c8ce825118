"""The slice of the mutations in the default plan: each operator once at each kind of place of a cell.

A *kind of place* is the type and the form of a span: a count, a length or a text, compact or not, nullable or
not; a marker; a tag section with known tags or without. Most codecs read all places of one kind with the same
code. Some do not, so the slice has the operators that find the worst bugs at each field.
"""

from typing import Final

_AT_EACH_FIELD: Final = frozenset(
    {
        "truncate",
        *(f"{operator}={label}" for operator in ("count", "length") for label in (
            "max", "minus-2", "six-bytes", "left-and-1",
        )),
        "count=zero",
        "count=null",
        "length=null-alone",
        "text=no-lead",
        "marker=two",
        "tag-size=zero",
        "tag-size=max",
    }
)  # fmt: skip
"""Operators: largest number, negative number, more than is left, null, long varint, invalid UTF-8, cut."""
_WHERE_EMPTY: Final = frozenset({"count=zero", "count=null", "count=minus-2", "length=minus-2"})
"""Operators that are tried at empty places, too: bytes after the number may hide that a codec accepts it."""
_LARGE: Final = 3
"""From this number on, the hostile numbers derived from a number differ from the fixed ones."""


class Slice:
    """The mutations of one cell that were taken so far. Ask it once for each mutation, in a fixed order."""

    def __init__(self) -> None:
        self._taken: set[tuple[str, str]] = set()
        self._entered: set[tuple[str, str, int]] = set()

    def enters(self, kind: str, field: str, number: int = 0) -> bool:
        """Return True if a place may have a mutation that is not taken yet.

        Args:
            field: the path of the field without indices.
            number: the length or count at the place.
        """
        place = kind, field, min(number, _LARGE)
        if place in self._entered:
            return False
        self._entered.add(place)
        return True

    def takes(self, operator: str, kind: str, field: str, *, empty: bool = False) -> bool:
        """Return True if a mutation is in the slice, and note it as taken.

        Args:
            empty: whether the changed number is a length or count of zero.
        """
        wanted = {(operator, kind)}
        if operator in _AT_EACH_FIELD:
            wanted.add((operator, f"{kind} of {field}"))
        if empty and operator in _WHERE_EMPTY:
            wanted.add((operator, f"empty {kind} of {field}"))
        if wanted <= self._taken:
            return False
        self._taken |= wanted
        return True
