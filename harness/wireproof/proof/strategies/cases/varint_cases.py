"""Single numbers of variable length: the values around which they grow, and hostile forms of their bytes."""

from collections.abc import Iterator
from typing import Final

from kafkawire.primitives import VALUE, primitive_codec
from kafkawire.schema.layout import MessageLayout
from wireproof.model import Mutation
from wireproof.proof.strategies.cases.scenarios import Scenario

__all__ = ["varint_mutations", "varint_scenarios"]

_RANGES: Final = {
    "UnsignedVarint": (0, (1 << 32) - 1),
    "Varint": (-(1 << 31), (1 << 31) - 1),
    "Varlong": (-(1 << 63), (1 << 63) - 1),
}
"""Lowest and highest value."""


def varint_scenarios(layout: MessageLayout) -> Iterator[Scenario]:
    """The last value of each length in bytes and the first of the next, on both sides of zero."""
    lowest, highest = _RANGES[layout.name]
    for groups in range(1, _longest(layout.name)):
        edge = 1 << (7 * groups - (1 if lowest else 0))
        named = {"last": edge - 1, "first-above": edge}
        below = {"negative-last": -edge, "negative-first-above": -edge - 1}
        for name, number in (named | below if lowest else named).items():
            if lowest <= number <= highest:
                yield Scenario(f"{VALUE}/{groups}-bytes-{name}", VALUE, {VALUE: number})


def varint_mutations(layout: MessageLayout, data: bytes) -> Iterator[Mutation]:
    """A valid encoding in forms that are longer than need be, too long, cut off, or of too many bits."""
    longest = _longest(layout.name)
    bits = 64 if layout.name == "Varlong" else 32
    for end in range(len(data)):
        yield Mutation("truncate", "", end, data[end:], b"")
    forms = {
        "padded": _padded(data, len(data) + 1),
        f"padded-{longest}": _padded(data, longest),
        "too-long": _padded(data, longest + 1),
        "far-too-long": _padded(data, 2 * longest + 1),
        "endless": b"\xff" * longest,
        "all-bits": b"\xff" * (longest - 1) + bytes([(1 << (bits - 7 * (longest - 1))) - 1]),
        "bit-beyond": b"\x80" * (longest - 1) + bytes([1 << (bits - 7 * (longest - 1))]),
        "bits-dropped": _with_high_bits(data, longest, bits),
        "unfinished": b"\x80",
    }
    taken = {data}
    for label, form in forms.items():
        if form is not None and form not in taken:
            taken.add(form)
            yield Mutation(f"varint={label}", VALUE, 0, data, form)
    yield Mutation("append=zero", "", len(data), b"", b"\x00")
    yield Mutation("append=ones", "", len(data), b"", b"\xff")


def _longest(name: str) -> int:
    """Bytes that the largest value takes."""
    lowest, _ = _RANGES[name]
    return len(primitive_codec(name).encode({VALUE: lowest or _RANGES[name][1]}))


def _padded(data: bytes, width: int) -> bytes | None:
    """The same number in so many bytes; None where it takes more."""
    if width <= len(data):
        return None
    return data[:-1] + bytes([data[-1] | 0x80]) + b"\x80" * (width - len(data) - 1) + b"\x00"


def _with_high_bits(data: bytes, longest: int, bits: int) -> bytes | None:
    """The number in all bytes that there may be, the bits above its type set."""
    whole = data if len(data) == longest else _padded(data, longest)
    high = 0x7F & ~((1 << (bits - 7 * (longest - 1))) - 1)
    return None if whole is None else whole[:-1] + bytes([whole[-1] | high])
