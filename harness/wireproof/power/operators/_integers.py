"""Width and sign of integers."""

from collections.abc import Callable

from kafkawire.schema import ScalarType
from wireproof.power.bug_classes import BugClass
from wireproof.power.mutants.codec_operator import CodecOperator, WrongPrimitive, WrongValue
from wireproof.power.mutants.site_conditions import of_type
from wireproof.power.mutants.source_copies import Patch

__all__ = ["INTEGER_OPERATORS"]

_NUMBERS = (ScalarType.INT16, ScalarType.INT32, ScalarType.INT64)


def _code(name: str, old: str, new: str) -> tuple[Patch, ...]:
    return (Patch("wire.numbers", f'"{name}": "{old}"', f'"{name}": "{new}"'),)


def _wrapped(bits: int) -> Callable[[int], int]:
    """Wrap a number as a narrower signed integer does."""
    half = 1 << (bits - 1)
    return lambda value: (value + half) % (1 << bits) - half


def _zigzag(value: int) -> int:
    """One to one on int32: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... and overflow into the negative ones."""
    return _wrapped(32)((value << 1) ^ (value >> 31))


def _unzigzag(value: int) -> int:
    raw = value % (1 << 32)
    return (raw >> 1) ^ -(raw & 1)


INTEGER_OPERATORS = (
    CodecOperator(
        "uint16-as-int16",
        BugClass.INTEGERS,
        "a uint16, such as a port, is taken for an int16",
        WrongPrimitive(of_type(ScalarType.UINT16), _code("uint16", "H", "h")),
    ),
    CodecOperator(
        "int16-as-uint16",
        BugClass.INTEGERS,
        "an int16 is taken for a uint16",
        WrongPrimitive(of_type(ScalarType.INT16), _code("int16", "h", "H")),
    ),
    CodecOperator(
        "int8-as-uint8",
        BugClass.INTEGERS,
        "an int8 is taken for a uint8",
        WrongPrimitive(of_type(ScalarType.INT8), _code("int8", "b", "B")),
    ),
    CodecOperator(
        "uint32-as-int32",
        BugClass.INTEGERS,
        "a uint32 is taken for an int32",
        WrongPrimitive(of_type(ScalarType.UINT32), _code("uint32", "I", "i")),
    ),
    CodecOperator(
        "int64-through-32-bits",
        BugClass.INTEGERS,
        "an int64, such as a time, overflows at 32 bits before it is written",
        WrongValue(of_type(ScalarType.INT64), outward=_wrapped(32)),
    ),
    CodecOperator(
        "int32-clipped-at-0",
        BugClass.INTEGERS,
        "a negative int32 is written as 0",
        WrongValue(of_type(ScalarType.INT32), outward=lambda value: max(value, 0)),
    ),
    CodecOperator(
        "little-endian",
        BugClass.INTEGERS,
        "an integer has its lowest byte first, written and read",
        WrongPrimitive(
            of_type(*_NUMBERS),
            (
                Patch(
                    "wire.numbers",
                    'form = struct.Struct(">" + FIXED_CODES[name])',
                    'form = struct.Struct("<" + FIXED_CODES[name])',
                ),
            ),
        ),
    ),
    CodecOperator(
        "int32-zig-zag",
        BugClass.INTEGERS,
        "an int32 is written and read as zig-zag",
        WrongValue(of_type(ScalarType.INT32), outward=_zigzag, inward=_unzigzag),
    ),
)
