"""The boundary values of each scalar type: the one table that scenarios and strategies read.

Long values are made once and shared by all cases that hold them: treat every value as read-only.
"""

import math
import struct
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, TypeAlias
from uuid import UUID

from kafkawire.schema.layout import FieldLayout
from kafkawire.schema.model import INTEGER_RANGES, IntegerEncoding, ScalarType

Named: TypeAlias = tuple[str, Any]
"""A case: its name within the field, and the field's value."""

LENGTHS: Final = (0, 1, 126, 127, 128)
"""Byte lengths around which a compact length (length + 1) grows from one byte to two."""

LONG_LENGTHS: Final = (16382, 16383, 16384, 32767)
"""Byte lengths around which a compact length grows to three bytes, and the longest string."""

COUNTS: Final = (0, 1, 126, 127, 128)
"""Numbers of elements: none, one, around the count whose prefix grows to two bytes."""

MANY: Final = 256
"""The least number of elements that a counter of one byte does not hold."""

TWO_MIB: Final = 2**21 - 1
"""The least byte length whose compact prefix takes four bytes; no case is larger."""

_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz0123456789"
_WIDE: Final = {2: "é", 3: "€", 4: "\U0001f600"}


def text(length_bytes: int) -> str:
    """ASCII text of this many bytes, so that a wrong length or offset shows in the text."""
    return (_ALPHABET * (length_bytes // len(_ALPHABET) + 1))[:length_bytes]


def wide_text(width_bytes: int, length_bytes: int) -> str:
    """Text of this many UTF-8 bytes made of characters of 2, 3 or 4 bytes, with ASCII for the rest."""
    return _WIDE[width_bytes] * (length_bytes // width_bytes) + "x" * (length_bytes % width_bytes)


def blob(length_bytes: int) -> bytes:
    """This many bytes, which go through all 256 values in turn."""
    return (bytes(range(256)) * (length_bytes // 256 + 1))[:length_bytes]


def _float(bits: int) -> float:
    """The double with these bits: there is no other way to set a NaN's payload."""
    value: float = struct.unpack(">d", bits.to_bytes(8, "big"))[0]
    return value


def span(scalar: ScalarType) -> tuple[int, int] | None:
    """The least and the greatest value of an integer type; None for other types."""
    return INTEGER_RANGES.get(scalar)


def _integers(scalar: ScalarType, *more: int) -> tuple[Named, ...]:
    """The integers of a type: 0 and 1 come first, for shrinking; the type's limits are named."""
    low, high = INTEGER_RANGES[scalar]
    inner = [value for value in (0, 1, -1, *more) if low < value < high or value == 0]
    ends: list[Named] = [("max", high)] if low == 0 else [("min", low), ("max", high)]
    return (*((str(value), value) for value in inner), *ends)


_TEXTS: Final[tuple[Named, ...]] = (
    *((f"length-{n}", text(n)) for n in LENGTHS),
    *((f"utf8-{width}/length-{n}", wide_text(width, n)) for width in _WIDE for n in (127, 128)),
    # White space at both ends, which a codec may strip; an accent that Unicode normalization may compose.
    ("utf8-mixed", " e\u0301\x00é€\U0001f600\uffff\U0010ffff\r\n"),
    # Readers of text files remove a byte order mark; C takes NUL for the end.
    ("mark-first-nul-last", "\ufeffa\x00"),
)

_BLOBS: Final[tuple[Named, ...]] = tuple((f"length-{n}", blob(n)) for n in LENGTHS)
_LONG_BLOBS: Final[tuple[Named, ...]] = tuple((f"length-{n}", blob(n)) for n in (*LONG_LENGTHS, 32768))

SHORT: Final[Mapping[ScalarType, tuple[Named, ...]]] = {
    ScalarType.BOOL: (("false", False), ("true", True)),
    ScalarType.INT8: _integers(ScalarType.INT8),
    # Numbers far from the error codes of releases, which only fields with error codes try.
    ScalarType.INT16: _integers(ScalarType.INT16, 999, -999),
    ScalarType.UINT16: _integers(ScalarType.UINT16, 2**15 - 1, 2**15),
    ScalarType.INT32: _integers(ScalarType.INT32, 2**15, -(2**15) - 1),
    ScalarType.UINT32: _integers(ScalarType.UINT32, 2**31 - 1, 2**31),
    # Timestamps and deltas that do not fit into 32 bits, of either sign; a number that no double holds.
    ScalarType.INT64: _integers(ScalarType.INT64, 2**15, 2**31, -(2**31) - 1, 2**53 + 1),
    ScalarType.FLOAT64: (
        ("0", 0.0),
        ("1.5", 1.5),
        ("-0", -0.0),
        ("-1.5", -1.5),
        ("min-subnormal", 5e-324),
        ("max", 1.7976931348623157e308),
        ("inf", math.inf),
        ("-inf", -math.inf),
        ("nan", _float(0x7FF8_0000_0000_0000)),
        ("nan-payload", _float(0xFFF8_0000_DEAD_BEEF)),
        ("nan-signalling", _float(0x7FF0_0000_0000_0001)),
    ),
    ScalarType.UUID: (
        ("zero", UUID(int=0)),
        ("one", UUID(int=1)),
        ("random", UUID("8c5f2d1e-93b4-4a76-b0e8-d7c61f0a4539")),
        ("max", UUID(int=2**128 - 1)),
    ),
    ScalarType.STRING: _TEXTS,
    ScalarType.BYTES: _BLOBS,
    ScalarType.RECORDS: _BLOBS,
}
"""The boundary values of each type, plainest first; null is not among them."""

LONG: Final[Mapping[ScalarType, tuple[Named, ...]]] = {
    ScalarType.STRING: tuple((f"length-{n}", text(n)) for n in LONG_LENGTHS),
    ScalarType.BYTES: _LONG_BLOBS,
    ScalarType.RECORDS: _LONG_BLOBS,
}
"""Boundary values of 16 KiB and more, for the types that have them."""


def boundary_cases(field: FieldLayout) -> tuple[Named, ...]:
    """The boundary values of a field without a struct, or of its elements, by its type and its encoding."""
    if field.scalar is None:
        raise TypeError(f"{field.name} holds structs")
    return SHORT[field.scalar] if field.encoding is None else integer_cases(field.encoding)


@cache
def integer_cases(encoding: IntegerEncoding) -> tuple[Named, ...]:
    """The boundary values of an integer in KIP-625's encoding: the last number of each length, and the next.

    Fixed encodings have the boundary values of their type.
    """
    cases = SHORT[encoding.integer_type]
    if encoding.is_fixed:
        return cases
    low, high = INTEGER_RANGES[encoding.integer_type]
    known = {value for _, value in cases}
    edges = varint_edges(encoding.bits, signed=not encoding.startswith("u"))
    return (*cases, *((name, at) for name, at in edges if low < at < high and at not in known))


def varint_bytes(bits: int) -> int:
    """The number of bytes of the longest varint of a type with this many bits."""
    return -(-bits // 7)


def varint_edges(bits: int, *, signed: bool) -> Iterator[Named]:
    """The last number of each length of a varint and the first of the next; if signed (zig-zag), on both
    sides of zero.
    """
    for count in range(1, varint_bytes(bits)):
        edge = 1 << (7 * count - signed)
        yield f"{count}-bytes-last", edge - 1
        yield f"{count}-bytes-first-above", edge
        if signed:
            yield f"{count}-bytes-negative-last", -edge
            yield f"{count}-bytes-negative-first-above", -edge - 1


ZERO: Final[Mapping[ScalarType, Any]] = {scalar: cases[0][1] for scalar, cases in SHORT.items()}
"""The value of a type if the definition gives no default (records: empty in place of null)."""


def one_off(scalar: ScalarType, value: Any) -> Any:
    """A value next to `value`, which may be null: the smallest change."""
    match scalar:
        case ScalarType.BOOL:
            return not value
        case ScalarType.FLOAT64:
            return math.nextafter(value, math.inf) if math.isfinite(value) else 1.5
        case ScalarType.UUID:
            return UUID(int=(value.int + 1) % 2**128)
        case ScalarType.STRING:
            return "" if value is None else value + "x"
        case ScalarType.BYTES | ScalarType.RECORDS:
            return b"" if value is None else value + b"x"
        case _:
            return value + 1 if value < INTEGER_RANGES[scalar][1] else value - 1
