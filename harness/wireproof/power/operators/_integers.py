"""Width and sign of integers."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from kafkawire.schema import ScalarType
from wireproof.power.mutants.codec_operator import (
    CodecKind,
    Deviation,
    WrongCode,
    WrongPrimitive,
    WrongRecords,
    WrongValue,
)
from wireproof.power.mutants.sites import carries, either, every, is_array, is_compact, of_type

_NUMBERS = (ScalarType.INT16, ScalarType.INT32, ScalarType.INT64)


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


INTEGER_DEVIATIONS: Final[Mapping[str, Deviation]] = {
    "uint16-as-int16": WrongPrimitive(of_type(ScalarType.UINT16)),
    "int16-as-uint16": WrongPrimitive(of_type(ScalarType.INT16)),
    "int8-as-uint8": WrongPrimitive(of_type(ScalarType.INT8)),
    "uint32-as-int32": WrongPrimitive(of_type(ScalarType.UINT32)),
    "int64-through-32-bits": WrongValue(of_type(ScalarType.INT64), outward=_wrapped(32)),
    "int32-clipped-at-0": WrongValue(of_type(ScalarType.INT32), outward=lambda value: max(value, 0)),
    "little-endian": WrongPrimitive(of_type(*_NUMBERS)),
    "int32-zig-zag": WrongValue(of_type(ScalarType.INT32), outward=_zigzag, inward=_unzigzag),
}


_long = every(is_compact, of_type(ScalarType.STRING, ScalarType.BYTES))
_counted = every(is_compact, either(is_array, of_type(ScalarType.STRING, ScalarType.BYTES)))


VARINT_DEVIATIONS: Final[Mapping[str, Deviation]] = {
    "varint-ends-one-value-late": WrongPrimitive(_counted),
    "varint-of-two-bytes-at-most": WrongPrimitive(_long),
    "varint-highest-group-first": WrongPrimitive(_counted),
    "length-zig-zag": WrongPrimitive(_counted),
    "varint-not-minimal": WrongPrimitive(_counted),
    "varint-size-one-bit-off": WrongPrimitive(_counted),
    "long-prefix-not-sized": WrongCode(_counted, CodecKind.COMPILED),
    "timestamp-delta-without-sign": WrongRecords(carries(2)),
    "timestamp-delta-of-32-bits": WrongRecords(carries(2)),
    "header-count-not-zig-zag": WrongRecords(carries(2)),
}


_text = of_type(ScalarType.STRING)


def _up_to_nul(value: Any) -> Any:
    return value.split("\0")[0] if isinstance(value, str) else value


def _without_mark(value: Any) -> Any:
    return value.removeprefix("\ufeff") if isinstance(value, str) else value


def _without_last_nul(value: Any) -> Any:
    return value.rstrip("\0") if isinstance(value, str) else value


UTF8_DEVIATIONS: Final[Mapping[str, Deviation]] = {
    "length-in-characters": WrongPrimitive(_text),
    "length-in-utf16": WrongPrimitive(_text),
    "surrogates-in-utf8": WrongPrimitive(_text),
    "text-ends-at-nul": WrongValue(_text, inward=_up_to_nul),
    "byte-order-mark-taken-away": WrongValue(_text, inward=_without_mark),
    "nul-at-the-end-taken-away": WrongValue(_text, outward=_without_last_nul),
}
