"""Lengths, counts and unsigned varints, as a codec with deviations writes them."""

from collections.abc import Mapping
from typing import Final

from kafkawire.schema.layout import FieldLayout
from wireproof.proof.deviations.rules import Rules

VARINT: Final = "unsigned varint"
TAG_VARINT: Final = "unsigned varint of a tag"
"""The type of the number and of the size of a tagged field."""
LENGTH: Final = "length"
"""The trigger at each length and count."""
COUNT: Final = "count"
"""The action of a codec that forgets that a compact length is one more."""
_WIDTHS: Final[Mapping[str, int]] = {"int16": 2, "int32": 4}


def length_width(field: FieldLayout, action: str, *, wide: bool) -> int:
    """Return the number of bytes of a length; 0 for a varint.

    Args:
        action: the action at the trigger `LENGTH`.
        wide: whether the length has four bytes where it is not compact.
    """
    return _WIDTHS.get(action, 0 if field.compact else 4 if wide else 2)


def write_length(rules: Rules, field: FieldLayout, length: int, kind: str, path: str, *, wide: bool) -> bytes:
    """Write a length or count; -1 is null."""
    action = rules.at(LENGTH, kind, path)
    width = length_width(field, action, wide=wide)
    if width:
        return (length % (1 << 8 * width)).to_bytes(width)
    held = write_varint(rules, max(length, 0) if action == COUNT else length + 1, path)
    return _padded(held) if action == "padded" and length >= 0 else held


def write_varint(rules: Rules, number: int, path: str) -> bytes:
    """Write an unsigned varint."""
    held = bytearray()
    left = number
    while left >= 0x80:
        held.append(left & 0x7F | 0x80)
        left >>= 7
    held.append(left)
    if left == 0x7F and rules.at("varint-127", VARINT, path) == "padded":
        return _padded(held)
    if left == 1 and held[-2:] == b"\x80\1" and rules.at("varint-128", VARINT, path) == "cut":
        return bytes(held[:-1])
    return bytes(held)


def _padded(held: bytes | bytearray) -> bytes:
    return bytes((*held[:-1], held[-1] | 0x80, 0))
