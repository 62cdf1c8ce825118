"""The value classes of each scalar type, and which of them a value is in.

The classes are the values at which codecs break: the limits of a type, the sign, the limits of narrower
types, each length at which a prefix gets longer, characters of more than one byte.
"""

import math
import struct
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, TypeAlias

from kafkawire.schema.model import INTEGER_RANGES, ScalarType
from wireproof.model.coverage.wire_sizes import WIDTHS


class Allot(Protocol):
    """Gives the bit of a class.

    Args:
        name: the name of the class.
        least_bytes: the least size of a value of the class, if that is large.
    """

    def __call__(self, name: str, least_bytes: int = 0) -> int: ...


Look: TypeAlias = Callable[[Any], int]
"""The bits of the classes that a value is in."""

_LENGTHS: Final = (0, 1, 126, 127, 128, 16382, 16383, 16384, 32767)
"""Byte lengths: nothing, one, around a second and a third byte of a compact prefix, the longest string."""


_PREFIXES: Final[Mapping[int, int]] = {4: 2**21 - 1, 5: 2**28 - 1}
"""Byte lengths from which length + 1 takes that many bytes as a varint."""


def scalar_look(scalar: ScalarType, compact: bool, allot: Allot) -> "ScalarLook":
    """The classifier of a type; it allots the type's classes in a fixed order.

    Args:
        compact: whether a length is an unsigned varint.
    """
    if scalar in INTEGER_RANGES:
        least, _ = INTEGER_RANGES[scalar]
        return (Signed if least else Unsigned)(8 * WIDTHS[scalar], allot)
    match scalar:
        case ScalarType.BOOL:
            return Flag(allot)
        case ScalarType.FLOAT64:
            return Float(allot)
        case ScalarType.UUID:
            return Exact(allot)
        case ScalarType.STRING:
            return Text(allot)
        case _:
            return Blob(compact, allot)


class Flag:
    """Both values of a bool."""

    def __init__(self, allot: Allot) -> None:
        self.false: Final = allot("false")
        self.true: Final = allot("true")
        self.look: Final[Look] = {False: self.false, True: self.true}.__getitem__


class Exact:
    """Uuids: those with a special meaning, and all others.

    Attributes:
        known: the bit of each special uuid, by its number.
    """

    def __init__(self, allot: Allot) -> None:
        known = {0: allot("zero"), 1: allot("one"), 2**128 - 1: allot("max")}
        rest = allot("other")
        self.known: Final = known
        self.rest: Final = rest
        self.look: Final[Look] = lambda value: known.get(value.int, rest)


class Signed:
    """Exact values, and other values above and below the range of the next narrower type.

    Attributes:
        narrow: the first number above that range; None for the narrowest type.
        inexact: the bit of integers that a double cannot hold, as some JSON libraries do.
    """

    def __init__(self, bits: int, allot: Allot) -> None:
        half = 1 << bits - 1
        names = {0: "0", 1: "1", -1: "-1", -half: "min", half - 1: "max"}
        known = {number: allot(name) for number, name in names.items()}
        self.known: Final = known
        self.narrow: Final = None if bits == 8 else 1 << bits // 2 - 1
        self.over: Final = 0 if bits == 8 else allot(f"over-int{bits // 2}")
        self.under: Final = 0 if bits == 8 else allot(f"under-int{bits // 2}")
        self.inexact: Final = allot("no-double") if bits == 64 else 0
        self.look: Final[Look] = (lambda value: known.get(value, 0)) if bits == 8 else self._look()

    def _look(self) -> Look:
        known, narrow, over, under, inexact = (
            self.known,
            self.narrow or 0,
            self.over,
            self.under,
            self.inexact,
        )

        def look(value: int) -> int:
            met = known.get(value)
            if met is None:
                met = over if value >= narrow else under if value < -narrow else 0
                if inexact and met and int(float(value)) != value:
                    met |= inexact
            return met

        return look


class Unsigned:
    """Exact values, and other values that a signed type of the same width would read as negative.

    Attributes:
        half: the first value that would be read as negative.
    """

    def __init__(self, bits: int, allot: Allot) -> None:
        half = 1 << bits - 1
        known = {0: allot("0"), 1: allot("1"), half - 1: allot("last-signed"), 2 * half - 1: allot("max")}
        top = allot("top-bit")
        self.known: Final = known
        self.half: Final = half
        self.top: Final = top
        self.look: Final[Look] = lambda value: known.get(value) or (top if value >= half else 0)


_EXPONENT: Final = 0x7FF0_0000_0000_0000
_QUIET: Final = 0x0008_0000_0000_0000
_SIGN: Final = 1 << 63


class Float:
    """The classes of float64, by the bits: Python's own comparison takes -0.0 for 0.0, and NaN for unequal
    to itself.
    """

    def __init__(self, allot: Allot) -> None:
        exact = {
            0: allot("0"),
            _SIGN: allot("-0"),
            struct.unpack(">Q", struct.pack(">d", math.inf))[0]: allot("inf"),
            struct.unpack(">Q", struct.pack(">d", -math.inf))[0]: allot("-inf"),
            _EXPONENT - 1: allot("max"),
            _EXPONENT | _QUIET: allot("nan"),
        }
        payload, signalling = allot("nan-payload"), allot("nan-signalling")
        subnormal, positive, negative = allot("subnormal"), allot("positive"), allot("negative")

        def look(value: float) -> int:
            (bits,) = struct.unpack(">Q", struct.pack(">d", value))
            known = exact.get(bits)
            if known is not None:
                return known
            if bits & _EXPONENT == _EXPONENT:
                return payload if bits & _QUIET else signalling
            met = negative if bits & _SIGN else positive
            return met if bits & _EXPONENT else met | subnormal

        self.look: Final[Look] = look


class Text:
    """Lengths in bytes, characters of more than one byte, and both ends, where languages trim text."""

    def __init__(self, allot: Allot) -> None:
        lengths = {length: allot(f"length-{length}", length) for length in _LENGTHS}
        widths = {2: allot("2-byte"), 3: allot("3-byte"), 4: allot("4-byte")}
        # Texts with fewer characters than bytes: a length counted in characters is wrong at the boundary.
        wide = {127: allot("wide-127"), 128: allot("wide-128")}
        nul, mark, last = allot("nul"), allot("byte-order-mark-first"), allot("nul-last")

        def look(value: str) -> int:
            if value.isascii():
                met = lengths.get(len(value), 0)
            else:
                size = len(value.encode())
                met = lengths.get(size, 0) | wide.get(size, 0)
                for width in {len(character.encode()) for character in set(value)} - {1}:
                    met |= widths[width]
                met |= mark if value[0] == "\ufeff" else 0
            return met | nul | (last if value[-1] == "\0" else 0) if "\0" in value else met

        self.lengths: Final = lengths
        self.nul: Final = nul
        self.last: Final = last
        self.look: Final[Look] = look


_LOOKED_AT: Final = 4096
"""The number of bytes of a blob that are searched for every byte value."""
_EVERY_BYTE: Final = tuple(bytes((byte,)) for byte in reversed(range(256)))


def _has_every_byte(data: bytes) -> bool:
    """Return whether each byte value occurs; stops at the first missing one, which most blobs have."""
    return all(byte in data for byte in _EVERY_BYTE)


class Blob:
    """Lengths, and whether every byte value occurs in the first bytes."""

    def __init__(self, compact: bool, allot: Allot) -> None:
        lengths = {length: allot(f"length-{length}", length) for length in (*_LENGTHS, 32768)}
        every = allot("every-byte")
        # Lengths from which a compact prefix takes four and five bytes.
        four, five = (allot(f"prefix-{n}", _PREFIXES[n]) if compact else 0 for n in _PREFIXES)

        def look(value: bytes) -> int:
            size = len(value)
            met = lengths.get(size, 0)
            if size >= 256 and _has_every_byte(value[:_LOOKED_AT]):
                met |= every
            if size >= _PREFIXES[4]:
                met |= four if size < _PREFIXES[5] else five
            return met

        self.lengths: Final = lengths
        self.look: Final[Look] = look


ScalarLook: TypeAlias = Signed | Unsigned | Flag | Float | Exact | Text | Blob
