"""Hostile numbers, markers and texts, by name, which replace valid ones."""

from collections.abc import Iterator, Mapping
from typing import Final

from kafkawire.wire import write_uvarint
from wireproof.proof.strategies.values.boundary_values import varint_bytes

BOOLS: Final = {"two": b"\x02", "127": b"\x7f", "128": b"\x80", "255": b"\xff"}

MARKERS: Final = {
    "null": b"\xff",
    "present": b"\x01",
    "zero": b"\x00",
    "two": b"\x02",
    "127": b"\x7f",
    "minus-128": b"\x80",
    "minus-2": b"\xfe",
}
"""Markers of a nullable struct (KIP-893): -1 and 1 are right, Kafka checks only the sign."""

TAGGED_MARKERS: Final = {
    "null": b"\x00",
    "present": b"\x01",
    "two": b"\x02",
    "127": b"\x7f",
    "padded-null": b"\x80\x00",
    "padded-present": b"\x81\x00",
    "minus-1": b"\xff\xff\xff\xff\x0f",
    "unfinished": b"\x80",
}

TEXTS: Final = {
    "lone-continuation": b"\x80",
    "overlong-2": b"\xc0\x80",
    "overlong-3": b"\xe0\x80\x80",
    "overlong-4": b"\xf0\x80\x80\x80",
    "cut-2": b"\xc3",
    "cut-3": b"\xe2\x82",
    "cut-4": b"\xf0\x9f\x98",
    "surrogate": b"\xed\xa0\x80",
    "surrogate-pair": b"\xed\xa0\xbd\xed\xb8\x80",
    "beyond-unicode": b"\xf4\x90\x80\x80",
    "five-bytes": b"\xf8\x88\x80\x80\x80",
    "no-lead": b"\xff\xfe",
    "in-text": b"a\xffb",
}
"""Bytes that are no valid UTF-8: Unicode 15, table 3-7."""


def hostile_int(width: int, number: int, left: int) -> Iterator[tuple[str, bytes]]:
    """Numbers in place of a big-endian length or count of `width` bytes; no repeats, not the number itself.

    Args:
        left: how many bytes follow the number.
    """
    top = (1 << (8 * width - 1)) - 1
    numbers = {
        "null": -1,
        "minus-2": -2,
        "min": -top - 1,
        "zero": 0,
        "one-less": number - 1,
        "one-more": number + 1,
        "127": 127,
        "128": 128,
        "left": left,
        "left-and-1": left + 1,
        "max": top,
    }
    taken = {number}
    for label, other in numbers.items():
        if other not in taken and -top - 1 <= other <= top:
            taken.add(other)
            yield label, other.to_bytes(width, "big", signed=True)


def hostile_uvarint(number: int, left: int, offset: int) -> Iterator[tuple[str, bytes]]:
    """Numbers in place of an unsigned varint, and wrong forms of it; without repeats and the number itself.

    Args:
        left: how many bytes follow the number.
        offset: how much the number exceeds the count: 1 for lengths (0 is null), 0 for tags and sizes.
    """
    numbers = {
        "zero": 0,
        "one-less": number - 1,
        "one-more": number + 1,
        "127": 127,
        "128": 128,
        "left": left + offset,
        "left-and-1": left + offset + 1,
        "max": (1 << 31) - 1,
        "beyond-max": 1 << 31,
        "minus-as-int": (1 << 31) + 5,
        "all-bits": (1 << 32) - 1,
    }
    valid = write_uvarint(number)
    forms = {label: write_uvarint(other) for label, other in numbers.items() if other >= 0}
    forms |= {
        "padded": padded(valid, len(valid) + 1),
        "padded-5": padded(valid, 5),
        "bits-dropped": with_high_bits(valid, 32),
        "bit-32": b"\x80\x80\x80\x80\x10",
        "six-bytes": padded(valid, 6),
        "endless": b"\xff\xff\xff\xff\xff",
        "unfinished": b"\x80",
    }
    return distinct_forms(forms, valid)


def distinct_forms(forms: Mapping[str, bytes], valid: bytes) -> Iterator[tuple[str, bytes]]:
    """The forms that differ from the valid one and from those before them."""
    taken = {valid}
    for label, form in forms.items():
        if form not in taken:
            taken.add(form)
            yield label, form


def padded(varint: bytes, width: int) -> bytes:
    """The same number in `width` bytes; unchanged if it has that many or more."""
    if width <= len(varint):
        return varint
    return varint[:-1] + bytes([varint[-1] | 0x80]) + b"\x80" * (width - len(varint) - 1) + b"\x00"


def with_high_bits(varint: bytes, bits: int) -> bytes:
    """The number in as many bytes as a type of `bits` can take, with the bits above its type set."""
    longest = varint_bytes(bits)
    high = 0x7F & ~((1 << (bits - 7 * (longest - 1))) - 1)
    whole = padded(varint, longest)
    return whole[:-1] + bytes([whole[-1] | high])
